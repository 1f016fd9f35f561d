// The codes of walks and what-if runs: part of the catalogue.

import { EXIT, row } from "../base/errors/base-errors.ts";

export const DEBUGGER_ERRORS = {
  OVERRIDE_IMPOSSIBLE: row(EXIT.usage, 400, {
    summary: "The transaction has nothing that the override can change.",
    advice: "Override something that the transaction has: an argument, a limit or an entry.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof DEBUGGER_ERRORS> {}
}
