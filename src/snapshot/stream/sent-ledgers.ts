// Ledgers that svc received and sends to the ledger engine, which checks their hashes and folds
// them. Invariants: the engine has a bounded number of bytes that it has not folded. svc keeps the
// bytes of few ledgers, and gets those of the others back if it needs them.

import type { LedgerEngine } from "../../simulator/ledger-engine.ts";
import type { LedgerBytes } from "../../sources/files/ledger-stream.ts";
import type { LedgerToFold } from "./fold-evidence.ts";
import { unreadable } from "./ledgers-fold.ts";
import type { StreamLedgers } from "./opened-ledgers.ts";

/** A ledger, and the source that it was read from. */
export interface SentLedger extends LedgerBytes, LedgerToFold {
  readonly source: string;
}

/** The bytes of ledgers that are sent ahead for what they first mention, and while others run. */
export const AHEAD_BYTES = 48 * 1024 * 1024;
/** The bytes of ledgers that are checked and not taken. Those that were checked first go first. */
const HELD_BYTES = 64 * 1024 * 1024;
/** The bytes of taken ledgers that svc keeps too. The engine sends those of the others. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** A ledger that the engine has taken. */
interface TakenLedger {
  readonly sequence: number;
  readonly source: string;
  readonly bytes: number;
  /** Null if svc does not have its bytes. */
  ledger: LedgerToFold | null;
}

export interface LedgerCounting {
  /** The ledgers before this one do not count. */
  readonly countFrom: number;
  /** The number of the next ledgers that do not count either. */
  readonly skip: number;
  /** Called for each ledger that counts and is finished, in their order. */
  readonly finished: (sequence: number) => void;
}

export class SentLedgers implements StreamLedgers {
  private sent = 0;
  /** The ledgers that the engine keeps, by their bytes: the numbers under which it does. */
  private readonly held = new Map<Uint8Array, number>();
  private heldBytes = 0;
  /** The ledgers that the engine is reading. */
  private readonly begun = new Map<Uint8Array, Promise<void>>();
  /** The ledgers in which nothing is wrong. */
  private readonly whole = new WeakSet<Uint8Array>();
  /** What is wrong with the other ones. */
  private readonly problems = new WeakMap<Uint8Array, string>();
  /** The ledgers that were taken and are needed, by their number in the stream. */
  private readonly taken = new Map<number, TakenLedger>();
  private keptBytes = 0;
  private next = 0;
  /** The number of those that do not count. They are the first ones. */
  private passed = 0;
  private skipped = 0;
  /** True if the engine folds what it has taken, so that the answers end by themselves. */
  isBegun = false;
  /** The bytes of ledgers that count and are not finished. */
  private unfinishedBytes = 0;
  private finished = 0;
  private more = Promise.withResolvers<void>();

  constructor(
    private readonly engine: LedgerEngine,
    private readonly counting: LedgerCounting,
  ) {}

  /** Says whether nothing is wrong with a ledger. */
  async isWhole({ ledgerCloseMeta }: LedgerBytes): Promise<boolean> {
    if (!this.whole.has(ledgerCloseMeta)) await this.sendOnce(ledgerCloseMeta);
    return this.whole.has(ledgerCloseMeta);
  }

  /**
   * Lets the engine take the next ledger. `shows` is false for one before the stream's first.
   * Rejects with XDR_INVALID.
   */
  async take(ledger: SentLedger, shows: boolean): Promise<void> {
    const { sequence, source, ledgerCloseMeta } = ledger;
    const { length: bytes } = ledgerCloseMeta;
    if (!this.held.has(ledgerCloseMeta)) await this.sendOnce(ledgerCloseMeta);
    const number = this.held.get(ledgerCloseMeta);
    if (number === undefined) throw unreadable(ledger, this.problems.get(ledgerCloseMeta) ?? "");
    this.release(ledgerCloseMeta);
    const isKept = this.keptBytes + bytes <= KEPT_BYTES;
    if (isKept) this.keptBytes += bytes;
    this.taken.set(this.next, { sequence, source, bytes, ledger: isKept ? ledger : null });
    this.next += 1;
    const { countFrom, skip } = this.counting;
    const isPassed = sequence < countFrom || this.skipped < skip;
    if (sequence >= countFrom && isPassed) this.skipped += 1;
    if (isPassed) {
      this.passed += 1;
      // Only the ledger before the first one that counts is needed.
      this.forgetBefore(this.passed - 1);
    } else {
      this.unfinishedBytes += bytes;
    }
    await this.engine.takeNext(number, { shows, kept: isKept });
  }

  /** Lets the engine fold: no later ledger shows what was before it. With `last`, none follows. */
  async begin(last: boolean): Promise<void> {
    this.isBegun = true;
    await this.engine.begin(last);
  }

  /** Waits until the engine may have another ledger. */
  async room(signal: AbortSignal): Promise<void> {
    const end = () => this.more.resolve();
    signal.addEventListener("abort", end);
    while (this.unfinishedBytes >= AHEAD_BYTES && !signal.aborted) {
      await this.more.promise;
      this.more = Promise.withResolvers();
    }
    signal.removeEventListener("abort", end);
    signal.throwIfAborted();
  }

  /** Says how many of the ledgers that count are finished. */
  finish(count: number): void {
    for (; this.finished < count; this.finished += 1) {
      const taken = this.taken.get(this.passed + this.finished);
      if (taken === undefined) continue;
      this.unfinishedBytes -= taken.bytes;
      this.counting.finished(taken.sequence);
    }
    // The ledger before the first unfinished one is needed too.
    this.forgetBefore(this.passed + count - 1);
    this.more.resolve();
  }

  source({ at }: { readonly at: number }): string {
    return this.taken.get(this.passed + at)?.source ?? "";
  }

  add(number: number, ledger: LedgerToFold): void {
    const taken = this.taken.get(number);
    if (taken === undefined || taken.ledger !== null) return;
    taken.ledger = ledger;
    this.keptBytes += taken.bytes;
  }

  get(number: number): LedgerToFold | null {
    return this.taken.get(number)?.ledger ?? null;
  }

  forgetBefore(first: number): void {
    for (const [number, { bytes, ledger }] of this.taken) {
      if (number >= first) break;
      this.taken.delete(number);
      if (ledger !== null) this.keptBytes -= bytes;
    }
  }

  private sendOnce(ledgerCloseMeta: Uint8Array): Promise<void> {
    const begun = this.begun.get(ledgerCloseMeta);
    if (begun !== undefined) return begun;
    const sent = this.send(ledgerCloseMeta).finally(() => this.begun.delete(ledgerCloseMeta));
    this.begun.set(ledgerCloseMeta, sent);
    return sent;
  }

  private async send(ledgerCloseMeta: Uint8Array): Promise<void> {
    const number = this.sent;
    this.sent += 1;
    const read = await this.engine.read(ledgerCloseMeta, number);
    if (typeof read === "string" || read.forged !== null) {
      const forged = typeof read === "string" ? read : `its ${read.forged} is forged`;
      this.problems.set(ledgerCloseMeta, forged);
      return;
    }
    this.whole.add(ledgerCloseMeta);
    this.held.set(ledgerCloseMeta, number);
    this.heldBytes += ledgerCloseMeta.length;
    for (const [oldest, itsNumber] of this.held) {
      if (this.heldBytes <= HELD_BYTES || oldest === ledgerCloseMeta) break;
      this.release(oldest);
      this.engine.drop(itsNumber);
    }
  }

  private release(ledgerCloseMeta: Uint8Array): void {
    if (this.held.delete(ledgerCloseMeta)) this.heldBytes -= ledgerCloseMeta.length;
  }
}
