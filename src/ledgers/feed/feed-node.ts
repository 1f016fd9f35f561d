// One source of ledgers: what it has, how it fares, and its ledgers while they continue the chain.

import type { Clock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { isProtocolUnknown } from "../../model/protocols.ts";
import { around } from "../../sources/around.ts";
import type { LedgerBytes } from "../../sources/files/ledger-stream.ts";
import { type FetchContext, isFailureOfNode, type Source } from "../../sources/source.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import type { LedgerReader } from "../ledger-reader.ts";

export type FollowLog = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, string | number | null>>,
) => void;

export interface FeedDependencies {
  /** In the order they are asked. */
  readonly sources: readonly Source[];
  readonly ledgers: LedgerReader;
  readonly clock: Clock;
  readonly log: FollowLog;
  /** Told of the latest ledger that any source has shown, each time that one answers. */
  readonly shown?: (latest: number) => void;
  /** Told of each ledger that was not accepted; it is asked for again. */
  readonly refused?: (refusal: RefusedLedger) => void;
  /** Told when the next ledger was not accepted, and no other source is expected to have it. */
  readonly standsStill?: (refusal: RefusedLedger) => void;
  /**
   * Told when the next ledger is of a later protocol than svc knows, and no other source is
   * expected to have another one. Absent: following ends with PROTOCOL_UNKNOWN.
   */
  readonly protocolUnknown?: (error: SvcError) => void;
  readonly pollMilliseconds?: number;
  readonly stallMilliseconds?: number;
}

export interface RefusedLedger {
  readonly ledger: number;
  /** Name of the source. */
  readonly source: string;
  readonly problem: string;
}

/** Longer than the network takes for a ledger, even on a bad day. */
export const STALL_MILLISECONDS = 30_000;
/** A question for a transaction that does not exist is the cheapest way to see a node's window. */
const NO_TRANSACTION = "0".repeat(64);
const LEDGERS_OF_LAKE = 64;
const PRUNED = "the node no longer keeps the ledger";
const NOT_REACHED = "the node has not reached the ledger yet";
/** They do not end when the node advances. */
const LASTING: ReadonlySet<string> = new Set([PRUNED, NOT_REACHED]);
/** A trouble that lasts is said again. */
const NOTE_MILLISECONDS = 60_000;
/** A node that lacks more ledgers does not merely lag. */
const LAG_LEDGERS = 20;
/** A node whose ledger was not accepted is asked again after a pause, which doubles each time. */
const FIRST_PAUSE_MILLISECONDS = 1_000;
const LONGEST_PAUSE_MILLISECONDS = 30_000;

export class FeedNode {
  private advancedAt: number;
  private highest = 0;
  /** What was logged last: one line for each change, and one a minute while it lasts. */
  private trouble = { message: "", at: 0 };
  window: { readonly first: number; readonly last: number } | null = null;
  failure: SvcError | null = null;
  /** Null when its last ledger was accepted. */
  refusal: RefusedLedger | null = null;
  /** PROTOCOL_UNKNOWN of its next ledger. */
  later: SvcError | null = null;
  private pauseMilliseconds = 0;
  private pausesUntil = 0;

  constructor(
    readonly source: Source,
    private readonly dependencies: FeedDependencies,
  ) {
    this.advancedAt = dependencies.clock.monotonicMilliseconds();
  }

  /** A lake has no window: it is asked for the ledger itself. */
  get isLake(): boolean {
    return this.source.fetchTransaction === undefined;
  }

  /**
   * `not-yet`: the node works and will have it, so that no other is asked. `no`: it fails, stands
   * still, or no longer keeps the ledger.
   */
  async has(next: number, context: FetchContext): Promise<"yes" | "not-yet" | "no"> {
    if (this.dependencies.clock.monotonicMilliseconds() < this.pausesUntil) return "no";
    if (this.isLake) return "yes";
    const { window } = this;
    if (window === null || window.last < next || window.first > next) await this.look(context);
    if (this.window === null) return "no";
    const { first, last } = this.window;
    if (next < first) {
      this.note(PRUNED, { ledger: next, oldest: first });
      return "no";
    }
    if (next <= last) return "yes";
    const { clock, stallMilliseconds = STALL_MILLISECONDS } = this.dependencies;
    const stands = clock.monotonicMilliseconds() - this.advancedAt >= stallMilliseconds;
    if (next > last + LAG_LEDGERS) {
      this.note(NOT_REACHED, { ledger: next, latest: last });
    } else if (stands) this.note("the node has no new ledger", { ledger: next, latest: last });
    return stands ? "no" : "not-yet";
  }

  /** The node works, and its ledgers begin after that one: it will never have it again. */
  hasLost(ledger: number): boolean {
    return this.window !== null && this.window.first > ledger;
  }

  /** Asks for the node's window. */
  async look(context: FetchContext): Promise<void> {
    this.window = null;
    this.failure = null;
    try {
      await this.source.fetchTransaction?.(NO_TRANSACTION, context);
      this.window = this.source.range?.() ?? null;
    } catch (error) {
      this.fail(error, context);
    }
    if (this.window === null || this.window.last <= this.highest) return;
    this.highest = this.window.last;
    this.advancedAt = this.dependencies.clock.monotonicMilliseconds();
    if (!LASTING.has(this.trouble.message)) this.trouble.message = "";
  }

