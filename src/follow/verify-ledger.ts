// One ledger after the other: folds each, replays its Soroban transactions, and explains those that
// failed. Ledgers overlap: while the replays of one run, the next is folded.
// Invariant: a bounded number of replays is under way, and the folded state is bounded.

import { calledIn, rehearseTransaction } from "../debugger/run/rehearse.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Failure } from "../model/follow.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { VerdictKind } from "../model/verdict.ts";
import type { NotExact, RehearsedTransaction, StateMismatch } from "../model/verification.ts";
import { decideSnapshot } from "../snapshot/decide-snapshot.ts";
import { completeLedgers, type LedgerCompletion } from "../snapshot/gather/complete-ledgers.ts";
import { READING_LIMITS, type SnapshotDependencies } from "../snapshot/gather/take-snapshot.ts";
import type { FoldStep } from "../snapshot/stream/fold-ledger.ts";
import { type FoldChanges, LedgersFold, type SavedFold } from "../snapshot/stream/ledgers-fold.ts";
import { describeMismatch } from "../verify/describe-mismatch.ts";
import { judgeFolded } from "../verify/replay-folded.ts";
import { Replays } from "../verify/replays.ts";
import { type DigestingEngines, verifyFolded } from "../verify/verify-folded.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import type { LedgerCloseMetaView } from "../xdr/ledger/ledger-close-meta.ts";
import type { ResultFacts } from "../xdr/outcome/result.ts";
import { FailureExplainer } from "./explain-failure.ts";
import type { FeedLedger } from "./ledger-feed.ts";
import type { Watch } from "./watch-list.ts";

/** `sources`: asked for entries that no folded ledger shows. */
export interface VerifierDependencies extends SnapshotDependencies {
  readonly engines: DigestingEngines & { readonly concurrency: number };
  readonly networkPassphrase: string;
  readonly watch: Watch;
  /** Look for the fix of a failure. */
  readonly fix: boolean;
  /** Protocol version; null: no rehearsal. */
  readonly rehearseProtocol: number | null;
  /** Report successes too. */
  readonly successes: boolean;
  /** Of the folded state, in characters of base64. */
  readonly maximumCharacters: number;
  /** Outcomes have what was folded. */
  readonly keepsChanges: boolean;
}

export interface Success {
  readonly hash: string;
  readonly contract: string | null;
  readonly function: string | null;
  readonly sourceAccount: string;
  readonly verdict: VerdictKind;
}

/** What happened in one ledger; lists are in application order. */
export interface LedgerOutcome {
  readonly sequence: number;
  readonly hash: string | null;
  readonly closeTimeUnixSeconds: number;
  readonly source: string;
  readonly exact: number;
  readonly notExact: readonly NotExact[];
  readonly classicTransactions: number;
  readonly refusedTransactions: number;
  readonly mismatches: readonly StateMismatch[];
  readonly failures: readonly Failure[];
  readonly successes: readonly Success[];
  readonly rehearsed: number;
  readonly differences: readonly RehearsedTransaction[];
  /** What the ledger added to what is known; null where it is not kept. */
  readonly folded: FoldChanges | null;
}

/** One transaction's part of a LedgerOutcome. */
interface TransactionOutcome {
  readonly order: number;
  readonly notExact: NotExact | null;
  readonly failure: Failure | null;
  readonly success: Success | null;
  readonly rehearsal: RehearsedTransaction | null;
  readonly rehearsed: boolean;
}

/** In an object, since a promise of a promise is one promise. */
interface VerifiedLedger {
  readonly outcome: Promise<LedgerOutcome>;
}

interface Transaction {
  readonly record: ChainRecord;
  readonly step: FoldStep;
  readonly result: ResultFacts;
  /** Null: it is not asked for. */
  readonly watched: readonly string[] | null;
}

export class LedgerVerifier {
  private readonly dependencies: VerifierDependencies;
  private readonly signal: AbortSignal;
  private readonly fold: LedgersFold;
  private readonly completion: LedgerCompletion;
  private readonly replays: Replays;
  private readonly explainer: FailureExplainer;
  private mismatches: StateMismatch[] = [];
  private source = "";

  constructor(dependencies: VerifierDependencies, { signal }: { readonly signal: AbortSignal }) {
    const { networkPassphrase, maximumCharacters, keepsChanges, engines } = dependencies;
    this.dependencies = dependencies;
    this.signal = signal;
    this.fold = new LedgersFold({
      networkPassphrase,
      maximumCharacters,
      keepsChanges,
      keepsRecent: true,
      onMismatch: (mismatch) => this.mismatches.push(describeMismatch(mismatch, this.source)),
    });
    this.completion = completeLedgers(dependencies, READING_LIMITS, { signal });
    this.replays = new Replays(engines.concurrency);
    this.explainer = new FailureExplainer(dependencies, signal);
  }

