// One folded transaction → its verdict. The quick way first: where the digest of its execution is
// that of the chain's record it is exact; only otherwise the execution itself is asked for and judged.

import { SvcError } from "../base/errors/errors.ts";
import type { Judged } from "../debugger/run/proof-context.ts";
import { assumeAbsent, proveAbsenceByDigest } from "../debugger/run/prove-absence.ts";
import { type Engines, replay } from "../debugger/run/replay.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import type { NotExact } from "../model/verification.ts";
import { openPool, type SimulatorPool } from "../simulator/pool.ts";
import { replayRequest } from "../simulator/requests.ts";
import type { ReplayRequest } from "../simulator/wire-schema.ts";
import type { FoldStep } from "../snapshot/stream/fold-ledger.ts";
import {
  absenceIsSafe,
  inputsAreSure,
  isSameExecution,
  provisionalTtlsAreSafe,
  ttlsAgree,
} from "../verdict/exact-by-digest.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { digestRecord, ttlsBefore } from "../xdr/ledger/record-digest.ts";
import { feeTaken, feeTakenBeforeRefund } from "../xdr/outcome/fees.ts";
import { refundIsPaid } from "../xdr/outcome/refund.ts";
import { readResultBytes, readTransactionResult } from "../xdr/outcome/result.ts";
import {
  CAUSES_OF_HISTORY,
  type Summary,
  summaryOf,
  summaryOfUnknown,
} from "./summarise-verdict.ts";

export interface CapturedTransaction {
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
  readonly step: FoldStep;
}

export interface ReplayOptions {
  /** The file or node that it was read from. */
  readonly source: string;
  /** The execution, for a further use; `trace`: with its call tree, which changes no metering. */
  readonly execution?: "plain" | "trace" | null;
  /** The chain record has no meta: its result decides, which shows the fee too. */
  readonly withoutMeta?: { readonly feeTakenStroops: string };
  readonly signal: AbortSignal;
}

export interface ReplayedTransaction {
  /** Null when exact. */
  readonly notExact: NotExact | null;
  /** Null when there was no replay, or its digest was enough. */
  readonly replayed: Judged | null;
}

/** svc-sim, asked for digests as long as they decide most transactions. */
export interface OpenEngines extends Engines, AsyncDisposable {
  readonly simulator: SimulatorPool;
  readonly digests: {
    /** Exact transactions in a row with other digests, as where metrics are counted otherwise. */
    misses: number;
    /** Transactions that are not asked for their digest after that. */
    skips: number;
  };
  /** How many replays may be under way. */
  readonly concurrency: number;
}

/**
 * Replays that a svc-sim is given before it answered the first: neither side waits for the other.
 */
const WINDOW = 16;
/** Replays under way for each svc-sim, those that wait in svc included. */
const REPLAYS_PER_SIMULATOR = 2 * WINDOW;
const MISSES_IN_A_ROW = 8;
const SKIPS = 64;

/** `processes`: of svc-sim at a time; they start when they are needed. */
export function openEngines(simulatorPath: string, processes: number): OpenEngines {
  const simulator = openPool({ path: simulatorPath, size: processes, window: WINDOW });
  return {
    simulator,
    digests: { misses: 0, skips: 0 },
    concurrency: processes * REPLAYS_PER_SIMULATOR,
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  };
}

/** Throws what makes every further replay fail too. */
export async function replayTransaction(
  engines: Pick<OpenEngines, "simulator" | "digests">,
  captured: CapturedTransaction,
  options: ReplayOptions,
): Promise<ReplayedTransaction> {
  const { digests } = engines;
  if ((options.execution ?? null) !== null) return judgeTransaction(engines, captured, options);
  if (digests.skips > 0) {
    digests.skips -= 1;
    return judgeTransaction(engines, captured, options);
  }
  const agrees = await digestAgrees(engines.simulator, captured, options);
  if (agrees === true) {
    digests.misses = 0;
    return { notExact: null, replayed: null };
  }
  const judged = await judgeTransaction(engines, captured, options);
  if (judged.notExact === null && agrees === false) digests.misses += 1;
  if (digests.misses >= MISSES_IN_A_ROW) Object.assign(digests, { misses: 0, skips: SKIPS });
  return judged;
}

/** Codes of a replay that failed by itself; the next transaction may well succeed. */
const OF_ONE_REPLAY: ReadonlySet<string> = new Set([
  "SIMULATOR_FAILED",
  "SIMULATOR_DIED",
  "SIMULATOR_TIMEOUT",
  "SIMULATOR_INVALID_JSON",
  "PROTOCOL_UNSUPPORTED",
]);

