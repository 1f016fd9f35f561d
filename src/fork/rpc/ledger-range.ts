// The ledgers for which a fork answers: from the forked one, whose state it knows, to the last one
// that closed.

import type { Fork } from "../fork.ts";

export interface ServedLedgers {
  readonly oldestLedger: number;
  /** Unix seconds. */
  readonly oldestCloseTime: string;
  readonly latestLedger: number;
  readonly latestCloseTime: string;
}

export function rangeOf(fork: Fork): ServedLedgers {
  const { latest } = fork.chain;
  const oldest = fork.oldest;
  return {
    oldestLedger: oldest.sequence,
    oldestCloseTime: oldest.closeTimeUnixSeconds,
    latestLedger: latest.sequence,
    latestCloseTime: latest.closeTimeUnixSeconds,
  };
}

/** RFC 3339, as Go writes it: without milliseconds. */
export function isoTime(unixSeconds: string): string {
  return new Date(Number(unixSeconds) * 1000).toISOString().replace(".000Z", "Z");
}
