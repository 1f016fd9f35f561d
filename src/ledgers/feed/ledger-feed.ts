// The ledgers of a network in order, as they close, from several nodes and lakes. The first node
// that has the next ledger gives it: the others are asked when those before them fail, no longer
// keep it, or have stood still for a while.
// Invariant: each ledger follows the one before by its hash, none is left out and none comes twice;
// the one exception, the backlog policy `skip`, is an item of its own.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { FetchContext } from "../../sources/source.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import { LedgerReader } from "../ledger-reader.ts";
import {
  type FeedDependencies,
  FeedNode,
  forgivingSource,
  STALL_MILLISECONDS,
} from "./feed-node.ts";

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

/**
 * What happens when more than `limit` ledgers wait: all are verified, late ones are left out, or
 * svc stops.
 */
export interface Backlog {
  readonly limit: number | null;
  readonly policy: "catch-up" | "skip" | "stop";
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

/** A feed that goes on with the other sources where one fails or sends a false ledger. */
export function openFeed<Given extends Omit<FeedDependencies, "ledgers">>(
  input: Given & { readonly networkPassphrase: string },
) {
  const sources = input.sources.map(forgivingSource);
  const ledgers = new LedgerReader({ ...input, sources });
  const dependencies = { ...input, sources, ledgers };
  return { dependencies, feed: new LedgerFeed(dependencies) };
}

export class LedgerFeed {
  private readonly nodes: readonly FeedNode[];
  /** The one that the last ledger came from. */
  private node: FeedNode | null = null;
  /** The latest ledger that any source has shown; 0 before the first answer. */
  latest = 0;
  /** Since when no source can have the next ledger; null: one may have it. */
  private goneSince: number | null = null;

  constructor(private readonly dependencies: FeedDependencies) {
    this.nodes = dependencies.sources.flatMap((source) =>
      source.fetchLedgerCloseMetas ? [new FeedNode(source, dependencies)] : [],
    );
  }

  /** Of the first node that answers; waits until one does. Throws CONFIG_INVALID without nodes. */
  async findLatest(context: FetchContext): Promise<number> {
    const { clock, pollMilliseconds = POLL_MILLISECONDS } = this.dependencies;
    const nodes = this.nodes.filter(({ isLake }) => !isLake);
    if (nodes.length === 0) throw noLatest();
    for (;;) {
      for (const node of nodes) {
        await node.look(context);
        if (node.window === null) continue;
        this.note(node.window.last);
        return node.window.last;
      }
      await clock.sleep(pollMilliseconds, context.signal);
    }
  }

  /**
   * Ends after `last`. Throws FOLLOW_BEHIND with the policy `stop`, FOLLOW_LEDGER_GONE, and, if
   * no listener takes it, PROTOCOL_UNKNOWN.
   */
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
      let awaited = false;
      for (const node of this.nodes) {
        const answer = await node.has(next, context);
        if (node.window !== null) this.note(node.window.last);
        awaited = answer === "not-yet";
        if (awaited) break;
        if (answer === "no") continue;
        const skipped = this.applyBacklog(start.backlog, next, Math.min(last, this.latest));
        if (skipped !== null) {
          yield skipped;
          next = skipped.last + 1;
          previousHash = null;
        }
        for await (const view of node.take(next, last, previousHash, context)) {
          this.noteSource(node, next);
          this.note(next);
          yield { kind: "ledger", view, source: node.source.name };
          next += 1;
          previousHash = view.facts.hash;
          progressed = true;
        }
        if (progressed || skipped !== null) break;
      }
      if (!progressed) this.checkWhetherGone(next);
      if (!progressed && !awaited) this.tellRefusal(next);
      if (!progressed && !awaited) this.tellLater(next);
      if (!progressed && next <= last) await clock.sleep(pollMilliseconds, context.signal);
    }
  }

  /** Not at once: a node that is being set up can show a wrong window for a while. */
  private checkWhetherGone(next: number): void {
    const { clock, stallMilliseconds = STALL_MILLISECONDS } = this.dependencies;
    const now = clock.monotonicMilliseconds();
    if (!this.nodes.every((node) => node.hasLost(next))) this.goneSince = null;
    else this.goneSince ??= now;
    if (this.goneSince === null || now - this.goneSince < stallMilliseconds) return;
    const oldest = Math.min(...this.nodes.map(({ window }) => window?.first ?? next));
    throw new SvcError("FOLLOW_LEDGER_GONE", {
      message: `No node keeps ledger ${next} any more: the oldest that one has is ${oldest}.`,
      remedy: phrase`Set a ledger lake that has it with ${flag("ledgerLakeUrl")}, or begin anew with an empty state.`,
      details: { ledger: next, oldest },
    });
  }

  private tellRefusal(next: number): void {
    const refused = this.nodes.find(({ refusal }) => refusal?.ledger === next)?.refusal;
    if (refused) this.dependencies.standsStill?.(refused);
  }

  private tellLater(next: number): void {
    const later = this.nodes.find((node) => node.later?.details.ledger === next)?.later;
    if (!later) return;
    if (this.dependencies.protocolUnknown === undefined) throw later;
    this.dependencies.protocolUnknown(later);
  }

  private note(ledger: number): void {
    this.latest = Math.max(this.latest, ledger);
    this.dependencies.shown?.(this.latest);
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

function noLatest(): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message:
      "No Stellar RPC node is configured, and a lake does not say which ledger is the latest.",
    remedy: phrase`Set a node with ${flag("rpcUrl")}, or the first ledger with ${flag("fromLedger")}.`,
  });
}

function noNodes(): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: "No source of ledgers is configured.",
    remedy: phrase`Set Stellar RPC nodes with ${flag("rpcUrl")}, or a ledger lake with ${flag("ledgerLakeUrl")}.`,
  });
}
