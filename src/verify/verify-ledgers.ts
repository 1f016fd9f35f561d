// Verifies ledger files, or a range of ledgers from nodes.

import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import { requireLater } from "../debugger/run/rehearse.ts";
import { LedgerReader, type ReadLedger, type RunContext } from "../ledgers/ledger-reader.ts";
import { Tally } from "../model/verification/tally.ts";
import { notVerified, type UnknownProtocol, type Verification } from "../model/verification.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import { completeLedgers } from "../snapshot/gather/complete-ledgers.ts";
import { READING_LIMITS } from "../snapshot/gather/take-snapshot.ts";
import { collectFirstMentions } from "../snapshot/stream/first-mentions.ts";
import { FIRST_CLOSED_LEDGER } from "../snapshot/stream/ledgers-fold.ts";
import { AHEAD_BYTES, type SentLedgers } from "../snapshot/stream/sent-ledgers.ts";
import { inOrder } from "../sources/ask-in-turn.ts";
import type { LedgerBytes } from "../sources/files/ledger-stream.ts";
import type { FetchContext, Source } from "../sources/source.ts";
import type { ObservedStreams } from "./observation.ts";
import { type PlannedStream, planStreams } from "./plan-streams.ts";
import { openReplayEngines } from "./replay-transaction.ts";
import { tallyLedgers, tallyStream, type VerifyProgress } from "./tally-ledgers.ts";
import { tallyReceived } from "./tally-opened.ts";
import { runVerifyWorkers } from "./verify-workers.ts";
import { whereLater } from "./where-later.ts";

export interface VerifyDependencies {
  /** The program svc-sim. */
  readonly program: SimulatorProgram;
  /** Null if the files' transactions determine it. */
  readonly networkPassphrase: string | null;
  /** The number of cores to use. */
  readonly jobs: number;
  /** The number of transactions to list that are not exact. */
  readonly keepNotExact: number;
  /** The command that runs `runVerifyWorker`; null to run everything in this process. */
  readonly workerCommand: readonly string[] | null;
  /** The protocol to rehearse; null for none. */
  readonly rehearseProtocol: number | null;
  /** Observes transactions, all in this process (default: none, and all are verified). */
  readonly observed?: ObservedStreams<never> | undefined;
  readonly progress: (progress: VerifyProgress) => void;
}

export interface RangeDependencies extends Omit<VerifyDependencies, "workerCommand"> {
  readonly networkPassphrase: string;
  /** The sources of the ledgers, and of entries that no ledger shows. */
  readonly sources: readonly Source[];
  /** A reader of the same ledgers, whose kept ledgers are not read again (default: none). */
  readonly beside?: LedgerReader | null;
  /** The number of ledgers before the range that are folded and not counted. */
  readonly warmUpLedgers?: number;
}

export interface Range {
  readonly first: number;
  readonly last: number;
}

/** Verifies files. Throws the errors of reading the files and of starting svc-sim. */
export async function verifyLedgerFiles(
  dependencies: VerifyDependencies,
  paths: readonly string[],
  options: { readonly signal: AbortSignal },
): Promise<Verification> {
  const startedAt = performance.now();
  const { networkPassphrase, keepNotExact, rehearseProtocol } = dependencies;
  const planned = await planStreams(paths, { ...options, networkPassphrase });
  const streams = inGivenOrder(planned, paths);
  const tally = new Tally(keepNotExact, paths, rehearseProtocol);
  await tallyStreams(dependencies, { streams, inputs: paths }, tally, options);
  const protocols = Object.keys(tally.counts.byProtocol).map(Number);
  if (rehearseProtocol !== null && protocols.length > 0)
    requireLater(rehearseProtocol, Math.min(...protocols), "the oldest ledger of the files");
  return tally.finish(paths, performance.now() - startedAt);
}

/**
 * Verifies a range in this process. Throws LEDGER_NOT_FOUND, or the last node's failure, if no
 * source has the next ledger, and the failures of svc-sim.
 */
