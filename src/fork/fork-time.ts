// The time of a fork: it begins at the close time of a ledger and continues from there as fast as
// the clock. A user can set it. No ledger closes before the one before it.

import type { Clock } from "../base/clock.ts";
import {
  closedAtMilliseconds,
  closesByMilliseconds,
  earliestNextMilliseconds,
  millisecondsOf,
  secondOf,
} from "../xdr/ledger/close-time.ts";
import type { ForkTip } from "./ledger/chain.ts";

export class ForkTime {
  /** The time that users have added, in milliseconds. */
  shiftMilliseconds = 0n;
  private begunAt: { readonly milliseconds: number; readonly unixMilliseconds: bigint };

  constructor(
    private readonly clock: Clock,
    latest: ForkTip,
  ) {
    this.begunAt = this.momentOf(latest);
  }

  /** The time now, in Unix milliseconds. */
  get now(): bigint {
    return this.unshifted + this.shiftMilliseconds;
  }

  /** Sets the time, which continues from there. */
  set(unixMilliseconds: bigint): void {
    this.shiftMilliseconds = unixMilliseconds - this.unshifted;
  }

  /** Begins the time again, at the close time of that ledger. What a user added stays. */
  begin(latest: ForkTip): void {
    this.begunAt = this.momentOf(latest);
  }

  private get unshifted(): bigint {
    const { milliseconds, unixMilliseconds } = this.begunAt;
    const elapsed = this.clock.monotonicMilliseconds() - milliseconds;
    return unixMilliseconds + BigInt(Math.floor(elapsed));
  }

  private momentOf(latest: ForkTip) {
    return {
      milliseconds: this.clock.monotonicMilliseconds(),
      unixMilliseconds: closedAtMilliseconds(latest),
    };
  }
}

/**
 * The close time of the ledger after the latest one: that time, or the earliest that is possible if
 * it is later. Before protocol 30, ledgers close at whole seconds.
 */
export function closesAtOrAfter(unixMilliseconds: bigint, latest: ForkTip): bigint {
  const least = earliestNextMilliseconds(latest);
  if (unixMilliseconds < least) return least;
  if (closesByMilliseconds(latest.protocolVersion)) return unixMilliseconds;
  return millisecondsOf(secondOf(unixMilliseconds));
}
