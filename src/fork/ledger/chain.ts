// The chain of a fork: ledgers closed on top of one ledger of a network, as stellar-core would
// close them. Entries of the network are read when they are first needed, and the fork's changes
// override them. Invariant: a ledger closes completely or not at all. A failure while it closes
// leaves the chain unchanged, and the chain can return to a mark.

import * as v from "valibot";
import { type Parsed, uint32 } from "../../base/wire.ts";
import { hash, integerText, xdr } from "../../model/chain-record.ts";
import type { EntryState } from "../../model/state/entry-state.ts";

/** An entry: its bytes, and how long it lives. */
export interface ForkEntry extends EntryState {
  readonly entryXdr: string;
  /** Null for entries without a TTL, and for an entry in the hot archive. */
  readonly liveUntilLedger: number | null;
}

export interface ReadContext {
  readonly signal: AbortSignal;
}

/**
 * The context of a chain. Work that needs entries of the base either waits for them or fails with
 * NotRead.
 */
export interface ChainContext extends ReadContext {
  /** If true, NotRead names the entries that were never read, and `ForkChain.read` reads them. */
  readonly withoutReading?: true;
}

/** The forked ledger. */
export interface ForkBase {
  readonly networkPassphrase: string;
  /** The LedgerHeader. Its protocol version, base fee and base reserve hold for the whole fork. */
  readonly headerXdr: string;
  /** The hash in hex. */
  readonly ledgerHash: string;
  /** All CONFIG_SETTING LedgerEntries of the protocol; empty before protocol 20. */
  readonly settingsXdr: readonly string[];
  /**
   * The rent fee of the next ledger, if a LedgerCloseMeta has it; null if it follows from the
   * settings.
   */
  readonly rentFeePer1KbStroops: string | null;
  /**
   * The entries after that ledger; null for one that does not exist. It is never asked for TTL keys
   * or settings, and once for each key, because the chain keeps the answers. Throws the errors of
   * its sources.
   */
  entries(
    keysXdr: readonly string[],
    context: ReadContext,
  ): Promise<ReadonlyMap<string, ForkEntry | null>>;
}

/** The last ledger that closed. */
export interface ForkTip {
  readonly sequence: number;
  /** The hash in hex. */
  readonly hash: string;
  readonly protocolVersion: number;
  readonly closeTimeUnixSeconds: string;
  /** A time in that second, if the header has milliseconds (protocol 30, CAP-88). */
  readonly closeTimeUnixMilliseconds?: string;
  readonly baseFeeStroops: number;
  readonly baseReserveStroops: number;
  /** LedgerHeader. */
  readonly headerXdr: string;
}

/** The accounts whose authorization the fork does not require, by their strkeys (G…). */
export type Impersonated = ReadonlySet<string> | "all";

export interface CheckOptions extends ChainContext {
  readonly impersonated?: Impersonated;
  /**
   * The earliest close time of the next ledger in Unix seconds (default: right after the last one).
   */
  readonly closeTimeUnixSeconds?: bigint;
}

/** The last ledger of the network whose transactions are in the fork. */
export interface Followed {
  readonly sequence: number;
  /** The hash in hex. */
  readonly hash: string;
}

/** The reason why the next ledger would not include an envelope. */
export interface Refusal {
  /** The TransactionResult that a node would answer. */
  readonly resultXdr: string;
  /** The XDR name of the code: `txBadSeq`, or that of its operation: `opNoAccount`. */
  readonly code: string;
  /** Whole sentences: the rule that refuses, and every other broken rule. */
  readonly problems: readonly string[];
  /** The remedy for the first of them; null if none is known. */
  readonly remedy: string | null;
  /** True if no ledger can include it: it is malformed, or no account can pay its fee. */
  readonly isNeverInLedger: boolean;
}

export interface CloseOptions extends ChainContext {
  /**
   * The close time in Unix seconds: later than that of the last ledger, or from protocol 30 not
   * earlier.
   */
  readonly closeTimeUnixSeconds: bigint;
  /**
   * The close time in Unix milliseconds, in that second and later than the last ledger's (default:
   * the first such time). Not used before protocol 30.
   */
  readonly closeTimeUnixMilliseconds?: bigint;
  readonly impersonated?: Impersonated;
  /** The number of the ledger (default: the next). A later one skips ledgers, and TTLs run down. */
  readonly sequence?: number;
  /**
   * The hash of the ledger's transaction set in hex, which seeds the numbers that contracts draw
   * (default: the fork's own).
   */
  readonly transactionSetHash?: string;
}

/** The network's record of a transaction that the fork cannot apply. */
export interface RecordedTransaction {
  /** TransactionResult. */
  readonly resultXdr: string;
  /** TransactionMeta, with diagnostic events: V4 from protocol 23, V3 before. */
  readonly metaXdr: string;
  /** LedgerEntryChanges of the fee phase. */
  readonly feeChangesXdr: string;
  /** LedgerEntryChanges of the refund, after all transactions; null before protocol 23. */
  readonly refundChangesXdr: string | null;
}

