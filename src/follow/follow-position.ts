// The position of following, and whether it keeps up with the network. Invariants: the number of
// waiting ledgers is known only while a source reports the latest ledger. svc does not keep up with
// a network that no source reports, nor while the next ledger is refused, nor while ledgers wait
// and none is verified, however few they are.

import type { Clock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import type { RefusedLedger } from "../ledgers/feed/feed-node.ts";

export interface LastVerified {
  readonly ledger: number;
  readonly closeTimeUnixSeconds: number;
}

export interface FollowPosition {
  /** The last verified ledger; null before the first. */
  readonly verified: () => LastVerified | null;
  /** The number of waiting ledgers; null if it is unknown. */
  readonly lag: () => number | null;
  /** The protocol of the next ledger if svc does not know it; otherwise null. */
  readonly unknownProtocol: () => number | null;
  /** The reason why svc does not keep up; null if it does. */
  readonly whyNotReady: () => SvcError | null;
}

export interface PositionBook extends FollowPosition {
  /** Notes that a source has reported the network's latest ledger. */
  readonly noteLatest: (ledger: number) => void;
  readonly noteVerified: (verified: LastVerified) => void;
  /** Notes that no source has given a ledger that can be verified next. */
  readonly noteStandstill: (refusal: RefusedLedger) => void;
  /** Notes that the next ledger has an unknown protocol (PROTOCOL_UNKNOWN). */
  readonly noteUnknownProtocol: (error: SvcError) => void;
}

/** The average time between two ledgers of mainnet. */
const LEDGER_MILLISECONDS = 6000;

/**
 * Opens a position. `saved` is where the state ends. `limit` is the number of ledgers that may
 * wait.
 */
export function openPosition(
  clock: Clock,
  saved: LastVerified | null,
  limit: number,
): PositionBook {
  // A state that was only begun has a position, although none of its ledgers was verified.
  let verified = saved === null || saved.closeTimeUnixSeconds === 0 ? null : saved;
  let latest: number | null = null;
  let shownAt = clock.unixMilliseconds();
  let refusal: RefusedLedger | null = null;
  let unknown: SvcError | null = null;
  /** The time since which ledgers wait and none is verified; null if none waits. */
  let waitingSince: number | null = null;
  const isSeen = () => clock.unixMilliseconds() - shownAt <= limit * LEDGER_MILLISECONDS;
  const lag = () =>
    verified === null || latest === null || !isSeen()
      ? null
      : Math.max(0, latest - verified.ledger);
  return {
    noteLatest(ledger) {
      latest = ledger;
      shownAt = clock.unixMilliseconds();
      if (verified !== null && ledger > verified.ledger) waitingSince ??= shownAt;
    },
    noteVerified(next) {
      verified = next;
      unknown = null;
      if (refusal !== null && refusal.ledger <= next.ledger) refusal = null;
      waitingSince = latest !== null && latest > next.ledger ? clock.unixMilliseconds() : null;
    },
    noteStandstill(refused) {
      refusal = refused;
    },
    noteUnknownProtocol(error) {
      unknown = error;
    },
    unknownProtocol: () => (unknown === null ? null : Number(unknown.details.protocolVersion)),
    verified: () => verified,
    lag,
    whyNotReady() {
      const until =
        verified === null
          ? "No ledger is verified yet."
          : `The last verified ledger is ${verified.ledger}.`;
      if (unknown !== null) {
        const { code, message, remedy, details } = unknown;
        return new SvcError(code, { message: `${message} ${until}`, remedy, details });
      }
      if (refusal !== null) {
        const { ledger, source, problem } = refusal;
        return behind(`svc does not accept ledger ${ledger} of ${source}: ${problem}. ${until}`);
      }
      if (latest === null || !isSeen()) {
        const since = new Date(shownAt).toISOString();
        return behind(`No source has shown its latest ledger since ${since}. ${until}`);
      }
      const waiting = lag();
      if (waiting === null) return behind(until);
      if (waiting > limit)
        return behind(`svc is ${waiting} ledgers behind the network; up to ${limit} are normal.`);
      const waited = waitingSince === null ? 0 : clock.unixMilliseconds() - waitingSince;
      if (waited <= limit * LEDGER_MILLISECONDS) return null;
      const since = new Date(clock.unixMilliseconds() - waited).toISOString();
      return behind(`svc has not verified a ledger since ${since}. ${until}`);
    },
  };
}

function behind(message: string): SvcError {
  return new SvcError("FOLLOW_BEHIND", {
    message,
    remedy: "Wait until svc has caught up; release/RUNBOOK.md says what to do if it does not.",
  });
}
