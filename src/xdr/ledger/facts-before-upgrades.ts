// The header facts that a ledger's transactions ran under. The header shows the facts after the
// ledger's own upgrades, which apply after the transactions (LedgerManagerImpl.cpp, applyLedger).

import type { LedgerFacts } from "../../model/chain-record.ts";
import type { LedgerCloseMetaView } from "./ledger-close-meta.ts";

/**
 * The LedgerUpgradeTypes that change what a transaction runs under: version, base fee, base
 * reserve.
 */
const DECISIVE_UPGRADES: ReadonlySet<number> = new Set([1, 2, 4]);

/** True if the header's facts differ from those that the ledger's transactions ran under. */
export function upgradesFacts({ upgrades }: LedgerCloseMetaView): boolean {
  return upgrades.some(({ upgrade }) => DECISIVE_UPGRADES.has(upgradeType(upgrade)));
}

/** `previous` has the facts of the ledger just before, or is null if no source has it. */
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

/** Returns a header's facts with the version and the fees that the ledger before it ended with. */
export function factsAfter(facts: LedgerFacts, previous: LedgerFacts): LedgerFacts {
  const { protocolVersion, baseFeeStroops, baseReserveStroops } = previous;
  return { ...facts, protocolVersion, baseFeeStroops, baseReserveStroops };
}

/** Returns the ledger's facts with some changes. Another close time has whole seconds. */
export function changedFacts(facts: LedgerFacts, changes: Partial<LedgerFacts>): LedgerFacts {
  const { closeTimeUnixMilliseconds: _, ...toTheSecond } = facts;
  const isMoved = changes.closeTimeUnixSeconds !== undefined;
  return { ...(isMoved ? toTheSecond : facts), ...changes };
}

/** Returns only the facts of a header that a ChainRecord keeps, without hashes of the chain. */
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

/** Returns the first fact in which the two differ, or null. */
export function differentFact(left: LedgerFacts, right: LedgerFacts): keyof LedgerFacts | null {
  const fields = Object.keys({ ...headerFacts(left), ...headerFacts(right) });
  return (fields as (keyof LedgerFacts)[]).find((field) => left[field] !== right[field]) ?? null;
}

/** Returns the LedgerUpgradeType. */
export function upgradeType(upgrade: Uint8Array): number {
  return new DataView(upgrade.buffer, upgrade.byteOffset, 4).getInt32(0);
}