export async function verifyRange(
  dependencies: RangeDependencies,
  range: Range,
  options: { readonly signal: AbortSignal },
): Promise<Verification> {
  const startedAt = performance.now();
  const inputs = [nameOfRange(range)];
  const tally = new Tally(dependencies.keepNotExact, inputs, dependencies.rehearseProtocol);
  await tallyRange(dependencies, range, tally, options);
  return tally.finish(inputs, performance.now() - startedAt);
}

/** The streams in the order of the files that the user passed: the first that fails is named. */
function inGivenOrder(
  streams: readonly PlannedStream[],
  paths: readonly string[],
): readonly PlannedStream[] {
  const places = new Map(paths.map((path, place) => [path, place]));
  const placeOf = ({ files }: PlannedStream) =>
    Math.min(...files.map((file) => places.get(file) ?? paths.length));
  return streams.toSorted((left, right) => placeOf(left) - placeOf(right));
}

/** Adds streams to a tally, in the order of `inputs`. */
export async function tallyStreams(
  dependencies: VerifyDependencies,
  plan: { readonly streams: readonly PlannedStream[]; readonly inputs: readonly string[] },
  tally: Tally,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const { program, jobs, progress, rehearseProtocol, observed } = dependencies;
  const { streams, inputs } = plan;
  const workers = Math.min(jobs, streams.length);
  if (workers > 1 && dependencies.workerCommand !== null) {
    const { keepNotExact, workerCommand: command } = dependencies;
    const setup = { program, keepNotExact, inputs, rehearseProtocol };
    await runVerifyWorkers({ command, workers, setup, progress }, streams, tally, options);
  } else {
    await using engines = openReplayEngines(program, jobs);
    const work = { engines, tally, progress, rehearseProtocol, observed };
    for (const stream of streams) await tallyStream(work, stream, options);
  }
}

/** The name of a range in the document. */
export function nameOfRange({ first, last }: Range): string {
  return `ledgers ${first} to ${last}`;
}

/** Adds the ledgers of a range to a tally. */
export async function tallyRange(
  dependencies: RangeDependencies,
  range: Range,
  tally: Tally,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const { networkPassphrase, sources, program, jobs, beside = null, ...rest } = dependencies;
  const { rehearseProtocol, warmUpLedgers = 0 } = rest;
  const { first: countFrom, last } = range;
  const first = Math.max(1, countFrom - warmUpLedgers);
  const isForEngine = rehearseProtocol === null;
  let sent: SentLedgers | null = null;
  const isWhole = async (ledger: LedgerBytes) => (await sent?.isWhole(ledger)) ?? false;
  await using engines = openReplayEngines(program, jobs);
  const ledgers = new LedgerReader({ sources, networkPassphrase, isWhole }, beside);
  const later: { begins: UnknownProtocol | null } = { begins: null };
  // The engine sends back what it has taken if svc needs it.
  const reading = { sources: inOrder(sources), keepsLedgers: !isForEngine };
  const read = (context: FetchContext) =>
    untilLater(
      ledgersInOrder(ledgers, { first, last }, { ...context, ...reading }),
      (error, ledger) => {
        const left = last - Math.max(ledger, countFrom) + 1;
        later.begins = whereLater(error, { ledger, source: nameOfRange(range), ledgers: left });
      },
    );
  // The ledger before the range shows the protocol and the rent fee with which the range begins.
  const hasPrelude = first > FIRST_CLOSED_LEDGER;
  const complete = () => completeLedgers({ sources, ledgers }, READING_LIMITS, options);
  const prelude = (context: FetchContext) => (hasPrelude ? ledgers.view(first - 1, context) : null);
  const send = async (toEngine: SentLedgers, context: FetchContext) => {
    sent = toEngine;
    if (hasPrelude) ledgers.prefetch(first - 1, context);
    const all = read(context);
    for (let bytes = 0; bytes < AHEAD_BYTES; ) {
      const { done, value: ledger } = await all.next();
      if (done) break;
      const before = bytes === 0 ? await prelude(context) : null;
      if (before !== null) await toEngine.take(before, false);
      await toEngine.take(ledger, true);
      bytes += ledger.ledgerCloseMeta.length;
    }
    await toEngine.begin(false);
    try {
      for await (const ledger of all) {
        await toEngine.room(context.signal);
        await toEngine.take(ledger, true);
      }
    } finally {
      // If the next ledger cannot be read, those before it can be used.
      await toEngine.begin(true);
    }
  };
  if (isForEngine) {
    const work = { ...rest, engines, tally, complete };
    const finished = (sequence: number) => ledgers.forget(sequence - KEPT_BEHIND);
    await tallyReceived(work, { networkPassphrase, countFrom, send, finished }, options);
  } else {
    if (hasPrelude) ledgers.prefetch(first - 1, options);
    const mentions = { networkPassphrase, open: ledgers.open, settingsOnly: false };
    const firstMentions = await collectFirstMentions(upTo(AHEAD_BYTES, read(options)), mentions);
    if (later.begins?.ledger === first) return tally.addLedger(notVerified(later.begins));
    const begins = await ledgers.view(first, options);
    if (rehearseProtocol !== null && begins !== null)
      requireLater(rehearseProtocol, begins.view.facts.protocolVersion, `ledger ${first}`);
    await tallyLedgers(
      { ...rest, engines, tally, complete, prelude: await prelude(options), countFrom },
      { networkPassphrase, firstMentions },
      () => forgetting(ledgers, read(options)),
      options,
    );
  }
  if (later.begins !== null) tally.addLedger(notVerified(later.begins));
}

