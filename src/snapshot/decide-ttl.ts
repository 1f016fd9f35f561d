// Evidence → until when an entry was live. Only metas tell it for certain; a node tells it for its
// latest ledger, and that is an upper bound: while an entry lives its time to live only grows, and
// a restoration sets it further than it ever was (stellar-core, RestoreFootprintOpFrame; the host's
// extend functions never shorten it). What matters of it: whether the entry was live, which the
// result tells, and whether something extended it or paid its rent, which the judge looks for when
// the value is provisional.

import type { Provenance } from "../model/snapshot.ts";
import { currentOf, type Evidence, ledgersText, sawEveryLaterChange } from "./evidence.ts";
import type { FootprintKey } from "./folded-footprint.ts";
import type { KnownEntry, KnownTtl } from "./known-entry.ts";

export type DecidedTtl =
  | KnownTtl
  /** Expired or evicted: which of them makes no difference. */
  | { readonly archived: true; readonly provenance: Provenance };

/** Null for classic, absent and already archived entries. */
export function decideTtl(
  evidence: Evidence,
  key: FootprintKey,
  entry: KnownEntry,
): DecidedTtl | null {
  if (key.ttlKeyXdr === null || entry.entryXdr === null || entry.archived) return null;
  return exactTtl(evidence, key) ?? ttlByResult(evidence, key, entry);
}

/** Null where no meta proves it. */
export function exactTtl(evidence: Evidence, key: FootprintKey): DecidedTtl | null {
  const { own, visible, bridged, later, current, transaction } = evidence;
  const ttlKeyXdr = key.ttlKeyXdr ?? "";
  const owned = own.ttl(key);
  if (owned !== null) return owned;
  const seen = visible?.liveUntilLedger(ttlKeyXdr);
  if (visible?.changedInThisLedger(ttlKeyXdr) && typeof seen === "number") {
    return exact(seen, "same-ledger", "as earlier transactions of the ledger left it");
  }
  if (bridged === true && current !== null && typeof seen === "number") {
    const between = ledgersText(current.latestLedger, transaction.ledgerSequence - 1);
    return exact(seen, "ledger-scan", `as ${between} left it`);
  }
  const change = later.before.get(ttlKeyXdr);
  if (change?.before.kind === "entry" && change.before.liveUntilLedger !== null) {
    const detail = `its first change since, in ledger ${change.ledger}, shows it`;
    return exact(change.before.liveUntilLedger, "ledger-scan", detail);
  }
  const now = currentOf(evidence, key)?.liveUntilLedger ?? null;
  if (now === null || current === null || change !== undefined || !sawEveryLaterChange(evidence)) {
    return null;
  }
  const all = ledgersText(transaction.ledgerSequence, current.latestLedger);
  const detail = `${all} do not change it, says ${evidence.currentOrigin}`;
  if (now > 0) return exact(now, "ledger-scan", detail);
  // Zero: it has expired by that ledger; when is not said.
  if (current.latestLedger > transaction.ledgerSequence) return null;
  return { archived: true, provenance: { kind: "archive", detail } };
}

function exact(liveUntilLedger: number, kind: Provenance["kind"], detail: string): KnownTtl {
  return { liveUntilLedger, provenance: { kind, detail }, provisional: false };
}

function ttlByResult(evidence: Evidence, key: FootprintKey, entry: KnownEntry): DecidedTtl {
  const { transaction, current, operationCode } = evidence;
  const { ledgerSequence } = transaction;
  const now = currentOf(evidence, key)?.liveUntilLedger ?? null;
  if (operationCode === "invokeHostFunctionEntryArchived" && !key.temporary) {
    return archivedByResult(evidence, key, now);
  }
  if (now === null || current === null) {
    const detail = "live: no source says until when";
    return assumed(ledgerSequence + ASSUMED_TTL_LEDGERS, detail);
  }
  if (evidence.bridged !== null) {
    if (now === 0) return { archived: true, provenance: { kind: "assumed", detail: "archived" } };
    return assumed(now, `as ledger ${current.latestLedger} had it`);
  }
  if (mayHaveBeenArchived(evidence, key, entry)) {
    const detail = `ledger ${current.latestLedger} does not tell whether it had expired before the transaction`;
    if (now === 0) return { archived: true, provenance: { kind: "assumed", detail } };
    return assumed(now, detail);
  }
  // Zero now: it was live then, so it expired after, and before the node's ledger.
  const liveUntilLedger = now === 0 ? current.latestLedger - 1 : now;
  const detail = `it was live then, and in ledger ${current.latestLedger} it is live until ${liveUntilLedger} at most; that cannot matter while nothing extends it or pays its rent`;
  return { liveUntilLedger, provenance: { kind: "rpc-unchanged", detail }, provisional: true };
}

/** Beyond any threshold of an extension, below any maximum time to live. */
const ASSUMED_TTL_LEDGERS = 1_000_000;

function assumed(liveUntilLedger: number, detail: string): KnownTtl {
  return { liveUntilLedger, provenance: { kind: "assumed", detail }, provisional: false };
}

/**
 * A persistent entry that an invocation read without ENTRY_ARCHIVED was live, and so was a
 * temporary one that nothing rewrote since. Entries marked for restoration, and those of a restore
 * operation that failed, may have been either.
 */
function mayHaveBeenArchived(evidence: Evidence, key: FootprintKey, entry: KnownEntry): boolean {
  const { transaction, own } = evidence;
  if (own.touches(key)) return false;
  if (key.temporary) return entry.provenance.kind !== "rpc-unchanged";
  if (transaction.operation === "restore_footprint") return !transaction.succeeded;
  return evidence.markedArchived.has(key.keyXdr) && !transaction.succeeded;
}

/** The chain found an archived entry: the only one whose state is open must be it. */
function archivedByResult(evidence: Evidence, key: FootprintKey, now: number | null): DecidedTtl {
  const open = evidence.footprint.filter(
    (each) =>
      each.ttlKeyXdr !== null &&
      !each.temporary &&
      !evidence.markedArchived.has(each.keyXdr) &&
      (currentOf(evidence, each) !== null || !sawEveryLaterChange(evidence)) &&
      exactTtl(evidence, each) === null,
  );
  if (open.length === 1 && open[0]?.keyXdr === key.keyXdr) {
    const detail = "the result says that an entry was archived, and it is the only one that can be";
    return { archived: true, provenance: { kind: "meta", detail } };
  }
  const detail = "the result says that an entry was archived, not which";
  if (now === 0 || now === null) return { archived: true, provenance: { kind: "assumed", detail } };
  return assumed(now, detail);
}
