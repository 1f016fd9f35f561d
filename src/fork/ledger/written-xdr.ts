// Builds the XDR of a closed ledger from parts that are XDR already: result, meta, transaction set,
// LedgerCloseMeta. Layouts: Stellar-ledger.x, Stellar-transaction.x.

import type { Execution } from "../../model/execution.ts";
import type { EntryChange } from "../../xdr/outcome/meta.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { encodeBytes, type Value } from "../../xdr/reader/value.ts";
import { setUint64, uint32s } from "../../xdr/reader/words.ts";
import { accountIdOf } from "./accounts.ts";
import type { RecordedTransaction } from "./chain.ts";
import { codeNamed } from "./operation.ts";

export const PARALLEL_SINCE = 23;
const CHANGE = { created: 0, updated: 1, removed: 2, state: 3, restored: 4 } as const;
const CODE = { innerSuccess: 1, innerFailed: -13 } as const;
const NONE = uint32s(0);
const FALSE_VALUE = uint32s(0, 0);

export function int64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  setUint64(bytes, 0, value);
  return bytes;
}

function list(elements: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([uint32s(elements.length), ...elements]);
}

function optional(value: Uint8Array | null): Uint8Array {
  return value === null ? NONE : Buffer.concat([uint32s(1), value]);
}

function bytesOf(xdr: string): Uint8Array {
  return Uint8Array.fromBase64(xdr);
}

/** LedgerEntryChanges. */
export function writtenChanges(changes: readonly EntryChange[]): Uint8Array {
  return list(
    changes.map(({ kind, keyXdr, entryXdr }) =>
      Buffer.concat([uint32s(CHANGE[kind]), bytesOf(entryXdr ?? keyXdr)]),
    ),
  );
}

export interface ResultParts {
  readonly feeChargedStroops: bigint;
  /** XDR name of the (inner) transaction's code. */
  readonly code: string;
  /** OperationResults, which only `txSuccess` and `txFailed` have. */
  readonly operationResults: readonly Uint8Array[];
  /** Set for a fee bump, and null otherwise. */
  readonly inner: { readonly hash: string; readonly feeChargedStroops: bigint } | null;
}

/** TransactionResult. */
export function writtenResult({ feeChargedStroops, inner, ...result }: ResultParts): Uint8Array {
  const fee = int64(feeChargedStroops);
  if (inner === null) return Buffer.concat([fee, codeAndResults(result), NONE]);
  const code = result.code === "txSuccess" ? CODE.innerSuccess : CODE.innerFailed;
  const hash = Uint8Array.fromHex(inner.hash);
  const innerFee = int64(inner.feeChargedStroops);
  const pair = [uint32s(code >>> 0), hash, innerFee, codeAndResults(result), NONE];
  return Buffer.concat([fee, ...pair, NONE]);
}

function codeAndResults({
  code,
  operationResults,
}: Pick<ResultParts, "code" | "operationResults">) {
  const value = uint32s((codeNamed("TransactionResultCode", code) ?? 0) >>> 0);
  if (code !== "txSuccess" && code !== "txFailed") return value;
  return Buffer.concat([value, list(operationResults)]);
}

export interface MetaParts {
  readonly protocolVersion: number;
  readonly isSuccess: boolean;
  readonly changesBefore: readonly EntryChange[];
  /** The parts of each operation; empty for a failed transaction. */
  readonly operations: readonly {
    readonly changes: readonly EntryChange[];
    /** ContractEvents. */
    readonly events: readonly Uint8Array[];
  }[];
  readonly changesAfter: readonly EntryChange[];
  /** Null for classic transactions. */
  readonly soroban: SorobanParts | null;
  /** The accounts whose signatures the fork did not require. */
  readonly waived: readonly string[];
  /** TransactionEvents. */
  readonly feeEventsXdr: readonly string[];
}

