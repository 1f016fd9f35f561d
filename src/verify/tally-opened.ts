// Verifies ledgers that the ledger engine folds by itself: those of files, which it opens, and
// those that svc received. svc counts what the engine counts and judges what it does not. It reads
// a file only if the engine cannot: it has the words for what is wrong with it.

import { fileInvalid } from "../base/errors/errors.ts";
import { phrase, svc } from "../base/phrase.ts";
import type { Tally } from "../model/verification/tally.ts";
import { COUNTS, notVerified, noValues, noVerdicts } from "../model/verification.ts";
import type { EngineCounted, EngineUnread } from "../simulator/engine-messages.ts";
import { withFurtherProcesses } from "../simulator/simulator-program.ts";
import type { LedgerCompletion } from "../snapshot/gather/complete-ledgers.ts";
import { SentLedgers } from "../snapshot/stream/sent-ledgers.ts";
import { readLedgerFile } from "../sources/files/ledger-file.ts";
import type { FetchContext } from "../sources/source.ts";
import { readSorobanFacts } from "../xdr/envelope/envelope-facts.ts";
import { readLedgerCloseMeta } from "../xdr/ledger/ledger-close-meta.ts";
import { LedgerVerifier, type VerifiedOfStream } from "./ledger-verifier.ts";
import type { ObservedStreams } from "./observation.ts";
import { damaged, forgedLedger, type PlannedStream } from "./plan-streams.ts";
import type { ReplayEngines } from "./replay-transaction.ts";
import { whereLater } from "./where-later.ts";

export interface OpenedTally {
  readonly engines: ReplayEngines;
  readonly tally: Tally;
  /** Observes transactions (default: none, and all are verified). */
  readonly observed?: ObservedStreams<never> | undefined;
  readonly progress: (progress: Tally["progress"]) => void;
}

export interface ReceivedTally extends OpenedTally {
  /** Completes what the ledgers leave open. */
  readonly complete: () => LedgerCompletion;
}

export interface ReceivedLedgers {
  readonly networkPassphrase: string;
  /** Ledgers before this one are folded and not counted. */
  readonly countFrom: number;
  /** Begins to send the ledgers, again where the process of the engine died. */
  readonly send: (sent: SentLedgers, context: FetchContext) => Promise<void>;
  /** Called for each ledger that counts and is finished, in their order. */
  readonly finished: (sequence: number) => void;
}

/**
 * Verifies files. Where the process of the engine dies, what was counted is folded again in another
 * one.
 */
export async function tallyFiles(
  dependencies: OpenedTally,
  stream: PlannedStream,
  context: FetchContext,
): Promise<void> {
  const { tally } = dependencies;
  const {
    files,
    networkPassphrase,
    fromGenesis,
    foldFrom = 0,
    countFrom = 0,
    mentionedIn,
  } = stream;
  const later = new Set<string>();
  const options = { paths: files, foldFrom, countFrom, settingsOnly: fromGenesis, mentionedIn };
  const counting = new Counting({ ...dependencies, named: damaged });
  const work = async (death: unknown) => {
    const verifier = counting.begin(death, networkPassphrase, null, context);
    const answers = verifier.files({ ...options, skip: counting.counted });
    for await (const each of counting.add(answers, context)) {
      if (each.kind === "unread") {
        const path = files[each.unread.file] ?? "";
        const met = await whyUnread(path, each.unread, networkPassphrase, context);
        if (!later.has(path)) tally.addLedger(notVerified(met));
        later.add(path);
      } else if (each.forged !== null) {
        const { file, sequence, part } = each.forged;
        const source = files[file] ?? "";
        const ledger = { source, sequence, ledgerCloseMeta: new Uint8Array() };
        throw damaged(source, forgedLedger(ledger, part));
      }
    }
  };
  await withFurtherProcesses(work, () => counting.counted);
}

/**
 * Verifies ledgers that svc received. Where the process of the engine dies, what was counted is
 * folded again in another one.
 */
export async function tallyReceived(
  dependencies: ReceivedTally,
  { networkPassphrase, countFrom, send, finished }: ReceivedLedgers,
  context: FetchContext,
): Promise<void> {
  const { engines, complete } = dependencies;
  let sent: SentLedgers | null = null;
  const progress = (now: Tally["progress"]) => {
    sent?.finish(counting.counted - counting.before);
    dependencies.progress(now);
  };
  // A node's ledger has its source already.
  const counting = new Counting({ ...dependencies, progress, named: (_, error) => error });
  const work = async (death: unknown) => {
    const verifier = counting.begin(death, networkPassphrase, complete(), context);
    const options = { countFrom, skip: counting.counted };
    const { ledgerEngine } = engines;
    const to = new SentLedgers(ledgerEngine, { ...options, finished });
    sent = to;
    const answers = verifier.received(to, options);
    const ending = new AbortController();
    const signal = AbortSignal.any([context.signal, ending.signal]);
    const sending = send(to, { ...context, signal });
    sending.catch((error) => {
      if (!to.isBegun) ledgerEngine.stop(error);
    });
    try {
      for await (const _ of counting.add(answers, context));
      await sending;
    } finally {
      ending.abort();
      // Its failure has ended the answers.
      await sending.catch(() => {});
    }
  };
  await withFurtherProcesses(work, () => counting.counted);
}

