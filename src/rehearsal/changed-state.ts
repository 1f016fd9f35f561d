// The entries that a history with new code has other than the chain: what a call that was made
// first wrote, and what the calls before this one wrote. Everything else is the chain's.
// Invariant: an entry that a transaction changed which did not run here is the chain's again, and
// is counted.

import type { ChangeBeforehand } from "../debugger/what-if/call-beforehand.ts";
import { BY_USER } from "../debugger/what-if/variant-draft.ts";
import type { FixContext } from "../fix/fix-context.ts";
import type { LedgerChange } from "../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import { contractLookup } from "../xdr/contract/contract-specs.ts";
import { modifiedIn, withExecutable, withExecutableOf } from "../xdr/ledger/patch-entry.ts";
import { ENTRY_TYPE, isSorobanKey, liveUntilOf, ttlKeyOf, typeOfKey } from "../xdr/reader/keys.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";
import type { ReplacedCode } from "./compare-runs.ts";

interface OtherEntry {
  readonly entry: SnapshotEntry;
  /** The chain's entry of the same moment; null if it does not exist. */
  readonly chainXdr: string | null;
}

export class ChangedState {
  private readonly entries = new Map<string, OtherEntry>();
  /** The changes of the call that was made first, by key. */
  readonly beforehand = new Map<string, ChangeBeforehand>();
  lost = 0;

  get size(): number {
    return this.entries.size;
  }

  has(keyXdr: string): boolean {
    return this.entries.has(keyXdr);
  }

  /** `snapshot` is that of the chain, whose code the entries get, because each run replaces it. */
  noteBeforehand(
    changes: readonly ChangeBeforehand[],
    { entries }: Snapshot,
    replaced: readonly ReplacedCode[],
  ): void {
    const onChain = new Map(entries.map(({ keyXdr, entryXdr }) => [keyXdr, entryXdr]));
    for (const { beforeXdr, after } of changes) {
      const { keyXdr } = after;
      if (typeOfKey(keyXdr) === ENTRY_TYPE.contractCode) continue;
      const chainXdr = onChain.get(keyXdr) ?? beforeXdr;
      const entryXdr = withFormerCode(keyXdr, after.entryXdr, chainXdr, replaced);
      const entry = { ...after, entryXdr };
      this.entries.set(keyXdr, { entry, chainXdr });
      this.beforehand.set(keyXdr, { beforeXdr: chainXdr, after: entry });
    }
  }

  /** The snapshot with the changed entries instead of the chain's. */
  appliedTo(snapshot: Snapshot): Snapshot {
    if (this.entries.size === 0) return snapshot;
    const entries = snapshot.entries.map((entry) => {
      const changed = this.entries.get(entry.keyXdr);
      if (changed === undefined) return entry;
      if (comparable(changed.chainXdr) === comparable(entry.entryXdr)) return changed.entry;
      this.entries.delete(entry.keyXdr);
      this.lost += 1;
      return entry;
    });
    return { ...snapshot, entries };
  }

  /** Finds the changed entries here, and the others as before. */
  finder(findEntries: FixContext["findEntries"]): FixContext["findEntries"] {
    return async (keysXdr) => {
      const own = keysXdr.flatMap((key) => this.entries.get(key)?.entry ?? []);
      const others = keysXdr.filter((key) => !this.entries.has(key));
      if (others.length === 0) return { entries: own, unknown: [] };
      const { entries, unknown } = await findEntries(others);
      return { entries: [...own, ...entries], unknown };
    };
  }

  /** Notes what a transaction wrote here, and on the chain. `snapshot` is that of the chain. */
  note(
    { entries }: Snapshot,
    chain: readonly LedgerChange[],
    here: readonly LedgerChange[],
    replaced: readonly ReplacedCode[],
  ): void {
    const before = new Map(entries.map((entry) => [entry.keyXdr, entry]));
    const [onChain, changed] = [chain, here].map(
      (changes) => new Map(changes.map((change) => [change.keyXdr, change])),
    ) as [Map<string, LedgerChange>, Map<string, LedgerChange>];
    for (const keyXdr of new Set([...onChain.keys(), ...changed.keys()])) {
      const type = typeOfKey(keyXdr);
      if (type === ENTRY_TYPE.ttl || type === ENTRY_TYPE.contractCode) continue;
      const earlier = this.entries.get(keyXdr)?.entry ?? before.get(keyXdr) ?? null;
      const chainBefore =
        this.entries.get(keyXdr)?.chainXdr ?? before.get(keyXdr)?.entryXdr ?? null;
      const chainXdr = afterOf(onChain.get(keyXdr), chainBefore);
      const written = afterOf(changed.get(keyXdr), earlier?.entryXdr ?? null);
      const entryXdr = withFormerCode(keyXdr, written, chainXdr, replaced);
      if (comparable(chainXdr) === comparable(entryXdr)) {
        this.entries.delete(keyXdr);
        continue;
      }
      const ttl = isSorobanKey(keyXdr) ? changed.get(ttlKeyOf(keyXdr))?.afterXdr : null;
      const liveUntilLedger = ttl ? liveUntilOf(ttl) : (earlier?.liveUntilLedger ?? null);
      const isThere = entryXdr !== null;
      this.entries.set(keyXdr, {
        chainXdr,
        entry: {
          keyXdr,
          entryXdr,
          liveUntilLedger: isThere ? liveUntilLedger : null,
          archived: isThere && changed.get(keyXdr) === undefined && earlier?.archived === true,
          codeCached: null,
          provenance: BY_USER,
          ttlProvenance: isThere && liveUntilLedger !== null ? BY_USER : null,
        },
      });
    }
  }
}

/** An instance with the new code gets the old one. One with other code was upgraded by itself. */
function withFormerCode(
  keyXdr: string,
  entryXdr: string | null,
  chainXdr: string | null,
  replaced: readonly ReplacedCode[],
): string | null {
  const code = replaced.find(({ contract }) => instanceKeyOfContract(contract) === keyXdr);
  if (code === undefined || entryXdr === null) return entryXdr;
  const { contract, newHash, oldHash } = code;
  if (contractLookup([entryXdr])(contract)?.wasmHash !== newHash) return entryXdr;
  return (chainXdr && withExecutableOf(entryXdr, chainXdr)) ?? withExecutable(entryXdr, oldHash);
}

function afterOf(change: LedgerChange | undefined, before: string | null): string | null {
  return change === undefined ? before : change.afterXdr;
}

/** Returns an entry without the ledger that modified it last, which is not a difference. */
function comparable(entryXdr: string | null): string | null {
  return entryXdr === null ? null : modifiedIn(entryXdr, 0);
}
