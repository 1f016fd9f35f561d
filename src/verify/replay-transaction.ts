// Replays one folded transaction and judges its execution, if the ledger engine does not know its
// state, or if its digest is not that of the chain's record.

import { SvcError } from "../base/errors/errors.ts";
import type { Judged } from "../debugger/run/proof-context.ts";
import { type Engines, replay } from "../debugger/run/replay.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import type { NotExact } from "../model/verification.ts";
import type { LedgerEngine } from "../simulator/ledger-engine.ts";
import { openLedgerEngine } from "../simulator/open-processes.ts";
import { openPool, type SimulatorPool } from "../simulator/pool.ts";
import { replayRequest } from "../simulator/requests.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { readChain } from "../xdr/outcome/chain-facts.ts";
import {
  CAUSES_OF_HISTORY,
  type Summary,
  summaryOf,
  summaryOfUnknown,
} from "./summarise-verdict.ts";

interface ReplayedState {
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
}

export interface ReplayOptions {
  /** The file or node that the transaction was read from. */
  readonly source: string;
  /** Asks for the execution; `trace` includes the call tree, which changes no metering. */
  readonly execution?: "plain" | "trace" | null;
  /** Set if the chain record has no meta. The result then decides, because it shows the fee too. */
  readonly withoutMeta?: { readonly feeTakenStroops: string };
  readonly signal: AbortSignal;
}

export interface ReplayedTransaction {
  /** Null if the verdict is exact. */
  readonly notExact: NotExact | null;
  /** Null if there was no replay, or if its digest was enough. */
  readonly replayed: Judged | null;
}

/** Processes of svc-sim, which are asked for digests as long as these decide most transactions. */
export interface ReplayEngines extends Engines, AsyncDisposable {
  readonly simulator: SimulatorPool;
  readonly ledgerEngine: LedgerEngine;
  readonly digests: {
    /**
     * The number of exact transactions in a row with different digests, which happens if metrics
     * are counted differently.
     */
    misses: number;
    /** The number of transactions after that whose digest is not asked for. */
    skips: number;
  };
  /** The number of replays that may be open. */
  readonly concurrency: number;
}

/**
 * The number of replays that a svc-sim receives before it answers the first, so that neither side
 * waits.
 */
const WINDOW = 16;
/** The number of open replays for each svc-sim, including those that wait in svc. */
const REPLAYS_PER_SIMULATOR = 2 * WINDOW;

/**
 * Opens the engines. `processes` is the number of svc-sim processes, which start when they are
 * needed.
 */
export function openReplayEngines(program: SimulatorProgram, processes: number): ReplayEngines {
  const simulator = openPool({ ...program, size: processes, window: WINDOW });
  const ledgerEngine = openLedgerEngine(program, processes);
  return {
    simulator,
    ledgerEngine,
    digests: { misses: 0, skips: 0 },
    concurrency: processes * REPLAYS_PER_SIMULATOR,
    async [Symbol.asyncDispose]() {
      await Promise.all([simulator, ledgerEngine].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** Codes of a replay that failed by itself. The next transaction may well succeed. */
const OF_ONE_REPLAY: ReadonlySet<string> = new Set([
  "SIMULATOR_FAILED",
  "SIMULATOR_DIED",
  "SIMULATOR_TIMEOUT",
  "SIMULATOR_INVALID_JSON",
  "PROTOCOL_UNSUPPORTED",
]);

/** Judges a transaction by its execution. */
export async function judgeTransaction(
  engines: Engines,
  captured: ReplayedState,
  { source, execution = null, withoutMeta, signal }: ReplayOptions,
): Promise<ReplayedTransaction> {
  const { record, snapshot } = captured;
  const notExact = (summary: Summary) => notExactOf(captured, summary, source);
  if (snapshot.unknown.length > 0)
    return { notExact: notExact(summaryOfUnknown(snapshot.unknown)), replayed: null };
  try {
    const chain = readChain(record);
    const request = replayRequest(record, snapshot, {
      trace: execution === "trace",
      diagnostics: true,
      feeTakenStroops: withoutMeta?.feeTakenStroops ?? chain.feeTakenStroops,
      // A refund of zero looks like one that was not paid.
      refundIsPaid: withoutMeta
        ? chain.result.feeChargedStroops !== withoutMeta.feeTakenStroops
        : chain.refundIsPaid,
    });
    const replayed = await replay(engines, { record, chain }, snapshot, request, {
      signal,
      caveats: [],
    });
    const { verdict } = replayed;
    const isExact = verdict.kind === "exact" || (withoutMeta && isResultExact(verdict));
    return { notExact: isExact ? null : notExact(summaryOf(verdict)), replayed };
  } catch (error) {
    if (!(error instanceof SvcError) || !OF_ONE_REPLAY.has(error.code)) throw error;
    const summary = { verdict: "inconclusive" as const, cause: error.code, detail: error.message };
    return { notExact: notExact(summary), replayed: null };
  }
}

/** Without a meta: says whether the whole result equals the chain's and all inputs are known. */
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
