// The close time of a ledger (CAP-88). Transactions, contracts and accounts go by whole seconds.
// From protocol 30 on a header has milliseconds beside them: a ledger closes at least one of these
// after the one before, so that several ledgers can have the same second.

import type { LedgerFacts } from "../../model/chain-record.ts";

/** A ledger has milliseconds if the ledger before it ended with this protocol, or a later one. */
const MILLISECONDS_SINCE = 30;
const SECOND = 1000n;

type CloseTime = Pick<LedgerFacts, "closeTimeUnixSeconds" | "closeTimeUnixMilliseconds">;
type Closed = CloseTime & Pick<LedgerFacts, "protocolVersion">;

/** `protocolBefore`: with which the ledger before ended; an upgrade changes the next ledger. */
export function closesByMilliseconds(protocolBefore: number): boolean {
  return protocolBefore >= MILLISECONDS_SINCE;
}

/** Unix milliseconds, by which ledgers are ordered; of the second if no more is known. */
export function closedAtMilliseconds({
  closeTimeUnixSeconds,
  closeTimeUnixMilliseconds,
}: CloseTime): bigint {
  return BigInt(closeTimeUnixMilliseconds ?? BigInt(closeTimeUnixSeconds) * SECOND);
}

/** Unix milliseconds: the earliest close time of the ledger after this one. */
export function earliestNextMilliseconds(ledger: Closed): bigint {
  if (closesByMilliseconds(ledger.protocolVersion)) return closedAtMilliseconds(ledger) + 1n;
  return (BigInt(ledger.closeTimeUnixSeconds) + 1n) * SECOND;
}

/** The second of the earliest close time of the ledger after this one. */
export function earliestNextSecond(ledger: Closed): bigint {
  return secondOf(earliestNextMilliseconds(ledger));
}

/** Unix milliseconds: the earliest of the next ledger in that second; null: it is over. */
export function earliestNextIn(unixSeconds: bigint, ledger: Closed): bigint | null {
  const least = earliestNextMilliseconds(ledger);
  if (secondOf(least) > unixSeconds) return null;
  return secondOf(least) === unixSeconds ? least : millisecondsOf(unixSeconds);
}

/** As a header's whole seconds follow from its milliseconds. */
export function secondOf(unixMilliseconds: bigint): bigint {
  return unixMilliseconds / SECOND;
}

export function millisecondsOf(unixSeconds: bigint): bigint {
  return unixSeconds * SECOND;
}
