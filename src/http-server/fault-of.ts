// Decides who caused a failure, for alerts: a failure caused by a client never wakes the operator.

import { EXIT } from "../base/errors/base-errors.ts";
import type { ErrorCode } from "../base/errors/errors.ts";
import { CATALOGUE } from "../error-catalogue.ts";

/** `node` is a node, a lake or an archive. `daemon` is svc, its simulator, or its capacity. */
export type Fault = "client" | "node" | "daemon";

/**
 * Network codes whose reason is the daemon's own memory, disk or settings. Some belong to products
 * that a build can leave out.
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
