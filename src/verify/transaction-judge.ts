// Judges a transaction by its own execution: the replay is compared with the chain, runs under
// another protocol if that was asked for, and is observed. Invariant: a difference that rests on a
// node's answer counts only if the state of no other node leads to the chain's result.

import { rehearseTransaction } from "../debugger/run/rehearse.ts";
import { isReproduced } from "../model/verdict.ts";
import type { TransactionOutcome } from "../model/verification.ts";
import { decideSettings } from "../snapshot/decide-settings.ts";
import { decideSnapshot } from "../snapshot/decide-snapshot.ts";
import type { LedgerCompletion } from "../snapshot/gather/complete-ledgers.ts";
import { isFailureOfNode } from "../sources/source.ts";
import { isUnconfirmed } from "../verdict/unconfirmed.ts";
import type { Observation } from "./observation.ts";
import {
  judgeTransaction,
  type ReplayEngines,
  type ReplayedTransaction,
  type ReplayOptions,
} from "./replay-transaction.ts";
import type { CapturedTransaction } from "./run-keys.ts";

export interface JudgeDependencies {
  readonly engines: ReplayEngines;
  readonly completion: LedgerCompletion | null;
  /** Reproduced transactions also run under this protocol; null for no rehearsal. */
  readonly rehearseProtocol: number | null;
  readonly signal: AbortSignal;
}

/** The result of one transaction. A refused one has no outcome. */
export interface JudgedResult<Seen> {
  readonly outcome: TransactionOutcome | null;
  readonly seen: readonly { readonly order: number; readonly value: Seen }[];
}

export async function seenOf<Seen>(
  outcome: TransactionOutcome | null,
  order: number,
  seeing: Promise<Seen | null>,
): Promise<JudgedResult<Seen>> {
  const value = await seeing;
  return { outcome, seen: value === null ? [] : [{ order, value }] };
}

interface JudgedByNodes {
  readonly captured: CapturedTransaction;
  readonly replayed: ReplayedTransaction;
}

export class TransactionJudge<Seen> {
  /** The last completion, because nodes are asked about one ledger at a time. */
  private completing: Promise<unknown> = Promise.resolve();

  constructor(private readonly dependencies: JudgeDependencies) {}

  async judge(
    input: CapturedTransaction,
    source: string,
    observation: Observation<Seen> | null,
  ): Promise<JudgedResult<Seen>> {
    const { engines, rehearseProtocol: protocol, signal } = this.dependencies;
    const plain = protocol === null ? null : "plain";
    const execution = observation?.traced ? "trace" : plain;
    const options = { source, execution, signal } as const;
    const { captured, replayed: replayedTransaction } = await this.judgeByNodes(input, options);
    const { notExact, replayed } = replayedTransaction;
    const verdict = notExact?.verdict ?? "exact";
    const { record, snapshot, order } = captured;
    const rehearsed =
      protocol === null
        ? null
        : await rehearseTransaction(engines, record, replayed, verdict, protocol, { signal });
    const outcome = { notExact, unconfirmed: isUnconfirmed(snapshot), rehearsed };
    return observation === null
      ? { outcome, seen: [] }
      : seenOf(outcome, order, observation.see({ ...captured, ...replayedTransaction }));
  }

  /**
   * Judges a replay that differs. A node's answer may be false, so before a difference counts, the
   * state is taken from each node alone, until one leads to the chain's result.
   */
  private async judgeByNodes(
    captured: CapturedTransaction,
    options: ReplayOptions,
  ): Promise<JudgedByNodes> {
    const { engines, completion } = this.dependencies;
    const replayedTransaction = await judgeTransaction(engines, captured, options);
    if (replayedTransaction.notExact?.verdict !== "diverged" || !isUnconfirmed(captured.snapshot))
      return { captured, replayed: replayedTransaction };
    for (const node of completion?.alone ?? []) {
      const other = await this.captureAgain(captured, node);
      if (other === null) continue;
      const again = await judgeTransaction(engines, other, options);
      const { verdict = "exact" } = again.notExact ?? {};
      if (isReproduced(verdict)) return { captured: other, replayed: again };
    }
    return { captured, replayed: replayedTransaction };
  }

  /** Captures the state from one node; null if the node fails. */
  private async captureAgain(
    { evidence: known, ...rest }: CapturedTransaction,
    node: LedgerCompletion["alone"][number],
  ): Promise<CapturedTransaction | null> {
    try {
      const firstLedger = known.folded?.firstLedger ?? 0;
      const completed = await this.inTurn(() => node.complete([known], firstLedger));
      const evidence = { ...known, ...completed };
      const settings = decideSettings(evidence);
      return { ...rest, evidence, settings, snapshot: decideSnapshot(evidence, settings) };
    } catch (error) {
      if (this.dependencies.signal.aborted || !isFailureOfNode(error)) throw error;
      return null;
    }
  }

  /** Asks nodes after they have answered what was asked before. */
  inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = this.completing.then(ask);
    this.completing = answer.catch(() => {});
    return answer;
  }
}
