// A fork of a network that was made for the test: one account has all lumens, and the settings are
// those of the recorded network.

import { Account, Keypair, TransactionBuilder } from "@stellar/stellar-sdk";
import type { ForkBase, ForkChain } from "../../src/fork/ledger/chain.ts";
import { openChain } from "../../src/fork/ledger/open-chain.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { readAccount } from "../../src/xdr/ledger/account.ts";
import { smallestEntry, withBalance } from "../../src/xdr/ledger/patch-entry.ts";
import { accountKeyOf } from "../../src/xdr/reader/keys.ts";
import { decode, encode } from "../../src/xdr/reader/value.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";
import { RecordedNetwork } from "./recorded-network.ts";

export const PASSPHRASE = "a network made for a test";
export const ROOT = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7));
export const CONTEXT = { signal: NEVER_ABORTED };

const ZERO = new Uint8Array(32);
const SEQUENCE = 1000;
const CLOSED_AT = 1_700_000_000n;
const network = new RecordedNetwork();

/** An account that its own key signs for. */
export function accountEntry(address: string, stroops: bigint): string {
  const entry = decode("LedgerEntry", smallestEntry(accountKeyOf(address), 1) ?? "");
  if (entry.data.type !== 0) throw new Error("no account");
  const account = { ...entry.data.account, thresholds: new Uint8Array([1, 0, 0, 0]) };
  const made = encode("LedgerEntry", { ...entry, data: { ...entry.data, account } });
  return withBalance(made, String(stroops)) ?? "";
}

export function madeBase(protocolVersion = 28): ForkBase {
  const header = {
    ...{ ledgerVersion: protocolVersion, previousLedgerHash: ZERO, txSetResultHash: ZERO },
    scpValue: { txSetHash: ZERO, closeTime: CLOSED_AT, upgrades: [], ext: { v: 0 as const } },
    ...{ bucketListHash: ZERO, ledgerSeq: SEQUENCE, totalCoins: 10n ** 18n, feePool: 0n },
    ...{ inflationSeq: 0, idPool: 0n, baseFee: 100, baseReserve: 5_000_000, maxTxSetSize: 100 },
    ...{ skipList: [ZERO, ZERO, ZERO, ZERO], ext: { v: 0 as const } },
  };
  const root = accountKeyOf(ROOT.publicKey());
  const entryXdr = accountEntry(ROOT.publicKey(), 10n ** 17n);
  const provenance = { kind: "ledger-scan", detail: "test" } as const;
  return {
    networkPassphrase: PASSPHRASE,
    headerXdr: encode("LedgerHeader", header),
    ledgerHash: "00".repeat(32),
    settingsXdr: network.settingEntries.map(({ xdr }) =>
      Buffer.concat([Buffer.alloc(4), Buffer.from(xdr, "base64"), Buffer.alloc(4)]).toString(
        "base64",
      ),
    ),
    rentFeePer1KbStroops: null,
    entries: async (keys) =>
      new Map(
        keys.map((key) => [
          key,
          key === root ? { entryXdr, liveUntilLedger: null, archived: false, provenance } : null,
        ]),
      ),
  };
}

const NEVER_RUN: Pick<Simulator, "replay"> = {
  replay: () => Promise.reject(new Error("nothing runs in the contract host")),
};

export function madeFork(simulator = NEVER_RUN, protocolVersion?: number): ForkChain {
  return openChain(madeBase(protocolVersion), simulator);
}

/** Envelopes of operations, signed by the accounts that they are of; the first pays. */
export async function signed(
  chain: ForkChain,
  by: readonly Keypair[],
  ...operations: Parameters<TransactionBuilder["addOperation"]>[0][]
): Promise<string> {
  const [source = ROOT] = by;
  const key = accountKeyOf(source.publicKey());
  const held = (await chain.read([key], CONTEXT)).get(key);
  const { sequence = 0n } = readAccount(held?.entryXdr ?? "") ?? {};
  const account = new Account(source.publicKey(), String(sequence));
  const builder = new TransactionBuilder(account, { fee: "1000", networkPassphrase: PASSPHRASE });
  for (const operation of operations) builder.addOperation(operation);
  const transaction = builder.setTimeout(0).build();
  transaction.sign(...by);
  return transaction.toXDR();
}

/** Closes a ledger of one transaction, six seconds after the last. */
export async function closeOne(chain: ForkChain, envelopeXdr: string) {
  const closeTimeUnixSeconds = BigInt(chain.latest.closeTimeUnixSeconds) + 6n;
  const ledger = await chain.close([envelopeXdr], { ...CONTEXT, closeTimeUnixSeconds });
  const [transaction] = ledger.transactions;
  return { ledger, transaction, leftOut: ledger.leftOut };
}
