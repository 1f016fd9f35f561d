// Decides from evidence until which ledger an entry was live. Only metas prove it. A node reports
// the TTL for its latest ledger, which is an upper bound: while an entry lives its TTL only grows,
// and a restoration sets it higher than it ever was (stellar-core, RestoreFootprintOpFrame; the
// host's extend functions never shorten it). If an entry was deleted and created again, the node's
// TTL bounds nothing. Two facts matter: whether the entry was live, which the result shows, and
// whether something extended it or paid its rent, which the judge checks if the value is
// provisional.

import type { Provenance } from "../model/provenance.ts";
import { endedWith } from "../model/result-code.ts";
import {
  type Evidence,
  isBehind,
  isBridged,
  laterChange,
  ledgersText,
  type NodeState,
  sawEveryLaterChange,
} from "./evidence.ts";
import type { FootprintKey } from "./footprint-keys.ts";
import { type KnownEntry, type KnownTtl, knownBy } from "./known-entry.ts";

export type DecidedTtl =
  | KnownTtl
  /** The entry had expired or was evicted. The difference does not matter. */
  | { readonly archived: true; readonly provenance: Provenance };

const FOLDED = knownBy("ledger-scan", "as the ledgers before this one left it");
const SAME_LEDGER = knownBy("same-ledger", "as earlier transactions of the ledger left it");
const EVICTED = knownBy("archive", "an earlier ledger evicted it");
const LIVE_BY_RESULT = knownBy(
  "deduced",
  "live, because the result reports no archived entry; the exact ledger matters only if something extends the TTL or pays the entry's rent",
);

/** Null for classic, absent and archived entries. */
export function decideTtl(
  evidence: Evidence,
  key: FootprintKey,
  entry: KnownEntry,
): DecidedTtl | null {
  if (key.ttlKeyXdr === null || entry.entryXdr === null || entry.archived) return null;
  return exactTtl(evidence, key) ?? ttlByResult(evidence, key, entry);
}

/** Null if no meta proves the TTL. */
export function exactTtl(evidence: Evidence, key: FootprintKey): DecidedTtl | null {
  const { own, transaction } = evidence;
  const shown = own.ttl(key) ?? shownElsewhere(evidence, key);
  const expired = own.expiredTtl(key);
  if (expired === null || shown === null || "archived" in shown) return expired ?? shown;
  return shown.liveUntilLedger < transaction.ledgerSequence ? shown : expired;
}

function shownElsewhere(evidence: Evidence, key: FootprintKey): DecidedTtl | null {
  const { folded } = evidence;
  const ttlKeyXdr = key.ttlKeyXdr ?? "";
  const before = folded?.liveUntilLedger(ttlKeyXdr);
  if (folded !== null && typeof before === "number") {
    return exact(before, folded.changedInThisLedger(ttlKeyXdr) ? SAME_LEDGER : FOLDED);
  }
  if (before === null && folded?.entry(key.keyXdr) === undefined) {
    return { archived: true, provenance: EVICTED };
  }
  const change = laterChange(evidence, ttlKeyXdr);
  if (change?.before.kind === "entry" && change.before.liveUntilLedger !== null) {
    const detail = `its first change since, in ledger ${change.ledger}, shows it`;
    return exact(change.before.liveUntilLedger, { kind: "ledger-scan", detail });
  }
  return change === null ? unchangedAtNode(evidence, key) : null;
}

/** No ledger between the node's and the transaction's changes it, and no ledger is missing. */
function unchangedAtNode(evidence: Evidence, key: FootprintKey): DecidedTtl | null {
  const node = evidence.nodes.find(key.keyXdr);
  const { liveUntilLedger = null, archived = false } = node?.entry ?? {};
  if (node === null || (liveUntilLedger === null && !archived)) return null;
  const behind = isBehind(evidence, node);
  if (behind ? !isBridged(evidence, node) : !sawEveryLaterChange(evidence, node)) return null;
  const { ledgerSequence } = evidence.transaction;
  const seen = behind
    ? ledgersText(node.latestLedger, ledgerSequence)
    : ledgersText(ledgerSequence, node.latestLedger);
  const detail = `not changed in ${seen}, according to ${node.origin}`;
  const provenance = knownBy("rpc-unchanged", detail);
  if (liveUntilLedger !== null) return exact(liveUntilLedger, provenance);
  // The entry has expired by the node's ledger; the node does not report when.
  if (node.latestLedger > ledgerSequence) return null;
  return { archived: true, provenance };
}

function exact(liveUntilLedger: number, provenance: Provenance): KnownTtl {
  return { liveUntilLedger, provenance, provisional: false };
}

