// A running fork: its chain, the transactions that wait for a ledger, and the times at which
// ledgers close. Invariants: every change of the chain waits for its turn, so that no ledger closes
// meanwhile, and in its turn nothing waits for a node. A transaction that was accepted is in a
// ledger, waits for one, or has its failure under its hash.

import type { Clock } from "../base/clock.ts";
import { type Envelope, openEnvelope } from "../xdr/envelope/envelope.ts";
import { secondOf } from "../xdr/ledger/close-time.ts";
import { modifiedIn } from "../xdr/ledger/patch-entry.ts";
import { isSorobanKey, ttlKeyOf } from "../xdr/reader/keys.ts";
import { refusedByLedger } from "./errors.ts";
import { closesAtOrAfter, ForkTime } from "./fork-time.ts";
import type {
  ClosedLedger,
  Followed,
  ForkChain,
  ForkEntry,
  ForkTip,
  Impersonated,
  Mark,
  Placed,
  ReadContext,
  Refusal,
} from "./ledger/chain.ts";
import { NotApplied, NotRead } from "./ledger/layers.ts";
import { LedgerHistory } from "./ledger-history.ts";
import { type WaitingTransaction, WaitingTransactions } from "./waiting-transactions.ts";
import { type WrittenEntry, withWritten } from "./written-entries.ts";

/** When a ledger closes: with each transaction, after a time, or only on request. */
export type Mining = "each" | "never" | { readonly everyMilliseconds: number };

/** The facts of the chain's own ledger, for a fork that repeats it first. */
export interface FirstLedger {
  readonly sequence: number;
  readonly closeTimeUnixMilliseconds: bigint;
  readonly transactionSetHash: string;
  /** The transaction just after the fork's beginning, as it was in that ledger. */
  readonly transaction: Placed;
  /** The LedgerCloseMeta of the ledger before; absent if no source has it. */
  readonly previousMeta?: Uint8Array;
}

export interface ForkOptions {
  readonly clock: Clock;
  readonly mining: Mining;
  readonly first: FirstLedger | null;
  /** Null if the fork is not at the end of a network's ledger. */
  readonly followed: Followed | null;
  /** Called before a client learns of a ledger, or of another change that is part of a file. */
  readonly changed: () => void;
  /**
   * Called after a failure. `hash` is that of the dropped transaction; null if a ledger could not
   * close.
   */
  readonly failed: (error: unknown, hash: string | null) => void;
  /** Called when the fork has repeated the transaction that it begins before. */
  readonly repeated?: (hash: string) => void;
}

export type Sent =
  | { readonly status: "PENDING" | "DUPLICATE" | "TRY_AGAIN_LATER"; readonly hash: string }
  | { readonly status: "ERROR"; readonly hash: string; readonly refusal: Refusal };

/** Everything that belongs to a moment of the fork. */
interface ForkMoment {
  readonly mark: Mark;
  readonly sequence: number;
  readonly waiting: readonly WaitingTransaction[];
  readonly impersonated: Impersonated;
  readonly first: FirstLedger | null;
  readonly followed: Followed | null;
  readonly shiftMilliseconds: bigint;
}

/** The network's changes since the ledger that the fork has followed. */
export interface NetworkLedger {
  readonly sequence: number;
  readonly closeTimeUnixMilliseconds: bigint;
  readonly transactionSetHash: string;
  readonly transactions: readonly Placed[];
  readonly followed: Followed | null;
}

export interface LedgerChoice {
  /** The number of the ledger (default: the next). */
  readonly sequence?: number;
  /** The wait for entries that a transaction needs (default: until nodes have answered). */
  readonly patienceMilliseconds?: number;
}

interface Closing {
  readonly sequence?: number;
  readonly network?: NetworkLedger;
  /** The hashes of transactions that wait for a later ledger. */
  readonly without?: ReadonlySet<string>;
  /** The ledger does not close without this transaction. */
  readonly required?: string;
}

/** stellar-core does not accept a transaction again that was in one of the last ledgers. */
const BANNED_LEDGERS = 10;
/** This is long enough for any test, and within the limits of every network. */
const LONG_LEDGERS = 3_000_000;
/** A change that needs more rounds of reading never gets everything that it needs. */
const MOST_ROUNDS = 1000;

export class Fork {
  readonly history = new LedgerHistory();
  private readonly options: ForkOptions;
  private current: ForkChain;
  private readonly waiting: WaitingTransactions;
  private moments = new Map<number, ForkMoment>();
  private nextMoment = 1;
  private first: FirstLedger | null;
  followed: Followed | null;
  /** The ledger at whose end the fork began, or was loaded. */
  base: ForkTip;
  /** The accounts whose authorization is not required. */
  impersonated: Impersonated = new Set();
  private readonly time: ForkTime;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(chain: ForkChain, options: ForkOptions) {
    this.options = options;
    this.current = chain;
    this.base = chain.latest;
    this.first = options.first;
    this.followed = options.followed;
    this.waiting = new WaitingTransactions(options.failed);
    this.time = new ForkTime(options.clock, chain.latest);
  }

