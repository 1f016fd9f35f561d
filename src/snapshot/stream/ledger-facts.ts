// The header facts a ledger's transactions ran under. Its header shows them as its own upgrades
// left them, and upgrades apply after the transactions (LedgerManagerImpl.cpp, applyLedger).

import type { LedgerFacts } from "../../model/chain-record.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";

export interface FactsBeforeUpgrades {
  readonly facts: LedgerFacts;
  /** Why the facts may be wrong; null when they are certain. */
  readonly caveat: string | null;
}

/**
 * LedgerUpgradeTypes that change what a transaction runs under: version, base fee, base reserve.
 */
const DECISIVE_UPGRADES: ReadonlySet<number> = new Set([1, 2, 4]);

/** `previous`: the ledger just before, when it is known. */
export function factsBeforeUpgrades(
  view: LedgerCloseMetaView,
  previous: LedgerCloseMetaView | null,
): FactsBeforeUpgrades {
  const upgraded = view.upgrades.some(({ upgrade }) => DECISIVE_UPGRADES.has(upgradeType(upgrade)));
  const own = ledgerFacts(view);
  if (!upgraded) return { facts: own, caveat: null };
  if (previous === null) {
    const caveat = `ledger ${own.sequence} upgrades what its header says, and the ledger before it is not in the stream`;
    return { facts: own, caveat };
  }
  const { protocolVersion, baseFeeStroops, baseReserveStroops } = previous.facts;
  return {
    facts: { ...own, protocolVersion, baseFeeStroops, baseReserveStroops },
    caveat: null,
  };
}

function ledgerFacts({ facts }: LedgerCloseMetaView): LedgerFacts {
  return {
    sequence: facts.sequence,
    protocolVersion: facts.protocolVersion,
    closeTimeUnixSeconds: facts.closeTimeUnixSeconds,
    baseFeeStroops: facts.baseFeeStroops,
    baseReserveStroops: facts.baseReserveStroops,
    transactionSetHash: facts.transactionSetHash,
  };
}

function upgradeType(upgrade: Uint8Array): number {
  return new DataView(upgrade.buffer, upgrade.byteOffset, 4).getInt32(0);
}
