// The engine of every verification: it takes ledgers and returns their outcomes. Each ledger is
// read, folded and completed. The ledger engine runs the transactions whose state the fold knows;
// the others are decided here. Invariant: the number of open replays is bounded, however fast
// ledgers come.

import type { LedgerOutcome } from "../model/verification.ts";
import type {
  EngineCall,
  EngineCounted,
  EngineFiles,
  EngineForged,
  EngineLacks,
  EngineObserve,
  EngineRead,
  EngineUnread,
  KnownFootprint,
  PutEntry,
  RunKey,
  StreamAnswer,
} from "../simulator/engine-messages.ts";
import { bothRuns } from "../simulator/ledger-engine.ts";
import { decideEntries, decideSnapshot } from "../snapshot/decide-snapshot.ts";
import type { LedgerCompletion } from "../snapshot/gather/complete-ledgers.ts";
import type {
  Complete,
  FoldedTransaction,
  LedgerToFold,
  ReadTransaction,
} from "../snapshot/stream/fold-evidence.ts";
import {
  type FoldedLedger,
  type FoldOptions,
  LedgersFold,
} from "../snapshot/stream/ledgers-fold.ts";
import { LedgersOfFiles, OpenedLedgers } from "../snapshot/stream/opened-ledgers.ts";
import { ReportedEntries } from "../snapshot/stream/reported-entries.ts";
import type { SavedState, StateChanges } from "../snapshot/stream/saved-state.ts";
import type { SentLedgers } from "../snapshot/stream/sent-ledgers.ts";
import { isUnconfirmed, unconfirmedOf } from "../verdict/unconfirmed.ts";
import { BoundedWork } from "./bounded-work.ts";
import { describeMismatch } from "./describe-mismatch.ts";
import type {
  Observation,
  Observe,
  ObservedAgain,
  ObservedStreams,
  UnchangedCall,
} from "./observation.ts";
import type { ReplayEngines } from "./replay-transaction.ts";
import { type CapturedTransaction, keysToRun, putsOf } from "./run-keys.ts";
import { type JudgedResult, seenOf, TransactionJudge } from "./transaction-judge.ts";

export interface VerifierDependencies<Seen> {
  readonly engines: ReplayEngines;
  readonly fold: FoldOptions;
  /** Completes what the ledgers leave open, before each of them; null to use only the ledgers. */
  readonly completion: LedgerCompletion | null;
  /** Reproduced transactions also run under this protocol; null for no rehearsal. */
  readonly rehearseProtocol: number | null;
  /** Observes transactions of ledgers that are verified one by one; null to observe none. */
  readonly observe: Observe<Seen> | null;
  /** Observes transactions of streams (default: none, and all are verified). */
  readonly observed?: ObservedStreams<Seen> | undefined;
  readonly signal: AbortSignal;
}

export interface VerifiedLedger<Seen> extends LedgerOutcome {
  readonly sequence: number;
  readonly hash: string | null;
  readonly closeTimeUnixSeconds: number;
  readonly source: string;
  /** The observations in application order. */
  readonly seen: readonly Seen[];
  /** What the ledger added to the folded state; null if changes are not kept. */
  readonly folded: StateChanges | null;
}

export interface Verifying<Seen> {
  /**
   * Rejects with NETWORK_* if no node has the entries. The same ledger can then be verified again.
   */
  readonly folded: Promise<unknown>;
  readonly outcome: Promise<VerifiedLedger<Seen>>;
}

/** An answer of the engine about a stream that it folds by itself. */
export type VerifiedOfStream<Seen> =
  /** Consecutive ledgers that are as the chain recorded them. */
  | { readonly kind: "counted"; readonly counted: EngineCounted }
  | {
      readonly kind: "ledger";
      /** The position among the ledgers that count. */
      readonly at: number;
      readonly source: string;
      readonly folded: Promise<unknown>;
      readonly outcome: Promise<VerifiedLedger<Seen>>;
    }
  | { readonly kind: "unread"; readonly unread: EngineUnread }
  /** The end of the stream, or a forged ledger, after which the engine reads nothing. */
  | { readonly kind: "ended"; readonly forged: EngineForged | null };

