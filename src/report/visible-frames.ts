// Which frames of a call tree a report shows.

import type { NamedCall } from "../model/explanation.ts";

/**
 * The host function itself, and frames without a function, only contain other frames, unless they
 * have a result.
 */
export function isDrawn(
  call: Pick<NamedCall, "function" | "result"> | null,
  below: readonly unknown[],
): boolean {
  return call === null || call.function !== null || call.result !== null || below.length === 0;
}
