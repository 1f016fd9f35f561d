// The codes of limits and refusals that only the daemon has: part of the catalogue.

const USAGE = 2;
const SIMULATOR = 5;

export const DAEMON_ERRORS = {
  BODY_TOO_LARGE: {
    exitCode: USAGE,
    httpStatus: 413,
    summary: "The body of a request exceeds the size limit.",
    advice: "Send fewer or smaller entries; the message has the limit.",
  },
  BODY_TOO_SLOW: {
    exitCode: USAGE,
    httpStatus: 408,
    summary: "The body of a request did not arrive in time.",
    advice: "Send the request again over a faster connection.",
  },
  OVERLOADED: {
    exitCode: SIMULATOR,
    httpStatus: 503,
    summary: "The daemon is at capacity.",
    advice: "Try again after the time in the Retry-After header, or run more replicas.",
  },
  SHUTTING_DOWN: {
    exitCode: SIMULATOR,
    httpStatus: 503,
    summary: "The daemon is shutting down and accepts no new work.",
    advice: "Try again: another replica, or the replacement of this one, will answer.",
  },
  SIMULATOR_OUT_OF_MEMORY: {
    exitCode: SIMULATOR,
    httpStatus: 422,
    summary: "svc-sim needed more memory for one transaction than it may use.",
    advice: "Raise `--worker-memory` of the daemon, or free memory of the machine.",
    httpAdvice: "Send a transaction that needs less memory.",
  },
} as const;
