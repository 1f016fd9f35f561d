// Evidence → one footprint entry as it was just before the transaction, surest way first. What is
// only likely is `assumed`, and what cannot even be guessed has a reason instead.

import type { Provenance } from "../model/snapshot.ts";
import { currentOf, type Evidence, ledgersText, sawEveryLaterChange } from "./evidence.ts";
import type { FootprintKey } from "./folded-footprint.ts";
import type { KnownEntry } from "./known-entry.ts";

export type DecidedEntry = KnownEntry | { readonly reason: string };

export function decideEntry(evidence: Evidence, key: FootprintKey): DecidedEntry {
  return (
    evidence.own.entry(key) ??
    fromOwnLedger(evidence, key) ??
    fromEarlierLedger(evidence, key) ??
    unchangedSince(evidence, key) ??
    fromLaterLedger(evidence, key) ??
    absentSince(evidence, key) ??
    likely(evidence, key) ?? { reason: whyUnknown(evidence, key) }
  );
}

function known(
  entryXdr: string | null,
  kind: Provenance["kind"],
  detail: string,
  archived = false,
): KnownEntry {
  return { entryXdr, archived, provenance: { kind, detail } };
}

function fromOwnLedger({ visible }: Evidence, key: FootprintKey): KnownEntry | null {
  if (visible?.changedInThisLedger(key.keyXdr) !== true) return null;
  const entry = visible.entry(key.keyXdr);
  if (entry === undefined) return null;
  const detail =
    entry === null
      ? "an earlier transaction of the ledger removed it"
      : "as the ledger's fees and earlier transactions left it";
  return known(entry, "same-ledger", detail);
}

/** The node that was asked was behind; the ledgers in between were folded, or are missing. */
function fromEarlierLedger(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const { visible, current, bridged, transaction } = evidence;
  if (bridged === null || current === null) return null;
  const now = currentOf(evidence, key);
  if (bridged && visible !== null) {
    const archived = visible.archived(key.keyXdr);
    const between = ledgersText(current.latestLedger, transaction.ledgerSequence - 1);
    const detail = `as ${between} left it`;
    if (archived !== null) return known(archived, "archive", detail, true);
    const entry = visible.entry(key.keyXdr);
    if (entry === undefined) return null;
    const restored = key.ttlKeyXdr !== null && visible.liveUntilLedger(key.ttlKeyXdr);
    const isArchived = now?.liveUntilLedger === 0 && entry !== null && !restored;
    return known(entry, isArchived ? "archive" : "ledger-scan", detail, isArchived);
  }
  const detail = `as ledger ${current.latestLedger} had it; the ledgers between are missing`;
  return known(now?.entryXdr ?? null, "assumed", detail, now?.liveUntilLedger === 0);
}

function unchangedSince(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const now = currentOf(evidence, key);
  if (now === null || now.lastModifiedLedger >= evidence.transaction.ledgerSequence) return null;
  const detail = `last modified in ledger ${now.lastModifiedLedger}, says ${evidence.currentOrigin}`;
  return known(now.entryXdr, "rpc-unchanged", detail);
}

function fromLaterLedger(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const found = evidence.later.before.get(key.keyXdr);
  const seen = ledgersText(evidence.transaction.ledgerSequence, found?.ledger ?? 0);
  switch (found?.before.kind) {
    case "entry":
      return known(
        found.before.entryXdr,
        "ledger-scan",
        `its first change in ${seen} shows it as it was before`,
      );
    case "absent":
      return known(null, "ledger-scan", `its first change in ${seen} creates it`);
    default:
      break;
  }
  const traced = evidence.traced.get(key.keyXdr);
  if (traced?.kind === "entry") return { ...traced, archived: false };
  if (found?.before.kind !== "archived" || found.before.entryXdr === null) return null;
  // It was evicted before or after; its value is that of the eviction.
  const detail = `ledger ${found.ledger} restores it; nothing proves that it was archived before`;
  return known(found.before.entryXdr, "assumed", detail, true);
}

/** It is not there now, and nothing removed it. */
function absentSince(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const { current, transaction, later } = evidence;
  if (current === null || evidence.bridged !== null || currentOf(evidence, key) !== null) {
    return null;
  }
  if (!sawEveryLaterChange(evidence) || later.before.has(key.keyXdr)) return null;
  const seen = ledgersText(transaction.ledgerSequence, current.latestLedger);
  // A temporary entry that expires goes without any change.
  if (key.temporary && current.latestLedger > transaction.ledgerSequence) {
    const detail = `absent in ledger ${current.latestLedger}; it may have expired since ${seen}`;
    return known(null, "assumed", detail);
  }
  return known(null, "ledger-scan", `absent after ${seen}, which do not remove it`);
}

function likely(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const { current, own, transaction } = evidence;
  const now = currentOf(evidence, key);
  const before = own.beforeOperation(key.keyXdr);
  if (before !== null) {
    const detail = `as the transaction's own fee and sequence number left it; other transactions of ledger ${transaction.ledgerSequence} are not known`;
    return known(before, "assumed", detail);
  }
  if (current === null || now !== null || evidence.later.before.has(key.keyXdr)) return null;
  const detail = `absent in ledger ${current.latestLedger}; the ledgers since the transaction's are not all known`;
  return known(null, "assumed", detail);
}

function whyUnknown(evidence: Evidence, key: FootprintKey): string {
  const { current, transaction, later } = evidence;
  if (current === null) return evidence.currentOrigin;
  const traced = evidence.traced.get(key.keyXdr);
  if (traced?.kind === "lost") return traced.reason;
  const found = later.before.get(key.keyXdr);
  if (found?.before.kind === "evicted") return `ledger ${found.ledger} evicted it`;
  return `it changed after ledger ${transaction.ledgerSequence}, and no source shows how`;
}
