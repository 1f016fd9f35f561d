// The engine of every verification: a ledger goes in, its outcome comes out. Each is entered,
// completed, folded, decided and replayed; while the replays of one run, the next is folded.
// Invariant: a bounded number of replays is under way, however fast ledgers come.

import { rehearseTransaction } from "../debugger/run/rehearse.ts";
import type { LedgerOutcome, StateMismatch, TransactionOutcome } from "../model/verification.ts";
import { type DecidedSettings, decideSettings } from "../snapshot/decide-settings.ts";
import { decideSnapshot } from "../snapshot/decide-snapshot.ts";
import type { LedgerCompletion } from "../snapshot/gather/complete-ledgers.ts";
import type { FoldedMismatch } from "../snapshot/stream/folded-state.ts";
import {
  type FoldedTransaction,
  type FoldOptions,
  LedgersFold,
} from "../snapshot/stream/ledgers-fold.ts";
import type { SavedState, StateChanges } from "../snapshot/stream/state-maps.ts";
import { isUnconfirmed } from "../verdict/unconfirmed.ts";
import type { LedgerCloseMetaView } from "../xdr/ledger/ledger-close-meta.ts";
import { ENTRY_TYPE, typeOfKey } from "../xdr/reader/keys.ts";
import { describeEntry, describeKey } from "../xdr/values/value.ts";
import {
  type CapturedTransaction,
  type OpenEngines,
  type ReplayedTransaction,
  replayTransaction,
} from "./replay-transaction.ts";

export interface VerifierDependencies<Seen> {
  readonly engines: OpenEngines;
  readonly fold: Omit<FoldOptions, "onMismatch">;
  /** Asks for what the ledgers leave open, before each of them; null: nothing is asked. */
  readonly completion: LedgerCompletion | null;
  /** Run what is reproduced under this protocol too; null: no rehearsal. */
  readonly rehearseProtocol: number | null;
  readonly observe: Observe<Seen>;
  readonly signal: AbortSignal;
}

/** What else is to be learnt of a transaction than its verdict; null: nothing. */
export type Observe<Seen> = (transaction: FoldedTransaction) => Observation<Seen> | null;

export interface Observation<Seen> {
  /** Of its replay, with the call tree: a digest is not enough. */
  readonly traced: boolean;
  /** `captured` is null for what was refused before its operation ran. */
  readonly see: (
    captured: (CapturedTransaction & ReplayedTransaction) | null,
  ) => Promise<Seen | null>;
}

export interface VerifiedLedger<Seen> extends LedgerOutcome {
  readonly sequence: number;
  readonly hash: string | null;
  readonly closeTimeUnixSeconds: number;
  readonly source: string;
  /** In application order. */
  readonly seen: readonly Seen[];
  /** What the ledger added to what is known; null where it is not kept. */
  readonly folded: StateChanges | null;
}

export interface Verifying<Seen> {
  /** Throws NETWORK_* when no node has the entries; the same ledger can be given again then. */
  readonly folded: Promise<unknown>;
  readonly outcome: Promise<VerifiedLedger<Seen>>;
}

export class LedgerVerifier<Seen> {
  private readonly fold: LedgersFold;
  private readonly replays: Replays;
  /** Of the ledger that is being folded. */
  private mismatches: StateMismatch[] = [];
  private source = "";

  constructor(private readonly dependencies: VerifierDependencies<Seen>) {
    this.fold = new LedgersFold({
      ...dependencies.fold,
      onMismatch: (mismatch) => this.mismatches.push(describeMismatch(mismatch, this.source)),
    });
    this.replays = new Replays(dependencies.engines.concurrency);
  }

  /** A ledger before the first that is verified: it shows the state, the protocol, the rent fee. */
  foldOnly(view: LedgerCloseMetaView): void {
    this.fold.enter(view);
    this.fold.foldOnly(view);
  }

  /** In the place of folding again what was folded up to that ledger. */
  resume(saved: SavedState, last: LedgerCloseMetaView | null): void {
    this.fold.resume(saved, last);
  }

  /** The next ledger can be given when this one is folded. */
  verify(view: LedgerCloseMetaView, source: string): Verifying<Seen> {
    const folded = this.foldLedger(view, source);
    const outcome = folded.then(async ({ pending, ...rest }) => {
      const results = await Promise.all(pending);
      const transactions = results.flatMap((each) => each.outcome ?? []);
      return { ...rest, transactions, seen: results.flatMap((each) => each.seen) };
    });
    // Whoever waits for it handles its failure; until then it must not end the process.
    outcome.catch(() => {});
    return { folded, outcome };
  }

