// One ledger after the other: folds each, replays its Soroban transactions, and explains those that
// failed. Ledgers overlap: while the replays of one run, the next is folded.
// Invariant: a bounded number of replays is under way, and the folded state is bounded.

import { neutralise } from "../../base/text/neutralise.ts";
import { explain } from "../../explain/explain.ts";
import { failingCall } from "../../explain/failing-call.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { Failure } from "../../model/follow.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { VerdictKind } from "../../model/verdict.ts";
import type { NotExact, StateMismatch } from "../../model/verification.ts";
import { decideSnapshot } from "../../snapshot/decide-snapshot.ts";
import { completeLedgers } from "../../snapshot/gather/complete-ledgers.ts";
import { READING_LIMITS } from "../../snapshot/gather/take-snapshot.ts";
import { LedgersFold } from "../../snapshot/stream/ledgers-fold.ts";
import type { Source } from "../../sources/source.ts";
import { openEnvelope } from "../../xdr/envelope/envelope.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import type { ResultFacts } from "../../xdr/outcome/result.ts";
import { fixTransaction } from "../fix/fix-transaction.ts";
import type { Engines, Replayed } from "../run/replay.ts";
import { describeMismatch } from "../verify/describe-mismatch.ts";
import { judgeFolded } from "../verify/replay-folded.ts";
import { Replays } from "../verify/replays.ts";
import type { FeedLedger } from "./ledger-feed.ts";
import { rehearse } from "./rehearse.ts";
import type { Watch } from "./watch-list.ts";

export interface VerifierDependencies {
  readonly engines: Engines & { readonly concurrency: number };
  /** Asked for entries that no folded ledger shows. */
  readonly sources: readonly Source[];
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
}

export interface Difference {
  readonly hash: string;
  readonly contract: string | null;
  readonly function: string | null;
  readonly differences: readonly string[];
  readonly detail: string;
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
  readonly differences: readonly Difference[];
}

/** One transaction's part of a LedgerOutcome. */
interface TransactionOutcome {
  readonly order: number;
  readonly notExact: NotExact | null;
  readonly failure: Failure | null;
  readonly success: Success | null;
  readonly rehearsal: Difference | null;
  readonly rehearsed: boolean;
}

interface Transaction {
  readonly record: ChainRecord;
  readonly result: ResultFacts;
  /** Null: nobody wants to know of it. */
  readonly watched: readonly string[] | null;
}

export class LedgerVerifier {
  private readonly dependencies: VerifierDependencies;
  private readonly signal: AbortSignal;
  private readonly fold: LedgersFold;
  private readonly complete: ReturnType<typeof completeLedgers>;
  private readonly replays: Replays;
  private mismatches: StateMismatch[] = [];
  private source = "";

  constructor(dependencies: VerifierDependencies, { signal }: { readonly signal: AbortSignal }) {
    const { sources, networkPassphrase, maximumCharacters, engines } = dependencies;
    this.dependencies = dependencies;
    this.signal = signal;
    this.fold = new LedgersFold({
      networkPassphrase,
      maximumCharacters,
      keepsRecent: true,
      onMismatch: (mismatch) => this.mismatches.push(describeMismatch(mismatch, this.source)),
    });
    this.complete = completeLedgers(sources, networkPassphrase, READING_LIMITS, { signal });
    this.replays = new Replays(engines.concurrency);
  }

  /** The ledger before the first: it shows the protocol and the rent fee. */
  foldOnly(view: LedgerCloseMetaView): void {
    this.fold.enter(view);
    for (const _ of this.fold.fold(view, ""));
    this.mismatches = [];
  }

