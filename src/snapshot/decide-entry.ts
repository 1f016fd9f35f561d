// Decides from evidence what one ledger entry was just before the transaction, the surest way
// first. A value that is only likely is `assumed`. A value that cannot even be guessed has a reason
// instead.

import { isAssumed, type StatedKind } from "../model/provenance.ts";
import { isKnown, type UnknownState } from "../model/state/entry-state.ts";
import { ENTRY_TYPE } from "../xdr/reader/keys.ts";
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
import { type KnownEntry, knownBy } from "./known-entry.ts";

export type DecidedEntry = KnownEntry | UnknownState;

export function decideEntry(evidence: Evidence, key: FootprintKey): DecidedEntry {
  return (
    evidence.own.entry(key, evidence.folded) ??
    fromFoldedLedgers(evidence, key) ??
    fromLaterLedger(evidence, key) ??
    fromNodeBehind(evidence, key) ??
    unchangedSince(evidence, key) ??
    fromTrace(evidence, key) ??
    restoredLater(evidence, key) ??
    absentSince(evidence, key) ??
    likely(evidence, key) ?? { reason: whyUnknown(evidence, key) }
  );
}

/** Says whether the entry is neither assumed nor unknown. */
export function isSure(decided: DecidedEntry): decided is KnownEntry {
  return isKnown(decided) && !isAssumed(decided.provenance);
}

function known(
  entryXdr: string | null,
  kind: StatedKind,
  detail: string,
  archived = false,
): KnownEntry {
  return { entryXdr, archived, provenance: { kind, detail } };
}

const ARCHIVED = knownBy("archive", "an earlier ledger evicted it, and nothing restored it since");
const SAME_LEDGER = knownBy("same-ledger", "as the ledger's fees and earlier transactions left it");
const REMOVED_IN_SAME_LEDGER = knownBy(
  "same-ledger",
  "an earlier transaction of the ledger removed it",
);
const FOLDED = knownBy("ledger-scan", "as the ledgers before this one left it");
const ABSENT = knownBy(
  "ledger-scan",
  "the ledgers before this one were folded, and it did not exist after them",
);

function fromFoldedLedgers({ folded }: Evidence, { keyXdr }: FootprintKey): KnownEntry | null {
  if (folded === null) return null;
  const archived = folded.archived(keyXdr);
  if (archived !== null) return { entryXdr: archived, archived: true, provenance: ARCHIVED };
  const entryXdr = folded.entry(keyXdr);
  if (entryXdr === undefined) return null;
  const own = folded.changedInThisLedger(keyXdr);
  if (entryXdr === null) {
    return { entryXdr, archived: false, provenance: own ? REMOVED_IN_SAME_LEDGER : ABSENT };
  }
  return { entryXdr, archived: false, provenance: own ? SAME_LEDGER : FOLDED };
}

function fromLaterLedger(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const change = laterChange(evidence, key.keyXdr);
  if (change === null) return null;
  const seen = ledgersText(evidence.transaction.ledgerSequence, change.ledger);
  switch (change.before.kind) {
    case "entry": {
      const detail = `its first change in ${seen} shows it as it was before`;
      return known(change.before.entryXdr, "ledger-scan", detail);
    }
    case "absent":
      return known(null, "ledger-scan", `its first change in ${seen} creates it`);
    case "archived": {
      if (change.before.entryXdr === null) return null;
      // Between the transaction and a later restoration the entry may have been live, so its TTL
      // decides.
      const archived = change.ledger === evidence.transaction.ledgerSequence;
      const detail = `its first change in ${seen} restores it with this value`;
      return known(change.before.entryXdr, archived ? "archive" : "ledger-scan", detail, archived);
    }
    default:
      return null;
  }
}

/**
 * The node has not seen the transaction's ledger. The ledgers between were folded, or are missing.
 */
