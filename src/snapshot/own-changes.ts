// What a transaction's own meta proves of the state it ran against.
// stellar-core, TransactionMeta.cpp: a changed entry has its STATE before the change, one that did
// not exist is CREATED, an archived one RESTORED. InvokeHostFunctionOpFrame::recordStorageChanges
// writes every read-write entry that exists, changed or not, or erases it, so that after a success
// a read-write key without a mention did not exist.

import type { Provenance } from "../model/snapshot.ts";
import type { SorobanOperation } from "../xdr/envelope/envelope.ts";
import type { EntryChange, TransactionMetaFacts } from "../xdr/outcome/meta.ts";
import { lastModifiedOf, liveUntilOf } from "../xdr/reader/keys.ts";
import type { FootprintKey } from "./folded-footprint.ts";
import type { KnownEntry, KnownTtl } from "./known-entry.ts";

export interface OwnTransaction {
  readonly ledgerSequence: number;
  readonly operation: SorobanOperation;
  readonly succeeded: boolean;
  /** Null when no source had it. */
  readonly meta: TransactionMetaFacts | null;
}

export interface OwnChanges {
  entry(key: FootprintKey): KnownEntry | null;
  /** Null for absent and evicted entries too. */
  ttl(key: FootprintKey): KnownTtl | null;
  /** Did the operation change the entry or its time to live? */
  touches(key: FootprintKey): boolean;
  /** As the transaction's own sequence number and fee left it, before its operation. */
  beforeOperation(keyXdr: string): string | null;
}

const STATE: Provenance = { kind: "meta", detail: "in the transaction's own meta" };
const CREATED: Provenance = {
  kind: "meta",
  detail: "the transaction's own meta creates it, so it did not exist",
};
const RESTORED: Provenance = {
  kind: "meta",
  detail: "the transaction's own meta restores it from the archive",
};
const EXPIRED: Provenance = {
  kind: "meta",
  detail: "the transaction restored it, so it had expired; when cannot matter",
};
const UNMENTIONED: Provenance = {
  kind: "meta",
  detail:
    "a success writes every read-write entry that exists, and the transaction's own meta has none",
};

export function readOwnChanges(own: OwnTransaction): OwnChanges {
  const first = firstChanges(own.meta?.operationChanges.flat() ?? []);
  const before = new Map<string, string | null>();
  for (const { keyXdr, entryXdr } of own.meta?.changesBefore ?? []) before.set(keyXdr, entryXdr);
  return {
    entry: (key) => entryFrom(own, first.get(key.keyXdr), key),
    ttl: (key) => (key.ttlKeyXdr === null ? null : ttlFrom(own, first, key, key.ttlKeyXdr)),
    touches: (key) => first.has(key.keyXdr) || first.has(key.ttlKeyXdr ?? ""),
    beforeOperation: (keyXdr) => before.get(keyXdr) ?? null,
  };
}

function entryFrom(
  own: OwnTransaction,
  change: EntryChange | undefined,
  key: FootprintKey,
): KnownEntry | null {
  switch (change?.kind) {
    case "state":
      return { entryXdr: change.entryXdr, archived: false, provenance: STATE };
    case "created":
      return { entryXdr: null, archived: false, provenance: CREATED };
    case "restored":
      return {
        entryXdr: change.entryXdr,
        archived: !restoredInPlace(own, change),
        provenance: RESTORED,
      };
    case undefined: {
      const rewritten = own.operation === "invoke_host_function" && own.meta !== null;
      if (!own.succeeded || !rewritten || key.readOnly) return null;
      return { entryXdr: null, archived: false, provenance: UNMENTIONED };
    }
    default:
      return null;
  }
}

/**
 * Expired and not yet evicted. Only a restore operation leaves the entry's last-modified ledger then;
 * an invocation sets it either way, but also does the same with the entry either way.
 */
function restoredInPlace(own: OwnTransaction, change: EntryChange): boolean {
  return change.entryXdr !== null && lastModifiedOf(change.entryXdr) < own.ledgerSequence;
}

function ttlFrom(
  own: OwnTransaction,
  first: ReadonlyMap<string, EntryChange>,
  key: FootprintKey,
  ttlKeyXdr: string,
): KnownTtl | null {
  const change = first.get(ttlKeyXdr);
  const entry = first.get(key.keyXdr);
  if (change?.kind === "state" && change.entryXdr !== null) {
    const liveUntilLedger = liveUntilOf(change.entryXdr);
    return { liveUntilLedger, provenance: STATE, provisional: false };
  }
  if (change?.kind === "restored" && entry !== undefined && restoredInPlace(own, entry)) {
    const liveUntilLedger = own.ledgerSequence - 1;
    return { liveUntilLedger, provenance: EXPIRED, provisional: false };
  }
  return null;
}

function firstChanges(changes: readonly EntryChange[]): Map<string, EntryChange> {
  const first = new Map<string, EntryChange>();
  for (const change of changes) if (!first.has(change.keyXdr)) first.set(change.keyXdr, change);
  return first;
}