/** By the execution itself. */
export async function judgeTransaction(
  engines: Engines,
  captured: Pick<CapturedTransaction, "record" | "snapshot">,
  { source, execution = null, withoutMeta, signal }: ReplayOptions,
): Promise<ReplayedTransaction> {
  const { record, snapshot } = captured;
  const notExact = (summary: Summary) => notExactOf(captured, summary, source);
  if (snapshot.unknown.length > 0)
    return { notExact: notExact(summaryOfUnknown(snapshot.unknown)), replayed: null };
  try {
    const request = replayRequest(record, snapshot, {
      trace: execution === "trace",
      diagnostics: true,
      feeTakenStroops: withoutMeta?.feeTakenStroops ?? feeTakenBeforeRefund(record),
      // A refund of zero looks as one that was not paid.
      refundIsPaid: withoutMeta
        ? readTransactionResult(record.resultXdr).feeChargedStroops !== withoutMeta.feeTakenStroops
        : refundIsPaid(record),
    });
    const replayed = await replay(engines, record, snapshot, request, { signal, caveats: [] });
    const { verdict } = replayed;
    const isExact = verdict.kind === "exact" || (withoutMeta && isResultExact(verdict));
    return { notExact: isExact ? null : notExact(summaryOf(verdict)), replayed };
  } catch (error) {
    if (!(error instanceof SvcError) || !OF_ONE_REPLAY.has(error.code)) throw error;
    const summary = { verdict: "inconclusive" as const, cause: error.code, detail: error.message };
    return { notExact: notExact(summary), replayed: null };
  }
}

/** Without a meta: the whole result is that of the chain, and nothing of the inputs is open. */
function isResultExact({ comparisons, caveats }: Verdict): boolean {
  return (
    comparisons.every(({ result }) => result !== "different") &&
    comparisons.some(
      ({ subject, item, result }) =>
        subject === "transaction-result" && item === null && result === "equal",
    ) &&
    caveats.every(({ kind }) => kind === "not-compared")
  );
}

export function notExactOf(
  { record, snapshot }: { readonly record: ChainRecord; readonly snapshot?: Snapshot },
  summary: Summary,
  source: string,
): NotExact {
  const { hostFunction } = openEnvelope(record.envelopeXdr, record.networkPassphrase);
  return {
    hash: record.hash,
    ledger: record.ledger.sequence,
    protocolVersion: record.ledger.protocolVersion,
    applicationOrder: record.applicationOrder,
    source,
    ...summary,
    contract: hostFunction?.kind === "invoke" ? hostFunction.contract : null,
    lacksHistory: (snapshot?.unknown.length ?? 0) > 0 || CAUSES_OF_HISTORY.includes(summary.cause),
  };
}

/** Null: a digest cannot decide it. */
async function digestAgrees(
  simulator: SimulatorPool,
  { record, snapshot: captured, step }: CapturedTransaction,
  options: { readonly signal: AbortSignal },
): Promise<boolean | null> {
  const { soroban, transaction, meta, operationChanges, footprint } = step;
  const { snapshot, absentKeysXdr: keysXdr } = assumeAbsent(captured);
  if (soroban === null || !inputsAreSure(record, snapshot)) return null;
  const result = readResultBytes(transaction.result);
  const ttlKeys = footprint.map(({ ttlKeyXdr }) => ttlKeyXdr);
  const changedKeys = new Set(operationChanges.map(({ keyXdr }) => keyXdr));
  const chain = { operationCode: result.operationCodes[0] ?? "", changedKeys };
  if (!provisionalTtlsAreSafe(snapshot, ttlKeys, chain, null)) return null;
  const recorded = digestRecord({
    networkPassphrase: record.networkPassphrase,
    protocolVersion: record.ledger.protocolVersion,
    operation: soroban.operation,
    succeeded: result.success,
    feeChargedStroops: result.feeChargedStroops,
    transaction,
    meta,
    operationChanges,
  });
  if (recorded === null || (keysXdr.length > 0 && recorded.metricsHash === null)) return null;
  if (!absenceIsSafe(snapshot, result.success || recorded.hasDiagnostics)) return null;
  if (!ttlsAgree(ttlsBefore(operationChanges), snapshot, ttlKeys)) return null;
  const taken = feeTaken(transaction.feeChanges).toString();
  const request: ReplayRequest = replayRequest(record, snapshot, {
    trace: false,
    diagnostics: recorded.hasDiagnostics,
    feeTakenStroops: taken,
    refundIsPaid: taken !== result.feeChargedStroops || recorded.refundStroops !== "0",
  });
  try {
    const run = (given: ReplayRequest) => simulator.digest(given, options);
    const execution = await run(request);
    const agrees =
      execution.transactionHash === record.hash &&
      isSameExecution(recorded, execution) &&
      provisionalTtlsAreSafe(snapshot, ttlKeys, chain, execution) &&
      !execution.assumed;
    if (!agrees) return false;
    const absent = { keysXdr, ledger: record.ledger.sequence };
    return (await proveAbsenceByDigest(run, request, execution, absent)) ? true : null;
  } catch {
    // The replay that follows says what it means.
    options.signal.throwIfAborted();
    return false;
  }
}
