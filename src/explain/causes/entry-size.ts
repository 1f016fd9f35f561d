// Sizes of single ledger entries: the one that is larger than the network allows, and those whose
// bytes count as written. stellar-core reports a number of bytes, but not the entry they belong to.

import { base64Length } from "../../base/bytes.ts";
import { grouped } from "../../base/text/grouped.ts";
import { endedWith } from "../../model/result-code.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { ENTRY_SIZES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { showValue } from "../../xdr/values/value.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;

interface SizeLimit {
  readonly type: number;
  readonly what: string;
  readonly remedy: string;
}

const SIZE_LIMITS: Readonly<Record<keyof typeof ENTRY_SIZES, SizeLimit>> = {
  data: {
    type: ENTRY_TYPE.contractData,
    what: "one entry of contract data",
    remedy:
      "Store a smaller value, or split it over several entries. The network sets this limit; the " +
      "transaction cannot raise it.",
  },
  code: {
    type: ENTRY_TYPE.contractCode,
    what: "the code of one contract",
    remedy:
      "Make the wasm smaller, or split it into several contracts. The network sets this limit; " +
      "the transaction cannot raise it.",
  },
};

export function entrySizeCause(failure: Failure): CauseFacts | null {
  if (!endedWith(failure.result, "resourceLimitExceeded")) return null;
  const report = failure.reports.at(-1);
  const known = messageIn(ENTRY_SIZES, report?.message);
  const [size, allowed] = report?.valuesXdr.map((value) => showValue(value)) ?? [];
  if (known === null || size === undefined || allowed === undefined) return null;
  const { type } = SIZE_LIMITS[known.id];
  const possible = entriesOfSize(failure, type, size);
  const name = (key: string) => describeTypedKey(key, failure.lookup);
  const [only, ...others] = possible;
  const which = only !== undefined && others.length === 0 ? name(only) : "an entry";
  const shown = possible.slice(0, SHOWN_ENTRIES).map(name).join("; ");
  const oneOf = others.length > 0 ? [`The entry is one of these footprint entries: ${shown}.`] : [];
  const evidence = [...oneOf, ...evidenceOf(failure)];
  return { ...entryTooLarge(type, which, size, allowed), evidence };
}

/** `type`: of contract data or contract code. `which`: the entry in words. */
export function entryTooLarge(
  type: number,
  which: string,
  size: string,
  allowed: string,
): CauseFacts {
  const limit = Object.values(SIZE_LIMITS).find((each) => each.type === type);
  const summary =
    `Entry size limit exceeded: ${which} has ${grouped(size)} bytes; the network allows ` +
    `${grouped(allowed)} for ${limit?.what}.`;
  const cause = { kind: "entry-size-exceeded", summary, confidence: "known" } as const;
  return { cause, evidence: [], remedy: limit?.remedy ?? null };
}

/**
 * The entries that may have that size. An entry that is read, extended or restored is measured
 * unchanged, so those with exactly that size come first. If there are none, the entry was written,
 * and its new size is unknown.
 */
function entriesOfSize({ envelope, snapshot }: Failure, type: number, size: string): string[] {
  const { readOnly = [], readWrite = [] } = envelope?.soroban?.footprint ?? {};
  const ofType = (keys: readonly string[]) => keys.filter((key) => typeOfKey(key) === type);
  if (snapshot === null) return ofType([...readOnly, ...readWrite]);
  const unchanged = ofType([...readOnly, ...readWrite]).filter(
    (key) => String(sizeBefore(snapshot, key)) === size,
  );
  return unchanged.length > 0 ? unchanged : ofType(readWrite);
}

/**
 * The entries that count as written by an invocation; null when it can write nothing, or another
 * operation ran. stellar-core, InvokeHostFunctionOpFrame::recordStorageChanges, counts what the
 * host returns: every entry of the read-write footprint that exists at the end.
 */
export function countedAsWritten({ envelope, snapshot, lookup }: Failure): string | null {
  const { operation, footprint } = envelope?.soroban ?? {};
  const keys = footprint?.readWrite ?? [];
  if (operation !== "invoke_host_function" || keys.length === 0) return null;
  const entries = keys.slice(0, SHOWN_ENTRIES).map((key) => {
    const size = snapshot === null ? undefined : sizeBefore(snapshot, key);
    const before = size === null ? "absent" : `${grouped(size ?? 0)} bytes`;
    return `${describeTypedKey(key, lookup)}${size === undefined ? "" : ` (${before} before)`}`;
  });
  const more = keys.length - entries.length;
  const rest = more > 0 ? `; and ${grouped(more)} more` : "";
  return (
    "Every read-write footprint entry that exists after the call counts as written, with its full " +
    "size, even if it did not change or the call that wrote it was rolled back: " +
    `${entries.join("; ")}${rest}.`
  );
}

/** In bytes; null: the entry did not exist; undefined: the snapshot does not have it. */
function sizeBefore({ entries }: NonNullable<Failure["snapshot"]>, key: string) {
  const entry = entries.find(({ keyXdr }) => keyXdr === key);
  return entry?.entryXdr ? base64Length(entry.entryXdr) : entry?.entryXdr;
}
