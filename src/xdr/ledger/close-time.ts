// The close time of a ledger (CAP-88). Transactions, contracts and accounts use whole seconds. From
// protocol 30 on a header also has milliseconds: a ledger closes at least one millisecond after the
// ledger before it, so that several ledgers can have the same second.

import type { LedgerFacts } from "../../model/chain-record.ts";

/** A ledger has milliseconds if the ledger before it ended with this protocol, or a later one. */
const MILLISECONDS_SINCE = 30;
const SECOND = 1000n;

type CloseTime = Pick<LedgerFacts, "closeTimeUnixSeconds" | "closeTimeUnixMilliseconds">;
type Closed = CloseTime & Pick<LedgerFacts, "protocolVersion">;

/**
 * `protocolBefore` is the protocol with which the ledger before ended: an upgrade affects the next
 * ledger.
 */
export function closesByMilliseconds(protocolBefore: number): boolean {
  return protocolBefore >= MILLISECONDS_SINCE;
}

/**
 * Returns the Unix milliseconds by which ledgers are ordered: those of the second if no others are
 * known.
 */
export function closedAtMilliseconds({
  closeTimeUnixSeconds,
  closeTimeUnixMilliseconds,
}: CloseTime): bigint {
  return BigInt(closeTimeUnixMilliseconds ?? BigInt(closeTimeUnixSeconds) * SECOND);
}

/** Returns the earliest close time of the next ledger in Unix milliseconds. */
export function earliestNextMilliseconds(ledger: Closed): bigint {
  if (closesByMilliseconds(ledger.protocolVersion)) return closedAtMilliseconds(ledger) + 1n;
  return (BigInt(ledger.closeTimeUnixSeconds) + 1n) * SECOND;
}

/** Returns the second of the earliest close time of the next ledger. */
export function earliestNextSecond(ledger: Closed): bigint {
  return secondOf(earliestNextMilliseconds(ledger));
}

/**
 * Returns the earliest close time of the next ledger within that second, in Unix milliseconds, or
 * null if the second is over.
 */
export function earliestNextIn(unixSeconds: bigint, ledger: Closed): bigint | null {
  const least = earliestNextMilliseconds(ledger);
  if (secondOf(least) > unixSeconds) return null;
  return secondOf(least) === unixSeconds ? least : millisecondsOf(unixSeconds);
}

/** Returns the whole seconds, as a header derives them from its milliseconds. */
export function secondOf(unixMilliseconds: bigint): bigint {
  return unixMilliseconds / SECOND;
}

export function millisecondsOf(unixSeconds: bigint): bigint {
  return unixSeconds * SECOND;
}
