// Reports a transaction that following has read: why it failed, as an event, or that it succeeded.
// A transaction that cannot be explained, through a defect of svc or through its sender, must not
// end the following.

import { phraseFor, SHELL } from "../base/phrase.ts";
import { ofMost } from "../base/recently-used.ts";
import { fixTransaction } from "../debugger/fix/fix-transaction.ts";
import type { OptionalRun } from "../debugger/run/optional-run.ts";
import type { Judged } from "../debugger/run/proof-context.ts";
import { calledIn } from "../debugger/run/rehearse.ts";
import type { Engines } from "../debugger/run/replay.ts";
import { RunSet } from "../debugger/run/run-set.ts";
import { decideWhy } from "../debugger/walk/further-runs.ts";
import { testWhy } from "../debugger/walk/prove-why.ts";
import { causeOfFailure } from "../explain/cause-of-failure.ts";
import { type FoundWhy, withDecided } from "../explain/explain.ts";
import { failingCall } from "../explain/failing-call.ts";
import { decidingValue } from "../explain/naming/deciding-value.ts";
import { provenRemedy } from "../explain/naming/proven-remedy.ts";
import { conditionId } from "../explain/naming/same-reason.ts";
import type { CauseFinding } from "../explain/words/found-cause.ts";
import type { DecidedBy } from "../model/explanation.ts";
import type { FollowedFailure, Seen } from "../model/follow.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { isReproduced, isRunOfChain, isStateSure } from "../model/verdict.ts";
import type { Why } from "../model/why.ts";
import type { SnapshotDependencies } from "../snapshot/gather/take-snapshot.ts";
import type { ReadTransaction } from "../snapshot/stream/fold-evidence.ts";
import type { Observation } from "../verify/observation.ts";
import { lookupIn } from "../xdr/contract/lookup-in.ts";
import { withCreated } from "../xdr/envelope/created-contracts.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { type OpenedRecord, openRecord } from "../xdr/envelope/opened-record.ts";
import { groupId } from "./group-failures.ts";
import type { Watch } from "./watch-list.ts";

export interface ExplainDependencies extends SnapshotDependencies {
  readonly engines: Engines;
  readonly watch: Watch;
  /** True to look for the fix of the first failure of each group. */
  readonly fix: boolean;
  /** True to report successes too. */
  readonly successes: boolean;
}

type FailedTransaction = Pick<ReadTransaction, "record" | "result"> & {
  readonly watched: readonly string[];
};
/** Null if the transaction was refused before its operation ran. */
type SeenTransaction = Parameters<Observation<Seen>["see"]>[0];

/** The groups that are remembered. The first failure of any other one counts as new. */
const MOST_KNOWN = 1000;

export class Observer {
  private readonly known = ofMost<string, true>(MOST_KNOWN);
  /** The groups whose condition runs contradict. */
  private readonly contradicted = ofMost<string, true>(MOST_KNOWN);

  constructor(
    private readonly dependencies: ExplainDependencies,
    private readonly signal: AbortSignal,
  ) {}

  /** Null when the transaction is not watched. */
  observe({ record, result }: ReadTransaction): Observation<Seen> | null {
    const { watch, successes } = this.dependencies;
    const watched = watch.find(Buffer.from(record.envelopeXdr, "base64"));
    if (watched === null) return null;
    if (!result.success)
      return {
        traced: true,
        see: (captured) => this.explain({ record, result, watched }, captured),
      };
    return successes ? { traced: false, see: async (captured) => this.successOf(captured) } : null;
  }

