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
  HOST_NOT_ALLOWED: {
    exitCode: USAGE,
    httpStatus: 421,
    summary: "The Host header of a request does not name a daemon that needs no token.",
    advice:
      "Use the daemon's IP address, or add the name to `--allowed-hosts`. A web page must not " +
      "reach a daemon through a name of its own (DNS rebinding).",
    httpAdvice: "Send the request to the IP address of the daemon, or to localhost.",
  },
  LIMIT_TOO_HIGH: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "A request asks for more than the daemon grants one simulation.",
    advice: "Set `--max-instructions` and `--max-transaction-memory` to what trusted clients need.",
    httpAdvice: "Lower the limit that the message names.",
  },
  NOT_READY: {
    exitCode: SIMULATOR,
    httpStatus: 503,
    summary: "The daemon cannot simulate now.",
    advice: "Read the reason in the message, and the daemon's log; `svc doctor` checks svc-sim.",
    httpAdvice: "Try again later, or use another replica.",
  },
  SIMULATOR_OUT_OF_MEMORY: {
    exitCode: SIMULATOR,
    httpStatus: 422,
    summary: "svc-sim needed more memory for one transaction than it may use.",
    advice: "Raise `--worker-memory` of the daemon, or free memory of the machine.",
    httpAdvice: "Send a transaction that needs less memory.",
  },
} as const;
