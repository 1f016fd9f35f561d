// A source knows the chain. An adapter implements the methods that its node offers; the others are
// undefined and are not called. Every answer has passed the adapter's own schema.
// Invariant: no answer is trusted. The callers check the hashes, and that an answer belongs to the
// request.

import { NODE_ERRORS } from "../base/errors/base-errors.ts";
import { SvcError } from "../base/errors/errors.ts";
import type { Wording } from "../base/phrase.ts";
import type { LedgerFacts } from "../model/chain-record.ts";
import { headerFacts } from "../xdr/ledger/facts-before-upgrades.ts";
import type { LedgerHeaderFacts } from "../xdr/ledger/header.ts";
import type { LedgerBytes } from "./files/ledger-stream.ts";

/** The parts of a transaction that one source knows; null for a part that it does not have. */
export interface TransactionAnswer {
  readonly envelopeXdr: string;
  readonly resultXdr: string;
  readonly resultMetaXdr: string | null;
  readonly feeChangesXdr: string | null;
  readonly refundChangesXdr: string | null;
  readonly diagnosticEventsXdr: readonly string[];
  readonly ledgerSequence: number;
  /** The position in apply order, from 1; null if the source does not have it. */
  readonly applicationOrder: number | null;
  /** The success that the node claims. The result decides, if it can be decoded. */
  readonly succeeded?: boolean;
  /** The close time of the ledger; absent if the source does not have it. */
  readonly closeTimeUnixSeconds?: string;
}

/** An entry from getLedgerEntries. */
export interface CurrentLedgerEntry {
  readonly keyXdr: string;
  /** LedgerEntry (not LedgerEntryData), base64, rebuilt with its last-modified ledger. */
  readonly entryXdr: string;
  readonly lastModifiedLedger: number;
  /** Null if the entry is archived or has no TTL (classic). */
  readonly liveUntilLedger: number | null;
  /** True if the entry has expired by the node's ledger. The node does not report when. */
  readonly archived: boolean;
}

export interface CurrentLedgerEntries {
  readonly latestLedger: number;
  /** The entries by key. Keys without an entry are absent. */
  readonly entries: ReadonlyMap<string, CurrentLedgerEntry>;
}

/** The latest ledger of a node, with the facts that a contract can read. */
export interface LedgerTip {
  readonly sequence: number;
  readonly closeTimeUnixSeconds: string;
  readonly protocolVersion: number;
  /** The accounts whose transactions a fork accepts without signatures; absent: none. */
  readonly impersonated?: "all" | readonly string[];
}

export interface FetchContext {
  readonly signal: AbortSignal;
  /** True if another node can be asked, so that svc does not wait long for this one. */
  readonly brief?: boolean;
}

export interface TransactionContext extends FetchContext {
  /**
   * Throws if the answer is invalid. A node's adapter calls it while it reads the answer, so that
   * the attempt counts as a failure of the node.
   */
  readonly check?: (answer: TransactionAnswer) => void;
}

export interface LedgerContext extends FetchContext {
  /**
   * Throws or rejects if the ledger is invalid. A node's adapter calls it while it reads the answer,
   * so that the attempt counts as a failure of the node. A ledger that does not pass is not kept.
   */
  readonly check?: (ledger: LedgerBytes) => void | Promise<void>;
  /**
   * Begins what `check` waits for. An adapter that has several ledgers calls it for each of them
   * before it checks the first.
   */
  readonly beginCheck?: (ledger: LedgerBytes) => void;
}

export interface LedgerRange {
  readonly first: number;
  readonly last: number;
}

/** The facts of a ledger, with the LedgerHeader that they come from. */
export interface SourcedFacts extends LedgerFacts {
  readonly headerXdr: string;
}

export function sourcedFacts(facts: LedgerHeaderFacts): SourcedFacts {
  return { ...headerFacts(facts), headerXdr: facts.header.toBase64() };
}

/** The place of a node in the order of the next request. */
export type Rank = "first" | "last" | "resting";

