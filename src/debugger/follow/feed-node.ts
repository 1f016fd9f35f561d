// One source of ledgers: what it has, how it fares, and its ledgers while they continue the chain.

import type { Clock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { type FetchContext, isFailureOfNode, type Source } from "../../sources/source.ts";
import { forgedPart } from "../../xdr/ledger/check-ledger.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";

export type FollowLog = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, string | number>>,
) => void;

export interface FeedDependencies {
  /** In the order they are asked. */
  readonly sources: readonly Source[];
  readonly networkPassphrase: string;
  readonly clock: Clock;
  readonly log: FollowLog;
  /** Told of the latest ledger that any source has shown, each time that one answers. */
  readonly shown?: (latest: number) => void;
  readonly pollMilliseconds?: number;
  readonly stallMilliseconds?: number;
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

export class FeedNode {
  readonly source: Source;
  private readonly dependencies: FeedDependencies;
  private advancedAt: number;
  private highest = 0;
  /** What was logged last: one line for each change, and one a minute while it lasts. */
  private trouble = { message: "", at: 0 };
  window: { readonly first: number; readonly last: number } | null = null;
  failure: SvcError | null = null;

  constructor(source: Source, dependencies: FeedDependencies) {
    this.source = source;
    this.dependencies = dependencies;
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
    } else if (stands) this.note("the node stands still", { ledger: next, latest: last });
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
    let next = first;
    let previous = previousHash;
    try {
      const ledgers = this.source.fetchLedgerCloseMetas?.(first, end, context) ?? [];
      for await (const { sequence, ledgerCloseMeta } of ledgers) {
        const view = sequence === next ? this.open(ledgerCloseMeta, next, previous) : null;
        if (view === null) break;
        yield view;
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

  /** Null when it cannot be read or does not follow. */
  private open(
    bytes: Uint8Array,
    sequence: number,
    previousHash: string | null,
  ): LedgerCloseMetaView | null {
    try {
      const view = readLedgerCloseMeta(bytes, this.dependencies.networkPassphrase);
      const forged = forgedPart(view);
      const wrong = problemOf(view, sequence, previousHash);
      if (wrong === null && forged === null) return view;
      this.note(wrong ?? `the hash of a ledger is not that of its ${forged}`, { ledger: sequence });
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== "XDR_INVALID") throw error;
      this.note("a ledger cannot be read", { ledger: sequence, problem: error.message });
    }
    return null;
  }

  private fail(error: unknown, { signal }: FetchContext): void {
    if (signal.aborted) throw error;
    if (!isFailureOfNode(error)) throw error;
    this.failure = error;
    this.window = null;
    this.note("the node failed", { problem: error.message });
  }

  private note(message: string, fields: Readonly<Record<string, string | number>>): void {
    const at = this.dependencies.clock.monotonicMilliseconds();
    if (this.trouble.message === message && at < this.trouble.at + NOTE_MILLISECONDS) return;
    this.trouble = { message, at };
    this.dependencies.log("warn", message, { source: this.source.name, ...fields });
  }
}

function problemOf(
  view: LedgerCloseMetaView,
  sequence: number,
  previousHash: string | null,
): string | null {
  if (view.facts.sequence !== sequence) return "a ledger has another number than was asked for";
  if (previousHash !== null && view.facts.previousHash !== previousHash) {
    return "a ledger does not follow the last one that was verified: the nodes disagree";
  }
  const foreign = view.transactions.some(({ hasEnvelope }) => !hasEnvelope);
  return foreign ? "a ledger is of another network" : null;
}
