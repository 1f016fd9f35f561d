// An opened base, and everything else that the beginning of a fork needs.

import { type ChainRecord, seedOrder } from "../../model/chain-record.ts";
import { readEnvelopeFacts } from "../../xdr/envelope/envelope-facts.ts";
import { closedAtMilliseconds } from "../../xdr/ledger/close-time.ts";
import { readChain } from "../../xdr/outcome/chain-facts.ts";
import { decodeBase64 } from "../../xdr/reader/cursor.ts";
import type { FirstLedger } from "../fork.ts";
import type { Followed, ForkBase, ForkEntry, ForkOverlay } from "../ledger/chain.ts";

export interface OpenedBase {
  readonly base: ForkBase;
  /** The name for people, such as `ledger 59841123 of mainnet`. */
  readonly name: string;
  /** The ledger that the fork repeats first, which the chain has closed. */
  readonly first: FirstLedger | null;
  /** The ledger at whose end the fork is, and from which it can follow the network. */
  readonly followed: Followed | null;
  /** The changes of an earlier fork of the same base; null if there are none. */
  readonly overlay: ForkOverlay | null;
  /** The own passphrase of a saved fork; null for that of the network. */
  readonly passphrase: string | null;
  /** The entries that were read from the base so far. */
  readonly read: ReadEntries;
  /**
   * The keys that were read, that the file lacks, and for which no node was asked: they count as
   * absent, and the chain may have them. It grows with `read`. Absent if the base is no file.
   */
  readonly notInFile?: ReadonlySet<string>;
}

/** Entries of a base by LedgerKey, null for one that does not exist. No entry is ever removed. */
export class ReadEntries {
  private readonly entries = new Map<string, ForkEntry | null>();
  private readonly keys: string[] = [];

  get size(): number {
    return this.keys.length;
  }

  has(keyXdr: string): boolean {
    return this.entries.has(keyXdr);
  }

  get(keyXdr: string): ForkEntry | null {
    return this.entries.get(keyXdr) ?? null;
  }

  set(keyXdr: string, entry: ForkEntry | null): void {
    if (!this.entries.has(keyXdr)) this.keys.push(keyXdr);
    this.entries.set(keyXdr, entry);
  }

  /** The keys in the order in which they were read, from that index on. */
  keysFrom(place: number): readonly string[] {
    return this.keys.slice(place);
  }
}

/** The base with kept answers. */
export function withKeptAnswers(base: ForkBase, read: ReadEntries): ForkBase {
  return {
    ...base,
    async entries(keysXdr, context) {
      const lacking = keysXdr.filter((key) => !read.has(key));
      const lackingEntries =
        lacking.length === 0 ? new Map() : await base.entries(lacking, context);
      for (const key of lacking) read.set(key, lackingEntries.get(key) ?? null);
      return new Map(keysXdr.map((key) => [key, read.get(key)]));
    },
  };
}

/** The transaction's own ledger, which a fork just before it repeats. */
export function firstLedgerOf(record: ChainRecord): FirstLedger {
  const { ledger, envelopeXdr } = record;
  return {
    sequence: ledger.sequence,
    closeTimeUnixMilliseconds: closedAtMilliseconds(ledger),
    transactionSetHash: ledger.transactionSetHash,
    transaction: { envelopeXdr, applicationOrder: seedOrder(record), ...baseFeeOf(record) },
  };
}

/** The fee of the transaction set for an operation, as the fee of the transaction shows it. */
function baseFeeOf(record: ChainRecord): { readonly baseFeeStroops?: bigint | null } {
  const taken = readChain(record).feeTakenStroops;
  if (taken === null) return {};
  const bytes = decodeBase64(record.envelopeXdr, "TransactionEnvelope");
  const { feeBidStroops, operationKinds, soroban, isFeeBump } = readEnvelopeFacts(bytes);
  if (taken === feeBidStroops) return { baseFeeStroops: null };
  const count = BigInt(Math.max(1, operationKinds.length + (isFeeBump ? 1 : 0)));
  const inclusion = BigInt(taken) - BigInt(soroban?.resourceFeeStroops ?? 0);
  return { baseFeeStroops: inclusion / count };
}
