// Entries that a cheat writes, in the form of a ledger's meta: a ledger without transactions
// changes them like an upgrade of the network, so that readers of the ledgers see it.

import { decode, encode, type Value } from "../xdr/reader/value.ts";
import type { ClosedLedger, RentFacts } from "./ledger/chain.ts";

export interface WrittenEntry {
  readonly keyXdr: string;
  /** The LedgerEntry; null to remove it. */
  readonly entryXdr: string | null;
  /** The last live ledger of contract data and code (default: a long life). */
  readonly liveUntilLedger?: number;
  readonly archived?: boolean;
}

export interface ChangedEntry {
  readonly keyXdr: string;
  /** The LedgerEntry before; null if it did not exist. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The LedgerUpgradeType of the network's settings, which no upgrade of a fork has. */
const CONFIG = 6;
const NO_HASH = new Uint8Array(32);

/**
 * The meta with the entries. `rent` is that after the entries were written, as a ledger reports it.
 */
export function withWritten(
  ledger: ClosedLedger,
  changed: readonly ChangedEntry[],
  rent: RentFacts,
): ClosedLedger {
  const changes = changed.flatMap(({ keyXdr, before, after }) => changesOf(keyXdr, before, after));
  const newConfig = { contractId: NO_HASH, contentHash: NO_HASH };
  const upgrade = { upgrade: { type: CONFIG, newConfig }, changes } as const;
  const { ledgerCloseMetaXdr: plain, ...others } = ledger;
  return {
    ...others,
    get ledgerCloseMetaXdr() {
      const meta = decode("LedgerCloseMeta", plain);
      const upgradesProcessing = [upgrade];
      const more = { upgradesProcessing, ...reportOf(rent) };
      if (meta.v === 2) return encode("LedgerCloseMeta", { ...meta, v2: { ...meta.v2, ...more } });
      if (meta.v === 1) return encode("LedgerCloseMeta", { ...meta, v1: { ...meta.v1, ...more } });
      return plain;
    },
  };
}

function reportOf({ rentFeePer1KbStroops, averageStateSizeBytes }: RentFacts) {
  const ext: Value<"LedgerCloseMetaExt"> =
    rentFeePer1KbStroops === null
      ? { v: 0 }
      : { v: 1, v1: { ext: { v: 0 }, sorobanFeeWrite1Kb: BigInt(rentFeePer1KbStroops) } };
  return { ext, totalByteSizeOfLiveSorobanState: averageStateSizeBytes };
}

function changesOf(
  keyXdr: string,
  before: string | null,
  after: string | null,
): Value<"LedgerEntryChange">[] {
  const entry = (xdr: string) => decode("LedgerEntry", xdr);
  if (before === null) return after === null ? [] : [{ type: 0, created: entry(after) }];
  const state = { type: 3, state: entry(before) } as const;
  if (after === null) return [state, { type: 2, removed: decode("LedgerKey", keyXdr) }];
  return [state, { type: 1, updated: entry(after) }];
}