  get chain(): ForkChain {
    return this.current;
  }

  /** The forked ledger, or the first one that is still kept. */
  get oldest(): ForkTip {
    return this.history.forgot ? (this.history.all[0] ?? this.base) : this.base;
  }

  /**
   * The LedgerCloseMeta of the forked ledger, before the fork has closed one; null if it is
   * unknown.
   */
  get baseMetaXdr(): string | null {
    return this.first?.previousMeta?.toBase64() ?? null;
  }

  /**
   * The close time of a ledger that closes now, in Unix milliseconds; whole seconds before protocol
   * 30.
   */
  get nextCloseTime(): bigint {
    const unixMilliseconds = this.first?.closeTimeUnixMilliseconds ?? this.time.now;
    return closesAtOrAfter(unixMilliseconds, this.current.latest);
  }

  /** Closes ledgers as time passes, if the user chose that. Ends with the signal. */
  async mine(signal: AbortSignal): Promise<void> {
    const { mining, clock, failed } = this.options;
    if (typeof mining === "string") return;
    while (!signal.aborted) {
      const { everyMilliseconds: patienceMilliseconds } = mining;
      await clock.sleep(patienceMilliseconds, signal).catch(() => {});
      if (signal.aborted) return;
      await this.close({ signal }, { patienceMilliseconds }).catch((error) => {
        if (!signal.aborted) failed(error, null);
      });
    }
  }

  /** Sends a transaction. Throws XDR_INVALID, and the errors of `ForkChain.close`. */
  async send(envelopeXdr: string, { signal }: ReadContext): Promise<Sent> {
    const { networkPassphrase } = this.current;
    const envelope = openEnvelope(envelopeXdr, networkPassphrase);
    const { hash, innerHash } = envelope;
    const { source } = envelope.terms;
    return this.inTurn({ signal }, async (): Promise<Sent> => {
      if (this.comesAfterFirst(envelope)) await this.repeatFirst({ signal });
      if (this.waiting.has(hash)) return { status: "DUPLICATE", hash };
      const { latest } = this.current;
      const before = this.history.find(hash);
      const isRecent = before !== null && latest.sequence - before.ledger.sequence < BANNED_LEDGERS;
      if (isRecent || this.waiting.all.some((each) => each.source === source))
        return { status: "TRY_AGAIN_LATER", hash };
      const { impersonated, nextCloseTime } = this;
      const closeTimeUnixSeconds = secondOf(nextCloseTime);
      const conditions = {
        signal,
        impersonated,
        closeTimeUnixSeconds,
        withoutReading: true,
      } as const;
      const refusal = await this.current.check(envelopeXdr, conditions);
      if (refusal !== null) return { status: "ERROR", hash, refusal };
      const transaction = { hash, innerHash, envelopeXdr, source };
      if (this.options.mining === "each") await this.closeWith(transaction, { signal });
      else this.waiting.add(transaction);
      return { status: "PENDING", hash };
    });
  }

  /** Closes a ledger that includes the transaction. */
  private async closeWith(transaction: WaitingTransaction, context: ReadContext): Promise<void> {
    this.waiting.add(transaction);
    try {
      await this.closeNow(context, { required: transaction.hash });
    } catch (error) {
      this.waiting.remove(new Set([transaction.hash]));
      throw error;
    }
  }

  /**
   * Says whether an envelope has the sequence number just after that of the transaction which the
   * fork begins before, as the fix of that transaction has.
   */
  private comesAfterFirst({ terms }: Envelope): boolean {
    if (this.first === null || this.options.mining !== "each") return false;
    const { envelopeXdr } = this.first.transaction;
    const first = openEnvelope(envelopeXdr, this.current.networkPassphrase).terms;
    return terms.source === first.source && terms.sequence === first.sequence + 1n;
  }

  /** Repeats the transaction that the fork begins before, if the fork accepts it. */
  private async repeatFirst({ signal }: ReadContext): Promise<void> {
    if (this.first === null) return;
    const { impersonated, nextCloseTime } = this;
    const closeTimeUnixSeconds = secondOf(nextCloseTime);
    const { envelopeXdr } = this.first.transaction;
    const checkOptions = {
      signal,
      impersonated,
      closeTimeUnixSeconds,
      withoutReading: true,
    } as const;
    if ((await this.current.check(envelopeXdr, checkOptions)) !== null) return;
    const { hash, innerHash, terms } = openEnvelope(envelopeXdr, this.current.networkPassphrase);
    await this.closeWith({ hash, innerHash, envelopeXdr, source: terms.source }, { signal });
    this.options.repeated?.(hash);
  }

