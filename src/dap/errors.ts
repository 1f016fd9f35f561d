// The codes of sessions of editors (`svc dap`): part of the catalogue.

import { type ErrorRows, EXIT } from "../base/errors/base-errors.ts";

export const DAP_ERRORS = {
  DEBUG_PROTOCOL_INVALID: {
    exitCode: EXIT.usage,
    httpStatus: 400,
    summary: "A client of `svc dap` does not follow the Debug Adapter Protocol.",
    advice: "Start `svc dap` from an editor's debugger; it is not for typing.",
    httpAdvice: "Connect an editor's debugger to that port.",
  },
} as const satisfies ErrorRows;

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof DAP_ERRORS> {}
}
