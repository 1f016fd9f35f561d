// What a stream's ledgers say of an entry when they first mention it: the STATE before the first
// change is what it was ever since the stream began. So a transaction can know an entry that only a
// later one changes.

import type { LedgerBytes } from "../../sources/files/ledger-stream.ts";
import { type KeyedChange, keyChanges, readKeyedChanges } from "../../xdr/ledger/keyed-change.ts";
import {
  type LedgerCloseMetaView,
  ledgerFactsOf,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";
import { sliceMetaChanges } from "../../xdr/outcome/meta.ts";
import { ENTRY_TYPE } from "../../xdr/reader/keys.ts";

export interface FirstMentions {
  /** LedgerKey → LedgerEntry; null: it did not exist; undefined: its first mention does not say. */
  readonly entries: ReadonlyMap<string, string | null | undefined>;
  /** TTL LedgerKey → live-until ledger. */
  readonly liveUntil: ReadonlyMap<string, number | null | undefined>;
}

export const NO_MENTIONS: FirstMentions = { entries: new Map(), liveUntil: new Map() };

/** Stops remembering new keys here: what is not remembered is only not known. */
const MAXIMUM_KEYS = 250_000;

export interface MentionOptions {
  readonly networkPassphrase: string;
  /** A stream from genesis knows everything else already. */
  readonly settingsOnly: boolean;
}

export async function collectFirstMentions(
  ledgers: AsyncIterable<LedgerBytes>,
  options: MentionOptions,
): Promise<FirstMentions> {
  const entries = new Map<string, string | null | undefined>();
  const liveUntil = new Map<string, number | null | undefined>();
  const note = (changes: readonly KeyedChange[]): void => {
    for (const change of changes) {
      if (change.type === ENTRY_TYPE.ttl) {
        noteFirst(liveUntil, change, change.liveUntilLedger);
      } else if (!options.settingsOnly || change.type === ENTRY_TYPE.configSetting) {
        noteFirst(entries, change, change.entryXdr);
      }
    }
  };
  let previousHash: string | null = null;
  for await (const { ledgerCloseMeta } of ledgers) {
    const facts = ledgerFactsOf(ledgerCloseMeta);
    // Beyond a gap nothing is said of what was before it.
    if (previousHash !== null && facts.previousHash !== previousHash) break;
    previousHash = facts.hash;
    // Settings change by upgrades alone, which few ledgers have.
    if (options.settingsOnly && facts.upgradeCount === 0) continue;
    const view = readLedgerCloseMeta(ledgerCloseMeta, options.networkPassphrase);
    if (!options.settingsOnly) noteTransactions(view, note);
    for (const upgrade of view.upgrades) note(readKeyedChanges(upgrade.changes));
  }
  return { entries, liveUntil };
}

function noteTransactions(
  view: LedgerCloseMetaView,
  note: (changes: readonly KeyedChange[]) => void,
): void {
  for (const transaction of view.transactions) note(readKeyedChanges(transaction.feeChanges));
  for (const transaction of view.transactions) {
    const meta = sliceMetaChanges(transaction.meta);
    note(keyChanges(meta.changesBefore));
    for (const changes of meta.operationChanges) note(keyChanges(changes));
    note(keyChanges(meta.changesAfter));
  }
  for (const { refundChanges } of view.transactions) {
    if (refundChanges !== null) note(readKeyedChanges(refundChanges));
  }
}

function noteFirst<T>(
  mentions: Map<string, T | null | undefined>,
  change: KeyedChange,
  value: T | null,
): void {
  if (mentions.has(change.keyXdr) || mentions.size >= MAXIMUM_KEYS) return;
  // Only a STATE shows what was before; a created entry did not exist before.
  const before = change.kind === "state" ? value : change.kind === "created" ? null : undefined;
  mentions.set(change.keyXdr, before);
}