export interface SorobanParts {
  readonly nonRefundableStroops: bigint;
  readonly refundableStroops: bigint;
  readonly rentStroops: bigint;
  /** Null if it never ran. */
  readonly execution: Execution | null;
}

/** The TransactionMeta: V4 from protocol 23, and V3 before. */
export function writtenMeta(meta: MetaParts): Uint8Array {
  const isV4 = meta.protocolVersion >= PARALLEL_SINCE;
  const { soroban } = meta;
  const operations = meta.operations.map(({ changes, events }) =>
    isV4 ? Buffer.concat([NONE, writtenChanges(changes), list(events)]) : writtenChanges(changes),
  );
  const common = [
    uint32s(isV4 ? 4 : 3, 0),
    writtenChanges(meta.changesBefore),
    list(operations),
    writtenChanges(meta.changesAfter),
  ];
  const returned = soroban?.execution?.returnValueXdr ?? null;
  const value = meta.isSuccess && returned !== null ? bytesOf(returned) : null;
  const diagnostics = list([
    ...(soroban?.execution ? diagnosticsOf(soroban.execution) : []),
    ...(meta.waived.length === 0 ? [] : [waivedEvent(meta.waived)]),
  ]);
  if (isV4) {
    const ofSoroban = soroban && Buffer.concat([feesOf(soroban), optional(value)]);
    const feeEvents = list(meta.feeEventsXdr.map(bytesOf));
    return Buffer.concat([...common, optional(ofSoroban), feeEvents, diagnostics]);
  }
  const events = list(meta.operations.flatMap((operation) => operation.events));
  const ofSoroban =
    soroban && Buffer.concat([feesOf(soroban), events, value ?? FALSE_VALUE, diagnostics]);
  return Buffer.concat([...common, optional(ofSoroban)]);
}

/** SorobanTransactionMetaExt. */
function feesOf({ nonRefundableStroops, refundableStroops, rentStroops }: SorobanParts) {
  const fees = [nonRefundableStroops, refundableStroops, rentStroops].map(int64);
  return Buffer.concat([uint32s(1, 0), ...fees]);
}

/** An event of the fork's own, which no network has. */
function waivedEvent(waived: readonly string[]): Uint8Array {
  const vec = waived.map((address) => {
    const accountId = accountIdOf(address);
    return { type: 18, address: { type: 0, accountId } } as const;
  });
  return diagnostic(["fork", "waived_signatures"], { type: 16, vec }, true);
}

function diagnostic(
  symbols: readonly string[],
  data: Value<"ScVal">,
  inSuccessfulContractCall: boolean,
): Uint8Array {
  const topics = symbols.map((text) => ({ type: 15 as const, sym: Buffer.from(text) }));
  const body = { v: 0, v0: { topics, data } } as const;
  const event = { ext: { v: 0 }, contractId: null, type: 2, body } as const;
  return encodeBytes("DiagnosticEvent", { inSuccessfulContractCall, event });
}

/**
 * The metrics in stellar-core's order (InvokeHostFunctionOpFrame.cpp). A fork does not report
 * times.
 */
const METRICS = [
  "read_entry",
  "write_entry",
  "ledger_read_byte",
  "ledger_write_byte",
  "read_key_byte",
  "write_key_byte",
  "read_data_byte",
  "write_data_byte",
  "read_code_byte",
  "write_code_byte",
  "emit_event",
  "emit_event_byte",
  "cpu_insn",
  "mem_byte",
  "max_rw_key_byte",
  "max_rw_data_byte",
  "max_rw_code_byte",
  "max_emit_event_byte",
];

function diagnosticsOf({ diagnosticsXdr, metrics, outcome }: Execution): Uint8Array[] {
  const named = METRICS.flatMap((name) => {
    const value = metrics[name];
    if (value === undefined) return [];
    const data = { type: 5, u64: BigInt(value) } as const;
    return [diagnostic(["core_metrics", name], data, outcome.kind === "success")];
  });
  return [...diagnosticsXdr.map(bytesOf), ...named];
}

