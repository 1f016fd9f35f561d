// What moved on between a simulation and the transaction: the number of the contract's state that
// leads from the key in the footprint to the key that was asked for, and who changed it.

import type { CauseFacts } from "../../explain/causes/failure.ts";
import type { Conflict } from "../../model/conflict.ts";
import type { StaleKeys } from "../../model/explanation.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import { type EarlierChange, earlierChanges } from "../../snapshot/gather/earlier-changes.ts";
import type { Source } from "../../sources/source.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import { dataKeyOf, describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { ENTRY_TYPE, lastModifiedOf, typeOfKey } from "../../xdr/reader/keys.ts";
import { entryDifference } from "../../xdr/values/entry-difference.ts";
import { integersInEntry, neighboringKeys } from "../../xdr/values/neighboring-key.ts";
import type { Replayable } from "../run/run-variant.ts";

/** The maximum number of earlier transactions to check. */
const MAXIMUM_TRANSACTIONS = 64;
/** A counter holds the last key or the next one. */
const NEAR = 1n;

/**
 * The cause of a stale simulation is known when the transaction succeeds on the state before the
 * conflicting one; otherwise the evidence begins with what moved on. Others do not change.
 */
export async function withMovedState(
  sources: readonly Source[],
  replayed: Pick<Replayable, "record" | "snapshot">,
  known: { readonly found: CauseFacts; readonly conflict: Conflict | null },
  options: { readonly signal: AbortSignal },
): Promise<CauseFacts> {
  const { found, conflict } = known;
  const { keys } = found.cause;
  if (keys === undefined) return found;
  if (conflict !== null) return { ...found, cause: { ...found.cause, confidence: "known" } };
  const moved = await findMovedState(sources, replayed, keys, options);
  return { ...found, evidence: [...moved, ...found.evidence] };
}

/** Sentences; empty when no ledger of the sources shows it. */
async function findMovedState(
  sources: readonly Source[],
  { record, snapshot }: Pick<Replayable, "record" | "snapshot">,
  { askedXdr, footprintXdr }: StaleKeys,
  options: { readonly signal: AbortSignal },
): Promise<string[]> {
  const keys = neighboringKeys([askedXdr], [footprintXdr]);
  if (keys === null) return [];
  const { contract } = dataKeyOf(askedXdr);
  const isOwn = (keyXdr: string) =>
    typeOfKey(keyXdr) === ENTRY_TYPE.contractData && dataKeyOf(keyXdr).contract === contract;
  const certain = snapshot.entries.filter(
    ({ keyXdr, provenance }) => isOwn(keyXdr) && provenance.kind !== "assumed",
  );
  const lookup = contractLookup(snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []));
  const state = new Map(certain.map(({ keyXdr, entryXdr }) => [keyXdr, entryXdr]));
  let count = 0;
  for await (const change of earlierChanges(sources, record, snapshot, options)) {
    count += 1;
    if (count > MAXIMUM_TRANSACTIONS) break;
    for (const [keyXdr, before] of change.before) {
      const after = state.get(keyXdr) ?? null;
      if (!state.has(keyXdr)) continue;
      const moved = movedField(before.entryXdr, after, keys);
      if (moved !== null) return [inWords(change, describeTypedKey(keyXdr, lookup), moved)];
      state.set(keyXdr, before.entryXdr);
    }
  }
  return certain.flatMap((entry) => lastChange(entry, keys.asked, lookup)).slice(0, 1);
}

type Field = ReturnType<typeof entryDifference>[number];

/** The field that moved to the number of the key that was asked for, from that of the other. */
function movedField(
  before: string | null,
  after: string | null,
  { asked, neighbor }: { readonly asked: bigint; readonly neighbor: bigint },
): Field | null {
  if (before === null || after === null) return null;
  const moved = entryDifference(before, after).find((field) => {
    const [from, to] = [integerOf(field.before), integerOf(field.after)];
    if (from === null || to === null || !isNear(to, asked)) return false;
    return asked > neighbor ? from < to : from > to;
  });
  return moved ?? null;
}

function isNear(one: bigint, other: bigint): boolean {
  return one - other <= NEAR && other - one <= NEAR;
}

function integerOf(text: string | null): bigint | null {
  return text !== null && /^-?\d+$/.test(text) ? BigInt(text) : null;
}

function inWords(
  { transactionHash, ledger, applicationOrder }: EarlierChange,
  key: string,
  { field, before, after }: Field,
): string {
  const what = field === "" ? key : `${field} in the ${key}`;
  return (
    `What moved on: transaction ${transactionHash} (ledger ${ledger}, transaction ` +
    `${applicationOrder}) changed ${what} from ${before} to ${after}.`
  );
}

/** Who changed it is in a ledger that no source has. */
function lastChange(
  { keyXdr, entryXdr }: SnapshotEntry,
  asked: bigint,
  lookup: ReturnType<typeof contractLookup>,
): string[] {
  if (entryXdr === null || !integersInEntry(entryXdr).includes(asked)) return [];
  return [
    `The ${describeTypedKey(keyXdr, lookup)} contains ${asked}. It was last changed in ledger ` +
      `${lastModifiedOf(entryXdr)}.`,
  ];
}