/** The number of ledgers that may be needed again for the transactions of the next ones. */
const KEPT_BEHIND = 64;

/** The ledgers that were read for their first mentions, which are kept until they are folded. */
async function* forgetting(
  reader: LedgerReader,
  ledgers: AsyncIterable<ReadLedger>,
): AsyncGenerator<ReadLedger> {
  for await (const ledger of ledgers) {
    yield ledger;
    reader.forget(ledger.sequence - KEPT_BEHIND);
  }
}

/** The ledgers before the first one of a later protocol than svc knows. */
async function* untilLater(
  ledgers: AsyncIterable<ReadLedger>,
  met: (error: unknown, ledger: number) => void,
): AsyncGenerator<ReadLedger> {
  let next = 0;
  try {
    for await (const ledger of ledgers) {
      next = ledger.sequence + 1;
      yield ledger;
    }
  } catch (error) {
    met(error, next);
  }
}

async function* upTo(
  maximumBytes: number,
  ledgers: AsyncIterable<ReadLedger>,
): AsyncGenerator<ReadLedger> {
  let bytes = 0;
  for await (const ledger of ledgers) {
    yield ledger;
    bytes += ledger.ledgerCloseMeta.length;
    if (bytes >= maximumBytes) return;
  }
}

async function* ledgersInOrder(
  ledgers: LedgerReader,
  { first, last }: Range,
  context: RunContext & { readonly sources: readonly Source[] },
): AsyncGenerator<ReadLedger> {
  const { sources } = context;
  let next = first;
  for await (const ledger of ledgers.run(first, last, context)) {
    yield ledger;
    next += 1;
  }
  if (next > last) return;
  const sourceNames = sources
    .filter((source) => source.fetchLedgerCloseMetas)
    .map(({ name }) => name);
  const names = sourceNames.join(", ");
  throw new SvcError("LEDGER_NOT_FOUND", {
    message:
      names === ""
        ? `Ledger ${next} cannot be read: no source has ledgers.`
        : `Ledger ${next} was not found on ${names}.`,
    remedy: phrase`Set a node that keeps it with ${flag("rpcUrl")} or ${flag("ledgerLakeUrl")}, or pass a ledger file.`,
    details: { ledger: next, sources: sourceNames },
  });
}
