// Whose fault a failure is, for alerts: a client's never wakes the operator.

import { EXIT } from "../base/errors/base-errors.ts";
import type { ErrorCode } from "../base/errors/errors.ts";
import { CATALOGUE } from "../error-catalogue.ts";

/** `node`: a node, a lake or an archive. `daemon`: svc, its simulator, or its capacity. */
export type Fault = "client" | "node" | "daemon";

/**
 * Codes of the network whose reason is the server's own memory, disk or settings. Some are of
 * products that a build can leave out.
 */
const OWN: ReadonlySet<string> = new Set([
  "ANSWER_ROOM_FULL",
  "ARCHIVE_COPY_DAMAGED",
  "FOLLOW_BEHIND",
  "RESULTS_DISK_FAILED",
]);

export function faultOf(code: ErrorCode): Fault {
  const { exitCode, httpStatus } = CATALOGUE[code];
  if (httpStatus < 500 || exitCode === EXIT.usage) return "client";
  return exitCode === EXIT.remote && !OWN.has(code) ? "node" : "daemon";
}
