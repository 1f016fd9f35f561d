// Sizes of single ledger entries: the one that is larger than the network allows, and those whose
// bytes count as written. stellar-core says a number of bytes, never whose they are.

import { grouped } from "../../base/text/grouped.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { showValue } from "../../xdr/values/value.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;

interface SizeLimit {
  readonly message: RegExp;
  readonly type: number;
  readonly what: string;
  readonly remedy: string;
}

/** What stellar-core says: validateContractLedgerEntry, in TransactionUtils.cpp. */
const SIZE_LIMITS: readonly SizeLimit[] = [
  {
    message: /^ContractData size exceeds network config maximum/,
    type: ENTRY_TYPE.contractData,
    what: "one entry of contract data",
    remedy:
      "Store a smaller value, or split it over several entries: no declaration can raise what " +
      "the network allows.",
  },
  {
    message: /^Wasm size exceeds network config maximum/,
    type: ENTRY_TYPE.contractCode,
    what: "the code of one contract",
    remedy:
      "Make the wasm smaller, or split it into several contracts: no declaration can raise what " +
      "the network allows.",
  },
];

export function entrySizeCause(failure: Failure): CauseFacts | null {
  if (!failure.code.endsWith("ResourceLimitExceeded")) return null;
  const report = failure.reports.at(-1);
  const limit = SIZE_LIMITS.find(({ message }) => message.test(report?.message ?? ""));
  const [size, allowed] = report?.valuesXdr.map((value) => showValue(value)) ?? [];
  if (limit === undefined || size === undefined || allowed === undefined) return null;
  const possible = entriesOfSize(failure, limit.type, size);
  const name = (key: string) => describeTypedKey(key, failure.lookup);
  const [only, ...others] = possible;
  const which = only !== undefined && others.length === 0 ? `${name(only)} takes` : "it took";
  const summary =
    `Limit of one entry's size: ${which} ${grouped(size)} bytes, the network allows ` +
    `${limit.what} only ${grouped(allowed)}.`;
  const shown = possible.slice(0, SHOWN_ENTRIES).map(name).join("; ");
  const oneOf = others.length > 0 ? [`It is one of its footprint: ${shown}.`] : [];
  return {
    cause: { kind: "entry-size-exceeded", summary, confidence: "known" },
    evidence: [...oneOf, ...evidenceOf(failure)],
    remedy: limit.remedy,
  };
}

/**
 * Which entries it may be: those of just that size where there are any, for what is read, extended
 * or restored is measured as it stands; otherwise those that were written, with a size of which
 * nothing is known.
 */
function entriesOfSize({ envelope, snapshot }: Failure, type: number, size: string): string[] {
  const { readOnly = [], readWrite = [] } = envelope.soroban?.footprint ?? {};
  const ofType = (keys: readonly string[]) => keys.filter((key) => typeOfKey(key) === type);
  if (snapshot === null) return ofType([...readOnly, ...readWrite]);
  const asItStood = ofType([...readOnly, ...readWrite]).filter(
    (key) => String(sizeBefore(snapshot, key)) === size,
  );
  return asItStood.length > 0 ? asItStood : ofType(readWrite);
}

/**
 * What an invocation is charged for as written; null when it can write nothing, or another
 * operation ran. stellar-core, InvokeHostFunctionOpFrame::recordStorageChanges, counts what the
 * host hands back: every entry of the read-write footprint that exists in the end.
 */
export function countedAsWritten({ envelope, snapshot, lookup }: Failure): string | null {
  const { operation, footprint } = envelope.soroban ?? {};
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
    "As written counts each entry of the read-write footprint that exists after the call, with all " +
    "its bytes, even if it is as before or the call that wrote it was rolled back: " +
    `${entries.join("; ")}${rest}.`
  );
}

/** In bytes; null: it did not exist; undefined: the snapshot does not say. */
function sizeBefore({ entries }: NonNullable<Failure["snapshot"]>, key: string) {
  const entry = entries.find(({ keyXdr }) => keyXdr === key);
  return entry?.entryXdr ? Buffer.byteLength(entry.entryXdr, "base64") : entry?.entryXdr;
}