  /** Throws FORK_NOT_APPLIED for a transaction that was accepted and could not be applied. */
  requireNotDropped(hash: string): void {
    this.waiting.requireNotDropped(hash);
  }

  /**
   * Closes a ledger with the network's transactions, and then those that wait. It has the network's
   * number and time, unless the fork is past them. Throws NotApplied for a transaction of the
   * network.
   */
  async follow(network: NetworkLedger, context: ReadContext): Promise<ClosedLedger> {
    const envelopes = network.transactions.map(({ envelopeXdr }) => envelopeXdr);
    await this.current.readFor(envelopes, context);
    return this.closeInTurn(context, { network });
  }

  /** Closes the next ledger, with all waiting transactions that can be applied. */
  async close(context: ReadContext, choice: LedgerChoice = {}): Promise<ClosedLedger> {
    return this.closeInTurn(context, choice);
  }

  /**
   * Closes a ledger without transactions that writes these entries. Before a ledger that is
   * repeated, they are written as if they had always been so.
   */
  write(entries: readonly WrittenEntry[], { signal }: ReadContext): Promise<void> {
    return this.inTurn({ signal }, async () => {
      const chain = this.current;
      const keys = entries.flatMap(({ keyXdr }) =>
        isSorobanKey(keyXdr) ? [keyXdr, ttlKeyOf(keyXdr)] : [keyXdr],
      );
      const before = await chain.read(keys, { signal, withoutReading: true });
      const closesAt = closeTimes(this.nextCloseTime);
      const ledger = this.first === null ? await chain.close([], { signal, ...closesAt }) : null;
      const { sequence } = chain.latest;
      for (const { keyXdr, entryXdr, liveUntilLedger, archived } of entries) {
        if (entryXdr === null) {
          chain.remove(keyXdr);
          continue;
        }
        const until = isSorobanKey(keyXdr) && !archived;
        chain.put({
          entryXdr: modifiedIn(entryXdr, sequence),
          ...(until && { liveUntilLedger: liveUntilLedger ?? sequence + LONG_LEDGERS }),
          ...(archived && { archived }),
        });
      }
      if (ledger === null) {
        this.options.changed();
        return;
      }
      const after = await chain.read(keys, { signal });
      const changed = keys.map((keyXdr) => ({
        keyXdr,
        before: liveOf(before.get(keyXdr)),
        after: liveOf(after.get(keyXdr)),
      }));
      this.keep(withWritten(ledger, changed, chain.rentFacts));
    });
  }

  /** Runs `change` while no ledger closes. */
  exclusively<T>(change: () => T | Promise<T>): Promise<T> {
    const result = this.turn.then(change);
    this.turn = result.catch(() => {});
    return result;
  }