/** A transaction as in the transaction set of a network's ledger. */
export interface Placed {
  readonly envelopeXdr: string;
  /**
   * The transaction set's fee for an operation; null if the whole bid is taken (default: the
   * header's).
   */
  readonly baseFeeStroops?: bigint | null;
  /** The stage in the parallel phase; absent if all transactions are in one cluster. */
  readonly stage?: number;
  readonly cluster?: number;
  /**
   * The position in the network's ledger, from 1, which seeds the numbers that contracts draw
   * (default: that in the fork's ledger).
   */
  readonly applicationOrder?: number;
  /** Set if the transaction is taken over instead of being applied. */
  readonly recorded?: RecordedTransaction;
}

/** A transaction in a ledger that closed. */
export interface ClosedTransaction extends RecordedTransaction {
  /** The hash in hex. For a fee bump it is its own, and the inner one is beside it. */
  readonly hash: string;
  readonly innerHash: string | null;
  /** The position, from 1. Classic transactions come before Soroban ones. */
  readonly applicationOrder: number;
  readonly envelopeXdr: string;
  readonly isSuccess: boolean;
  /** Impersonated accounts whose signatures were missing. Diagnostic events show them too. */
  readonly waived: readonly string[];
}

export interface ClosedLedger extends ForkTip {
  /** The transactions in the order in which they were applied. */
  readonly transactions: readonly ClosedTransaction[];
  /** The LedgerCloseMeta: V2 from protocol 23, and V1 before. It is made when it is read. */
  readonly ledgerCloseMetaXdr: string;
  /** Envelopes that no ledger can include, such as one of an account that does not exist. */
  readonly leftOut: readonly { readonly envelopeXdr: string; readonly refusal: Refusal }[];
}

/** The parts of an entry that a file keeps. */
export const keptEntry = {
  keyXdr: xdr,
  /** Null if the entry does not exist. */
  entryXdr: v.nullable(xdr),
  liveUntilLedger: v.nullable(uint32),
  archived: v.boolean(),
};

/** The current ledger of the fork. */
const headFields = {
  headerXdr: xdr,
  ledgerHash: hash,
  rentFeePer1KbStroops: v.nullable(integerText),
};

/** Only the changes of the fork: an overlay of the same base, as JSON. */
export const overlaySchema = v.strictObject({
  format: v.literal(1),
  ...headFields,
  entries: v.array(v.strictObject(keptEntry)),
});
export type ForkOverlay = Parsed<typeof overlaySchema>;

/** The changes since the fork was last saved, on top of an overlay. */
export const overlayChangesSchema = v.strictObject({
  ...headFields,
  entries: v.array(v.strictObject(keptEntry)),
  /** The LedgerKeys of entries that equal those of the base again. */
  unchanged: v.array(xdr),
});
export type OverlayChanges = Parsed<typeof overlayChangesSchema>;

/** A moment to return to. It is valid for its chain until the chain returns to an earlier one. */
export type Mark = number;

/**
 * The facts from which the rent fee of the next ledger follows, as each LedgerCloseMeta reports
 * them.
 */
export interface RentFacts {
  /** Null if it follows from the settings. */
  readonly rentFeePer1KbStroops: string | null;
  readonly averageStateSizeBytes: bigint;
}

/**
 * One ledger closes at a time: further calls of `close` wait for their turn. The methods that are
 * not asynchronous take effect at once; while a ledger closes they throw.
 */
export interface ForkChain {
  readonly networkPassphrase: string;
  readonly latest: ForkTip;
  /** CONFIG_SETTING LedgerEntries as they are now. */
  readonly settingsXdr: readonly string[];
  readonly rentFacts: RentFacts;
  /**
   * The entry after the latest ledger; null if it does not exist. Any key is allowed except TTL
   * keys; settings too.
   */
  read(
    keysXdr: readonly string[],
    context: ChainContext,
  ): Promise<ReadonlyMap<string, ForkEntry | null>>;
  /**
   * Reads the entries that the envelopes name, all at once. Throws XDR_INVALID, and the errors of
   * sources.
   */
  readFor(envelopesXdr: readonly string[], context: ReadContext): Promise<void>;
  /**
   * Null if the next ledger would include the envelope, whatever its result is. Throws XDR_INVALID.
   */
  check(envelopeXdr: string, options: CheckOptions): Promise<Refusal | null>;
  /**
   * Closes the next ledger, with these transactions in this order. Throws XDR_INVALID, and
   * NotApplied for the first transaction that cannot be applied; nothing has changed then. Its
   * cause is FORK_UNSUPPORTED for an unsupported operation, NotRead, or an error of sources and
   * svc-sim.
   */
  close(transactions: readonly (string | Placed)[], options: CloseOptions): Promise<ClosedLedger>;
  mark(): Mark;
  /**
   * Returns to that moment: the ledgers, cheats and marks since then are lost, and so is the mark.
   */
  dropTo(mark: Mark): void;
  /** Writes a LedgerEntry at once, whatever was there before. It can be a setting. */
  put(entry: {
    readonly entryXdr: string;
    /**
     * The last live ledger of contract data and code (default: the earlier one, or the minimum of
     * the network).
     */
    readonly liveUntilLedger?: number;
    readonly archived?: boolean;
  }): void;
  remove(keyXdr: string): void;
  /** The changes of the fork since its base. */
  overlay(): ForkOverlay;
  /** The changes since `saved` was last called, or since the overlay with which it began. */
  changes(): OverlayChanges;
  saved(): void;
}

export interface ChainOptions {
  /** The changes of an earlier chain of the same base. */
  readonly overlay?: ForkOverlay;
}
