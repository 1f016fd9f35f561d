// The values of contracts' storage during a run: first those of the snapshot, then those that its
// calls wrote. A call that fails loses its writes.

import type { Snapshot } from "../../model/snapshot.ts";
import { dataKeyOf, type StorageKey, storageName } from "../../xdr/contract/key-typed.ts";
import { dataValueOf, instanceStorageOf } from "../../xdr/ledger/data-entry.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { int32At } from "../../xdr/reader/words.ts";

export class StorageValues {
  /** ScVals; null if there is no value. */
  readonly #values = new Map<string, string | null>();
  /** Contracts whose instance is known. */
  readonly #instances = new Set<string>();
  /** For each open call, the values that its writes replaced. */
  readonly #replaced: (readonly [string, string | null | undefined])[][] = [];

  constructor({ entries }: Pick<Snapshot, "entries">, ledger: number) {
    for (const { keyXdr, entryXdr, liveUntilLedger } of entries) {
      if (typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) continue;
      const { contract, key, durability } = dataKeyOf(keyXdr);
      const expired =
        durability === "temporary" && liveUntilLedger !== null && liveUntilLedger < ledger;
      const value = entryXdr === null || expired ? null : dataValueOf(entryXdr);
      if (int32At(Uint8Array.fromBase64(key), 0) !== SCV.instanceKey) {
        this.#values.set(storageName({ contract, durability, keyXdr: key }), value);
        continue;
      }
      this.#instances.add(contract);
      for (const [keyXdr, stored] of value === null ? [] : instanceStorageOf(value))
        this.#values.set(storageName({ contract, durability: "instance", keyXdr }), stored);
    }
  }

  /** The value; null if there is none, and undefined if it is unknown. */
  valueOf(key: StorageKey): string | null | undefined {
    const value = this.#values.get(storageName(key));
    if (value !== undefined) return value;
    return key.durability === "instance" && this.#instances.has(key.contract) ? null : undefined;
  }

  /** Writes a value. It is null if the entry was deleted. */
  write(key: StorageKey, value: string | null | undefined): void {
    const name = storageName(key);
    this.#replaced.at(-1)?.push([name, this.#values.get(name)]);
    this.#set(name, value);
  }

  /** Forgets all values after an unknown write. */
  forget(): void {
    this.#values.clear();
    this.#instances.clear();
  }

  begin(): void {
    this.#replaced.push([]);
  }

  end(failed: boolean): void {
    const replaced = this.#replaced.pop() ?? [];
    if (failed) for (const [name, value] of replaced.reverse()) this.#set(name, value);
    else this.#replaced.at(-1)?.push(...replaced);
  }

  #set(name: string, value: string | null | undefined): void {
    if (value === undefined) this.#values.delete(name);
    else this.#values.set(name, value);
  }
}
