// Which frames of a call tree stand in a report.

import type { NamedCall } from "../model/explanation.ts";

/**
 * The host function itself, and frames without a function, only hold what is below them, unless
 * they returned something.
 */
export function isDrawn(
  call: Pick<NamedCall, "function" | "result"> | null,
  below: readonly unknown[],
): boolean {
  return call === null || call.function !== null || call.result !== null || below.length === 0;
}
