// Explains sizes of single ledger entries: an entry that is larger than the network allows, and
// entries whose bytes count as written. stellar-core reports a number of bytes, but not the entry.

import { base64Length } from "../../base/bytes.ts";
import { endedWith } from "../../model/result-code.ts";
import { snapshotState } from "../../model/snapshot.ts";
import { knownIn, type StateAt } from "../../model/state/entry-state.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { numbersIn } from "../../xdr/outcome/error-reports.ts";
import { ENTRY_SIZES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import type { CauseFinding } from "../words/found-cause.ts";
import type { CauseEvidence } from "../words/found-evidence.ts";
import { evidenceOf, type Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;

const TYPES: Readonly<Record<keyof typeof ENTRY_SIZES, number>> = {
  data: ENTRY_TYPE.contractData,
  code: ENTRY_TYPE.contractCode,
};

export function entrySizeCause(failure: Failure): CauseFinding | null {
  if (!endedWith(failure.result, "resourceLimitExceeded")) return null;
  const report = failure.reports.at(-1);
  const known = messageIn(ENTRY_SIZES, report?.message);
  const [size, allowed] = numbersIn(report);
  if (known === null || size === undefined || allowed === undefined) return null;
  const possible = entriesOfSize(failure, TYPES[known.id], size);
  const name = (key: string) => describeTypedKey(key, failure.lookup);
  const [only, ...others] = possible;
  const isOne = only !== undefined && others.length === 0;
  const entries = possible.slice(0, SHOWN_ENTRIES).map(name);
  return {
    by: "entry-size",
    kind: "entry-size-exceeded",
    facts: { type: known.id, entry: isOne ? name(only) : null, size, allowed },
    confidence: "known",
    evidence: [
      ...(others.length > 0 ? [{ kind: "one-of-entries", entries } as const] : []),
      ...evidenceOf(failure),
    ],
  };
}

/**
 * The entries that may have that size. An entry that is read, extended or restored is measured
 * unchanged, so those with exactly that size come first. If there are none, the entry was written,
 * and its new size is unknown.
 */
function entriesOfSize({ envelope, snapshot }: Failure, type: number, size: bigint): string[] {
  const { readOnly = [], readWrite = [] } = envelope?.soroban?.footprint ?? {};
  const ofType = (keys: readonly string[]) => keys.filter((key) => typeOfKey(key) === type);
  if (snapshot === null) return ofType([...readOnly, ...readWrite]);
  const state = snapshotState(snapshot);
  const unchanged = ofType([...readOnly, ...readWrite]).filter(
    (key) => BigInt(sizeBefore(state, key) ?? -1) === size,
  );
  return unchanged.length > 0 ? unchanged : ofType(readWrite);
}

/**
 * The entries that count as written by an invocation. Empty if it can write nothing, or if another
 * operation ran. stellar-core, InvokeHostFunctionOpFrame::recordStorageChanges, counts what the
 * host returns: every entry of the read-write footprint that exists at the end.
 */
export function countedAsWritten({ envelope, snapshot, lookup }: Failure): CauseEvidence[] {
  const { operation, footprint } = envelope?.soroban ?? {};
  const keys = footprint?.readWrite ?? [];
  if (operation !== "invoke_host_function" || keys.length === 0) return [];
  const state = snapshot && snapshotState(snapshot);
  const entries = keys.slice(0, SHOWN_ENTRIES).map((key) => {
    const before = state === null ? undefined : sizeBefore(state, key);
    return { name: describeTypedKey(key, lookup), ...(before !== undefined && { before }) };
  });
  return [{ kind: "counted-as-written", entries, more: keys.length - entries.length }];
}

/** The size in bytes; null if the entry did not exist; undefined if its state is unknown. */
function sizeBefore(state: StateAt, key: string): number | null | undefined {
  const entry = knownIn(state, key);
  if (entry === null) return undefined;
  return entry.entryXdr === null ? null : base64Length(entry.entryXdr);
}
