// Ledger entries by key, of which only so many are kept: those whose keys have the lowest hashes.
// They are the same ones in whatever order the entries are met, and also if the entries of several
// pieces are bounded once more. An entry that is kept in the end was never left out before.

import { utf8Bytes } from "../base/bytes.ts";
import { sha256 } from "../xdr/reader/hash.ts";

export class BoundedEntries<Entry> {
  private readonly entries = new Map<string, Entry>();
  /** The highest hash of a key that is kept; null while all are kept. */
  private highest: string | null = null;

  /** `most`: the number of entries that are kept. */
  constructor(private readonly most: number) {}

  /** True if an entry was left out. */
  get isBounded(): boolean {
    this.leaveOut(this.most);
    return this.highest !== null;
  }

  get(keyXdr: string): Entry | undefined {
    return this.entries.get(keyXdr);
  }

  /** False if the entry of the key is left out, so that its value is not needed. */
  keeps(keyXdr: string): boolean {
    return this.highest === null || this.entries.has(keyXdr) || hashOf(keyXdr) <= this.highest;
  }

  set(keyXdr: string, entry: Entry): void {
    if (!this.keeps(keyXdr)) return;
    this.entries.set(keyXdr, entry);
    // Not at each entry, because the hashes of all keys are compared.
    this.leaveOut(this.most + Math.ceil(this.most / 4));
  }

  all(): ReadonlyMap<string, Entry> {
    this.leaveOut(this.most);
    return this.entries;
  }

  /** Leaves out all but `most` entries if there are more than `limit`. */
  private leaveOut(limit: number): void {
    if (this.entries.size <= limit) return;
    const hashes = [...this.entries.keys()].map((keyXdr) => ({ keyXdr, hash: hashOf(keyXdr) }));
    hashes.sort((left, right) => (left.hash < right.hash ? -1 : 1));
    this.highest = hashes[this.most - 1]?.hash ?? "";
    for (const { keyXdr } of hashes.slice(this.most)) this.entries.delete(keyXdr);
  }
}

function hashOf(keyXdr: string): string {
  return sha256(utf8Bytes(keyXdr)).toHex();
}
