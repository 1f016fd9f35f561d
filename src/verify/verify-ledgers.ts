// Replays every Soroban transaction of ledger files, or of ledgers in order, and counts the
// verdicts. With several jobs whole streams are spread over processes: reading ledgers and judging
// is work for JavaScript, which runs on one core a process.

import { requireLater } from "../debugger/run/rehearse.ts";
import type { Verification } from "../model/verification.ts";
import { askForLedger } from "../snapshot/gather/ask-early.ts";
import { completeLedgers } from "../snapshot/gather/complete-ledgers.ts";
import { READING_LIMITS } from "../snapshot/gather/take-snapshot.ts";
import { collectFirstMentions } from "../snapshot/stream/first-mentions.ts";
import { FIRST_CLOSED_LEDGER } from "../snapshot/stream/ledgers-fold.ts";
import type { Source } from "../sources/source.ts";
import { openOnce } from "../xdr/ledger/ledger-close-meta.ts";
import { type PlannedStream, planStreams } from "./plan-streams.ts";
import { readAhead } from "./read-ahead.ts";
import { VerificationTally } from "./verification-tally.ts";
import {
  openEngines,
  type SourcedLedger,
  verifyLedgersInOrder,
  verifyStream,
} from "./verify-stream.ts";
import { runVerifyWorkers } from "./verify-workers.ts";

export interface VerifyProgress {
  readonly ledgers: number;
  readonly transactions: number;
}

export interface VerifyDependencies {
  /** Path of svc-sim. */
  readonly simulatorPath: string;
  /** Null: found out from the files' transactions. */
  readonly networkPassphrase: string | null;
  /** Cores to use. */
  readonly jobs: number;
  /** How many transactions that are not exact are listed. */
  readonly keepNotExact: number;
  /** Command that runs `runVerifyWorker`; null: everything runs in this process. */
  readonly workerCommand: readonly string[] | null;
  /** Protocol to rehearse; null: none. */
  readonly rehearseProtocol: number | null;
  readonly progress: (progress: VerifyProgress) => void;
}

/** Throws what reading the files and starting svc-sim throws. */
export async function verifyLedgerFiles(
  dependencies: VerifyDependencies,
  paths: readonly string[],
  options: { readonly signal: AbortSignal },
): Promise<Verification> {
  const startedAt = performance.now();
  const { networkPassphrase } = dependencies;
  const streams = await planStreams(paths, { ...options, networkPassphrase });
  const tally = new VerificationTally(dependencies.keepNotExact, paths);
  await countStreams(dependencies, { streams, inputs: paths }, tally, options);
  const { rehearseProtocol } = dependencies;
  const protocols = Object.keys(tally.counts.byProtocol).map(Number);
  if (rehearseProtocol !== null && protocols.length > 0)
    requireLater(rehearseProtocol, Math.min(...protocols), "the oldest ledger of the files");
  return tally.finish(paths, performance.now() - startedAt);
}

/** Adds streams to a tally whose order is that of `inputs`. */
export async function countStreams(
  dependencies: VerifyDependencies,
  what: { readonly streams: readonly PlannedStream[]; readonly inputs: readonly string[] },
  tally: VerificationTally,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const { streams, inputs } = what;
  const workers = Math.min(dependencies.jobs, streams.length);
  if (workers > 1 && dependencies.workerCommand !== null) {
    const { simulatorPath, keepNotExact, workerCommand: command, progress } = dependencies;
    const { rehearseProtocol } = dependencies;
    const setup = { simulatorPath, keepNotExact, inputs, rehearseProtocol };
    await runVerifyWorkers({ command, workers, setup, progress }, streams, tally, options);
  } else {
    await using engines = openEngines(dependencies.simulatorPath, dependencies.jobs);
    const { progress, rehearseProtocol } = dependencies;
    const work = { engines, tally, progress, rehearseProtocol };
    for (const stream of streams) await verifyStream(work, stream, options);
  }
}

export interface RangeDependencies extends VerifyDependencies {
  readonly networkPassphrase: string;
  /** Asked for entries that no ledger of the range shows. */
  readonly sources: readonly Source[];
  /** Ledgers before this one are folded and not counted. */
  readonly countFrom?: number;
}

/** `inputs` names what the ledgers are, for the document. `ledgers`: in order, without gaps. */
export async function verifyLedgers(
  dependencies: RangeDependencies,
  inputs: readonly string[],
  ledgers: AsyncIterable<SourcedLedger>,
  options: { readonly signal: AbortSignal },
): Promise<Verification> {
  const startedAt = performance.now();
  const tally = new VerificationTally(dependencies.keepNotExact, inputs);
  await countLedgers(dependencies, ledgers, tally, options);
  return tally.finish(inputs, performance.now() - startedAt);
}

/** Adds ledgers, in order and without gaps, to a tally. */
export async function countLedgers(
  dependencies: RangeDependencies,
  ledgers: AsyncIterable<SourcedLedger>,
  tally: VerificationTally,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const { networkPassphrase, sources, jobs, progress, countFrom = 0 } = dependencies;
  const { rehearseProtocol } = dependencies;
  await using engines = openEngines(dependencies.simulatorPath, jobs);
  const ahead = await readAhead(ledgers);
  const open = openOnce();
  const firstMentions = await collectFirstMentions(ahead.first(), {
    networkPassphrase,
    open,
    settingsOnly: false,
  });
  const prelude = await fetchPrelude(sources, ahead.firstSequence, options);
  const completion = completeLedgers(sources, networkPassphrase, READING_LIMITS, options);
  const counting = { countFrom, rehearseProtocol };
  const stream = { engines, tally, progress, completion, prelude, ...counting };
  const fold = { networkPassphrase, firstMentions, open };
  await verifyLedgersInOrder(stream, fold, ahead.all(), options);
}

/** The ledger before the range shows which protocol and rent fee the range begins with. */
async function fetchPrelude(
  sources: readonly Source[],
  firstSequence: number | null,
  options: { readonly signal: AbortSignal },
): Promise<Uint8Array | null> {
  if (firstSequence === null || firstSequence <= FIRST_CLOSED_LEDGER) return null;
  return (await askForLedger(sources, firstSequence - 1, options)).answer;
}
