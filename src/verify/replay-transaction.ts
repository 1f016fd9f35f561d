// One folded transaction → its verdict, by its execution: where the ledger engine does not know its
// state by itself, or its digest is not that of the chain's record.

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
export interface ReplayEngines extends Engines, AsyncDisposable {
  readonly simulator: SimulatorPool;
  readonly ledgerEngine: LedgerEngine;
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

/** `processes`: of svc-sim at a time; they start when they are needed. */
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
      // A refund of zero looks as one that was not paid.
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