interface CountingDependencies extends OpenedTally {
  /** Names the file or node of a ledger in an error. */
  readonly named: (source: string, error: unknown) => unknown;
}

/** What was counted of a stream, in every process of the engine so far. */
class Counting {
  private readonly order = new InOrder();
  /** The number of ledgers that earlier processes counted. */
  before = 0;

  constructor(private readonly dependencies: CountingDependencies) {}

  get counted(): number {
    return this.order.counted;
  }

  /** Begins, with another process if one has died. */
  begin(
    death: unknown,
    networkPassphrase: string,
    completion: LedgerCompletion | null,
    { signal }: FetchContext,
  ): LedgerVerifier<never> {
    const { engines, observed } = this.dependencies;
    if (death !== null) engines.ledgerEngine.restart();
    this.order.restart();
    this.before = this.counted;
    return new LedgerVerifier<never>({
      engines,
      fold: { networkPassphrase },
      completion,
      rehearseProtocol: null,
      observe: null,
      observed,
      signal,
    });
  }

  /** Counts ledgers, and yields the other answers. */
  async *add(answers: AsyncIterable<VerifiedOfStream<never>>, { signal }: FetchContext) {
    const { tally, named, progress } = this.dependencies;
    const { order } = this;
    const count = (ledgers: number, add: () => void) => {
      add();
      order.counted += ledgers;
      progress(tally.progress);
    };
    try {
      for await (const each of answers) {
        signal.throwIfAborted();
        if (each.kind === "counted") {
          const { from, ledgers } = each.counted;
          order.add(from, ledgers, async () =>
            count(ledgers, () => tally.add(countsOfEqual(each.counted))),
          );
        } else if (each.kind === "ledger") {
          const { at, source, folded, outcome } = each;
          await folded.catch((error) => Promise.reject(named(source, error)));
          order.add(at, 1, async () => {
            const verified = await outcome.catch((error) => Promise.reject(named(source, error)));
            count(1, () => tally.addLedger(verified));
          });
        } else yield each;
        order.throwFailure();
      }
    } finally {
      // A replay of an earlier ledger, which is in another file, may have failed.
      await order.settled();
    }
  }
}

/** Adds what is verified in the order of the ledgers, so that what was counted is a beginning. */
class InOrder {
  /** The number of ledgers that were counted, in every process of the engine so far. */
  counted = 0;
  private next = 0;
  private readonly waiting = new Map<number, { ledgers: number; add: () => Promise<void> }>();
  private last: Promise<void> = Promise.resolve();
  private failure: { readonly error: unknown } | null = null;

  /** The engine numbers its ledgers from zero again. */
  restart(): void {
    this.next = 0;
    this.waiting.clear();
    this.last = Promise.resolve();
    this.failure = null;
  }

  add(at: number, ledgers: number, add: () => Promise<void>): void {
    this.waiting.set(at, { ledgers, add });
    for (let each = this.take(); each !== undefined; each = this.take()) {
      const { add: first } = each;
      this.last = this.last.then(first);
      this.last.catch((error) => {
        this.failure ??= { error };
      });
    }
  }

  throwFailure(): void {
    if (this.failure !== null) throw this.failure.error;
  }

  /** Rejects with the first failure. */
  settled(): Promise<void> {
    return this.last;
  }

  private take() {
    const each = this.waiting.get(this.next);
    if (each === undefined) return undefined;
    this.waiting.delete(this.next);
    this.next += each.ledgers;
    return each;
  }
}

function countsOfEqual({ ledgers, equal, unconfirmed, classic, refused }: EngineCounted) {
  const byProtocol = Object.fromEntries(
    Object.entries(equal).map(([protocol, exact]) => [protocol, { ...noVerdicts(), exact }]),
  );
  return {
    ...noValues(COUNTS),
    ledgers,
    byProtocol,
    classicTransactions: classic,
    refusedTransactions: refused,
    exactUnconfirmed: unconfirmed,
  };
}

/**
 * The ledger of a later protocol at which a file ends for svc. Throws what else is wrong with the
 * file.
 */
async function whyUnread(
  path: string,
  { next, last, problem }: EngineUnread,
  networkPassphrase: string,
  context: FetchContext,
) {
  let ledger = next;
  try {
    for await (const { sequence, ledgerCloseMeta } of readLedgerFile(path, context)) {
      ledger = sequence + 1;
      const { transactions } = readLedgerCloseMeta(ledgerCloseMeta, networkPassphrase);
      for (const { placed } of transactions) readSorobanFacts(placed.envelope);
    }
  } catch (error) {
    const met = whereLater(damaged(path, error), { ledger, source: path, ledgers: 1 });
    if (!last) return met;
  }
  const message = `svc-sim cannot read ${path}, although svc can: ${problem}.`;
  const remedy = phrase`Unpack the file first. ${svc("doctor")} says whether svc-sim belongs to this svc.`;
  throw fileInvalid(path, message, remedy, null);
}