  /** Runs `change` in its turn. Entries that it lacks are read before it runs again. */
  private async inTurn<T>(context: ReadContext, change: () => Promise<T>): Promise<T> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      try {
        return await this.exclusively(change);
      } catch (error) {
        const reason = error instanceof NotApplied ? error.cause : error;
        if (!(reason instanceof NotRead)) throw reason;
        await this.current.read(reason.keysXdr, context);
      }
    }
    throw new Error("a change that needs ever more entries");
  }

  /** Waiting transactions that lack entries go into a later ledger if nodes do not answer. */
  private async closeInTurn(
    context: ReadContext,
    choice: LedgerChoice & Pick<Closing, "network">,
  ): Promise<ClosedLedger> {
    const without = new Set<string>();
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      try {
        return await this.exclusively(() => this.closeNow(context, { ...choice, without }));
      } catch (error) {
        if (!(error instanceof NotApplied && error.cause instanceof NotRead)) throw error;
        const { hash, cause } = error;
        const read = (readContext: ReadContext) => this.current.read(cause.keysXdr, readContext);
        if (!this.waiting.has(hash)) await read(context);
        else if (!(await this.isReadFor(hash, read, context, choice))) without.add(hash);
      }
    }
    throw new Error("a ledger that needs ever more entries");
  }

  /** False if the entries could not be read in that time. */
  private async isReadFor(
    hash: string,
    read: (context: ReadContext) => Promise<unknown>,
    context: ReadContext,
    { patienceMilliseconds }: LedgerChoice,
  ): Promise<boolean> {
    let isRead = false;
    const reading = this.waiting.waitForEntries(
      hash,
      async () => {
        await read(context);
        isRead = true;
      },
      context,
    );
    if (patienceMilliseconds === undefined) await reading;
    else {
      const over = new AbortController();
      const signal = AbortSignal.any([over.signal, context.signal]);
      const { clock } = this.options;
      const late = clock.sleep(patienceMilliseconds, signal).catch(() => {});
      await Promise.race([reading, late]).finally(() => over.abort());
      // The stop of the fork does not wait for a node either.
      reading.catch(() => {});
    }
    return isRead;
  }

  /** Sets the time, which continues from there. A ledger that is repeated keeps its own time. */
  set nextCloseTime(unixMilliseconds: bigint) {
    this.time.set(unixMilliseconds);
  }

  /** Remembers this moment, and returns its id. */
  remember(): number {
    const id = this.nextMoment;
    this.nextMoment += 1;
    this.moments.set(id, {
      mark: this.current.mark(),
      sequence: this.current.latest.sequence,
      waiting: [...this.waiting.all],
      impersonated: this.impersonated,
      first: this.first,
      followed: this.followed,
      shiftMilliseconds: this.time.shiftMilliseconds,
    });
    return id;
  }

  /**
   * Returns to a moment, which is forgotten together with those after it. False if there is no such
   * moment.
   */
  returnTo(id: number): boolean {
    const moment = this.moments.get(id);
    if (moment === undefined) return false;
    this.current.dropTo(moment.mark);
    this.history.dropAfter(moment.sequence);
    this.waiting.replace(moment.waiting);
    this.impersonated = moment.impersonated;
    this.first = moment.first;
    this.followed = moment.followed;
    this.time.shiftMilliseconds = moment.shiftMilliseconds;
    for (const each of this.moments.keys()) if (each >= id) this.moments.delete(each);
    this.options.changed();
    return true;
  }

  /** Replaces the chain by another one. Everything of this one is lost. */
  replace(chain: ForkChain, { first, followed }: Pick<ForkOptions, "first" | "followed">): void {
    this.current = chain;
    this.base = chain.latest;
    this.history.dropAfter(-1);
    this.waiting.replace([]);
    this.moments.clear();
    this.impersonated = new Set();
    this.first = first;
    this.followed = followed;
    this.time.shiftMilliseconds = 0n;
    this.time.begin(chain.latest);
  }

  /**
   * Closes a ledger in its turn. A waiting transaction that cannot be applied is dropped, and the
   * ledger closes without it. Throws NotApplied for one that lacks entries, is required, or is the
   * network's.
   */
  private async closeNow(context: ReadContext, closing: Closing): Promise<ClosedLedger> {
    for (;;) {
      try {
        return await this.closeWaiting(context, closing);
      } catch (error) {
        const isDropped =
          error instanceof NotApplied &&
          !(error.cause instanceof NotRead) &&
          error.hash !== closing.required &&
          this.waiting.has(error.hash) &&
          !context.signal.aborted;
        if (!isDropped) throw error;
        this.waiting.drop(error.hash, error.cause);
      }
    }
  }

  private async closeWaiting(
    { signal }: ReadContext,
    { network, without = new Set(), ...closing }: Closing,
  ): Promise<ClosedLedger> {
    const { first, impersonated, current } = this;
    const next = current.latest.sequence + 1;
    const isFirst = first !== null && first.sequence === next;
    const taken = this.waiting.ready.filter(({ hash }) => !without.has(hash));
    const waiting = taken.map(({ envelopeXdr }) =>
      isFirst && envelopeXdr === first.transaction.envelopeXdr ? first.transaction : envelopeXdr,
    );
    const closesAt = network
      ? closesAtOrAfter(network.closeTimeUnixMilliseconds, current.latest)
      : this.nextCloseTime;
    const sequence = network ? Math.max(network.sequence, next) : closing.sequence;
    const ledger = await current.close([...(network?.transactions ?? []), ...waiting], {
      signal,
      ...closeTimes(closesAt),
      impersonated,
      withoutReading: true,
      ...(sequence !== undefined && { sequence }),
      ...(isFirst && { transactionSetHash: first.transactionSetHash }),
      ...(network && { transactionSetHash: network.transactionSetHash }),
    });
    if (first !== null) {
      this.first = null;
      this.time.begin(current.latest);
    }
    if (network) {
      this.nextCloseTime = closesAt;
      this.followed = network.followed;
    }
    for (const { envelopeXdr, refusal } of ledger.leftOut) {
      const left = taken.find((each) => each.envelopeXdr === envelopeXdr);
      if (left !== undefined) this.waiting.drop(left.hash, refusedByLedger(refusal));
    }
    this.waiting.remove(new Set(taken.map(({ hash }) => hash)));
    this.keep(ledger);
    return ledger;
  }

  private keep(ledger: ClosedLedger): void {
    this.options.changed();
    this.history.add(ledger);
  }
}

function closeTimes(closeTimeUnixMilliseconds: bigint) {
  return { closeTimeUnixSeconds: secondOf(closeTimeUnixMilliseconds), closeTimeUnixMilliseconds };
}

/** The live state does not contain archived entries. */
function liveOf(entry: ForkEntry | null | undefined): string | null {
  return entry && !entry.archived ? entry.entryXdr : null;
}
