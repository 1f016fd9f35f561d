// Ledger entry changes with their keys, for entries that can be in a Soroban footprint, and for
// network settings. Offers, data entries, claimable balances and pools are left out, because
// contracts cannot see them.

import { type ChangeSlice, type EntryChange, keyOfChange, sliceChanges } from "../outcome/meta.ts";
import { XdrCursor } from "../reader/cursor.ts";
import { ENTRY_TYPE, liveUntilOfBytes, typeOfEntryBytes, typeOfKeyBytes } from "../reader/keys.ts";
import { xdrSource } from "../reader/shape.ts";

/** A change of a TTL entry has no `entryXdr`. */
export interface KeyedChange extends EntryChange {
  /** The LedgerEntryType. */
  readonly type: number;
  /** For TTL entries only; null for `removed`. */
  readonly liveUntilLedger: number | null;
}

/** The change with the bytes of its ChangeSlice. */
export interface SlicedChange extends KeyedChange {
  readonly bytes: Uint8Array;
}

const FOLDED_TYPES: ReadonlySet<number> = new Set([
  ENTRY_TYPE.account,
  ENTRY_TYPE.trustline,
  ENTRY_TYPE.contractData,
  ENTRY_TYPE.contractCode,
  ENTRY_TYPE.configSetting,
  ENTRY_TYPE.ttl,
]);

/** `changes` are LedgerEntryChanges. Throws XDR_INVALID. */
export function readKeyedChanges(changes: Uint8Array): SlicedChange[] {
  const cursor = new XdrCursor(xdrSource(changes));
  const slices = sliceChanges(cursor);
  cursor.done("LedgerEntryChanges");
  return keyChanges(slices);
}

export function keyChanges(slices: readonly ChangeSlice[]): SlicedChange[] {
  const changes: SlicedChange[] = [];
  for (const slice of slices) {
    const removed = slice.kind === "removed";
    const type = removed ? typeOfKeyBytes(slice.bytes) : typeOfEntryBytes(slice.bytes);
    if (!FOLDED_TYPES.has(type)) continue;
    const isTtl = type === ENTRY_TYPE.ttl;
    changes.push({
      kind: slice.kind,
      type,
      keyXdr: keyOfChange(slice).toBase64(),
      entryXdr: removed || isTtl ? null : slice.bytes.toBase64(),
      liveUntilLedger: isTtl && !removed ? liveUntilOfBytes(slice.bytes) : null,
      bytes: slice.bytes,
    });
  }
  return changes;
}

/** Yields the first change of each key: it shows what the key was before all of them. */
export function* firstOfEachKey<Change extends { readonly keyXdr: string }>(
  changes: Iterable<Change>,
): Generator<readonly [keyXdr: string, change: Change]> {
  const seen = new Set<string>();
  for (const change of changes) {
    const { keyXdr } = change;
    if (seen.has(keyXdr)) continue;
    seen.add(keyXdr);
    yield [keyXdr, change];
  }
}
