// The codes of following: part of the catalogue.

import { EXIT, REPORT, row } from "../base/errors/base-errors.ts";
import { flag, phrase } from "../base/phrase.ts";

export const FOLLOW_ERRORS = {
  FOLLOW_STATE_INVALID: row(EXIT.configuration, 500, {
    summary: "The saved state of svc watch or svc daemon --follow cannot be used.",
    advice: phrase`Set another directory with ${flag("state")}, or move the file away to start over.`,
    httpAdvice: REPORT,
  }),
  FOLLOW_STATE_UNWRITABLE: row(EXIT.configuration, 500, {
    summary: "The state of svc watch or svc daemon --follow cannot be written.",
    advice:
      "Free space, or correct the directory and its permissions, then start svc again: nothing is lost.",
    httpAdvice: REPORT,
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof FOLLOW_ERRORS> {}
}