  /** The ledger before the first: it shows the protocol and the rent fee. */
  foldOnly(view: LedgerCloseMetaView): void {
    this.fold.enter(view);
    for (const _ of this.fold.fold(view, ""));
    this.mismatches = [];
  }

  /** In the place of folding again what was folded up to that ledger. */
  resume(saved: SavedFold, last: LedgerCloseMetaView | null): void {
    this.fold.resume(saved, last);
  }

  /**
   * Resolves when the ledger is folded; the promise in it when it is verified. Throws NETWORK_*
   * when no node has the entries, and can be called again with the same ledger then.
   */
  async verify({ view, source }: FeedLedger): Promise<VerifiedLedger> {
    const { fold, replays } = this;
    fold.enter(view);
    const completed = await this.completion.complete(fold.beginning(view));
    this.source = source;
    this.mismatches = [];
    const pending: Promise<TransactionOutcome>[] = [];
    let soroban = 0;
    let refused = 0;
    for (const { record, step, result, evidence } of fold.fold(view, source)) {
      soroban += 1;
      const envelope = Buffer.from(record.envelopeXdr, "base64");
      const watched = this.dependencies.watch.find(envelope);
      const transaction = { record, step, result, watched };
      if (evidence === null) {
        refused += 1;
        if (watched !== null) pending.push(this.explainRefused(transaction, watched));
        continue;
      }
      const snapshot = decideSnapshot({ ...evidence, ...completed });
      const started = await replays.start(() => this.verifyOne(transaction, snapshot, source));
      pending.push(started.result);
    }
    const { mismatches } = this;
    const folded = this.dependencies.keepsChanges ? fold.takeChanges() : null;
    const { facts, transactions } = view;
    const outcome = Promise.all(pending).then((outcomes): LedgerOutcome => {
      outcomes.sort((one, other) => one.order - other.order);
      const notExact = outcomes.flatMap((each) => each.notExact ?? []);
      return {
        sequence: facts.sequence,
        hash: facts.hash,
        closeTimeUnixSeconds: Number(facts.closeTimeUnixSeconds),
        source,
        exact: soroban - refused - notExact.length,
        notExact,
        classicTransactions: transactions.length - soroban,
        refusedTransactions: refused,
        mismatches,
        failures: outcomes.flatMap((each) => each.failure ?? []),
        successes: outcomes.flatMap((each) => each.success ?? []),
        rehearsed: outcomes.filter(({ rehearsed }) => rehearsed).length,
        differences: outcomes.flatMap((each) => each.rehearsal ?? []),
        folded,
      };
    });
    // Whoever waits for it handles its failure; until then it must not end the process.
    outcome.catch(() => {});
    return { outcome };
  }

  private async verifyOne(
    transaction: Transaction,
    snapshot: Snapshot,
    source: string,
  ): Promise<TransactionOutcome> {
    const { engines, successes, rehearseProtocol } = this.dependencies;
    const { signal } = this;
    const { record, step, result, watched } = transaction;
    const fails = watched !== null && !result.success;
    const options = { source, trace: fails, signal };
    // Of most transactions only the verdict is needed.
    const { notExact, replayed } =
      fails || rehearseProtocol !== null
        ? await judgeFolded(engines, { record, snapshot }, options)
        : {
            notExact: await verifyFolded(engines, { record, snapshot, step }, options),
            replayed: null,
          };
    const verdict = notExact?.verdict ?? "exact";
    const failed = { record, result, replayed, snapshot, verdict };
    const succeeded = successes && watched !== null && result.success;
    const rehearsal =
      rehearseProtocol === null
        ? null
        : await rehearseTransaction(engines, record, replayed, verdict, rehearseProtocol, {
            signal,
          });
    return {
      order: record.applicationOrder,
      notExact,
      failure: fails ? await this.explainer.explain({ ...failed, watched }) : null,
      success: succeeded ? this.successOf(record, verdict) : null,
      rehearsed: rehearsal !== null,
      rehearsal: rehearsal !== null && rehearsal.differences.length > 0 ? rehearsal : null,
    };
  }

  private async explainRefused(
    { record, result }: Transaction,
    watched: readonly string[],
  ): Promise<TransactionOutcome> {
    const nothing = { replayed: null, snapshot: null, verdict: null };
    const failure = await this.explainer.explain({ record, result, watched, ...nothing });
    const order = record.applicationOrder;
    return { order, notExact: null, failure, success: null, rehearsal: null, rehearsed: false };
  }

  private successOf(record: ChainRecord, verdict: VerdictKind): Success | null {
    const envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase);
    const called = calledIn(envelope);
    const { watch } = this.dependencies;
    if (watch.causes.length > 0 || !watch.wants([called.function], "")) return null;
    return { hash: record.hash, ...called, sourceAccount: envelope.sourceAccount, verdict };
  }
}