function ttlByResult(evidence: Evidence, key: FootprintKey, entry: KnownEntry): DecidedTtl {
  const { transaction, operationResult, nodes } = evidence;
  const node = nodes.find(key.keyXdr);
  const now = ttlNow(node);
  if (evidence.archivedKeyXdr === key.keyXdr) {
    const detail = "the chain's own diagnostics name it as archived";
    return { archived: true, provenance: { kind: "diagnostics", detail } };
  }
  const isArchivedOne = endedWith(operationResult, "entryArchived");
  if (isArchivedOne && evidence.archivedKeyXdr === null && !key.temporary) {
    return archivedByResult(evidence, key, now);
  }
  if (mayHaveBeenArchived(evidence, key, entry)) {
    const detail =
      node === null
        ? "live; no source has its expiration ledger"
        : `ledger ${node.latestLedger} does not show whether it had expired before the transaction`;
    return likely(evidence, now, detail);
  }
  if (node !== null && now !== null && isBehind(evidence, node)) {
    return likely(evidence, now, `its TTL in ledger ${node.latestLedger}`);
  }
  if (node === null || now === null || !isUnwritten(evidence, key, entry, node)) {
    const liveUntilLedger = transaction.ledgerSequence + ASSUMED_TTL_LEDGERS;
    return { liveUntilLedger, provenance: LIVE_BY_RESULT, provisional: true };
  }
  // An entry that is archived now was live then and expired after that, before the node's ledger.
  const liveUntilLedger = now === "archived" ? node.latestLedger - 1 : now;
  const detail = `it was live at the transaction; in ledger ${node.latestLedger} it is live until ledger ${liveUntilLedger} at most. The exact value matters only if something extends it or pays its rent`;
  return { liveUntilLedger, provenance: { kind: "rpc-unchanged", detail }, provisional: true };
}

/**
 * True if the node has the entry as the transaction found or left it, so that nothing created it
 * since.
 */
function isUnwritten(
  { own }: Evidence,
  { keyXdr }: FootprintKey,
  { entryXdr }: KnownEntry,
  { entry }: NodeState,
): boolean {
  return entry?.entryXdr === entryXdr || entry?.entryXdr === own.after(keyXdr);
}

/** A TTL that is higher than the threshold of any extension, and lower than any maximum TTL. */
export const ASSUMED_TTL_LEDGERS = 1_000_000;

/** The last ledger in which the entry is live, as the node has it; null if it has none. */
type TtlNow = number | "archived" | null;

function ttlNow(node: NodeState | null): TtlNow {
  return node?.entry?.archived ? "archived" : (node?.entry?.liveUntilLedger ?? null);
}

function likely({ transaction }: Evidence, now: TtlNow, detail: string): DecidedTtl {
  const provenance: Provenance = { kind: "assumed", detail };
  if (now === "archived") return { archived: true, provenance };
  const liveUntilLedger = now ?? transaction.ledgerSequence + ASSUMED_TTL_LEDGERS;
  return { liveUntilLedger, provenance, provisional: false };
}

/**
 * A persistent entry that an invocation read without ENTRY_ARCHIVED was live, and so was a
 * temporary one that nothing rewrote since. An entry that was marked for restoration, or that
 * belonged to a failed restore operation, may have been either.
 */
function mayHaveBeenArchived(evidence: Evidence, key: FootprintKey, entry: KnownEntry): boolean {
  const { transaction, own } = evidence;
  if (own.touches(key)) return false;
  const node = evidence.nodes.find(key.keyXdr);
  if (key.temporary)
    return node === null || isBehind(evidence, node) || entry.provenance.kind !== "rpc-unchanged";
  if (transaction.operation === "restore_footprint") return !transaction.succeeded;
  return evidence.markedArchived.has(key.keyXdr) && !transaction.succeeded;
}

/**
 * The chain found an archived entry. If none is known to be archived, it must be the only undecided
 * one.
 */
function archivedByResult(evidence: Evidence, key: FootprintKey, now: TtlNow): DecidedTtl {
  const candidates = evidence.footprint.filter((each) => mayBeTheArchivedOne(evidence, each));
  if (candidates.some((each) => isKnownToBeArchived(evidence, each))) {
    return likely(evidence, now, "the result reports that an entry was archived: another one was");
  }
  const open = candidates.filter((each) => exactTtl(evidence, each) === null);
  if (open.length === 1 && open[0]?.keyXdr === key.keyXdr) {
    const detail =
      "the result reports that an entry was archived, and it is the only one that can be";
    return { archived: true, provenance: { kind: "deduced", detail } };
  }
  const detail = "the result reports that an entry was archived, but not which one";
  return likely(evidence, now ?? "archived", detail);
}

function mayBeTheArchivedOne(evidence: Evidence, key: FootprintKey): boolean {
  if (key.ttlKeyXdr === null || key.temporary || evidence.markedArchived.has(key.keyXdr)) {
    return false;
  }
  const node = evidence.nodes.find(key.keyXdr);
  return node === null || node.entry !== null || !sawEveryLaterChange(evidence, node);
}

function isKnownToBeArchived(evidence: Evidence, key: FootprintKey): boolean {
  if (evidence.folded !== null && evidence.folded.archived(key.keyXdr) !== null) return true;
  const ttl = exactTtl(evidence, key);
  if (ttl === null) return false;
  return "archived" in ttl || ttl.liveUntilLedger < evidence.transaction.ledgerSequence;
}