export class LedgerVerifier<Seen> {
  /** True if the engine folds the stream by itself. */
  private isOfStream = false;
  /** True if nodes were asked for the settings with which the stream begins. */
  private settingsAreAsked = false;
  private readonly fold: LedgersFold;
  /** True if others than the ledgers show something about keys. */
  private readonly asks: boolean;
  private readonly replays: BoundedWork;
  private readonly transactions: TransactionJudge<Seen>;

  constructor(private readonly dependencies: VerifierDependencies<Seen>) {
    const { engines, fold, completion } = dependencies;
    this.asks = completion !== null || (fold.firstMentions?.readTo ?? 0) > 0;
    this.fold = new LedgersFold(engines.ledgerEngine, { ...fold, asks: this.asks });
    this.replays = new BoundedWork(engines.concurrency);
    this.transactions = new TransactionJudge(dependencies);
  }

  /**
   * Folds a ledger before the first verified one. It shows the state, the protocol and the rent
   * fee.
   */
  async foldOnly(ledger: LedgerToFold): Promise<void> {
    await this.fold.foldOnly(ledger);
  }

  /** Restores the state that was folded up to that ledger, instead of folding it again. */
  resume(saved: SavedState, last: LedgerToFold | null): Promise<void> {
    return this.fold.resume(saved, last);
  }

  /** Shows a ledger, which is verified after those that were shown before. */
  show(ledger: LedgerToFold): Promise<EngineRead> {
    return this.fold.show(ledger);
  }

  /** Sends the ledgers that are verified next, if the fold of none depends on what others show. */
  begin(ledgers: readonly LedgerToFold[]): void {
    const { rehearseProtocol, observe, engines } = this.dependencies;
    const isAlone = !this.asks && rehearseProtocol === null && observe === null;
    if (!isAlone || engines.digests.skips > 0) return;
    for (const ledger of ledgers) this.fold.begin(ledger, { run: true, want: false });
  }

  /** Verifies a ledger. The next one can follow after this one is folded. */
  verify(ledger: LedgerToFold, source: string): Verifying<Seen> {
    const folded = this.foldLedger(ledger, source);
    return { folded, outcome: this.outcomeOf(folded) };
  }

  private outcomeOf(
    folded: ReturnType<LedgerVerifier<Seen>["judgeFolded"]>,
  ): Promise<VerifiedLedger<Seen>> {
    const outcome = folded.then(async ({ pending, ...rest }) => {
      const results = (await Promise.all(pending)).flat();
      if (this.isOfStream) await this.fold.engine.finish(rest.sequence);
      else this.fold.engine.done(rest.sequence);
      const transactions = results.flatMap((each) => each.outcome ?? []);
      const seen = results.flatMap((each) => each.seen).sort((a, b) => a.order - b.order);
      return { ...rest, transactions, seen: seen.map(({ value }) => value) };
    });
    // The code that awaits the outcome handles its failure. Until then it must not end the process.
    // The engine goes on only after a ledger of its stream has an outcome.
    outcome.catch((error) => this.isOfStream && this.fold.engine.stop(error));
    return outcome;
  }

  /**
   * Verifies the ledgers of files, which the engine opens and folds by itself. A dependency that
   * observes each ledger or rehearses a protocol is not asked here.
   */
  files(files: Omit<EngineFiles, "observe">): AsyncGenerator<VerifiedOfStream<Seen>> {
    const ledgers = new LedgersOfFiles(files.paths);
    const opened = new OpenedLedgers(this.fold, ledgers, null);
    const observe = this.beginStream();
    const answers = this.fold.engine.files({ ...files, observe });
    return this.stream(answers, opened, (file) => ledgers.source({ file }));
  }

