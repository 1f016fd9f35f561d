// How far following is, and whether it keeps up with the network.
// Invariant: how many ledgers wait is known only while a source shows what the latest is; a network
// that no source shows is not one that svc keeps up with.

import type { Clock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";

export interface VerifiedLedger {
  readonly ledger: number;
  readonly closeTimeUnixSeconds: number;
}

export interface FollowPosition {
  /** The last one; null before the first. */
  readonly verified: () => VerifiedLedger | null;
  /** Ledgers that wait; null: not known. */
  readonly lag: () => number | null;
  /** Null: it keeps up. */
  readonly whyNotReady: () => SvcError | null;
}

export interface PositionBook extends FollowPosition {
  /** A source has shown the network's latest ledger. */
  readonly noteLatest: (ledger: number) => void;
  readonly noteVerified: (verified: VerifiedLedger) => void;
}

/** On average of mainnet. */
const LEDGER_MILLISECONDS = 6000;

/** `saved`: where the state ends. `limit`: so many ledgers may wait. */
export function openPosition(
  clock: Clock,
  saved: VerifiedLedger | null,
  limit: number,
): PositionBook {
  // A state that was only begun has a position, and no ledger of it was verified.
  let verified = saved === null || saved.closeTimeUnixSeconds === 0 ? null : saved;
  let latest: number | null = null;
  let shownAt = clock.unixMilliseconds();
  const isSeen = () => clock.unixMilliseconds() - shownAt <= limit * LEDGER_MILLISECONDS;
  const lag = () =>
    verified === null || latest === null || !isSeen()
      ? null
      : Math.max(0, latest - verified.ledger);
  return {
    noteLatest(ledger) {
      latest = ledger;
      shownAt = clock.unixMilliseconds();
    },
    noteVerified(next) {
      verified = next;
    },
    verified: () => verified,
    lag,
    whyNotReady() {
      const until =
        verified === null
          ? "No ledger is verified yet."
          : `The last verified ledger is ${verified.ledger}.`;
      if (latest === null || !isSeen()) {
        const since = new Date(shownAt).toISOString();
        return behind(`No source has shown its latest ledger since ${since}. ${until}`);
      }
      const waiting = lag();
      if (waiting === null) return behind(until);
      if (waiting <= limit) return null;
      return behind(`svc is ${waiting} ledgers behind the network; up to ${limit} are normal.`);
    },
  };
}

function behind(message: string): SvcError {
  return new SvcError("FOLLOW_BEHIND", {
    message,
    remedy: "Wait until it has caught up; release/RUNBOOK.md says what to do if it does not.",
  });
}