function fromNodeBehind(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const node = evidence.nodes.find(key.keyXdr);
  if (node === null || !isBehind(evidence, node)) return null;
  const { latestLedger, entry } = node;
  // Before protocol 23 a restoration writes only the TTL.
  const foldedTtl = key.ttlKeyXdr && evidence.folded?.liveUntilLedger(key.ttlKeyXdr);
  const archived = entry?.archived === true && typeof foldedTtl !== "number";
  if (!isBridged(evidence, node)) {
    const detail = `its state in ledger ${latestLedger}; the ledgers in between are missing`;
    return known(entry?.entryXdr ?? null, "assumed", detail, archived);
  }
  const detail = `as ledger ${latestLedger} left it, because no later ledger changed it`;
  if (entry === null) return absentAt(node, detail);
  return reportedAt(node, entry.entryXdr, detail, archived);
}

function unchangedSince(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const node = evidence.nodes.find(key.keyXdr);
  if (node === null || node.entry === null) return null;
  const { lastModifiedLedger, entryXdr } = node.entry;
  if (lastModifiedLedger >= evidence.transaction.ledgerSequence) return null;
  return reportedAt(node, entryXdr, `last modified in ledger ${lastModifiedLedger}`);
}

function fromTrace({ traced }: Evidence, { keyXdr }: FootprintKey): KnownEntry | null {
  const trace = traced.get(keyXdr);
  return trace?.kind === "entry" ? { ...trace, archived: false } : null;
}

/**
 * The value of the entry when it was evicted. It may have changed between the transaction and the
 * eviction.
 */
function restoredLater({ traced }: Evidence, key: FootprintKey): KnownEntry | null {
  const trace = traced.get(key.keyXdr);
  if (trace?.kind !== "restored") return null;
  if (key.type === ENTRY_TYPE.contractCode) {
    const detail = `ledger ${trace.ledger} restores it, and contract code is what its hash says`;
    return { ...known(trace.entryXdr, "ledger-scan", detail), cacheUnknown: true };
  }
  const detail = `ledger ${trace.ledger} restores it with this value; no source shows it before`;
  return known(trace.entryXdr, "assumed", detail);
}

/** The entry does not exist now, and nothing removed it. */
function absentSince(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const node = evidence.nodes.find(key.keyXdr);
  if (node === null || node.entry !== null || !sawEveryLaterChange(evidence, node)) return null;
  if (laterChange(evidence, key.keyXdr) !== null) return null;
  const { ledgerSequence } = evidence.transaction;
  const seen = ledgersText(ledgerSequence, node.latestLedger);
  // A temporary entry that expires is removed without any change.
  if (key.temporary && node.latestLedger > ledgerSequence) {
    const detail = `absent in ledger ${node.latestLedger}; it may have expired in ${seen}`;
    return known(null, "assumed", detail);
  }
  return absentAt(node, `absent after ${seen}, and nothing removed it`);
}

/**
 * The entry is absent at the node. A node that leaves an entry out looks the same, so the judge
 * reports no divergence because of it.
 */
function absentAt(node: NodeState, why: string): KnownEntry {
  return reportedAt(node, null, why);
}

/** The node's value, which only the node claims, whatever ledgers show since then. */
function reportedAt({ origin }: NodeState, entryXdr: string | null, why: string, archived = false) {
  return known(entryXdr, "rpc-unchanged", `${why}, according to ${origin}`, archived);
}

function likely(evidence: Evidence, key: FootprintKey): KnownEntry | null {
  const { own, transaction } = evidence;
  const before = own.beforeOperation(key.keyXdr);
  if (before !== null) {
    const detail = `the state after the transaction's own fee and sequence number; the other transactions of ledger ${transaction.ledgerSequence} are unknown`;
    return known(before, "assumed", detail);
  }
  const node = evidence.nodes.find(key.keyXdr);
  if (node === null || node.entry !== null || laterChange(evidence, key.keyXdr) !== null) {
    return null;
  }
  const detail = `absent in ledger ${node.latestLedger}; the ledgers since the transaction's are not all known`;
  return known(null, "assumed", detail);
}

function whyUnknown(evidence: Evidence, key: FootprintKey): string {
  const { transaction, traced, nodes } = evidence;
  const trace = traced.get(key.keyXdr);
  if (trace?.kind === "lost") return trace.reason;
  const change = laterChange(evidence, key.keyXdr);
  if (change?.before.kind === "evicted") return `ledger ${change.ledger} evicted it`;
  if (nodes.find(key.keyXdr) === null) return nodes.reason;
  return `it changed after ledger ${transaction.ledgerSequence}, and no source has the change`;
}