  /**
   * Verifies ledgers that svc received, which the engine folds by itself as soon as they are taken.
   * They are completed as `verify` does.
   */
  received(
    sent: SentLedgers,
    counting: Pick<EngineFiles, "countFrom" | "skip">,
  ): AsyncGenerator<VerifiedOfStream<Seen>> {
    const opened = new OpenedLedgers(this.fold, sent, this.completeWith());
    const observe = this.beginStream();
    const answers = this.fold.engine.received({ ...counting, observe });
    return this.stream(answers, opened, () => "");
  }

  private beginStream(): EngineObserve | undefined {
    this.isOfStream = true;
    this.settingsAreAsked = false;
    this.fold.open();
    return this.dependencies.observed?.transactions;
  }

  private async *stream(
    answers: AsyncGenerator<StreamAnswer>,
    opened: OpenedLedgers,
    fileName: (file: number) => string,
  ): AsyncGenerator<VerifiedOfStream<Seen>> {
    const { engine } = this.fold;
    const { observed } = this.dependencies;
    const reportedEntries = new ReportedEntries();
    for await (const answer of answers) {
      const { counted, call, lacks, settings, fold: folded, unread, ended } = answer;
      if (call !== undefined) {
        this.dependencies.engines.digests.misses = 0;
        observed?.see(unchangedCall(call, fileName(call.file), reportedEntries.of(call.entries)));
        continue;
      }
      // Nodes may be asked for several ledgers at once.
      if (lacks !== undefined)
        this.supply(lacks, opened).catch((error) => {
          engine.stop(error);
        });
      if (settings !== undefined) await engine.decide(await opened.decideSettings(settings));
      if (counted !== undefined) {
        this.dependencies.engines.digests.misses = 0;
        yield { kind: "counted", counted };
      }
      if (unread !== undefined) yield { kind: "unread", unread };
      if (folded?.folded !== undefined) {
        const { at, left } = folded.folded;
        const source = opened.source(folded.folded);
        const observe = observed?.observe ?? (() => null);
        const seeing = { observe, refused: Promise.resolve([]), run: !left };
        const judged = this.judgeFolded(await opened.folded(folded), source, seeing);
        yield { kind: "ledger", at, source, folded: judged, outcome: this.outcomeOf(judged) };
      }
      if (ended !== undefined) yield { kind: "ended", forged: ended.forged };
      await this.leaveSkipped();
    }
  }

  /** Supplies what is known of keys that no ledger has shown so far. */
  private async supply(lacks: EngineLacks, opened: OpenedLedgers): Promise<void> {
    const { completion } = this.dependencies;
    // The settings of the first ledger are asked for next, if no ledger shows them.
    const ofProtocol = this.settingsAreAsked ? null : lacks.protocol_version;
    this.settingsAreAsked = true;
    const nodes = completion?.shown(lacks.sequence, lacks.keys, ofProtocol) ?? null;
    const evidence = await opened.beginning(lacks, nodes);
    const puts = putsOf([{ evidence, snapshot: decideEntries(evidence) }]);
    await this.fold.engine.supply(lacks.number, withoutAssumed(puts));
  }

  /** Lets the engine leave transactions whose digests would not decide. */
  private async leaveSkipped(): Promise<void> {
    const { digests } = this.dependencies.engines;
    if (!this.isOfStream || digests.skips === 0) return;
    const { skips } = digests;
    digests.skips = 0;
    await this.fold.engine.leave(skips);
  }

  private async foldLedger(input: LedgerToFold, source: string) {
    const { fold } = this;
    const { rehearseProtocol } = this.dependencies;
    const { observations, refused } = this.observe(input, source);
    const { digests } = this.dependencies.engines;
    const run = digests.skips === 0;
    const want = rehearseProtocol !== null || !run || [...observations.keys()];
    const put = want === true ? [] : await this.putBefore(input);
    const folded = await fold.fold(input, source, { run, want, put }, this.completeWith());
    const observe = ({ order }: ReadTransaction) => observations.get(order) ?? null;
    return this.judgeFolded(folded, source, { observe, refused, run });
  }

