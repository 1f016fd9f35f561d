// What ledgers say of an entry when they first mention it: what it was before its first change it
// had been ever since the stream began. A transaction can know an entry this way that only a later
// ledger changes.

import type { LedgerBytes } from "../../sources/files/ledger-stream.ts";
import {
  ledgerFactsOf,
  type OpenLedger,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";
import type { LaterChanges } from "../evidence.ts";
import { type Before, firstChangesIn, firstUpgradesIn } from "./ledger-changes.ts";

export const NO_MENTIONS: LaterChanges = { find: () => undefined, readTo: 0 };

/** Reading ends with the ledger that brings more: what it does not reach is only unknown. */
const MAXIMUM_KEYS = 500_000;

export interface MentionOptions {
  readonly networkPassphrase: string;
  /** Default: `readLedgerCloseMeta`. */
  readonly open?: OpenLedger;
  /** A stream from genesis knows everything else already. */
  readonly settingsOnly: boolean;
  readonly maximumKeys?: number;
}

/** Up to the first gap: nothing beyond it says what was before it. */
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
  // Of other keys than settings nothing was read.
  return { find: (keyXdr) => mentions.get(keyXdr), readTo: settingsOnly ? 0 : readTo };
}
