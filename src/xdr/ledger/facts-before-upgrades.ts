// The header facts a ledger's transactions ran under. Its header shows them as its own upgrades
// left them, and upgrades apply after the transactions (LedgerManagerImpl.cpp, applyLedger).

import type { LedgerFacts } from "../../model/chain-record.ts";
import type { LedgerCloseMetaView } from "./ledger-close-meta.ts";

/**
 * LedgerUpgradeTypes that change what a transaction runs under: version, base fee, base reserve.
 */
const DECISIVE_UPGRADES: ReadonlySet<number> = new Set([1, 2, 4]);

/** Whether the header's facts are not those of the ledger's transactions. */
export function upgradesFacts({ upgrades }: LedgerCloseMetaView): boolean {
  return upgrades.some(({ upgrade }) => DECISIVE_UPGRADES.has(upgradeType(upgrade)));
}

/** `previous`: the facts of the ledger just before; null when no source has them. */
export function factsBeforeUpgrades(
  view: LedgerCloseMetaView,
  previous: LedgerFacts | null,
): { readonly facts: LedgerFacts; readonly assumed: readonly string[] } {
  const facts = headerFacts(view.facts);
  if (!upgradesFacts(view)) return { facts, assumed: [] };
  if (previous !== null) return { facts: factsAfter(facts, previous), assumed: [] };
  const before = facts.sequence - 1;
  const assumed = `Ledger ${facts.sequence} upgrades what its header shows, and no source has ledger ${before}.`;
  return { facts, assumed: [assumed] };
}

/** Facts of a header under the version and fees that the ledger before it ended with. */
export function factsAfter(facts: LedgerFacts, previous: LedgerFacts): LedgerFacts {
  const { protocolVersion, baseFeeStroops, baseReserveStroops } = previous;
  return { ...facts, protocolVersion, baseFeeStroops, baseReserveStroops };
}

/** The ledger as it would be with these facts. Another close time is one of whole seconds. */
export function changedFacts(facts: LedgerFacts, changes: Partial<LedgerFacts>): LedgerFacts {
  const { closeTimeUnixMilliseconds: _, ...toTheSecond } = facts;
  const isMoved = changes.closeTimeUnixSeconds !== undefined;
  return { ...(isMoved ? toTheSecond : facts), ...changes };
}

/** The facts that a ChainRecord keeps of a header: nothing of the header's own chain. */
export function headerFacts(facts: LedgerFacts): LedgerFacts {
  const { closeTimeUnixMilliseconds, seedShift, isFork } = facts;
  return {
    sequence: facts.sequence,
    protocolVersion: facts.protocolVersion,
    closeTimeUnixSeconds: facts.closeTimeUnixSeconds,
    ...(closeTimeUnixMilliseconds !== undefined && { closeTimeUnixMilliseconds }),
    baseFeeStroops: facts.baseFeeStroops,
    baseReserveStroops: facts.baseReserveStroops,
    transactionSetHash: facts.transactionSetHash,
    ...(seedShift !== undefined && { seedShift }),
    ...(isFork && { isFork }),
  };
}

/** The first fact in which they contradict each other; null: they do not. */
export function differentFact(one: LedgerFacts, other: LedgerFacts): keyof LedgerFacts | null {
  const fields = Object.keys({ ...headerFacts(one), ...headerFacts(other) });
  return (fields as (keyof LedgerFacts)[]).find((field) => one[field] !== other[field]) ?? null;
}

/** LedgerUpgradeType. */
export function upgradeType(upgrade: Uint8Array): number {
  return new DataView(upgrade.buffer, upgrade.byteOffset, 4).getInt32(0);
}
