// Entries that no ledger of a range shows, as a node has them now. One that was last modified
// before a ledger is what that ledger saw; one that changed since tells nothing here. Its time to
// live is only an upper bound, for it grows without the entry being modified, and one that is
// missing may have been there: unless the range was read as far as the node's ledger and mentions
// neither.

import type { Provenance } from "../../model/snapshot.ts";
import {
  askInTurn,
  type CurrentLedgerEntries,
  type FetchContext,
  type Source,
} from "../../sources/source.ts";
import { ttlKeyOf } from "../../xdr/reader/keys.ts";
import { type FirstMentions, NO_MENTIONS } from "./first-mentions.ts";

export interface NodeEntry {
  /** Null: it did not exist. */
  readonly entryXdr: string | null;
  readonly provenance: Provenance;
}

export interface NodeTtl {
  /** Not earlier than the true one. */
  readonly liveUntilLedger: number;
  readonly exact: boolean;
  readonly provenance: Provenance;
}

/** What was read of the range before it is folded. */
export interface ReadRange {
  readonly mentions: FirstMentions;
  /** Last ledger whose changes are in `mentions`. */
  readonly lastSequence: number;
}

/** As many keys as getLedgerEntries takes at a time. */
const KEYS_PER_REQUEST = 200;

export class NodeEntries {
  private readonly sources: readonly Source[];
  private readonly read: ReadRange;
  private readonly entries = new Map<string, NodeEntry>();
  private readonly ttls = new Map<string, NodeTtl>();
  private readonly asked = new Set<string>();

  constructor(sources: readonly Source[], read: ReadRange) {
    this.sources = sources;
    this.read = read;
  }

  /** Grows with every entry that is told. */
  get revision(): number {
    return this.entries.size;
  }

  find(keyXdr: string): NodeEntry | undefined {
    return this.entries.get(keyXdr);
  }

  /** By the entry's key, not the TTL's. */
  findTtl(keyXdr: string): NodeTtl | undefined {
    return this.ttls.get(keyXdr);
  }

  /**
   * Asks for those of `keysXdr` that were not asked for yet. Throws the last failure when no node
   * could be asked.
   */
  async ask(
    keysXdr: readonly string[],
    ledgerSequence: number,
    context: FetchContext,
  ): Promise<void> {
    const keys = [...new Set(keysXdr)].filter((key) => !this.asked.has(key));
    for (let at = 0; at < keys.length; at += KEYS_PER_REQUEST) {
      await this.askSome(keys.slice(at, at + KEYS_PER_REQUEST), ledgerSequence, context);
    }
  }

  private async askSome(
    keysXdr: readonly string[],
    ledgerSequence: number,
    context: FetchContext,
  ): Promise<void> {
    const { answer, source, failures } = await askInTurn(this.sources, context, (each) =>
      each.fetchLedgerEntries?.(keysXdr, context),
    );
    const failure = failures.at(-1);
    if (answer === null && failure !== undefined) throw failure;
    for (const key of keysXdr) {
      this.asked.add(key);
      if (answer === null) continue;
      const origin = source?.name ?? "";
      const told = this.weighEntry(key, answer, origin, ledgerSequence);
      if (told !== null) this.entries.set(key, told);
      const ttl = this.weighTtl(key, answer, origin);
      if (ttl !== null) this.ttls.set(key, ttl);
    }
  }

  private weighEntry(
    keyXdr: string,
    { entries, latestLedger }: CurrentLedgerEntries,
    origin: string,
    ledgerSequence: number,
  ): NodeEntry | null {
    const entry = entries.get(keyXdr);
    if (entry === undefined) {
      if (!this.sawAll(latestLedger) || this.read.mentions.entries.has(keyXdr)) return null;
      const detail = `no ledger up to ${latestLedger} mentions it, and ${origin} does not have it`;
      return { entryXdr: null, provenance: { kind: "ledger-scan", detail } };
    }
    if (entry.lastModifiedLedger >= ledgerSequence) return null;
    const detail = `last modified in ledger ${entry.lastModifiedLedger}, says ${origin}`;
    return { entryXdr: entry.entryXdr, provenance: { kind: "rpc-unchanged", detail } };
  }

  private weighTtl(
    keyXdr: string,
    { entries, latestLedger }: CurrentLedgerEntries,
    origin: string,
  ): NodeTtl | null {
    const now = entries.get(keyXdr)?.liveUntilLedger ?? null;
    if (now === null) return null;
    const unchanged =
      this.sawAll(latestLedger) && !this.read.mentions.liveUntil.has(ttlKeyOf(keyXdr));
    const provenance = {
      kind: "rpc-unchanged",
      detail: unchanged
        ? `no ledger up to ${latestLedger} changes it, says ${origin}`
        : `in ledger ${latestLedger} it is live until ${now} at most, says ${origin}`,
    } as const;
    // Archived by now: where it was live then, it expired after, and before the node's ledger.
    if (now === 0) return { liveUntilLedger: latestLedger - 1, exact: false, provenance };
    return { liveUntilLedger: now, exact: unchanged, provenance };
  }

  private sawAll(latestLedger: number): boolean {
    return this.read.lastSequence >= latestLedger;
  }
}

export const NOBODY_TOLD = new NodeEntries([], { mentions: NO_MENTIONS, lastSequence: 0 });
