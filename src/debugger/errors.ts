// The error codes of walks and what-if runs. They are a part of the catalogue.

import { EXIT, row } from "../base/errors/base-errors.ts";

export const DEBUGGER_ERRORS = {
  OVERRIDE_IMPOSSIBLE: row(EXIT.usage, 400, {
    summary:
      "The transaction has nothing that the override can change. " +
      "The argument, entry or setting does not exist, or nothing of the transaction ran in the contract host.",
    advice: "Override something that the transaction has: an argument, a limit or an entry.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof DEBUGGER_ERRORS> {}
}
