// The error codes of `svc dap`.

import { EXIT, row } from "../base/errors/base-errors.ts";
import { phrase, svc } from "../base/phrase.ts";

export const DAP_ERRORS = {
  DEBUG_PROTOCOL_INVALID: row(EXIT.usage, 400, {
    summary:
      "A client of `svc dap` does not follow the Debug Adapter Protocol. " +
      "It sent bytes that are not a message, or a message that is too large.",
    advice: phrase`Start it from an editor's debugger: ${svc("dap")} speaks to editors; do not start it by hand.`,
    httpAdvice: "Connect an editor's debugger to that port.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof DAP_ERRORS> {}
}
