// The chain of a fork: ledgers closed on top of one ledger of a network, as stellar-core would
// close them. What the network had is read when it is first needed; what the fork changed lies
// over it.
// Invariant: a ledger closes wholly or not at all. A failure while it closes leaves the chain as it
// was, and what was marked can be returned to.

import * as v from "valibot";
import { type Parsed, uint32 } from "../../base/wire.ts";
import { hash, integerText, xdr } from "../../model/chain-record.ts";
import type { EntryState } from "../../model/state/entry-state.ts";

/** An entry as it stands: its own bytes, and how long it lives. */
export interface ForkEntry extends EntryState {
  readonly entryXdr: string;
  /** Null for entries without a TTL. An entry that the hot archive has: 0. */
  readonly liveUntilLedger: number | null;
}

export interface ReadContext {
  readonly signal: AbortSignal;
}

/** In the chain, what needs entries of the base either waits for them or fails with NotRead. */
export interface ChainContext extends ReadContext {
  /** True: NotRead names the entries that were never read, and `ForkChain.read` reads them. */
  readonly withoutReading?: true;
}

/** The ledger that was forked. */
export interface ForkBase {
  readonly networkPassphrase: string;
  /** LedgerHeader. Its protocol version, base fee and base reserve are the fork's from then on. */
  readonly headerXdr: string;
  /** Hex. */
  readonly ledgerHash: string;
  /** CONFIG_SETTING LedgerEntries, all that the protocol has; empty before protocol 20. */
  readonly settingsXdr: readonly string[];
  /** The rent fee of the next ledger, where a LedgerCloseMeta has it; null: from the settings. */
  readonly rentFeePer1KbStroops: string | null;
  /**
   * The entries after that ledger; null: it does not exist. Never TTL keys nor settings, and each
   * key once: the chain keeps the answers. Throws what its sources throw.
   */
  entries(
    keysXdr: readonly string[],
    context: ReadContext,
  ): Promise<ReadonlyMap<string, ForkEntry | null>>;
}

/** The last ledger that closed. */
export interface ForkTip {
  readonly sequence: number;
  /** Hex. */
  readonly hash: string;
  readonly protocolVersion: number;
  readonly closeTimeUnixSeconds: string;
  /** In that second, where the header has milliseconds (protocol 30, CAP-88). */
  readonly closeTimeUnixMilliseconds?: string;
  readonly baseFeeStroops: number;
  readonly baseReserveStroops: number;
  /** LedgerHeader. */
  readonly headerXdr: string;
}

/** Whose authorization the fork does not ask for: accounts by their strkey (G…). */
export type Impersonated = ReadonlySet<string> | "all";

export interface CheckOptions extends ChainContext {
  readonly impersonated?: Impersonated;
  /** The earliest close time of the next ledger, Unix seconds; absent: right after the last one. */
  readonly closeTimeUnixSeconds?: bigint;
}

/** The last ledger of the network whose transactions are in the fork. */
export interface Followed {
  readonly sequence: number;
  /** Hex. */
  readonly hash: string;
}

/** Why the next ledger would not have an envelope. */
export interface Refusal {
  /** TransactionResult, as a node answers. */
  readonly resultXdr: string;
  /** XDR name: `txBadSeq`, or of its operation: `opNoAccount`. */
  readonly code: string;
  /** Whole sentences: the rule that refuses, and every other that is broken. */
  readonly problems: readonly string[];
  /** What to do about the first of them; null where nothing is known. */
  readonly remedy: string | null;
  /** No ledger can have it: it is malformed, or no account can pay its fee. */
  readonly isNeverInLedger: boolean;
}

export interface CloseOptions extends ChainContext {
  /** Unix seconds; later than the last ledger's, and from protocol 30 on not earlier. */
  readonly closeTimeUnixSeconds: bigint;
  /**
   * In that second, and later than the last ledger's; absent: the first that is. Not used before
   * protocol 30.
   */
  readonly closeTimeUnixMilliseconds?: bigint;
  readonly impersonated?: Impersonated;
  /** The ledger's number; absent: the next. A later one lets ledgers pass, and TTLs with them. */
  readonly sequence?: number;
  /** Hex, of the ledger's transaction set, which seeds what contracts draw; absent: the fork's. */
  readonly transactionSetHash?: string;
}

