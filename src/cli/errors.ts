// The codes of the command line: part of the catalogue.

import { EXIT, row } from "../base/errors/base-errors.ts";
import { atClient, phrase } from "../base/phrase.ts";

export const CLI_ERRORS = {
  INTERACTIVE_IMPOSSIBLE: row(EXIT.usage, 400, {
    summary: "The interactive view cannot be shown on this terminal.",
    advice: "Use a terminal of at least 80x24 with TERM set (NO_COLOR=1: no colors), or omit `-i`.",
    httpAdvice: phrase`${atClient("Send the hash to POST /v1/debug.", "Debug the hash on the page.")}`,
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof CLI_ERRORS> {}
}