  /**
   * Resolves when the ledger is folded; the promise in it when it is verified. Throws NETWORK_* when
   * no node has the entries, and can be called again with the same ledger then.
   */
  async verify({
    view,
    source,
  }: FeedLedger): Promise<{ readonly outcome: Promise<LedgerOutcome> }> {
    const { fold, replays } = this;
    fold.enter(view);
    const completed = await this.complete(fold.beginning(view));
    this.source = source;
    this.mismatches = [];
    const pending: Promise<TransactionOutcome>[] = [];
    let soroban = 0;
    let refused = 0;
    for (const { record, result, evidence } of fold.fold(view, source)) {
      soroban += 1;
      const envelope = Buffer.from(record.envelopeXdr, "base64");
      const watched = this.dependencies.watch.find(envelope);
      const transaction = { record, result, watched };
      if (evidence === null) {
        refused += 1;
        if (watched !== null) pending.push(this.explainRefused(transaction));
        continue;
      }
      const snapshot = decideSnapshot({ ...evidence, ...completed });
      const started = await replays.start(() => this.verifyOne(transaction, snapshot, source));
      pending.push(started.result);
    }
    const { mismatches } = this;
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
    const { engines, rehearseProtocol, successes } = this.dependencies;
    const { signal } = this;
    const { record, result, watched } = transaction;
    const explains = watched !== null && !result.success;
    const options = { source, trace: explains, signal };
    const { notExact, replayed } = await judgeFolded(engines, { record, snapshot }, options);
    const kind = notExact?.verdict ?? "exact";
    const reproduced = kind === "exact" || kind === "equivalent";
    const failure = explains
      ? await this.explainFailure(transaction, replayed, snapshot, kind)
      : null;
    const succeeded = successes && watched !== null && result.success;
    const rehearses = rehearseProtocol !== null && rehearseProtocol > record.ledger.protocolVersion;
    const rehearsal =
      rehearses && reproduced && replayed !== null
        ? await this.rehearseOne(record, replayed, rehearseProtocol)
        : null;
    return {
      order: record.applicationOrder,
      notExact,
      failure,
      success: succeeded ? this.successOf(record, kind) : null,
      rehearsed: rehearsal !== null,
      rehearsal: rehearsal !== null && rehearsal.differences.length > 0 ? rehearsal : null,
    };
  }

  private async explainRefused(transaction: Transaction): Promise<TransactionOutcome> {
    const failure = await this.explainFailure(transaction, null, null, null);
    const order = transaction.record.applicationOrder;
    return { order, notExact: null, failure, success: null, rehearsal: null, rehearsed: false };
  }

  /** Null when the function or the cause is not watched. */
  private async explainFailure(
    { record, result, watched }: Transaction,
    replayed: Replayed | null,
    taken: Snapshot | null,
    verdict: VerdictKind | null,
  ): Promise<Failure | null> {
    const { watch, fix: wantsFix, engines, sources } = this.dependencies;
    const envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase);
    const snapshot = replayed?.snapshot ?? taken;
    const opened = { record, envelope, snapshot };
    const reproduced = verdict === "exact" || verdict === "equivalent";
    const execution = reproduced ? (replayed?.execution ?? null) : null;
    const { labels } = watch;
    const { cause, remedy } = explain(
      opened,
      replayed?.execution ?? null,
      replayed?.verdict ?? null,
      {
        labels,
      },
    );
    if (cause === null) return null;
    const call = failingCall(opened, result, snapshot, execution);
    const called = envelope.hostFunction?.kind === "invoke" ? envelope.hostFunction.function : null;
    if (!watch.wants([called, call.function], cause.kind)) return null;
    const fixed =
      wantsFix && replayed !== null && snapshot !== null
        ? await fixTransaction(
            { ...engines, sources, progress: () => {} },
            {
              ...opened,
              snapshot,
              execution: replayed.execution,
              verdict: replayed.verdict,
              cause,
            },
            { signal: this.signal },
          )
        : null;
    const { sourceAccount, feeSource } = envelope;
    const named = [call.contract, sourceAccount, feeSource].flatMap((address) => {
      const label = labels.get(address ?? "");
      return label === undefined ? [] : [[address, label] as const];
    });
    return {
      hash: record.hash,
      watched: watched ?? [],
      ...call,
      cause: cause.kind,
      summary: cause.summary,
      confidence: cause.confidence,
      remedy,
      sourceAccount,
      feeSource,
      verdict,
      fix: fixed && { summary: fixed.summary, outcome: fixed.proof?.outcome ?? null },
      labels: Object.fromEntries(named),
    };
  }

  private async rehearseOne(
    record: ChainRecord,
    { snapshot, execution }: Replayed,
    protocolVersion: number,
  ): Promise<Difference> {
    const envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase);
    const { signal } = this;
    const replayable = { record, envelope, snapshot };
    const { engines } = this.dependencies;
    const found = await rehearse(engines, replayable, execution, protocolVersion, { signal });
    return { hash: record.hash, ...calledIn(envelope), ...found };
  }

  private successOf(record: ChainRecord, verdict: VerdictKind): Success | null {
    const envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase);
    const called = calledIn(envelope);
    const { watch } = this.dependencies;
    if (watch.causes.length > 0 || !watch.wants([called.function], "")) return null;
    return { hash: record.hash, ...called, sourceAccount: envelope.sourceAccount, verdict };
  }
}

function calledIn({ hostFunction }: ReturnType<typeof openEnvelope>) {
  const invoked = hostFunction?.kind === "invoke" ? hostFunction : null;
  return {
    contract: invoked?.contract ?? null,
    function: invoked && neutralise(invoked.function),
  };
}