/** What the network recorded of a transaction that the fork does not know how to apply. */
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
  /** The set's fee for an operation; null: the whole bid is taken. Absent: the header's. */
  readonly baseFeeStroops?: bigint | null;
  /** The place in the parallel phase; absent: all are in one cluster. */
  readonly stage?: number;
  readonly cluster?: number;
  /** From 1, in the network's ledger: it seeds what contracts draw. Absent: as in the fork's. */
  readonly applicationOrder?: number;
  /** Taken over in the place of applying it. */
  readonly recorded?: RecordedTransaction;
}

/** A transaction in a ledger that closed. */
export interface ClosedTransaction extends RecordedTransaction {
  /** Hex; of a fee-bump its own, and the inner one's beside it. */
  readonly hash: string;
  readonly innerHash: string | null;
  /** From 1. Classic transactions come before Soroban ones. */
  readonly applicationOrder: number;
  readonly envelopeXdr: string;
  readonly isSuccess: boolean;
  /** Impersonated accounts, where signatures were lacking; its diagnostic events say it too. */
  readonly waived: readonly string[];
}

export interface ClosedLedger extends ForkTip {
  /** In the order in which they were applied. */
  readonly transactions: readonly ClosedTransaction[];
  /** LedgerCloseMeta: V2 from protocol 23, V1 before. Made when it is read. */
  readonly ledgerCloseMetaXdr: string;
  /** Envelopes that no ledger can have, such as of an account that does not exist. */
  readonly leftOut: readonly { readonly envelopeXdr: string; readonly refusal: Refusal }[];
}

/** What a file keeps of an entry. */
export const keptEntry = {
  keyXdr: xdr,
  /** Null: it does not exist. */
  entryXdr: v.nullable(xdr),
  liveUntilLedger: v.nullable(uint32),
  archived: v.boolean(),
};

/** The ledger at which the fork is. */
const headFields = {
  headerXdr: xdr,
  ledgerHash: hash,
  rentFeePer1KbStroops: v.nullable(integerText),
};

/** Only what the fork changed: an overlay of the same base, as JSON. */
export const overlaySchema = v.strictObject({
  format: v.literal(1),
  ...headFields,
  entries: v.array(v.strictObject(keptEntry)),
});
export type ForkOverlay = Parsed<typeof overlaySchema>;

/** What the fork changed since it was last saved, on top of an overlay. */
export const overlayChangesSchema = v.strictObject({
  ...headFields,
  entries: v.array(v.strictObject(keptEntry)),
  /** LedgerKeys of entries that are as in the base again. */
  unchanged: v.array(xdr),
});
export type OverlayChanges = Parsed<typeof overlayChangesSchema>;

/** A moment to return to; good for the chain that gave it, until an earlier one is returned to. */
export type Mark = number;

/** What the rent fee of the next ledger follows from, as each LedgerCloseMeta reports it. */
export interface RentFacts {
  /** Null: it follows from the settings. */
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
  /** As after the latest ledger. Any key but TTL keys, settings too; null: it does not exist. */
  read(
    keysXdr: readonly string[],
    context: ChainContext,
  ): Promise<ReadonlyMap<string, ForkEntry | null>>;
  /** Reads at once what the envelopes name. Throws XDR_INVALID, and what sources throw. */
  readFor(envelopesXdr: readonly string[], context: ReadContext): Promise<void>;
  /** Null: the next ledger would have it, whatever becomes of it there. Throws XDR_INVALID. */
  check(envelopeXdr: string, options: CheckOptions): Promise<Refusal | null>;
  /**
   * The next ledger, with these transactions in this order. Throws XDR_INVALID, and NotApplied for
   * the first transaction that cannot be applied; nothing has changed then. Its cause is
   * FORK_UNSUPPORTED for an operation that the fork does not know, NotRead, or what sources and
   * svc-sim throw.
   */
  close(transactions: readonly (string | Placed)[], options: CloseOptions): Promise<ClosedLedger>;
  mark(): Mark;
  /** Back to that moment: ledgers, cheats and marks since then are gone, and the mark too. */
  dropTo(mark: Mark): void;
  /** A LedgerEntry as it is to be, at once, whatever was there. A setting's too. */
  put(entry: {
    readonly entryXdr: string;
    /** Contract data and code; absent: as it was, or the least that the network gives. */
    readonly liveUntilLedger?: number;
    readonly archived?: boolean;
  }): void;
  remove(keyXdr: string): void;
  /** What the fork changed since its base. */
  overlay(): ForkOverlay;
  /** What it changed since `saved` was last called, or since the overlay that it began with. */
  changes(): OverlayChanges;
  saved(): void;
}

export interface ChainOptions {
  /** What an earlier chain of the same base left. */
  readonly overlay?: ForkOverlay;
}
