// Verifies ledgers in order, from files or nodes, with one engine, and counts their outcomes.

import type { SvcError } from "../base/errors/errors.ts";
import type { ReadLedger } from "../ledgers/ledger-reader.ts";
import type { Tally } from "../model/verification/tally.ts";
import { type LedgerOutcome, notVerified, type UnknownProtocol } from "../model/verification.ts";
import { withFurtherProcesses } from "../simulator/simulator-program.ts";
import type { LedgerCompletion } from "../snapshot/gather/complete-ledgers.ts";
import { collectFirstMentions } from "../snapshot/stream/first-mentions.ts";
import type { FoldOptions } from "../snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../sources/files/ledger-file.ts";
import type { FetchContext } from "../sources/source.ts";
import {
  type LedgerCloseMetaView,
  ledgerFactsOf,
  openOnce,
} from "../xdr/ledger/ledger-close-meta.ts";
import { LedgerVerifier } from "./ledger-verifier.ts";
import type { ObservedStreams } from "./observation.ts";
import { damaged, forgedLedger, type PlannedStream, type SourcedLedger } from "./plan-streams.ts";
import type { ReplayEngines } from "./replay-transaction.ts";
import { tallyFiles } from "./tally-opened.ts";
import { whereLater } from "./where-later.ts";

export type VerifyProgress = Tally["progress"];

/** A stream that fits into this is read from the disk once, and a longer one twice. */
const BUFFERED_BYTES = 32 * 1024 * 1024;
/** The bytes that go to the ledger engine together. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_LEDGERS = 64;

export interface TallyDependencies {
  readonly engines: ReplayEngines;
  readonly tally: Tally;
  /** Completes what the ledgers leave open, before each of them; not used for files. */
  readonly complete?: () => LedgerCompletion;
  /** The ledger before the first, which is folded and not verified. Without it less is known. */
  readonly prelude?: ReadLedger | null;
  /** Ledgers before this one are folded and not counted. */
  readonly countFrom?: number | undefined;
  readonly rehearseProtocol: number | null;
  /** Observes transactions (default: none, and all are verified). */
  readonly observed?: ObservedStreams<never> | undefined;
  /** Called after each ledger. */
  readonly progress: (progress: VerifyProgress) => void;
}

export async function tallyStream(
  dependencies: TallyDependencies,
  stream: PlannedStream,
  context: FetchContext,
): Promise<void> {
  const { networkPassphrase, fromGenesis, countFrom } = stream;
  // Each transaction runs under the other protocol too, in code of svc.
  const isForEngine = dependencies.rehearseProtocol === null;
  if (isForEngine) return tallyFiles(dependencies, stream, context);
  const reading = { file: "", later: new Map<string, UnknownProtocol>() };
  const ledgers = new TwiceReadLedgers(() => readFiles(stream, context, reading));
  const open = openOnce();
  const mentions = { networkPassphrase, open, settingsOnly: fromGenesis };
  const firstMentions = await collectFirstMentions(ledgers.first(), mentions).catch((error) => {
    throw damaged(reading.file, error);
  });
  const views = () => openLedgers(ledgers.second(), (bytes) => open(bytes, networkPassphrase));
  const fold = { networkPassphrase, firstMentions };
  await tallyLedgers({ ...dependencies, countFrom }, fold, views, context);
  for (const each of reading.later.values()) dependencies.tally.addLedger(notVerified(each));
}

/**
 * If the process of the engine dies, another one folds again what was counted, and verifies the
 * others.
 */
export async function tallyLedgers(
  dependencies: TallyDependencies,
  fold: FoldOptions,
  ledgers: () => AsyncIterable<ReadLedger>,
  context: FetchContext,
): Promise<void> {
  const { tally, engines, progress } = dependencies;
  let counted = 0;
  const count = (outcome: LedgerOutcome) => {
    tally.addLedger(outcome);
    counted += 1;
    progress(tally.progress);
  };
  const work = (death: SvcError | null) => {
    if (death !== null) engines.ledgerEngine.restart();
    return tallyFrom({ ...dependencies, count, skip: counted }, fold, ledgers(), context);
  };
  await withFurtherProcesses(work, () => counted);
}

interface TallyFrom extends TallyDependencies {
  readonly count: (outcome: LedgerOutcome) => void;
  /** Ledgers that were counted before, after those before `countFrom`. */
  readonly skip: number;
}

