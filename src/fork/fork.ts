// A fork that runs: its chain, the transactions that wait for a ledger, and when ledgers close.
// Invariant: whatever changes the chain waits for its turn, so that no ledger closes meanwhile.

import type { Clock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import { isFailureOfNode } from "../sources/source.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { modifiedIn } from "../xdr/ledger/patch-entry.ts";
import { isSorobanKey, ttlKeyOf } from "../xdr/reader/keys.ts";
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
import { LedgerHistory } from "./ledger-history.ts";
import { type WrittenEntry, withWritten } from "./written-entries.ts";

/** When a ledger closes: with each transaction, after that time, or when somebody says so. */
export type Mining = "each" | "never" | { readonly everyMilliseconds: number };

/** What the chain's own ledger was, for a fork that repeats it first. */
export interface FirstLedger {
  readonly sequence: number;
  readonly closeTimeUnixSeconds: bigint;
  readonly transactionSetHash: string;
  /** The transaction that the fork stands before, as it was in that ledger. */
  readonly transaction: Placed;
  /** LedgerCloseMeta of the ledger before; absent: no source has it. */
  readonly previousMeta?: Uint8Array;
}

export interface ForkOptions {
  readonly clock: Clock;
  readonly mining: Mining;
  readonly first: FirstLedger | null;
  /** Null where the fork does not stand at the end of a network's ledger. */
  readonly followed: Followed | null;
  /** Called with each ledger, and with why one could not close. */
  readonly closed: (ledger: ClosedLedger) => void;
  readonly failed: (error: unknown) => void;
}

export type Sent =
  | { readonly status: "PENDING" | "DUPLICATE" | "TRY_AGAIN_LATER"; readonly hash: string }
  | { readonly status: "ERROR"; readonly hash: string; readonly refusal: Refusal };

interface Waiting {
  readonly hash: string;
  readonly envelopeXdr: string;
  /** Each account has one transaction in a node's queue. */
  readonly source: string;
}

/** All that a moment of the fork is. */
interface Moment {
  readonly mark: Mark;
  readonly sequence: number;
  readonly waiting: readonly Waiting[];
  readonly impersonated: Impersonated;
  readonly first: FirstLedger | null;
  readonly followed: Followed | null;
  readonly shiftSeconds: bigint;
}

/** What the network did since the ledger that the fork has followed. */
export interface NetworkLedger {
  readonly sequence: number;
  readonly closeTimeUnixSeconds: bigint;
  readonly transactionSetHash: string;
  readonly transactions: readonly Placed[];
  readonly followed: Followed | null;
  /** Nothing of it is beyond a fork: what cannot be applied is among what waits. */
  readonly isSupported: boolean;
}

/** stellar-core does not take a transaction again that was in one of the last ledgers. */
const BANNED_LEDGERS = 10;
/** Long enough for any test, and within what every network allows. */
const LONG_LEDGERS = 3_000_000;

export class Fork {
  readonly history = new LedgerHistory();
  private readonly options: ForkOptions;
  private current: ForkChain;
  private waiting: Waiting[] = [];
  private moments = new Map<number, Moment>();
  private nextMoment = 1;
  private first: FirstLedger | null;
  followed: Followed | null;
  /** The ledger at whose end the fork began, or was loaded. */
  base: ForkTip;
  /** Whose authorization is not asked for. */
  impersonated: Impersonated = new Set();
  /** The fork's time goes on from its base, as fast as the clock. */
  private begunAt: { readonly milliseconds: number; readonly unixSeconds: bigint };
  private shiftSeconds = 0n;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(chain: ForkChain, options: ForkOptions) {
    this.options = options;
    this.current = chain;
    this.base = chain.latest;
    this.first = options.first;
    this.followed = options.followed;
    this.begunAt = this.timeOf(chain);
  }

  get chain(): ForkChain {
    return this.current;
  }

  /** The ledger that was forked, or the first that is not forgotten. */
  get oldest(): ForkTip {
    return this.history.forgot ? (this.history.all[0] ?? this.base) : this.base;
  }

  /** LedgerCloseMeta of the forked ledger, before the fork has closed one; null: not known. */
  get baseMetaXdr(): string | null {
    return this.first?.previousMeta?.toBase64() ?? null;
  }

  /** What a ledger could have that closes now. */
  get nextCloseTime(): bigint {
    if (this.first !== null) return this.first.closeTimeUnixSeconds;
    const now = this.unshiftedTime + this.shiftSeconds;
    const least = BigInt(this.current.latest.closeTimeUnixSeconds) + 1n;
    return now > least ? now : least;
  }

  /** Closes ledgers as time passes, where that is the choice. Ends with the signal. */
  async mine(signal: AbortSignal): Promise<void> {
    const { mining, clock, failed } = this.options;
    if (typeof mining === "string") return;
    while (!signal.aborted) {
      await clock.sleep(mining.everyMilliseconds, signal).catch(() => {});
      if (signal.aborted) return;
      await this.close({ signal }).catch(failed);
    }
  }

  /** Throws XDR_INVALID, and what `ForkChain.close` throws. */
  async send(envelopeXdr: string, { signal }: ReadContext): Promise<Sent> {
    const { networkPassphrase } = this.current;
    const envelope = openEnvelope(envelopeXdr, networkPassphrase);
    const { hash } = envelope;
    const { source } = envelope.terms;
    return this.alone(async (): Promise<Sent> => {
      if (this.waiting.some((each) => each.hash === hash)) return { status: "DUPLICATE", hash };
      const { latest } = this.current;
      const before = this.history.find(hash);
      const isRecent = before !== null && latest.sequence - before.ledger.sequence < BANNED_LEDGERS;
      if (isRecent || this.waiting.some((each) => each.source === source))
        return { status: "TRY_AGAIN_LATER", hash };
      const { impersonated, nextCloseTime: closeTimeUnixSeconds } = this;
      const given = { signal, impersonated, closeTimeUnixSeconds };
      const refusal = await this.current.check(envelopeXdr, given);
      if (refusal !== null) return { status: "ERROR", hash, refusal };
      this.waiting.push({ hash, envelopeXdr, source });
      if (this.options.mining !== "each") return { status: "PENDING", hash };
      try {
        await this.closeNext({ signal });
      } catch (error) {
        this.waiting = this.waiting.filter((each) => each.hash !== hash);
        throw error;
      }
      return { status: "PENDING", hash };
    });
  }

  /**
   * A ledger of the network's transactions, and then of those that wait. It has the network's
   * number and time, where the fork has not come to them yet.
   */
  follow(network: NetworkLedger, context: ReadContext): Promise<ClosedLedger> {
    return this.alone(async () => {
      const { latest } = this.current;
      const least = BigInt(latest.closeTimeUnixSeconds) + 1n;
      const closesAt = network.closeTimeUnixSeconds;
      const closeTimeUnixSeconds = closesAt > least ? closesAt : least;
      const sequence = Math.max(network.sequence, latest.sequence + 1);
      const placed = { ...network, sequence, closeTimeUnixSeconds };
      const ledger = await this.closeWaiting(context, sequence, placed).catch((error) => {
        const isUnsupported = error instanceof SvcError && error.code === "FORK_UNSUPPORTED";
        if (isUnsupported && network.isSupported) this.waiting = [];
        throw error;
      });
      this.nextCloseTime = closeTimeUnixSeconds;
      this.followed = network.followed;
      return ledger;
    });
  }

  /** The next ledger, with all transactions that wait. */
  close(context: ReadContext, sequence?: number): Promise<ClosedLedger> {
    return this.alone(() => this.closeNext(context, sequence));
  }

  /**
   * A ledger without transactions in which these entries become so. Before a ledger that is
   * repeated they are as if they had always been so.
   */
  write(entries: readonly WrittenEntry[], { signal }: ReadContext): Promise<void> {
    return this.alone(async () => {
      const chain = this.current;
      const keys = entries.flatMap(({ keyXdr }) =>
        isSorobanKey(keyXdr) ? [keyXdr, ttlKeyOf(keyXdr)] : [keyXdr],
      );
      const before = await chain.read(keys, { signal });
      const closeTimeUnixSeconds = this.nextCloseTime;
      const ledger =
        this.first === null ? await chain.close([], { signal, closeTimeUnixSeconds }) : null;
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
      if (ledger === null) return;
      const after = await chain.read(keys, { signal });
      const changed = keys.map((keyXdr) => ({
        keyXdr,
        before: liveOf(before.get(keyXdr)),
        after: liveOf(after.get(keyXdr)),
      }));
      this.keep(withWritten(ledger, changed));
    });
  }

  /** `change` runs while no ledger closes. */
  alone<T>(change: () => T | Promise<T>): Promise<T> {
    const result = this.turn.then(change);
    this.turn = result.catch(() => {});
    return result;
  }

  /** Time goes on from there. A ledger that is repeated keeps its own. */
  set nextCloseTime(unixSeconds: bigint) {
    this.shiftSeconds = unixSeconds - this.unshiftedTime;
  }

  private get unshiftedTime(): bigint {
    const { milliseconds, unixSeconds } = this.begunAt;
    const elapsed = (this.options.clock.monotonicMilliseconds() - milliseconds) / 1000;
    return unixSeconds + BigInt(Math.floor(elapsed));
  }

  /** A moment to return to. */
  remember(): number {
    const id = this.nextMoment;
    this.nextMoment += 1;
    this.moments.set(id, {
      mark: this.current.mark(),
      sequence: this.current.latest.sequence,
      waiting: [...this.waiting],
      impersonated: this.impersonated,
      first: this.first,
      followed: this.followed,
      shiftSeconds: this.shiftSeconds,
    });
    return id;
  }

  /** False: there is no such moment. It and those after it are gone then. */
  returnTo(id: number): boolean {
    const moment = this.moments.get(id);
    if (moment === undefined) return false;
    this.current.dropTo(moment.mark);
    this.history.dropAfter(moment.sequence);
    this.waiting = [...moment.waiting];
    this.impersonated = moment.impersonated;
    this.first = moment.first;
    this.followed = moment.followed;
    this.shiftSeconds = moment.shiftSeconds;
    for (const each of this.moments.keys()) if (each >= id) this.moments.delete(each);
    return true;
  }

  /** Another chain in the place of this one: all that was is gone. */
  replace(chain: ForkChain, { first, followed }: Pick<ForkOptions, "first" | "followed">): void {
    this.current = chain;
    this.base = chain.latest;
    this.history.dropAfter(-1);
    this.waiting = [];
    this.moments.clear();
    this.impersonated = new Set();
    this.first = first;
    this.followed = followed;
    this.shiftSeconds = 0n;
    this.begunAt = this.timeOf(chain);
  }

  private async closeNext(context: ReadContext, sequence?: number): Promise<ClosedLedger> {
    try {
      return await this.closeWaiting(context, sequence);
    } catch (error) {
      // What svc-sim cannot run would keep later ledgers from closing; a node may answer again.
      const isPassing = context.signal.aborted || isFailureOfNode(error);
      if (!isPassing) this.waiting = [];
      throw error;
    }
  }

  private async closeWaiting(
    { signal }: ReadContext,
    sequence?: number,
    network?: NetworkLedger,
  ): Promise<ClosedLedger> {
    const { first, impersonated } = this;
    const isFirst = first !== null && first.sequence === this.current.latest.sequence + 1;
    const waiting = this.waiting.map(({ envelopeXdr }) =>
      isFirst && envelopeXdr === first.transaction.envelopeXdr ? first.transaction : envelopeXdr,
    );
    const ledger = await this.current.close([...(network?.transactions ?? []), ...waiting], {
      signal,
      closeTimeUnixSeconds: network?.closeTimeUnixSeconds ?? this.nextCloseTime,
      impersonated,
      ...(sequence !== undefined && { sequence }),
      ...(isFirst && { transactionSetHash: first.transactionSetHash }),
      ...(network && { transactionSetHash: network.transactionSetHash }),
    });
    if (first !== null) {
      this.first = null;
      this.begunAt = this.timeOf(this.current);
    }
    this.waiting = [];
    this.keep(ledger);
    return ledger;
  }

  private keep(ledger: ClosedLedger): void {
    this.history.add(ledger);
    this.options.closed(ledger);
  }

  private timeOf({ latest }: ForkChain) {
    return {
      milliseconds: this.options.clock.monotonicMilliseconds(),
      unixSeconds: BigInt(latest.closeTimeUnixSeconds),
    };
  }
}

/** The live state does not have what was archived. */
function liveOf(entry: ForkEntry | null | undefined): string | null {
  return entry && !entry.archived ? entry.entryXdr : null;
}
