// The moment before the transaction of a capsule, as the base of a fork. An entry that the capsule
// lacks is requested from nodes; without nodes it does not exist.

import type { CaptureDependencies, Captured } from "../../debugger/walk/capture-transaction.ts";
import { takeEntries } from "../../snapshot/gather/take-snapshot.ts";
import { readAccount } from "../../xdr/ledger/account.ts";
import { readLedgerHeader } from "../../xdr/ledger/header.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";
import type { ForkBase, ForkEntry, ReadContext } from "../ledger/chain.ts";
import { entryFromSnapshot } from "./network-base.ts";
import { firstLedgerOf, type OpenedBase, ReadEntries, withKeptAnswers } from "./opened-base.ts";
import { payersBefore } from "./payers-before.ts";

const NO_HASH = new Uint8Array(32);
const USUAL_SECONDS = 5n;

/** The nodes of the transaction's own network. */
export interface CapsuleNodes extends CaptureDependencies {
  /** Checks that they still belong to that network. Throws FORK_OTHER_NETWORK. */
  readonly check: (context: ReadContext) => Promise<void>;
}

/** Opens the base. `nodes` is null if no node may be asked. */
export function openCapsuleBase(
  captured: Captured,
  nodes: CapsuleNodes | null,
  file: string,
): OpenedBase {
  const { record, snapshot, envelope } = captured;
  const { ledger } = record;
  const known = new Map<string, ForkEntry | null>();
  for (const entry of [...(snapshot?.entries ?? []), ...(snapshot?.beyondFootprint ?? [])])
    known.set(entry.keyXdr, entryFromSnapshot(entry));
  for (const [keyXdr, entry] of payersBefore(captured)) known.set(keyXdr, entry);
  const header = headerBefore(captured, closedBefore(captured, known));
  const notInFile = new Set<string>();
  const base: ForkBase = {
    networkPassphrase: record.networkPassphrase,
    ...header,
    settingsXdr: (snapshot?.settings ?? []).map(({ entryXdr }) => entryXdr),
    rentFeePer1KbStroops: snapshot?.rentFeePer1KbStroops ?? null,
    async entries(keysXdr, context) {
      const lacking = keysXdr.filter((key) => !known.has(key));
      if (nodes === null) for (const key of lacking) notInFile.add(key);
      if (nodes !== null && lacking.length > 0 && envelope.soroban !== null) {
        await nodes.check(context);
        const { entries } = await takeEntries(nodes, captured, lacking, context);
        for (const entry of entries) known.set(entry.keyXdr, entryFromSnapshot(entry));
      }
      return new Map(keysXdr.map((key) => [key, known.get(key) ?? null]));
    },
  };
  const read = new ReadEntries();
  return {
    base: withKeptAnswers(base, read),
    name: `${file}, before its transaction of ledger ${ledger.sequence}`,
    first: firstLedgerOf(record),
    followed: null,
    overlay: null,
    passphrase: null,
    read,
    notInFile,
  };
}

/**
 * The second in which the ledger before closed. No record has it. An account that sent a
 * transaction before this ledger shows that it closed then or later.
 */
function closedBefore({ record }: Captured, known: ReadonlyMap<string, ForkEntry | null>): bigint {
  const own = BigInt(record.ledger.closeTimeUnixSeconds);
  let latest = own - USUAL_SECONDS;
  for (const entry of known.values()) {
    const used = entry === null ? 0n : (readAccount(entry.entryXdr)?.sequenceSeconds ?? 0n);
    if (used > latest && used < own) latest = used;
  }
  return latest;
}

/** The header of the ledger before, as far as that of the transaction's own ledger shows it. */
function headerBefore(
  { record }: Captured,
  closeTime: bigint,
): Pick<ForkBase, "headerXdr" | "ledgerHash"> {
  const { ledger, ledgerHeaderXdr } = record;
  const own: Value<"LedgerHeader"> | null =
    ledgerHeaderXdr === undefined
      ? null
      : decode("LedgerHeader", readLedgerHeader(ledgerHeaderXdr).header.toBase64());
  const headerXdr = encode("LedgerHeader", {
    previousLedgerHash: NO_HASH,
    txSetResultHash: NO_HASH,
    bucketListHash: NO_HASH,
    totalCoins: 0n,
    feePool: 0n,
    inflationSeq: 0,
    idPool: 0n,
    maxTxSetSize: 1000,
    skipList: [NO_HASH, NO_HASH, NO_HASH, NO_HASH],
    ext: { v: 0 },
    ...own,
    scpValue: { txSetHash: NO_HASH, closeTime, upgrades: [], ext: { v: 0 } },
    ledgerVersion: ledger.protocolVersion,
    ledgerSeq: ledger.sequence - 1,
    baseFee: ledger.baseFeeStroops,
    baseReserve: ledger.baseReserveStroops,
  });
  return { headerXdr, ledgerHash: Buffer.from(own?.previousLedgerHash ?? NO_HASH).toString("hex") };
}
