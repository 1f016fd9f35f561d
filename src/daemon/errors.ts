// The codes of the daemon: part of the catalogue.

import { type ErrorRows, EXIT, REPORT } from "../base/errors/base-errors.ts";

export const DAEMON_ERRORS = {
  ADDRESS_UNAVAILABLE: {
    exitCode: EXIT.configuration,
    httpStatus: 500,
    summary: "The daemon cannot listen on the configured address.",
    advice: "Set a free `--port`, a `--host` of this machine, or another `--unix-socket`.",
    httpAdvice: REPORT,
  },
  ROUTE_NOT_FOUND: {
    exitCode: EXIT.usage,
    httpStatus: 404,
    summary: "The daemon has nothing at this path.",
    advice: "See / or /openapi.json for the list of paths.",
  },
  METHOD_NOT_ALLOWED: {
    exitCode: EXIT.usage,
    httpStatus: 405,
    summary: "The path does not support this method.",
    advice: "Use a method from the Allow header.",
  },
  UNAUTHORIZED: {
    exitCode: EXIT.configuration,
    httpStatus: 401,
    summary: "The daemon's token is missing or wrong.",
    advice: "Send the daemon's token in the header Authorization: Bearer.",
  },
  CONTENT_TYPE_UNSUPPORTED: {
    exitCode: EXIT.usage,
    httpStatus: 415,
    summary: "The body of a request is not declared as JSON.",
    advice: "Send JSON in UTF-8, with the header Content-Type: application/json.",
  },
  BODY_TOO_LARGE: {
    exitCode: EXIT.usage,
    httpStatus: 413,
    summary: "The body of a request exceeds the size limit.",
    advice: "Send fewer or smaller entries; the message has the limit.",
  },
  BODY_TOO_SLOW: {
    exitCode: EXIT.usage,
    httpStatus: 408,
    summary: "The body of a request did not arrive in time.",
    advice: "Send the request again over a faster connection.",
  },
  OVERLOADED: {
    exitCode: EXIT.simulator,
    httpStatus: 503,
    summary: "The daemon is at capacity.",
    advice: "Try again after the time in the Retry-After header, or run more replicas.",
  },
  SHUTTING_DOWN: {
    exitCode: EXIT.simulator,
    httpStatus: 503,
    summary: "The daemon is shutting down and accepts no new work.",
    advice: "Try again: another replica, or the replacement of this one, will answer.",
  },
  HOST_NOT_ALLOWED: {
    exitCode: EXIT.usage,
    httpStatus: 421,
    summary: "The Host header of a request does not name a daemon that needs no token.",
    advice:
      "Use the daemon's IP address, or add the name to `--allowed-hosts`. A web page must not " +
      "reach a daemon through a name of its own (DNS rebinding).",
    httpAdvice: "Send the request to the IP address of the daemon, or to localhost.",
  },
  LIMIT_TOO_HIGH: {
    exitCode: EXIT.usage,
    httpStatus: 400,
    summary: "A request asks for more than the daemon grants one simulation.",
    advice: "Set `--max-instructions` and `--max-transaction-memory` to what trusted clients need.",
    httpAdvice: "Lower the limit that the message names.",
  },
  NOT_READY: {
    exitCode: EXIT.simulator,
    httpStatus: 503,
    summary: "The daemon cannot simulate now.",
    advice: "Read the reason in the message, and the daemon's log; `svc doctor` checks svc-sim.",
    httpAdvice: "Try again later, or use another replica.",
  },
  DAEMON_NOT_ALIVE: {
    exitCode: EXIT.remote,
    httpStatus: 503,
    summary: "`svc daemon --check` found no live daemon.",
    advice: "Use the settings that the daemon was started with, and read its log.",
    httpAdvice: REPORT,
  },
} as const satisfies ErrorRows;

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof DAEMON_ERRORS> {}
}
