// The calls of `--in-sequence`: all run in order on one state, which they change. A call that was
// announced runs as soon as all that were announced before it have run, so that few calls are held.
// The others wait until all are known.

import type { BeforehandFailure } from "../debugger/what-if/call-beforehand.ts";
import type { Execution } from "../model/execution.ts";
import { ChangedState } from "./changed-state.ts";
import type { GroupKind, RehearsedSequence } from "./rehearsal.ts";
import type { JudgedCall } from "./replayed-call.ts";

/** What a sequence does with each call. */
export interface SequenceWork {
  /** Makes the first call on the state of a call. Returns its failure. */
  readonly makeFirst: (
    call: JudgedCall,
    state: ChangedState,
    options: Signalled,
  ) => Promise<BeforehandFailure | null>;
  /** Runs a call on the changed state. `failure`: the first call failed. */
  readonly judge: (
    call: JudgedCall,
    before: { readonly state: ChangedState; readonly failure: BeforehandFailure | null },
    options: Signalled,
  ) => Promise<JudgedRun>;
}

/** A run with the new code; `execution` is null if it has no result. */
export interface JudgedRun {
  readonly execution: Execution | null;
  readonly group: GroupKind;
}

interface Signalled {
  readonly signal: AbortSignal;
}

interface Announced {
  readonly hash: string;
  /** The call; null if it does not run. Undefined until its replay has ended. */
  call?: JudgedCall | null;
  readonly ran: PromiseWithResolvers<void>;
}

export class CallSequence {
  /** The calls that were announced and have not run, in order. */
  private readonly pending: Announced[] = [];
  /** All calls that were announced. A ledger is announced again if the engine's process died. */
  private readonly announced = new Map<string, Announced | null>();
  private isRunning = false;
  /** The failure after which no call can run. */
  private broken: { readonly error: unknown } | null = null;
  private failure: BeforehandFailure | null = null;
  private isFirst = true;
  private others = 0;
  private partedAt: RehearsedSequence["partedAt"] = null;
  private readonly state = new ChangedState();

  constructor(private readonly work: SequenceWork) {}

  /** Announces the next call. */
  announce(hash: string): void {
    if (this.announced.has(hash)) return;
    const ran = Promise.withResolvers<void>();
    // Nobody may wait for it.
    ran.promise.catch(() => {});
    const announced = { hash, ran };
    this.pending.push(announced);
    this.announced.set(hash, announced);
  }

  isAnnounced(hash: string): boolean {
    return this.announced.has(hash);
  }

  /** Takes an announced call; null if it does not run. Resolves after it and all before it. */
  async take(hash: string, call: JudgedCall | null, options: Signalled): Promise<void> {
    const announced = this.announced.get(hash) ?? null;
    if (announced === null) return;
    if (this.broken !== null) throw this.broken.error;
    announced.call = call;
    if (!this.isRunning) void this.runKnown(options);
    await announced.ran.promise;
  }

  /** Runs the calls whose turn it is. Those who wait for a call handle its failure. */
  private async runKnown(options: Signalled): Promise<void> {
    this.isRunning = true;
    for (;;) {
      const [next] = this.pending;
      if (next?.call === undefined) break;
      this.pending.shift();
      this.announced.set(next.hash, null);
      try {
        if (next.call !== null) await this.run(next.call, options);
        next.ran.resolve();
      } catch (error) {
        this.broken = { error };
        for (const { ran } of [next, ...this.pending]) ran.reject(error);
        return;
      }
    }
    this.isRunning = false;
  }

  /** Runs the next call. */
  async run(call: JudgedCall, options: Signalled): Promise<void> {
    options.signal.throwIfAborted();
    const { state, work } = this;
    const { record, replayed, reached, replaced } = call;
    if (this.isFirst && reached.length > 0) {
      this.failure = await work.makeFirst(call, state, options);
      this.isFirst = false;
    }
    if (reached.length === 0) {
      if (!replayed.snapshot.entries.some(({ keyXdr }) => state.has(keyXdr))) return;
      this.others += 1;
    }
    const before = { state, failure: this.failure };
    const { execution, group } = await work.judge(call, before, options);
    if (group !== "same" && group !== "declared-too-little")
      this.partedAt ??= { hash: record.hash, ledger: record.ledger.sequence };
    const here = execution?.outcome.kind === "success" ? execution.changes : [];
    state.note(replayed.snapshot, replayed.execution.changes, here, replaced);
  }

  summary(): RehearsedSequence {
    const { partedAt, others, state } = this;
    return { partedAt, others, changedEntries: state.size, lostEntries: state.lost };
  }
}