  /** Those that follow; ends where the node goes no further, or does not continue the chain. */
  async *take(
    first: number,
    last: number,
    previousHash: string | null,
    context: FetchContext,
  ): AsyncGenerator<LedgerCloseMetaView> {
    const end = Math.min(last, this.window?.last ?? first + LEDGERS_OF_LAKE - 1);
    const { ledgers: reader } = this.dependencies;
    const opened = new Map<number, LedgerCloseMetaView>();
    let next = first;
    let previous = previousHash;
    const open = (ledger: LedgerBytes): LedgerCloseMetaView => {
      const { sequence } = ledger;
      const known = opened.get(sequence) ?? openLedger(ledger, reader);
      // Answers that are on their way at once may come before the ledger that they follow.
      const before = sequence === next ? previous : (opened.get(sequence - 1)?.facts.hash ?? null);
      if (before !== null && known.facts.previousHash !== before)
        throw refusedLedger(sequence, FOLLOWS_NOT);
      opened.set(sequence, known);
      return known;
    };
    try {
      const check = (ledger: LedgerBytes) => void open(ledger);
      const asking = { ...context, check, sources: [this.source] };
      for await (const ledger of reader.run(first, end, asking)) {
        const view = open(ledger);
        this.refusal = null;
        this.pauseMilliseconds = 0;
        yield view;
        opened.delete(next);
        previous = view.facts.hash;
        next += 1;
      }
      // The window is looked at again: it has moved, or the node has a gap.
      if (next <= end && !this.isLake) {
        this.note("the node left out a ledger that it should have", { ledger: next });
        this.window = null;
      }
    } catch (error) {
      this.fail(error, context);
    }
  }

  private fail(error: unknown, { signal }: FetchContext): void {
    if (signal.aborted) throw error;
    if (isProtocolUnknown(error)) {
      this.meetLater(error);
      return;
    }
    if (!isFailureOfNode(error)) throw error;
    this.failure = error;
    this.window = null;
    const { sequence, problem } = error.details;
    if (typeof sequence === "number" && problem) this.refuse(sequence, String(problem));
    else this.note("the node failed", { problem: error.message });
  }

  /** The ledger is not refused: it may well be the network's. Another source may have another one. */
  private meetLater(error: SvcError): void {
    const { clock } = this.dependencies;
    this.later = error;
    this.window = null;
    this.pausesUntil = clock.monotonicMilliseconds() + LONGEST_PAUSE_MILLISECONDS;
    const { ledger, protocolVersion: protocol } = error.details;
    this.note("a ledger is of a later protocol than this svc knows: update svc", {
      ...(typeof ledger === "number" && { ledger }),
      protocol: Number(protocol),
    });
  }

  private refuse(ledger: number, problem: string): void {
    const { clock, refused } = this.dependencies;
    const longer = Math.max(FIRST_PAUSE_MILLISECONDS, 2 * this.pauseMilliseconds);
    this.pauseMilliseconds = Math.min(longer, LONGEST_PAUSE_MILLISECONDS);
    this.pausesUntil = clock.monotonicMilliseconds() + this.pauseMilliseconds;
    this.refusal = { ledger, source: this.source.name, problem };
    refused?.(this.refusal);
    this.note(problem, { ledger });
  }

  private note(message: string, fields: Readonly<Record<string, string | number>>): void {
    const at = this.dependencies.clock.monotonicMilliseconds();
    if (this.trouble.message === message && at < this.trouble.at + NOTE_MILLISECONDS) return;
    this.trouble = { message, at };
    this.dependencies.log("warn", message, { source: this.source.name, ...fields });
  }
}

const FOLLOWS_NOT = "a ledger does not follow the last one that was verified: the nodes disagree";

/** Throws NETWORK_BAD_ANSWER when it cannot be read, or is another one. */
export function openLedger(
  { sequence, ledgerCloseMeta }: LedgerBytes,
  ledgers: LedgerReader,
): LedgerCloseMetaView {
  let view: LedgerCloseMetaView;
  try {
    view = ledgers.open(ledgerCloseMeta);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "XDR_INVALID") throw error;
    throw refusedLedger(sequence, `a ledger cannot be read: ${error.message}`, error);
  }
  if (view.facts.sequence !== sequence)
    throw refusedLedger(sequence, "a ledger has another number than was asked for");
  if (view.transactions.some(({ hasEnvelope }) => !hasEnvelope))
    throw refusedLedger(sequence, "a ledger is of another network");
  return view;
}

/** The attempt that brought it is a failure of the node. */
export function refusedLedger(ledger: number, problem: string, cause?: unknown): SvcError {
  return new SvcError("NETWORK_BAD_ANSWER", {
    message: `Ledger ${ledger} was not accepted: ${problem}.`,
    remedy: phrase`Set another node with ${flag("rpcUrl")}.`,
    details: { sequence: ledger, problem },
    cause,
  });
}

const OF_SOURCE: readonly string[] = ["NODE_LIED", "XDR_INVALID"];

/**
 * A source whose false or unreadable answers are failures of that source, as a timeout is: another
 * one is asked, and the run goes on. A run for one transaction stops there instead, and says so.
 */
export function forgivingSource(source: Source): Source {
  const forgiving = around(source, () => async (ask) => {
    try {
      return await ask();
    } catch (cause) {
      if (!(cause instanceof SvcError) || !OF_SOURCE.includes(cause.code)) throw cause;
      throw new SvcError("NETWORK_BAD_ANSWER", {
        message: `${source.name} gave a false answer: ${cause.message}`,
        remedy: phrase`Set another node with ${flag("rpcUrl")}.`,
        cause,
      });
    }
  });
  return { ...forgiving, forgiven: true };
}