  /** Begins to judge what the engine does not count by itself. */
  private async judgeFolded(folded: FoldedLedger, source: string, seeing: Seeing<Seen>) {
    const { observe, refused, run } = seeing;
    const { rehearseProtocol } = this.dependencies;
    const { read, open, mismatches } = folded;
    const pending: Promise<JudgedResult<Seen> | JudgedResult<Seen>[]>[] = [refused];
    // It may fail while the ledger is still being folded. The code that awaits the outcome handles
    // that.
    refused.catch(() => {});
    const captured = open.map(capture);
    // Nothing is awaited before this, so that transactions are observed in their order.
    const observations = captured.map(observe);
    const puts = putsOf(captured);
    if (this.isOfStream) await this.fold.engine.decided(read.sequence, puts);
    else this.fold.engine.put(read.sequence, puts);
    for (const [at, each] of captured.entries()) {
      const observation = observations[at] ?? null;
      const { result } = await this.startReplay(each, source, observation, run);
      pending.push(result);
    }
    pending.push(this.settle(folded, source, observe));
    return {
      sequence: read.sequence,
      hash: read.hash,
      source,
      pending,
      closeTimeUnixSeconds: Number(read.close_time_unix_seconds),
      protocolVersion: folded.protocolVersion,
      mismatches: mismatches.map((each) => describeMismatch(each, source)),
      classicTransactions: folded.classic,
      refusedTransactions: folded.refused,
      rehearsedProtocol: rehearseProtocol,
      folded: folded.changes,
    };
  }

  /**
   * Puts what is already known of keys that the ledger's transactions name and no ledger has shown.
   */
  private async putBefore(input: LedgerToFold) {
    const { sequence, unknown_keys: unknown } = await this.fold.show(input);
    if (unknown.length === 0) return [];
    const { completion } = this.dependencies;
    const nodes = completion && (await this.transactions.inTurn(() => completion.atHand(sequence)));
    const evidence = await this.fold.beginning(input, nodes);
    return withoutAssumed(putsOf([{ evidence, snapshot: decideEntries(evidence) }]));
  }

  private completeWith(): Complete | null {
    const { completion } = this.dependencies;
    if (completion === null) return null;
    return (evidence, firstLedger) =>
      this.transactions.inTurn(() => completion.complete(evidence, firstLedger));
  }

  /** The observations by the transactions' positions, including those of refused transactions. */
  private observe(input: LedgerToFold, source: string) {
    const observations = new Map<number, Observation<Seen>>();
    const refused: Promise<JudgedResult<Seen>>[] = [];
    const { observe } = this.dependencies;
    if (observe === null) return { observations, refused: Promise.all(refused) };
    for (const transaction of this.fold.transactions(input, source)) {
      const observation = observe(transaction);
      if (observation === null) continue;
      if (!transaction.ran) refused.push(seenOf(null, transaction.order, observation.see(null)));
      else observations.set(transaction.order, observation);
    }
    return { observations, refused: Promise.all(refused) };
  }

  /**
   * Collects the verdicts of the engine. Transactions that it found to differ are judged by their
   * execution.
   */
  private async settle(
    folded: FoldedLedger,
    source: string,
    observe: Observe<Seen>,
  ): Promise<JudgedResult<Seen>[]> {
    const { equal, unconfirmed, differ, changed } = await folded.verdicts;
    const { digests } = this.dependencies.engines;
    if (equal + changed.length > 0) digests.misses = 0;
    const exact = Array.from({ length: equal }, (_, at) => {
      return { outcome: { ...EXACT, unconfirmed: at < unconfirmed }, seen: [] };
    });
    const judge = async (known: KnownFootprint) => {
      const captured = capture(await folded.evidence(known));
      const { result } = await this.replays.start(() =>
        this.transactions.judge(captured, source, observe(captured)),
      );
      return result;
    };
    const judged = differ.map(async (known) => {
      const seen = await judge(known);
      if (seen.outcome?.notExact === null) this.noteMiss();
      return seen;
    });
    return [...exact, ...(await Promise.all([...judged, ...changed.map(judge)]))];
  }

