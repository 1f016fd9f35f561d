// Replays every Soroban transaction of ledger files, or of ledgers in order, and counts the
// verdicts. With several jobs whole streams are spread over processes: reading ledgers and judging
// is work for JavaScript, which runs on one core a process.

import { requireLater } from "../debugger/run/rehearse.ts";
import { LedgerReader } from "../ledgers/ledger-reader.ts";
import type { Verification } from "../model/verification.ts";
import { completeLedgers } from "../snapshot/gather/complete-ledgers.ts";
import { READING_LIMITS } from "../snapshot/gather/take-snapshot.ts";
import { collectFirstMentions } from "../snapshot/stream/first-mentions.ts";
import { FIRST_CLOSED_LEDGER } from "../snapshot/stream/ledgers-fold.ts";
import type { Source } from "../sources/source.ts";
import { ledgersOfRange, type Range } from "./ledgers-of-range.ts";
import { type PlannedStream, planStreams } from "./plan-streams.ts";
import { readAhead } from "./read-ahead.ts";
import { VerificationTally } from "./verification-tally.ts";
import { openEngines, verifyLedgersInOrder, verifyStream } from "./verify-stream.ts";
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
  /** Asked for the ledgers, and for entries that none of them shows. */
  readonly sources: readonly Source[];
  /** Ledgers before this one are folded and not counted. */
  readonly countFrom?: number;
}

/** `inputs` names what the ledgers are, for the document. Throws as `ledgersOfRange`. */
export async function verifyLedgers(
  dependencies: RangeDependencies,
  inputs: readonly string[],
  range: Range,
  options: { readonly signal: AbortSignal },
): Promise<Verification> {
  const startedAt = performance.now();
  const tally = new VerificationTally(dependencies.keepNotExact, inputs);
  await countLedgers(dependencies, range, tally, options);
  return tally.finish(inputs, performance.now() - startedAt);
}

/** Adds the ledgers of a range to a tally. */
export async function countLedgers(
  dependencies: RangeDependencies,
  range: Range,
  tally: VerificationTally,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const { networkPassphrase, sources, jobs, progress, countFrom = 0 } = dependencies;
  const { rehearseProtocol } = dependencies;
  await using engines = openEngines(dependencies.simulatorPath, jobs);
  const ledgers = new LedgerReader({ sources, networkPassphrase });
  const ahead = await readAhead(ledgersOfRange({ sources, ledgers }, range, options));
  const firstMentions = await collectFirstMentions(ahead.first(), {
    networkPassphrase,
    open: ledgers.open,
    settingsOnly: false,
  });
  // The ledger before the range shows which protocol and rent fee the range begins with.
  const { firstSequence: first } = ahead;
  const before = first === null || first <= FIRST_CLOSED_LEDGER ? null : first - 1;
  const prelude = before === null ? null : await ledgers.view(before, options);
  const completion = completeLedgers({ sources, ledgers }, READING_LIMITS, options);
  const counting = { countFrom, rehearseProtocol, prelude: prelude?.ledgerCloseMeta ?? null };
  const stream = { engines, tally, progress, completion, ...counting };
  const fold = { networkPassphrase, firstMentions, open: ledgers.open };
  await verifyLedgersInOrder(stream, fold, ahead.all(), options);
}
