// Reads what ledgers show of an entry when they first mention it: the value before its first change
// held since the stream began. In this way a transaction can know an entry that only a later ledger
// changes.

import type { LedgerBytes } from "../../sources/files/ledger-stream.ts";
import {
  ledgerFactsOf,
  type OpenLedger,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";
import type { LaterChanges } from "../evidence.ts";
import { type Before, firstChangesIn, firstUpgradesIn } from "./ledger-changes.ts";

export const NO_MENTIONS: LaterChanges = { find: () => undefined, readTo: 0 };

/** Reading ends with the ledger that exceeds this number. Keys beyond it are only unknown. */
const MAXIMUM_KEYS = 500_000;

export interface MentionOptions {
  readonly networkPassphrase: string;
  /** The function that opens a ledger (default: `readLedgerCloseMeta`). */
  readonly open?: OpenLedger;
  /** True for a stream from genesis, which already knows everything else. */
  readonly settingsOnly: boolean;
  readonly maximumKeys?: number;
}

/**
 * Collects the first mentions up to the first gap. A ledger beyond a gap does not show what was
 * before it.
 */
export async function collectFirstMentions(
  ledgers: AsyncIterable<LedgerBytes>,
  options: MentionOptions,
): Promise<LaterChanges> {
  const { networkPassphrase, settingsOnly, maximumKeys = MAXIMUM_KEYS } = options;
  const { open = readLedgerCloseMeta } = options;
  const mentions = new Map<string, { before: Before; ledger: number }>();
  let readTo = 0;
  let previousHash: string | null = null;
  for await (const { ledgerCloseMeta } of ledgers) {
    const { sequence, hash, upgradeCount, ...facts } = ledgerFactsOf(ledgerCloseMeta);
    if (previousHash !== null && facts.previousHash !== previousHash) break;
    previousHash = hash;
    // Few ledgers have an upgrade.
    if (settingsOnly && upgradeCount === 0) continue;
    const view = open(ledgerCloseMeta, networkPassphrase);
    for (const [keyXdr, before] of settingsOnly ? firstUpgradesIn(view) : firstChangesIn(view)) {
      if (!mentions.has(keyXdr)) mentions.set(keyXdr, { before, ledger: sequence });
    }
    if (mentions.size > maximumKeys) break;
    readTo = sequence;
  }
  // Only settings were read.
  return { find: (keyXdr) => mentions.get(keyXdr), readTo: settingsOnly ? 0 : readTo };
}