  /** Resolves after the replay has begun. */
  private async startReplay(
    captured: CapturedTransaction,
    source: string,
    observation: Observation<Seen> | null,
    run: boolean,
  ): Promise<{ readonly result: Promise<JudgedResult<Seen>> }> {
    const { digests } = this.dependencies.engines;
    const again = observation?.again ?? null;
    const isForEngine = run && (observation === null || again !== null);
    const keys = isForEngine ? keysToRun(captured) : null;
    return this.replays.start(async () => {
      if (digests.skips > 0 && !run) digests.skips -= 1;
      if (keys === null || this.dependencies.rehearseProtocol !== null)
        return this.transactions.judge(captured, source, observation);
      if (again !== null) return this.runAgain(captured, source, keys, observation, again);
      const { sequence } = captured.record.ledger;
      if (await this.fold.engine.run(sequence, captured.order, keys)) {
        digests.misses = 0;
        const unconfirmed = isUnconfirmed(captured.snapshot);
        return { outcome: { ...EXACT, unconfirmed }, seen: [] };
      }
      return this.transactions.judge(captured, source, observation);
    });
  }

  /** Asks for an execution only if the two runs of the engine are not enough. */
  private async runAgain(
    captured: CapturedTransaction,
    source: string,
    keys: readonly RunKey[],
    observation: Observation<Seen> | null,
    again: ObservedAgain,
  ): Promise<JudgedResult<Seen>> {
    const code = await again.codeFor(captured);
    if (code === null) return this.transactions.judge(captured, source, observation);
    const { digests } = this.dependencies.engines;
    const { sequence } = captured.record.ledger;
    const place = { sequence, order: captured.order };
    const ran = await this.fold.engine.runAgain(place, keys, code);
    if (ran.equal) {
      digests.misses = 0;
      const { record, entries, settings } = unconfirmedOf(captured.record, captured.snapshot);
      const unconfirmed = record.length + entries + settings > 0;
      if (again.see(captured, { ...ran, unconfirmed }))
        return { outcome: { ...EXACT, unconfirmed }, seen: [] };
      return this.transactions.judge(captured, source, observation);
    }
    const judged = await this.transactions.judge(captured, source, observation);
    if (judged.outcome?.notExact === null) this.noteMiss();
    return judged;
  }

  private noteMiss(): void {
    const { digests } = this.dependencies.engines;
    digests.misses += 1;
    if (digests.misses >= MISSES_IN_A_ROW) Object.assign(digests, { misses: 0, skips: SKIPS });
  }
}

/** How transactions are observed. The engine runs the others if `run` is true. */
interface Seeing<Seen> {
  readonly observe: Observe<Seen>;
  readonly refused: Promise<JudgedResult<Seen>[]>;
  readonly run: boolean;
}

function unchangedCall(
  { hash, sequence, order, invoked, unconfirmed, again }: EngineCall,
  source: string,
  entries: UnchangedCall["entries"],
): UnchangedCall {
  const [contract, name] = invoked ?? [];
  return {
    hash,
    ledger: sequence,
    order,
    source,
    invoked: contract === undefined || name === undefined ? null : { contract, function: name },
    entries,
    unconfirmed,
    equal: true,
    ...bothRuns(again),
  };
}

const EXACT = { notExact: null, rehearsed: null };
/**
 * The number of exact transactions in a row with different digests, which happens if metrics are
 * counted differently.
 */
const MISSES_IN_A_ROW = 8;
/** The number of transactions after that whose digest is not asked for. */
const SKIPS = 64;

/** An assumed absence may be known after more was asked. */
function withoutAssumed(puts: readonly PutEntry[]): PutEntry[] {
  return puts.filter(({ least }) => least === null);
}

function capture(transaction: FoldedTransaction): CapturedTransaction {
  const { evidence, settings } = transaction;
  return { ...transaction, snapshot: decideSnapshot(evidence, settings) };
}