  private successOf(captured: SeenTransaction): Seen | null {
    if (captured === null) return null;
    const { record, notExact } = captured;
    const envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase);
    const called = calledIn(envelope);
    const { watch } = this.dependencies;
    if (watch.causes.length > 0 || !watch.wants([called.function], "")) return null;
    const { sourceAccount } = envelope;
    const verdict = notExact?.verdict ?? "exact";
    return { kind: "success", hash: record.hash, ...called, sourceAccount, verdict };
  }

  /** Null when the function or the cause is not watched. */
  private async explain(
    { record, result, watched }: FailedTransaction,
    captured: SeenTransaction,
  ): Promise<Seen | null> {
    const { watch } = this.dependencies;
    const replayed = captured?.replayed ?? null;
    const verdict = captured && (captured.notExact?.verdict ?? "exact");
    const snapshot = replayed?.snapshot ?? captured?.snapshot ?? null;
    const opened = { ...openRecord(record, undefined, { result }), snapshot };
    const { envelope } = opened;
    const cause = this.causeOf(opened, replayed);
    const execution = isReproduced(verdict) ? (replayed?.execution ?? null) : null;
    const call = failingCall(opened, snapshot, execution);
    const called = envelope.hostFunction?.kind === "invoke" ? envelope.hostFunction.function : null;
    if (!watch.wants([called, call.function], cause.kind)) return null;
    const { sourceAccount, feeSource } = envelope;
    const why = await this.whyOf(replayed);
    const condition = why && conditionId(why);
    const facts = { watched, ...call, cause: cause.kind, condition };
    const isFirst = this.isFirst(facts);
    const tested =
      why && (await this.tested(why, { group: groupId(facts), isFirst }, opened, replayed));
    const decidedBy = tested && this.decidedBy(tested, opened, replayed);
    const helps = decidedBy && provenRemedy(decidedBy, record.ledger);
    const saidCause = withDecided(decidedBy, cause, helps);
    const named = [call.contract, sourceAccount, feeSource].flatMap((address) => {
      const label = watch.labels.get(address ?? "");
      return label === undefined ? [] : [[address, label.name] as const];
    });
    return {
      kind: "failure",
      hash: record.hash,
      ...facts,
      summary: saidCause.cause?.summary ?? "",
      confidence: saidCause.cause?.confidence ?? cause.confidence,
      decidedBy: decidedBy?.summary ?? null,
      remedy: saidCause.remedy && phraseFor(saidCause.remedy, SHELL),
      sourceAccount,
      feeSource,
      verdict,
      fix: isFirst && this.dependencies.fix ? await this.fixOf(opened, replayed, cause) : null,
      labels: Object.fromEntries(named),
    };
  }

  private causeOf(
    opened: OpenedRecord & { readonly snapshot: Snapshot | null },
    replayed: Judged | null,
  ): CauseFinding {
    try {
      const { execution = null, verdict = null } = replayed ?? {};
      const finding = causeOfFailure(opened, execution, verdict);
      if (finding !== null) return finding;
    } catch (error) {
      if (this.signal.aborted) throw error;
    }
    const nothing = { facts: {}, confidence: "likely", evidence: [] } as const;
    return { by: "unexplained", kind: "unexplained", ...nothing };
  }

  private async whyOf(replayed: Judged | null): Promise<Why | null> {
    if (replayed === null || !isRunOfChain(replayed.verdict)) return null;
    const { request, execution } = replayed;
    const runs = new RunSet(this.dependencies.engines, request);
    return decideWhy(runs, execution, this.optional);
  }

  /** The value with its proof, if it is the first of its group. Null if runs contradict it. */
  private async tested(
    why: Why,
    { group, isFirst }: { readonly group: string; readonly isFirst: boolean },
    opened: OpenedRecord,
    replayed: Judged | null,
  ): Promise<FoundWhy | null> {
    if (replayed === null || this.contradicted.get(group)) return null;
    if (!isFirst) return { why, proof: null };
    const { engines } = this.dependencies;
    const tested = await testWhy(engines, { ...opened, ...replayed }, why, this.optional);
    if (tested === null) this.contradicted.set(group, true);
    return tested;
  }

  private decidedBy(
    { why, proof }: FoundWhy,
    opened: OpenedRecord,
    replayed: Judged | null,
  ): DecidedBy | null {
    if (replayed === null) return null;
    const { snapshot, verdict } = replayed;
    const known = lookupIn(snapshot.entries);
    const lookup = withCreated(known, opened.envelope, replayed.execution.callTree);
    return decidingValue(why, lookup, proof, isStateSure(verdict));
  }

  /** Options of a run whose failure is not reported. */
  private get optional(): OptionalRun {
    return { signal: this.signal, caveats: [] };
  }

  /**
   * Says whether a failure is the first of its group, so that its fix and its proof are searched
   * for.
   */
  private isFirst(group: Parameters<typeof groupId>[0]): boolean {
    const id = groupId(group);
    const isFirst = this.known.get(id) === undefined;
    this.known.set(id, true);
    return isFirst;
  }

  private async fixOf(
    opened: OpenedRecord,
    replayed: Judged | null,
    cause: CauseFinding,
  ): Promise<FollowedFailure["fix"]> {
    if (replayed === null) return null;
    const { engines, sources, ledgers, startEngine } = this.dependencies;
    const failed = { ...opened, ...replayed, cause };
    const options = { signal: this.signal };
    const { summary, proof } = await fixTransaction(
      { ...engines, sources, ledgers, startEngine, progress: () => {} },
      failed,
      options,
    );
    return { summary: phraseFor(summary, SHELL), outcome: proof?.outcome ?? null };
  }
}
