// One folded transaction → its verdict, the quick way: where the digest of its execution is that of
// the chain's record it is exact, and only otherwise the execution itself is asked for and judged.

import type { ChainRecord } from "../../model/chain-record.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { NotExact } from "../../model/verification.ts";
import type { SimulatorPool } from "../../simulator/pool.ts";
import { replayRequest } from "../../simulator/requests.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import type { FoldStep } from "../../snapshot/stream/fold-ledger.ts";
import {
  absenceIsSafe,
  inputsAreSure,
  isSameExecution,
  provisionalTtlsAreSafe,
  ttlsAgree,
} from "../../verdict/exact-by-digest.ts";
import { digestRecord, ttlsBefore } from "../../xdr/ledger/record-digest.ts";
import { feeTaken } from "../../xdr/outcome/fees.ts";
import { readResultBytes } from "../../xdr/outcome/result.ts";
import { proveAbsenceByDigest, supposeAbsence } from "../run/prove-absence.ts";
import { type Engines, isOfCoreTest, prefersCoreTest } from "../run/replay.ts";
import { replayFolded } from "./replay-folded.ts";

export interface CapturedTransaction {
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
  readonly step: FoldStep;
}

/** A program that is asked for digests. */
export interface Digester {
  readonly pool: SimulatorPool;
  /** Exact transactions in a row with other digests, as where metrics are counted otherwise. */
  misses: number;
  /** Transactions that are not asked for their digest after that. */
  skips: number;
}

export interface DigestingEngines extends Engines {
  readonly digesters: { readonly simulator: Digester; readonly coreTest: Digester | null };
}

const MISSES_IN_A_ROW = 8;
const SKIPS = 64;

/** Null when exact. Throws what makes every further replay fail too. */
export async function verifyFolded(
  engines: DigestingEngines,
  captured: CapturedTransaction,
  options: { readonly source: string; readonly signal: AbortSignal },
): Promise<NotExact | null> {
  const [digester, other] = digestersOf(engines, captured);
  if (digester.skips > 0) {
    digester.skips -= 1;
    return replayFolded(engines, captured, options);
  }
  const asked = other === null ? [digester] : [digester, other];
  const agreeing = await agreeingDigester(asked, captured, options);
  if (agreeing !== null && agreeing !== "not-asked") {
    agreeing.misses = 0;
    const { coreTest } = engines;
    if (agreeing === other && coreTest) coreTest.wroteLast = other === engines.digesters.coreTest;
    return null;
  }
  const notExact = await replayFolded(engines, captured, options);
  // Where another engine is asked first from now on, this one's digest was rightly another.
  const missed = agreeing === null && digester === digestersOf(engines, captured)[0];
  if (notExact === null && missed) digester.misses += 1;
  if (digester.misses >= MISSES_IN_A_ROW) Object.assign(digester, { misses: 0, skips: SKIPS });
  return notExact;
}

/** The one to ask first, and the other that may have written the ledger. */
function digestersOf(
  engines: DigestingEngines,
  { record }: CapturedTransaction,
): readonly [Digester, Digester | null] {
  const { simulator, coreTest } = engines.digesters;
  if (coreTest === null || !isOfCoreTest(record)) return [simulator, null];
  return prefersCoreTest(engines, record) ? [coreTest, simulator] : [simulator, coreTest];
}

/** The first whose digest is the record's. `not-asked`: a digest cannot decide it. */
async function agreeingDigester(
  digesters: readonly Digester[],
  { record, snapshot: captured, step }: CapturedTransaction,
  options: { readonly signal: AbortSignal },
): Promise<Digester | "not-asked" | null> {
  const { soroban, transaction, meta, operationChanges, footprint } = step;
  const { supposed: snapshot, keysXdr } = supposeAbsence(captured);
  if (soroban === null || !inputsAreSure(record, snapshot)) return "not-asked";
  const result = readResultBytes(transaction.result);
  const ttlKeys = footprint.map(({ ttlKeyXdr }) => ttlKeyXdr);
  const changedKeys = new Set(operationChanges.map(({ keyXdr }) => keyXdr));
  const chain = { operationCode: result.operationCodes[0] ?? "", changedKeys };
  if (!provisionalTtlsAreSafe(snapshot, ttlKeys, chain, null)) return "not-asked";
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
  if (recorded === null || (keysXdr.length > 0 && recorded.metricsHash === null))
    return "not-asked";
  if (!absenceIsSafe(snapshot, result.success || recorded.hasDiagnostics)) return "not-asked";
  if (!ttlsAgree(ttlsBefore(operationChanges), snapshot, ttlKeys)) return "not-asked";
  const taken = feeTaken(transaction.feeChanges).toString();
  const request: ReplayRequest = replayRequest(record, snapshot, {
    trace: false,
    diagnostics: recorded.hasDiagnostics,
    feeTakenStroops: taken,
    refundIsPaid: taken !== result.feeChargedStroops || recorded.refundStroops !== "0",
  });
  try {
    for (const digester of digesters) {
      const execution = await digester.pool.digest(request, options);
      const agrees =
        execution.transactionHash === record.hash &&
        isSameExecution(recorded, execution) &&
        provisionalTtlsAreSafe(snapshot, ttlKeys, chain, execution) &&
        !execution.assumed;
      if (!agrees) continue;
      const run = (given: ReplayRequest) => digester.pool.digest(given, options);
      const absent = { keysXdr, ledger: record.ledger.sequence };
      return (await proveAbsenceByDigest(run, request, execution, absent)) ? digester : "not-asked";
    }
  } catch {
    // The replay that follows says what it means.
    options.signal.throwIfAborted();
  }
  return null;
}