  private async foldLedger(view: LedgerCloseMetaView, source: string) {
    const { fold, dependencies } = this;
    const { completion, observe, rehearseProtocol } = dependencies;
    fold.enter(view);
    const completed = await completion?.complete(fold.beginning(view));
    this.source = source;
    this.mismatches = [];
    const pending: Promise<Result<Seen>>[] = [];
    let { protocolVersion } = view.facts;
    let settings: DecidedSettings | null = null;
    let soroban = 0;
    let refused = 0;
    for (const transaction of fold.fold(view, source)) {
      const { record, step, evidence } = transaction;
      soroban += 1;
      ({ protocolVersion } = record.ledger);
      const observation = observe(transaction);
      if (evidence === null) {
        refused += 1;
        if (observation !== null) pending.push(seenOf(null, observation.see(null)));
        continue;
      }
      const complete = completed === undefined ? evidence : { ...evidence, ...completed };
      if (completed === undefined) settings = fold.decideSettings(evidence);
      else if (settings?.ofLedger !== true) settings = decideSettings(complete);
      const captured = { record, snapshot: decideSnapshot(complete, settings), step };
      const { result } = await this.replays.start(() => this.replay(captured, source, observation));
      pending.push(result);
    }
    const { sequence, hash, closeTimeUnixSeconds } = view.facts;
    return {
      ...{ sequence, hash, closeTimeUnixSeconds: Number(closeTimeUnixSeconds), source },
      ...{ protocolVersion, pending, mismatches: this.mismatches },
      classicTransactions: view.transactions.length - soroban,
      refusedTransactions: refused,
      rehearsedProtocol: rehearseProtocol,
      folded: dependencies.fold.keepsChanges ? fold.takeChanges() : null,
    };
  }

  private async replay(
    captured: CapturedTransaction,
    source: string,
    observation: Observation<Seen> | null,
  ): Promise<Result<Seen>> {
    const { engines, rehearseProtocol: protocol, signal } = this.dependencies;
    const plain = protocol === null ? null : "plain";
    const execution = observation?.traced ? "trace" : plain;
    const found = await replayTransaction(engines, captured, { source, execution, signal });
    const { notExact, replayed } = found;
    const verdict = notExact?.verdict ?? "exact";
    const { record, snapshot } = captured;
    const rehearsed =
      protocol === null
        ? null
        : await rehearseTransaction(engines, record, replayed, verdict, protocol, { signal });
    const outcome = { notExact, unconfirmed: isUnconfirmed(snapshot), rehearsed };
    return observation === null
      ? { outcome, seen: [] }
      : seenOf(outcome, observation.see({ ...captured, ...found }));
  }
}

/** Of one transaction; without an outcome where it was refused. */
interface Result<Seen> {
  readonly outcome: TransactionOutcome | null;
  readonly seen: readonly Seen[];
}

async function seenOf<Seen>(
  outcome: TransactionOutcome | null,
  seeing: Promise<Seen | null>,
): Promise<Result<Seen>> {
  const seen = await seeing;
  return { outcome, seen: seen === null ? [] : [seen] };
}

/** In words: which entry, what earlier ledgers made of it, and what the chain has. */
function describeMismatch(
  { kind, ledger, keyXdr, folded, onChain }: FoldedMismatch,
  source: string,
): StateMismatch {
  const isTtl = typeOfKey(keyXdr) === ENTRY_TYPE.ttl;
  const show = isTtl ? (until: string) => `live until ledger ${until}` : describeEntry;
  return {
    kind,
    ledger,
    source,
    keyXdr,
    key: describeKey(keyXdr),
    folded: folded && show(folded),
    onChain: onChain && show(onChain),
    foldedXdr: isTtl ? null : folded,
    onChainXdr: isTtl ? null : onChain,
  };
}

/** Starts work while there is room; the first failure comes out at the next start or at the end. */
class Replays {
  private running = 0;
  private failure: { readonly error: unknown } | null = null;
  private wake: () => void = () => {};

  constructor(private readonly limit: number) {}

  /** Resolves when the work has begun. */
  async start<T>(work: () => Promise<T>): Promise<{ readonly result: Promise<T> }> {
    await this.untilBelow(this.limit);
    this.running += 1;
    const result = work();
    void this.follow(result);
    return { result };
  }

  async end(): Promise<void> {
    await this.untilBelow(1);
  }

  private async untilBelow(limit: number): Promise<void> {
    while (this.running >= limit && this.failure === null) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (this.failure !== null) throw this.failure.error;
  }

  private async follow(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.failure ??= { error };
    }
    this.running -= 1;
    this.wake();
  }
}
