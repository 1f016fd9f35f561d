// One folded transaction → its verdict, the quick way: where the digest of its execution is that of
// the chain's record it is exact, and only otherwise the execution itself is asked for and judged.

import { proveAbsenceByDigest, supposeAbsence } from "../debugger/run/prove-absence.ts";
import type { Engines } from "../debugger/run/replay.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { NotExact } from "../model/verification.ts";
import type { SimulatorPool } from "../simulator/pool.ts";
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
import { digestRecord, ttlsBefore } from "../xdr/ledger/record-digest.ts";
import { feeTaken } from "../xdr/outcome/fees.ts";
import { readResultBytes } from "../xdr/outcome/result.ts";
import { replayFolded } from "./replay-folded.ts";

export interface CapturedTransaction {
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
  readonly step: FoldStep;
}

/** svc-sim, asked for digests as long as they decide most transactions. */
export interface DigestingEngines extends Engines {
  readonly simulator: SimulatorPool;
  readonly digests: {
    /** Exact transactions in a row with other digests, as where metrics are counted otherwise. */
    misses: number;
    /** Transactions that are not asked for their digest after that. */
    skips: number;
  };
}

const MISSES_IN_A_ROW = 8;
const SKIPS = 64;

/** Null when exact. Throws what makes every further replay fail too. */
export async function verifyFolded(
  engines: DigestingEngines,
  captured: CapturedTransaction,
  options: { readonly source: string; readonly signal: AbortSignal },
): Promise<NotExact | null> {
  const { digests } = engines;
  if (digests.skips > 0) {
    digests.skips -= 1;
    return replayFolded(engines, captured, options);
  }
  const agrees = await digestAgrees(engines.simulator, captured, options);
  if (agrees === true) {
    digests.misses = 0;
    return null;
  }
  const notExact = await replayFolded(engines, captured, options);
  if (notExact === null && agrees === false) digests.misses += 1;
  if (digests.misses >= MISSES_IN_A_ROW) Object.assign(digests, { misses: 0, skips: SKIPS });
  return notExact;
}

/** Null: a digest cannot decide it. */
async function digestAgrees(
  simulator: SimulatorPool,
  { record, snapshot: captured, step }: CapturedTransaction,
  options: { readonly signal: AbortSignal },
): Promise<boolean | null> {
  const { soroban, transaction, meta, operationChanges, footprint } = step;
  const { supposed: snapshot, keysXdr } = supposeAbsence(captured);
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
