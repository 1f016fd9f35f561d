// The part of the catalogue about following a network.

const CONFIGURATION = 3;
const REMOTE = 4;
const httpAdvice = "Report the X-Request-Id of this answer to the operator of the daemon.";

export const FOLLOW_ERRORS = {
  FOLLOW_STATE_INVALID: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The saved state of svc watch or svc daemon --follow cannot be used.",
    advice: "Set another directory with `--state`, or move the file away to begin anew.",
    httpAdvice,
  },
  FOLLOW_STATE_UNWRITABLE: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The state of svc watch or svc daemon --follow cannot be written.",
    advice:
      "Free space, or correct the directory and its permissions, then start svc again: nothing is lost.",
    httpAdvice,
  },
  FOLLOW_BEHIND: {
    exitCode: REMOTE,
    httpStatus: 503,
    summary: "More ledgers wait than is allowed, or no source shows how many.",
    advice: "Raise the limit, or set the backlog policy to `catch-up` or `skip`.",
    httpAdvice,
  },
  FOLLOW_LEDGER_GONE: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "No node keeps the next ledger any more, and there is no ledger lake.",
    advice:
      "Set a ledger lake with `--ledger-lake-url`, or begin anew with an empty state: the ledgers between are not verified then.",
    httpAdvice,
  },
} as const;
