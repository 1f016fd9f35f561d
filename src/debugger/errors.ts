// The codes of walks and what-if runs: part of the catalogue.

import { type ErrorRows, EXIT } from "../base/errors/base-errors.ts";

export const DEBUGGER_ERRORS = {
  OVERRIDE_IMPOSSIBLE: {
    exitCode: EXIT.usage,
    httpStatus: 400,
    summary: "The transaction has nothing that the override can change.",
    advice: "Override something that the transaction has; docs/what-if.md lists every form.",
  },
} as const satisfies ErrorRows;

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof DEBUGGER_ERRORS> {}
}
