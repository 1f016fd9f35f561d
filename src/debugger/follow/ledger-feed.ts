// The ledgers of a network in order, as they close, from several nodes and lakes. The first node
// that has the next ledger gives it: the others are asked when those before them fail, no longer
// keep it, or have stood still for a while.
// Invariant: each ledger follows the one before by its hash, none is left out and none comes twice;
// the one exception, the backlog policy `skip`, is an item of its own.

import type { Clock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { type FetchContext, isFailureOfNode, type Source } from "../../sources/source.ts";
import { forgedPart } from "../../xdr/ledger/check-ledger.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";

export interface FeedLedger {
  readonly kind: "ledger";
  readonly view: LedgerCloseMetaView;
  /** Name of the source. */
  readonly source: string;
}

export interface SkippedLedgers {
  readonly kind: "skipped";
  readonly first: number;
  readonly last: number;
}

/** What happens when more than `limit` ledgers wait: all are verified, late ones are left out, or svc stops. */
export interface Backlog {
  readonly limit: number | null;
  readonly policy: "catch-up" | "skip" | "stop";
}

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
  readonly pollMilliseconds?: number;
  readonly stallMilliseconds?: number;
}

export interface FeedStart {
  readonly first: number;
  /** Hash of the ledger before; null when it is not known. */
  readonly previousHash: string | null;
  /** Null: without end. */
  readonly last: number | null;
  readonly backlog: Backlog;
}

/** Mainnet closes a ledger every 5 to 6 seconds. */
const POLL_MILLISECONDS = 1000;
/** Longer than the network takes for a ledger, even on a bad day. */
const STALL_MILLISECONDS = 30_000;
/** A question for a transaction that does not exist is the cheapest way to see a node's window. */
const NO_TRANSACTION = "0".repeat(64);
const LEDGERS_OF_LAKE = 64;

export class LedgerFeed {
  private readonly dependencies: FeedDependencies;
  private readonly nodes: readonly FeedNode[];
  /** The one that the last ledger came from. */
  private node: FeedNode | null = null;
  /** The latest ledger that any source has shown; 0 before the first answer. */
  latest = 0;

  constructor(dependencies: FeedDependencies) {
    this.dependencies = dependencies;
    this.nodes = dependencies.sources.flatMap((source) =>
      source.fetchLedgerCloseMetas ? [new FeedNode(source, dependencies)] : [],
    );
  }

  /** The latest ledger of the first node that answers. Throws the last failure when none does. */
  async findLatest(context: FetchContext): Promise<number> {
    let failure: SvcError | null = null;
    for (const node of this.nodes) {
      await node.look(context);
      failure = node.failure ?? failure;
      if (node.window !== null) return node.window.last;
    }
    throw failure ?? noLatest();
  }

  /** Ends after `last`. Throws FOLLOW_BEHIND with the policy `stop`. */
  async *ledgers(
    start: FeedStart,
    context: FetchContext,
  ): AsyncGenerator<FeedLedger | SkippedLedgers> {
    if (this.nodes.length === 0) throw noNodes();
    const { clock, pollMilliseconds = POLL_MILLISECONDS } = this.dependencies;
    const last = start.last ?? Number.MAX_SAFE_INTEGER;
    let next = start.first;
    let previousHash = start.previousHash;
    while (next <= last) {
      let progressed = false;
      for (const node of this.nodes) {
        const answer = await node.has(next, context);
        this.latest = Math.max(this.latest, node.window?.last ?? 0);
        if (answer === "not-yet") break;
        if (answer === "no") continue;
        const skipped = this.applyBacklog(start.backlog, next, Math.min(last, this.latest));
        if (skipped !== null) {
          yield skipped;
          next = skipped.last + 1;
          previousHash = null;
        }
        for await (const view of node.take(next, last, previousHash, context)) {
          this.noteSource(node, next);
          this.latest = Math.max(this.latest, next);
          yield { kind: "ledger", view, source: node.source.name };
          next += 1;
          previousHash = view.facts.hash;
          progressed = true;
        }
        if (progressed || skipped !== null) break;
      }
      if (!progressed && next <= last) await clock.sleep(pollMilliseconds, context.signal);
    }
  }

  private noteSource(node: FeedNode, next: number): void {
    if (this.node !== node && this.node !== null) {
      this.dependencies.log("warn", "ledgers come from another source", {
        ledger: next,
        source: node.source.name,
        before: this.node.source.name,
      });
    }
    this.node = node;
  }

  private applyBacklog({ limit, policy }: Backlog, next: number, latest: number) {
    const waiting = latest - next + 1;
    if (limit === null || waiting <= limit || policy === "catch-up") return null;
    if (policy === "stop") {
      throw new SvcError("FOLLOW_BEHIND", {
        message: `svc is ${waiting} ledgers behind the network, and the limit is ${limit}.`,
        remedy: "Raise the limit, or set the backlog policy to `catch-up` or `skip`.",
        details: { ledger: next, latest, limit },
      });
    }
    return { kind: "skipped" as const, first: next, last: latest - 1 };
  }
}

class FeedNode {
  readonly source: Source;
  private readonly dependencies: FeedDependencies;
  private advancedAt: number;
  private highest = 0;
  /** What was logged last; one line for each change. */
  private trouble = "";
  window: { readonly first: number; readonly last: number } | null = null;
  failure: SvcError | null = null;

  constructor(source: Source, dependencies: FeedDependencies) {
    this.source = source;
    this.dependencies = dependencies;
    this.advancedAt = dependencies.clock.monotonicMilliseconds();
  }

  /**
   * `not-yet`: the node works and will have it, so that no other is asked. `no`: it fails, stands
   * still, or no longer keeps the ledger.
   */
  async has(next: number, context: FetchContext): Promise<"yes" | "not-yet" | "no"> {
    // A lake has no window: it is asked for the ledger itself.
    if (this.source.fetchTransaction === undefined) return "yes";
    if (this.window === null || this.window.last < next) await this.look(context);
    if (this.window === null) return "no";
    const { first, last } = this.window;
    if (next < first) {
      this.note("the node no longer keeps the ledger", { ledger: next, oldest: first });
      return "no";
    }
    if (next <= last) return "yes";
    const { clock, stallMilliseconds = STALL_MILLISECONDS } = this.dependencies;
    const still = clock.monotonicMilliseconds() - this.advancedAt;
    if (still < stallMilliseconds) return "not-yet";
    this.note("the node stands still", { ledger: next, latest: last });
    return "no";
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
    this.trouble = "";
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
      if (next <= end && this.source.fetchTransaction !== undefined) {
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
    if (this.trouble === message) return;
    this.trouble = message;
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

function noLatest(): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message:
      "No Stellar RPC node is configured, and a lake does not say which ledger is the latest.",
    remedy: "Set a node with `--rpc-url`, or the first ledger with `--from-ledger`.",
  });
}

function noNodes(): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: "No source of ledgers is configured.",
    remedy: "Set Stellar RPC nodes with `--rpc-url`, or a ledger lake with `--ledger-lake-url`.",
  });
}
