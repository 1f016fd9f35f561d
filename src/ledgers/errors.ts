// The codes of reading ledgers: part of the catalogue.

import { EXIT, REPORT, row } from "../base/errors/base-errors.ts";
import { flag, phrase } from "../base/phrase.ts";

export const LEDGERS_ERRORS = {
  FOLLOW_BEHIND: row(EXIT.remote, 503, {
    summary: "More ledgers wait than is allowed, or no source shows how many.",
    advice: "Raise the limit, or set the backlog policy to `catch-up` or `skip`.",
    httpAdvice: REPORT,
  }),
  FOLLOW_LEDGER_GONE: row(EXIT.configuration, 500, {
    summary: "No node keeps the next ledger any more, and there is no ledger lake.",
    advice: phrase`Set a ledger lake with ${flag("ledgerLakeUrl")}, or start over with an empty state. The ledgers in between will not be verified.`,
    httpAdvice: REPORT,
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof LEDGERS_ERRORS> {}
}
