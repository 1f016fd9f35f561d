// The parts of a transaction's state that its own meta proves. stellar-core, TransactionMeta.cpp: a
// changed entry has its STATE before the change, an entry that did not exist is CREATED, and an
// archived or expired one RESTORED with its value. InvokeHostFunctionOpFrame::recordStorageChanges
// writes every read-write entry that exists, changed or not, or erases it. After a success, a
// read-write key without a change therefore did not exist.

import type { SorobanOperation } from "../xdr/envelope/envelope-facts.ts";
import { firstOfEachKey, type KeyedChange } from "../xdr/ledger/keyed-change.ts";
import { lastModifiedOf } from "../xdr/reader/keys.ts";
import type { Folded } from "./folded.ts";
import type { FootprintKey } from "./footprint-keys.ts";
import { type KnownEntry, type KnownTtl, knownBy } from "./known-entry.ts";

export interface OwnTransaction {
  readonly ledgerSequence: number;
  readonly operation: SorobanOperation;
  readonly succeeded: boolean;
  readonly changesBefore: readonly KeyedChange[];
  /** Null if no source had the meta. */
  readonly operationChanges: readonly KeyedChange[] | null;
}

export interface OwnChanges {
  /** The entry before the operation. `folded` is the state before it, if it is known. */
  entry(key: FootprintKey, folded: Folded | null): KnownEntry | null;
  /** The TTL that the meta shows. */
  ttl(key: FootprintKey): KnownTtl | null;
  /** The TTL that follows from a restoration, whose meta need not show the TTL before it. */
  expiredTtl(key: FootprintKey): KnownTtl | null;
  /** Says whether the operation changed the entry or its TTL. */
  touches(key: FootprintKey): boolean;
  /** The value that the operation left; null if it changed nothing, or deleted the entry. */
  after(keyXdr: string): string | null;
  /** The value after the transaction's own sequence number and fee, before its operation. */
  beforeOperation(keyXdr: string): string | null;
}

const STATE = knownBy("meta", "in the transaction's own meta");
const CREATED = knownBy("meta", "the transaction's own meta creates it, so it did not exist");
const RESTORED = knownBy("meta", "the transaction's own meta restores it");
const RESTORED_EITHER_WAY = knownBy(
  "meta",
  "the transaction's own meta restores it: it was archived, or had expired",
);
const EXPIRED = knownBy(
  "deduced",
  "the transaction restored it, so it had expired; the exact ledger does not matter",
);
const UNMENTIONED = knownBy(
  "deduced",
  "a success writes every read-write entry that exists, and the transaction's own meta has none",
);

export function readOwnChanges(own: OwnTransaction): OwnChanges {
  const first = new Map(firstOfEachKey(own.operationChanges ?? []));
  return {
    entry: (key, folded) => entryFrom(own, first, key, folded),
    ttl: ({ ttlKeyXdr }) => ttlFrom(own, first.get(ttlKeyXdr ?? "")),
    expiredTtl: ({ ttlKeyXdr }) => {
      if (first.get(ttlKeyXdr ?? "")?.kind !== "restored") return null;
      return { liveUntilLedger: own.ledgerSequence - 1, provenance: EXPIRED, provisional: false };
    },
    touches: (key) => first.has(key.keyXdr) || first.has(key.ttlKeyXdr ?? ""),
    after: (keyXdr) =>
      own.operationChanges?.findLast((change) => change.keyXdr === keyXdr)?.entryXdr ?? null,
    beforeOperation: (keyXdr) =>
      own.changesBefore.findLast((change) => change.keyXdr === keyXdr)?.entryXdr ?? null,
  };
}

function entryFrom(
  own: OwnTransaction,
  first: ReadonlyMap<string, KeyedChange>,
  key: FootprintKey,
  folded: Folded | null,
): KnownEntry | null {
  const change = first.get(key.keyXdr);
  switch (change?.kind) {
    case "state":
      return { entryXdr: change.entryXdr, archived: false, provenance: STATE };
    case "created":
      return { entryXdr: null, archived: false, provenance: CREATED };
    case "restored": {
      const { entryXdr } = change;
      const expired = ttlFrom(own, first.get(key.ttlKeyXdr ?? "")) !== null;
      const archived = !expired && wasArchived(own, change, folded);
      const provenance = archived && !folded?.archived(key.keyXdr) ? RESTORED_EITHER_WAY : RESTORED;
      // Its last-modified ledger no longer shows whether the code existed before.
      const rewritten = entryXdr === null || lastModifiedOf(entryXdr) === own.ledgerSequence;
      const cacheUnknown = rewritten && !folded?.complete && !folded?.archived(key.keyXdr);
      return { entryXdr, archived, provenance, ...(cacheUnknown && { cacheUnknown }) };
    }
    case undefined: {
      const rewritten = own.operation === "invoke_host_function" && own.operationChanges !== null;
      if (!own.succeeded || !rewritten || key.readOnly) return null;
      return { entryXdr: null, archived: false, provenance: UNMENTIONED };
    }
    default:
      return null;
  }
}

/**
 * False if the entry had expired and was not evicted yet. A restore operation shows that by leaving
 * the entry's last-modified ledger. An invocation shows it only by the TTL from before, if it
 * changes the TTL further; it treats the entry in the same way in both cases.
 */
function wasArchived(
  own: OwnTransaction,
  { keyXdr, entryXdr }: KeyedChange,
  folded: Folded | null,
): boolean {
  if (folded?.archived(keyXdr)) return true;
  if (folded?.entry(keyXdr)) return false;
  return entryXdr === null || lastModifiedOf(entryXdr) === own.ledgerSequence;
}

/** The TTL from before in RESTORED, if the operation changed it further. */
function ttlFrom(own: OwnTransaction, change: KeyedChange | undefined): KnownTtl | null {
  const { kind, liveUntilLedger = null } = change ?? {};
  if (liveUntilLedger === null) return null;
  const isBefore = kind === "restored" && liveUntilLedger < own.ledgerSequence;
  if (kind !== "state" && !isBefore) return null;
  return { liveUntilLedger, provenance: STATE, provisional: false };
}