/** How a node has answered lately (standing.ts). */
export interface Standing {
  rank(): Rank;
  /** True if it did not answer the last request. */
  readonly failing: boolean;
  /** True if it rests now. */
  readonly resting: boolean;
  /** The failure for which the node rests; null if it does not rest. */
  readonly failure: SvcError | null;
  /** True if it timed out lately. */
  readonly timedOut: boolean;
  /** Runs `ask`, and notes how it ends. */
  run<T>(ask: () => Promise<T>): Promise<T>;
  /** Resolves when another node may be asked beside this one. */
  overdue(signal: AbortSignal): Promise<void>;
}

export interface Source {
  /** The name for people, without credentials: `horizon https://horizon-testnet.stellar.org`. */
  readonly name: string;
  /** What the source lacks, after its name where a transaction was not found. */
  readonly lack?: Wording;
  /** True for a fork: its transactions did not happen on the network. */
  readonly isFork?: true;
  /** Absent for a source on this machine. */
  readonly standing?: Standing;
  /** True if the source is on this machine, so that its user may have no network at all. */
  readonly local?: true;
  /** True if a false answer counts as a failure, as a timeout does, and does not end the run. */
  readonly forgiven?: true;
  /**
   * The reason why the source was left out although it might have known more; null while it is
   * asked.
   */
  lapse?(): string | null;
  /** The ledgers of the source, as far as its answers have shown. */
  range?(): LedgerRange | null;
  /** The protocol of the network's latest ledger, as far as its answers have shown. */
  protocolVersion?(): number | null;
  /**
   * Asks to which network the node belongs, before the first question. Throws the reason why the
   * node does not answer; what it reports is checked with the questions. With `anew`, it is asked
   * again even after an answer.
   */
  greet?(anew: boolean, context: FetchContext): Promise<void>;
  /** Null if this source does not have the hash (a status, not an error). */
  fetchTransaction?(hash: string, context: TransactionContext): Promise<TransactionAnswer | null>;
  fetchLedgerFacts?(sequence: number, context: FetchContext): Promise<SourcedFacts | null>;
  /** The facts of the latest ledger, for example the network's protocol version. */
  fetchLatestFacts?(context: FetchContext): Promise<SourcedFacts | null>;
  /** The latest ledger in an answer that is small enough to be fetched often. */
  fetchTip?(context: FetchContext): Promise<LedgerTip>;
  /** The LedgerCloseMeta bytes of one ledger; null outside the source's range. */
  fetchLedgerCloseMeta?(sequence: number, context: LedgerContext): Promise<Uint8Array | null>;
  /** The ledgers first..last that the source has, in order. They may begin later or end earlier. */
  fetchLedgerCloseMetas?(
    first: number,
    last: number,
    context: LedgerContext,
  ): AsyncIterable<LedgerBytes>;
  fetchLedgerEntries?(
    keysXdr: readonly string[],
    context: FetchContext,
  ): Promise<CurrentLedgerEntries>;
}

/** The ledgers before the first invalid one. Rejects if the first one is invalid. */
export async function checkedLedgers(
  ledgers: readonly LedgerBytes[],
  { check, beginCheck }: LedgerContext,
): Promise<readonly LedgerBytes[]> {
  for (const ledger of ledgers) beginCheck?.(ledger);
  for (const [at, ledger] of ledgers.entries()) {
    try {
      await check?.(ledger);
    } catch (error) {
      if (at === 0) throw error;
      return ledgers.slice(0, at);
    }
  }
  return ledgers;
}

/** For the end of a schema: the answer after the context's check. */
export function checked({ check }: TransactionContext) {
  return (answer: TransactionAnswer): TransactionAnswer => {
    check?.(answer);
    return answer;
  };
}

/**
 * True if another node may answer. That includes a value of a later protocol than svc knows, but
 * not a ledger of such a protocol, because every node has the same ledger.
 */
export function isFailureOfNode(error: unknown): error is SvcError {
  return (
    error instanceof SvcError &&
    (error.code in NODE_ERRORS ||
      error.code === "LEDGER_ENTRY_INVALID" ||
      (error.code === "PROTOCOL_UNKNOWN" && error.details.node !== undefined))
  );
}