async function tallyFrom(
  dependencies: TallyFrom,
  fold: FoldOptions,
  ledgers: AsyncIterable<ReadLedger>,
  { signal }: FetchContext,
): Promise<void> {
  const { engines, prelude, rehearseProtocol, count } = dependencies;
  const completion = dependencies.complete?.();
  const verifier = new LedgerVerifier<never>({
    engines,
    fold,
    completion: completion ?? null,
    rehearseProtocol,
    signal,
    observe: null,
  });
  if (prelude) await verifier.foldOnly(prelude);
  /** An error of a damaged file names the file. A node's ledger has its source already. */
  const named = <Result>(source: string, work: Promise<Result>) =>
    completion === undefined ? work.catch((error) => Promise.reject(damaged(source, error))) : work;
  /** Ledgers that are not counted. */
  const passed = new WeakSet<ReadLedger>();
  const wantedKeys = async (ledger: ReadLedger) => {
    // Ledgers are folded in the order in which they are shown, including those before `countFrom`.
    const { unknown_keys: unknown } = await verifier.show(ledger);
    return passed.has(ledger) ? [] : unknown;
  };
  let tallied: Promise<void> = Promise.resolve();
  const verify = async (ledger: ReadLedger): Promise<void> => {
    const { forged } = await verifier.show(ledger);
    if (forged !== null) throw forgedLedger(ledger, forged);
    if (passed.has(ledger)) return verifier.foldOnly(ledger);
    const { folded, outcome } = verifier.verify(ledger, ledger.source);
    const add = async () => count(await named(ledger.source, outcome));
    tallied = tallied.then(add);
    // The failure is thrown below.
    tallied.catch(() => {});
    await folded;
  };
  const read = passing(ledgers, dependencies, passed);
  // The ledgers of nodes come one by one, and nodes are asked about them.
  const batches =
    completion === undefined
      ? inBatches(read, BATCH_LEDGERS)
      : inBatches(completion.ahead(read, wantedKeys), 1);
  try {
    for await (const some of batches) {
      if (!some.some((each) => passed.has(each))) verifier.begin(some);
      for (const ledger of some) await named(ledger.source, verify(ledger));
    }
  } finally {
    // A replay of an earlier ledger, which is in another file, may have failed.
    await tallied;
  }
}

/** Adds those that are not counted to `passed`. */
async function* passing(
  ledgers: AsyncIterable<ReadLedger>,
  { countFrom = 0, skip }: Pick<TallyFrom, "countFrom" | "skip">,
  passed: WeakSet<ReadLedger>,
): AsyncGenerator<ReadLedger> {
  let left = skip;
  for await (const ledger of ledgers) {
    const isEarly = ledger.sequence < countFrom;
    if (isEarly || left > 0) passed.add(ledger);
    if (!isEarly && left > 0) left -= 1;
    yield ledger;
  }
}

/** Batches of consecutive ledgers. If the next one cannot be read, those before it can be used. */
async function* inBatches(
  ledgers: AsyncIterable<ReadLedger>,
  most: number,
): AsyncGenerator<ReadLedger[]> {
  let some: ReadLedger[] = [];
  let bytes = 0;
  try {
    for await (const ledger of ledgers) {
      some.push(ledger);
      bytes += ledger.ledgerCloseMeta.length;
      if (bytes < BATCH_BYTES && some.length < most) continue;
      const batch = some;
      [some, bytes] = [[], 0];
      yield batch;
    }
  } finally {
    if (some.length > 0) yield some;
  }
}

/**
 * The number of ledgers that a writer may repeat: a hundred times a checkpoint, which is what
 * stellar-core repeats.
 */
const REMEMBERED_LEDGERS = 6_400;

/** Opens each ledger of files once. A file can repeat ledgers if its writer began anew. */
export async function* openLedgers(
  ledgers: AsyncIterable<SourcedLedger>,
  open: (ledgerCloseMeta: Uint8Array) => LedgerCloseMetaView,
): AsyncGenerator<ReadLedger> {
  const seen = new Map<number, number>();
  for await (const ledger of ledgers) {
    const { ledgerCloseMeta, sequence, source } = ledger;
    try {
      const mark = Number.parseInt((ledgerFactsOf(ledgerCloseMeta).hash ?? "").slice(0, 12), 16);
      if (seen.get(sequence) === mark) continue;
      seen.set(sequence, mark);
      for (const oldest of seen.keys()) {
        if (seen.size <= REMEMBERED_LEDGERS) break;
        seen.delete(oldest);
      }
    } catch (error) {
      throw damaged(source, error);
    }
    yield {
      ledgerCloseMeta,
      sequence,
      source,
      // Most ledgers are read only by the engine.
      get view() {
        return open(ledgerCloseMeta);
      },
    };
  }
}

/** Reads files. A file ends at a ledger of a later protocol than svc knows. */
async function* readFiles(
  { files, foldFrom = 0 }: PlannedStream,
  context: FetchContext,
  reading: { file: string; readonly later: Map<string, UnknownProtocol> },
): AsyncGenerator<SourcedLedger> {
  let next = 0;
  for (const path of files) {
    reading.file = path;
    try {
      for await (const ledger of readLedgerFile(path, context)) {
        next = ledger.sequence + 1;
        if (ledger.sequence >= foldFrom) yield { ...ledger, source: path };
      }
    } catch (error) {
      reading.later.set(path, whereLater(error, { ledger: next, source: path, ledgers: 1 }));
    }
  }
}

/** Keeps what the first reading read, as long as it is small. */
class TwiceReadLedgers {
  private kept: SourcedLedger[] = [];
  private keptBytes = 0;
  private complete = false;

  constructor(private readonly read: () => AsyncIterable<SourcedLedger>) {}

  async *first(): AsyncGenerator<SourcedLedger> {
    for await (const ledger of this.read()) {
      this.keptBytes += ledger.ledgerCloseMeta.length;
      if (this.keptBytes <= BUFFERED_BYTES) this.kept.push(ledger);
      else this.kept = [];
      yield ledger;
    }
    this.complete = true;
  }

  async *second(): AsyncGenerator<SourcedLedger> {
    if (this.complete && this.keptBytes <= BUFFERED_BYTES) yield* this.kept;
    else yield* this.read();
  }
}