export interface SetParts {
  readonly protocolVersion: number;
  readonly previousHash: string;
  readonly baseFeeStroops: number;
  /** TransactionEnvelopes, in apply order. */
  readonly classicXdr: readonly string[];
  readonly sorobanXdr: readonly string[];
}

/** GeneralizedTransactionSet with a component, or one stage with one cluster, for each phase. */
export function writtenSet(set: SetParts): Uint8Array {
  const baseFee = optional(int64(BigInt(set.baseFeeStroops)));
  const phaseOf = (envelopesXdr: readonly string[]) => {
    const component = Buffer.concat([NONE, baseFee, inOrder(envelopesXdr)]);
    return Buffer.concat([NONE, list(envelopesXdr.length === 0 ? [] : [component])]);
  };
  const stages = list(set.sorobanXdr.length === 0 ? [] : [list([inOrder(set.sorobanXdr)])]);
  const isParallel = set.protocolVersion >= PARALLEL_SINCE;
  const soroban = isParallel
    ? Buffer.concat([uint32s(1), baseFee, stages])
    : phaseOf(set.sorobanXdr);
  const previous = Uint8Array.fromHex(set.previousHash);
  return Buffer.concat([uint32s(1), previous, list([phaseOf(set.classicXdr), soroban])]);
}

/** The transactions of a set in the order of their hashes. */
function inOrder(envelopesXdr: readonly string[]): Uint8Array {
  const envelopes = envelopesXdr.map((xdr) => {
    const bytes = bytesOf(xdr);
    return { bytes, hash: sha256(bytes) };
  });
  envelopes.sort((left, right) => Buffer.compare(left.hash, right.hash));
  return list(envelopes.map(({ bytes }) => bytes));
}

export interface ResultPair {
  readonly hash: string;
  readonly resultXdr: string;
}

function pairOf({ hash, resultXdr }: ResultPair): Uint8Array {
  return Buffer.concat([Uint8Array.fromHex(hash), bytesOf(resultXdr)]);
}

/** The header's txSetResultHash, hex. */
export function resultSetHash(results: readonly ResultPair[]): string {
  return sha256(list(results.map(pairOf))).toHex();
}

export interface CloseMetaParts {
  readonly protocolVersion: number;
  readonly hash: string;
  readonly headerXdr: string;
  readonly transactionSet: Uint8Array;
  readonly rentFeePer1KbStroops: string | null;
  /** The average of the network's samples, from which the rent fee follows. */
  readonly averageStateSizeBytes: bigint;
  readonly transactions: readonly (ResultPair & Omit<RecordedTransaction, "resultXdr">)[];
}

/** The LedgerCloseMeta: V2 from protocol 23, and V1 before. */
export function writtenCloseMeta(ledger: CloseMetaParts): Uint8Array {
  const isV2 = ledger.protocolVersion >= PARALLEL_SINCE;
  const rent = ledger.rentFeePer1KbStroops;
  const processed = ledger.transactions.map((transaction) => {
    const { feeChangesXdr, metaXdr, refundChangesXdr } = transaction;
    const parts = [pairOf(transaction), bytesOf(feeChangesXdr), bytesOf(metaXdr)];
    if (!isV2) return Buffer.concat(parts);
    const refund = refundChangesXdr === null ? NONE : bytesOf(refundChangesXdr);
    return Buffer.concat([NONE, ...parts, refund]);
  });
  return Buffer.concat([
    uint32s(isV2 ? 2 : 1),
    rent === null ? NONE : Buffer.concat([uint32s(1, 0), int64(BigInt(rent))]),
    Uint8Array.fromHex(ledger.hash),
    bytesOf(ledger.headerXdr),
    NONE,
    ledger.transactionSet,
    list(processed),
    // No upgrades, no messages of validators, nothing evicted.
    NONE,
    NONE,
    int64(ledger.averageStateSizeBytes),
    NONE,
    ...(isV2 ? [] : [NONE]),
  ]);
}
