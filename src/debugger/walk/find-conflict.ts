// A failed transaction → the conflicting transaction just before it that made it fail. The failed
// transaction runs on the state before each earlier one, the latest first, until it succeeds.

import type { Conflict } from "../../model/conflict.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import type { Verdict } from "../../model/verdict.ts";
import {
  type EarlierChange,
  earlierChanges,
  type PastState,
} from "../../snapshot/gather/earlier-changes.ts";
import type { Source } from "../../sources/source.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { describeEntry } from "../../xdr/values/value.ts";
import { isReproduced } from "../fix/fix-transaction.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { type Replayable, runVariant } from "../run/run-variant.ts";

type Entries = ReadonlyMap<string, SnapshotEntry>;

export interface ConflictDependencies extends Engines {
  readonly sources: readonly Source[];
  /** As many earlier transactions are looked at. */
  readonly maximumTransactions?: number;
}

/**
 * Null when the sources show no such transaction, or the replay does not match the chain. Throws
 * when it is interrupted, or for a defect.
 */
export async function findConflict(
  dependencies: ConflictDependencies,
  failed: Replayable & { readonly verdict: Verdict },
  options: OptionalRun,
): Promise<Conflict | null> {
  if (!isReproduced(failed.verdict)) return null;
  const purpose = "To find a conflicting transaction";
  return optionalRun(purpose, options, () => lookBack(dependencies, failed, options));
}

async function lookBack(
  { simulator, sources, maximumTransactions = 16 }: ConflictDependencies,
  failed: Replayable,
  options: { readonly signal: AbortSignal },
): Promise<Conflict | null> {
  const { record, snapshot } = failed;
  const succeedsOn = async (entries: Entries) => {
    const { outcome } = await runVariant({ simulator }, failed, { entries }, options);
    return outcome.kind === "success";
  };
  let later: Entries = new Map();
  let count = 0;
  for await (const change of earlierChanges(sources, record, snapshot, options)) {
    if (count === maximumTransactions) return null;
    count += 1;
    const entries = withPast(failed, later, change.before);
    if (await succeedsOn(entries)) {
      const keys = await decisiveKeys(change, (key) =>
        succeedsOn(withPast(failed, later, only(change.before, key))),
      );
      return describe(failed, later, change, keys);
    }
    later = entries;
  }
  return null;
}

/** A single key that is enough to make the transaction succeed; all keys when there is none. */
async function decisiveKeys(
  { before }: EarlierChange,
  suffices: (keyXdr: string) => Promise<boolean>,
): Promise<string[]> {
  const keys = [...before.keys()];
  if (keys.length === 1) return keys;
  for (const key of keys) if (await suffices(key)) return [key];
  return keys;
}

function only(before: ReadonlyMap<string, PastState>, key: string): Map<string, PastState> {
  return new Map([...before].filter(([each]) => each === key));
}

function withPast(
  { snapshot }: Replayable,
  later: Entries,
  before: ReadonlyMap<string, PastState>,
): Entries {
  const entries = new Map(later);
  for (const entry of snapshot.entries) {
    const past = before.get(entry.keyXdr);
    if (past !== undefined) entries.set(entry.keyXdr, { ...entry, ...past, archived: false });
  }
  return entries;
}

function describe(
  { snapshot }: Replayable,
  later: Entries,
  { transactionHash, ledger, applicationOrder, before }: EarlierChange,
  keys: readonly string[],
): Conflict {
  const current = new Map(snapshot.entries.map((entry) => [entry.keyXdr, entry]));
  const knownEntries = [...snapshot.entries, ...before.values()];
  const lookup = contractLookup(knownEntries.flatMap(({ entryXdr }) => entryXdr ?? []));
  const show = (entryXdr: string | null) => (entryXdr === null ? null : describeEntry(entryXdr));
  const entries = keys.map((keyXdr) => ({
    keyXdr,
    key: describeTypedKey(keyXdr, lookup),
    before: show(before.get(keyXdr)?.entryXdr ?? null),
    after: show((later.get(keyXdr) ?? current.get(keyXdr))?.entryXdr ?? null),
  }));
  const changed = entries.map((entry) => {
    if (entry.before === null) return `created ${entry.key}`;
    return `${entry.after === null ? "removed" : "changed"} ${entry.key}`;
  });
  const summary =
    `Conflicting transaction: ${transactionHash} (ledger ${ledger}, transaction ` +
    `${applicationOrder}) ${changed.join(", ")} first. On the state before that transaction, this ` +
    "one succeeds.";
  return { transactionHash, ledger, applicationOrder, entries, summary };
}
