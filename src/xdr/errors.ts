// The error codes of XDR.

import { EXIT, REPORT, row } from "../base/errors/base-errors.ts";

export const XDR_ERRORS = {
  XDR_INVALID: row(EXIT.remote, 502, {
    summary:
      "XDR cannot be decoded. " +
      "The text is not base64, is cut off, or is of another type than was expected.",
    advice:
      "Check that the value is complete, is standard base64, and has the type that the message names.",
    httpAdvice: REPORT,
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof XDR_ERRORS> {}
}
