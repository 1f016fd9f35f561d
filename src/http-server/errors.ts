// The codes of the HTTP server of a daemon and a fork: part of the catalogue.

import { EXIT, REPORT, row } from "../base/errors/base-errors.ts";
import { atClient, flag, phrase, svc } from "../base/phrase.ts";

export const HTTP_SERVER_ERRORS = {
  ADDRESS_UNAVAILABLE: row(EXIT.configuration, 500, {
    summary: "The daemon or the fork cannot listen on the configured address.",
    advice: phrase`Set a free ${flag("port")}, a ${flag("host")} of this machine, or another ${flag("unixSocket")}.`,
    httpAdvice: REPORT,
  }),
  ROUTE_NOT_FOUND: row(EXIT.usage, 404, {
    summary: "The daemon has nothing at this path.",
    advice: "See / or /openapi.json for the list of paths.",
  }),
  METHOD_NOT_ALLOWED: row(EXIT.usage, 405, {
    summary: "The path does not support this method.",
    advice: phrase`${atClient("Use a method from the Allow header.", "Load the page again.")}`,
  }),
  UNAUTHORIZED: row(EXIT.configuration, 401, {
    summary: "The daemon's token is missing or wrong.",
    advice: phrase`${atClient("Send the daemon's token in the header Authorization: Bearer.", "Open the page anew, and enter the daemon's token.")}`,
  }),
  CONTENT_TYPE_UNSUPPORTED: row(EXIT.usage, 415, {
    summary: "The body of a request is not declared as JSON.",
    advice: phrase`${atClient("Send JSON in UTF-8, with the header Content-Type: application/json.", "Load the page again.")}`,
  }),
  BODY_TOO_LARGE: row(EXIT.usage, 413, {
    summary: "The body of a request exceeds the size limit.",
    advice: phrase`${atClient("Send", "Enter")} fewer or smaller entries; the message has the limit.`,
  }),
  BODY_TOO_SLOW: row(EXIT.usage, 408, {
    summary: "The body of a request did not arrive in time.",
    advice: phrase`${atClient("Send the request again", "Send the form again")} over a faster connection.`,
  }),
  OVERLOADED: row(EXIT.simulator, 503, {
    summary: "The daemon is at capacity. Its queue is full: more requests wait than it admits.",
    advice: phrase`Try again ${atClient("after the time in the Retry-After header, or run more replicas", "in a second")}.`,
  }),
  SHUTTING_DOWN: row(EXIT.simulator, 503, {
    summary: "The daemon is shutting down and accepts no new work.",
    advice: "Try again: another replica, or the replacement of this one, will answer.",
  }),
  HOST_NOT_ALLOWED: row(EXIT.usage, 421, {
    summary: "The Host header of a request does not name a daemon that needs no token.",
    advice: phrase`Use the daemon's IP address, or add the name to ${flag("allowedHosts")}. A web page must not reach a daemon through a name of its own (DNS rebinding).`,
    httpAdvice: phrase`${atClient("Send the request to the IP address of the daemon, or to localhost.", "Open the page at the IP address of the daemon, or at localhost.")}`,
  }),
  LIMIT_TOO_HIGH: row(EXIT.usage, 400, {
    summary: "A request asks for more than the daemon grants one simulation.",
    advice: phrase`Set ${flag("maxInstructions")} and ${flag("maxTransactionMemory")} to what trusted clients need.`,
    httpAdvice: "Lower the limit that the message names.",
  }),
  NOT_READY: row(EXIT.simulator, 503, {
    summary: "The daemon cannot simulate now. " + "svc-sim does not start, or no node answers.",
    advice: phrase`Read the reason in the message, and the daemon's log; ${svc("doctor")} checks svc-sim.`,
    httpAdvice: "Try again later, or use another replica.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof HTTP_SERVER_ERRORS> {}
}
