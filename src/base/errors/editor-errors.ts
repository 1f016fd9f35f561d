// The codes that only sessions of editors have (`svc dap`): part of the catalogue.

const USAGE = 2;

export const EDITOR_ERRORS = {
  DEBUG_PROTOCOL_INVALID: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "A client of `svc dap` does not follow the Debug Adapter Protocol.",
    advice: "Start `svc dap` from an editor's debugger; it is not for typing.",
    httpAdvice: "Connect an editor's debugger to that port.",
  },
} as const;
