// What following reports of a transaction: why it failed, in the form of an event, or that it
// succeeded. One transaction that cannot be explained, by
// a defect of svc or by what its sender made of it, must not end the following.

import { fixTransaction } from "../debugger/fix/fix-transaction.ts";
import type { Judged } from "../debugger/run/proof-context.ts";
import { calledIn } from "../debugger/run/rehearse.ts";
import type { Engines } from "../debugger/run/replay.ts";
import { causeOfFailure } from "../explain/cause-of-failure.ts";
import { failingCall } from "../explain/failing-call.ts";
import type { Cause } from "../model/explanation.ts";
import type { Failure, Seen } from "../model/follow.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { SnapshotDependencies } from "../snapshot/gather/take-snapshot.ts";
import type { FoldedTransaction } from "../snapshot/stream/ledgers-fold.ts";
import type { Observation } from "../verify/ledger-verifier.ts";
import { type OpenedRecord, openEnvelope } from "../xdr/envelope/envelope.ts";
import { groupId } from "./group-failures.ts";
import type { Watch } from "./watch-list.ts";

export interface ExplainDependencies extends SnapshotDependencies {
  readonly engines: Engines;
  readonly watch: Watch;
  /** Look for the fix of the first failure of each group. */
  readonly fix: boolean;
  /** Report successes too. */
  readonly successes: boolean;
}

type FailedTransaction = Pick<FoldedTransaction, "record" | "result"> & {
  readonly watched: readonly string[];
};
/** Null where it was refused before its operation ran. */
type CapturedTransaction = Parameters<Observation<Seen>["see"]>[0];

/** Groups whose fix was looked for; when there are more, each is looked for again. */
const MOST_FIXED = 1000;

export class Observer {
  private readonly fixed = new Set<string>();

  constructor(
    private readonly dependencies: ExplainDependencies,
    private readonly signal: AbortSignal,
  ) {}

  /** Null when the transaction is not watched. */
  observe({ record, result }: FoldedTransaction): Observation<Seen> | null {
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

  private successOf(captured: CapturedTransaction): Seen | null {
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
    captured: CapturedTransaction,
  ): Promise<Seen | null> {
    const { watch } = this.dependencies;
    const replayed = captured?.replayed ?? null;
    const verdict = captured && (captured.notExact?.verdict ?? "exact");
    const envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase);
    const snapshot = replayed?.snapshot ?? captured?.snapshot ?? null;
    const opened = { record, envelope, snapshot };
    const { cause, remedy } = this.causeOf(opened, replayed);
    const reproduced = verdict === "exact" || verdict === "equivalent";
    const execution = reproduced ? (replayed?.execution ?? null) : null;
    const call = failingCall(opened, result, snapshot, execution);
    const called = envelope.hostFunction?.kind === "invoke" ? envelope.hostFunction.function : null;
    if (!watch.wants([called, call.function], cause.kind)) return null;
    const { sourceAccount, feeSource } = envelope;
    const facts = { watched, ...call, cause: cause.kind };
    const named = [call.contract, sourceAccount, feeSource].flatMap((address) => {
      const label = watch.labels.get(address ?? "");
      return label === undefined ? [] : [[address, label] as const];
    });
    return {
      kind: "failure",
      hash: record.hash,
      ...facts,
      summary: cause.summary,
      confidence: cause.confidence,
      remedy,
      sourceAccount,
      feeSource,
      verdict,
      fix: this.wantsFix(facts) ? await this.fixOf(opened, replayed, cause) : null,
      labels: Object.fromEntries(named),
    };
  }

  private causeOf(
    opened: OpenedRecord & { readonly snapshot: Snapshot | null },
    replayed: Judged | null,
  ): { readonly cause: Cause; readonly remedy: string | null } {
    try {
      const { execution = null, verdict = null } = replayed ?? {};
      const found = causeOfFailure(opened, execution, verdict);
      if (found !== null) return found;
    } catch (error) {
      if (this.signal.aborted) throw error;
    }
    const summary = "svc could not explain this failure. Please report the transaction.";
    return { cause: { kind: "unexplained", summary, confidence: "likely" }, remedy: null };
  }

  private wantsFix(group: Parameters<typeof groupId>[0]): boolean {
    if (!this.dependencies.fix) return false;
    const id = groupId(group);
    if (this.fixed.has(id)) return false;
    if (this.fixed.size >= MOST_FIXED) this.fixed.clear();
    this.fixed.add(id);
    return true;
  }

  private async fixOf(
    { record, envelope }: OpenedRecord,
    replayed: Judged | null,
    cause: Cause,
  ): Promise<Failure["fix"]> {
    if (replayed === null) return null;
    const { engines, sources, ledgers } = this.dependencies;
    const failed = { record, envelope, ...replayed, cause };
    const options = { signal: this.signal };
    const { summary, proof } = await fixTransaction(
      { ...engines, sources, ledgers, progress: () => {} },
      failed,
      options,
    );
    return { summary, outcome: proof?.outcome ?? null };
  }
}
