// The entries that cheats write: contract data, code, balances.

import type { SvcError } from "../../base/errors/errors.ts";
import {
  addressHint,
  decodeAccountKey,
  decodeContractId,
  isAccountAddress,
  isContractAddress,
} from "../../base/text/strkey.ts";
import type { ReportDependencies } from "../../debugger/simulate/report-simulation.ts";
import { simulateTransaction } from "../../debugger/simulate/simulate-transaction.ts";
import type { SimulatedChange } from "../../model/simulation.ts";
import { readAccount } from "../../xdr/ledger/account.ts";
import {
  contractCodeKey,
  smallestEntry,
  withBalance,
  withExecutable,
} from "../../xdr/ledger/patch-entry.ts";
import { scAddressOf, trustlineKeyOf } from "../../xdr/reader/from-json.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { accountKeyOf, keyOfEntry } from "../../xdr/reader/keys.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";
import { assetContract } from "../../xdr/values/asset-contract.ts";
import { amountOf, instanceKeyOfContract } from "../../xdr/values/value-parts.ts";
import { accountEntry, forkAccount } from "../accounts.ts";
import type { Fork } from "../fork.ts";
import { MOST_STROOPS } from "../ledger/accounts.ts";
import type { ReadContext } from "../ledger/chain.ts";
import { refusal } from "../rpc/refusal.ts";
import type { WrittenEntry } from "../written-entries.ts";

export interface CheatContext extends ReadContext {
  readonly fork: Fork;
  readonly simulation: () => Promise<ReportDependencies>;
}

const AUTHORIZED = 1;

/** Reads one entry; null if it does not exist. */
async function readOne({ fork, signal }: CheatContext, keyXdr: string): Promise<string | null> {
  return (await fork.chain.read([keyXdr], { signal })).get(keyXdr)?.entryXdr ?? null;
}

/** An entry to write. A `liveUntilLedger` of null gives it a long life. */
export function written(entryXdr: string, liveUntilLedger: number | null = null): WrittenEntry {
  const until = liveUntilLedger === null ? {} : { liveUntilLedger };
  return { keyXdr: keyOfEntry(entryXdr), entryXdr, ...until };
}

/** Installs a wasm, and returns its hash in hex. */
export async function putCode(
  context: CheatContext,
  wasm: Uint8Array,
  liveUntilLedger: number | null,
): Promise<string> {
  const hash = sha256(wasm).toHex();
  const known = await readOne(context, contractCodeKey(hash));
  // The host itself makes the entry, so that the code has its costs.
  const made =
    known ??
    (await simulated(context, { type: 2, wasm })).find(
      ({ keyXdr }) => keyXdr === contractCodeKey(hash),
    )?.afterXdr;
  if (made === undefined || made === null) throw notWritten("The contract host refused the wasm.");
  await context.fork.write([written(made, liveUntilLedger)], context);
  return hash;
}

/** Makes a contract run the wasm. Its storage stays. A contract that does not exist is created. */
export async function etch(
  context: CheatContext,
  contract: string,
  wasm: Uint8Array,
  liveUntilLedger: number | null,
): Promise<string> {
  const hash = await putCode(context, wasm, liveUntilLedger);
  const keyXdr = instanceKeyOfContract(contract) as string;
  const instance = await readOne(context, keyXdr);
  const entryXdr = instance === null ? newInstance(keyXdr, hash) : withExecutable(instance, hash);
  if (entryXdr === null) throw notWritten(`The instance of ${contract} cannot be read.`);
  await context.fork.write([written(entryXdr, liveUntilLedger)], context);
  return hash;
}

function newInstance(keyXdr: string, hash: string): string | null {
  const key = decode("LedgerKey", keyXdr);
  if (key.type !== 6) return null;
  const executable = { type: 0, wasmHash: Buffer.from(hash, "hex") } as const;
  const val = { type: SCV.instance, instance: { executable, storage: null } } as const;
  return encode("LedgerEntry", {
    lastModifiedLedgerSeq: 0,
    data: { type: 6, contractData: { ...key.contractData, ext: { v: 0 }, val } },
    ext: { v: 0 },
  });
}

/**
 * Sets a balance. `asset` is `native`, `CODE:ISSUER` or a token's contract. Returns a sentence
 * about what could not happen on a network; null if there is nothing.
 */
export async function setBalance(
  context: CheatContext,
  account: string,
  amount: bigint,
  asset: string,
): Promise<string | null> {
  const { networkPassphrase } = context.fork.chain;
  // A contract's balance of an asset is in the asset's contract.
  const isHeldThere = decodeContractId(account) !== null;
  const token = isHeldThere ? (assetContract(asset, networkPassphrase) ?? asset) : asset;
  if (decodeContractId(token) !== null) {
    await setTokenBalance(context, account, amount, token);
    return null;
  }
  const key = decodeAccountKey(account);
  if (key === null) throw refusal(`account must be an account, G…${addressHint(account)}`);
  if (amount > MOST_STROOPS) throw refusal("amount must be below 2^63");
  if (asset.endsWith(`:${account}`)) throw refusal("the issuer of an asset has no balance of it");
  const { fork } = context;
  const keyXdr = asset === "native" ? accountKeyOf(account) : trustlineKeyOf(account, asset);
  const known = await readOne(context, keyXdr);
  const made =
    asset === "native"
      ? accountEntry(key, amount, fork.chain.latest.sequence)
      : newTrustline(keyXdr);
  const entryXdr = withBalance(known ?? made, String(amount));
  if (entryXdr === null) throw notWritten("The entry has no balance.");
  const owner = asset === "native" || known !== null ? null : await oneMoreEntry(context, account);
  await fork.write(
    [entryXdr, ...(owner === null ? [] : [owner])].map((each) => written(each)),
    context,
  );
  return reserveWarning(entryXdr, fork.chain.latest.baseReserveStroops);
}

/** A warning about an account below its reserve. A test may want one; its transactions fail. */
function reserveWarning(entryXdr: string, baseReserveStroops: number): string | null {
  const account = readAccount(entryXdr);
  if (account === null) return null;
  const { address, reserves, balanceStroops, sellingLiabilitiesStroops } = account;
  const least = reserves * BigInt(baseReserveStroops) + sellingLiabilitiesStroops;
  if (balanceStroops >= least) return null;
  return `${address} must hold ${least} stroops as its reserve: with ${balanceStroops} it cannot pay.`;
}

function newTrustline(keyXdr: string): string {
  const entry = decode("LedgerEntry", smallestEntry(keyXdr, 0) as string);
  if (entry.data.type !== 1) throw notWritten("The asset has no trustline.");
  const trustLine = { ...entry.data.trustLine, limit: MOST_STROOPS, flags: AUTHORIZED };
  return encode("LedgerEntry", { ...entry, data: { ...entry.data, trustLine } });
}

/**
 * The account with one more entry, because it owns the new trustline. Null if there is no account.
 */
async function oneMoreEntry(context: CheatContext, account: string): Promise<string | null> {
  const entryXdr = await readOne(context, accountKeyOf(account));
  if (entryXdr === null) return null;
  const entry = decode("LedgerEntry", entryXdr);
  if (entry.data.type !== 0) return null;
  const numSubEntries = entry.data.account.numSubEntries + 1;
  const data = { ...entry.data, account: { ...entry.data.account, numSubEntries } };
  return encode("LedgerEntry", { ...entry, data });
}

/**
 * Sets a balance with the token's own `mint` or `burn`, without its administrator's authorization.
 * Lumens cannot be minted, so they are transferred from or to the friendbot.
 */
async function setTokenBalance(
  context: CheatContext,
  account: string,
  amount: bigint,
  contract: string,
): Promise<void> {
  const address = addressValue(account);
  const call = (name: string, args: readonly Value<"ScVal">[]) =>
    simulatedCall(context, contract, name, args);
  const { returnValueXdr } = await call("balance", [address]);
  const balance = returnValueXdr === null ? null : amountOf(returnValueXdr);
  if (balance === null) throw notWritten(`${contract} did not return a balance.`);
  if (balance === amount) return;
  const difference = amount > balance ? amount - balance : balance - amount;
  const i128 = { hi: BigInt.asIntN(64, difference >> 64n), lo: BigInt.asUintN(64, difference) };
  const value = { type: SCV.i128, i128 } as const;
  const { networkPassphrase } = context.fork.chain;
  const isMore = amount > balance;
  const friendbot = addressValue(forkAccount(networkPassphrase, "friendbot").address);
  const between = isMore ? [friendbot, address] : [address, friendbot];
  const { changes } =
    contract === assetContract("native", networkPassphrase)
      ? await call("transfer", [...between, value])
      : await call(isMore ? "mint" : "burn", [address, value]);
  await context.fork.write(writtenBy(changes), context);
}

function addressValue(address: string): Value<"ScVal"> {
  const scAddress =
    isAccountAddress(address) || isContractAddress(address) ? scAddressOf(address) : null;
  if (scAddress === null)
    throw refusal(`account must be an account or a contract, G… or C…${addressHint(address)}`);
  return { type: SCV.address, address: scAddress };
}

/** The written entries without the nonces of authorizations, which were not signed. */
function writtenBy(changes: readonly SimulatedChange[]): WrittenEntry[] {
  return changes.flatMap(({ keyXdr, afterXdr }) => {
    const key = decode("LedgerKey", keyXdr);
    const isNonce = key.type === 6 && key.contractData.key.type === SCV.nonceKey;
    return isNonce ? [] : { keyXdr, entryXdr: afterXdr };
  });
}

async function simulated(context: CheatContext, hostFunction: Value<"HostFunction">) {
  return (await simulate(context, hostFunction)).changes;
}

function simulatedCall(
  context: CheatContext,
  contract: string,
  name: string,
  args: readonly Value<"ScVal">[],
) {
  const contractId = decodeContractId(contract) as Uint8Array;
  return simulate(context, {
    type: 0,
    invokeContract: {
      contractAddress: { type: 1, contractId },
      functionName: Buffer.from(name),
      args,
    },
  });
}

/** Simulates in the recording mode, which requires no signature. */
async function simulate(context: CheatContext, hostFunction: Value<"HostFunction">) {
  const { fork, signal } = context;
  const source = forkAccount(fork.chain.networkPassphrase, "friendbot");
  const transactionXdr = encode("TransactionEnvelope", {
    type: 2,
    v1: {
      tx: {
        sourceAccount: { type: 0, ed25519: source.publicKey },
        fee: 100,
        seqNum: 1n,
        cond: { type: 0 },
        memo: { type: 0 },
        operations: [
          {
            sourceAccount: null,
            body: { type: 24, invokeHostFunctionOp: { hostFunction, auth: [] } },
          },
        ],
        ext: { v: 0 },
      },
      signatures: [],
    },
  });
  const request = { transactionXdr, authMode: "record_allow_nonroot" };
  const { simulation } = await simulateTransaction(await context.simulation(), request, { signal });
  if (simulation.error !== null) throw notWritten(simulation.error);
  return simulation;
}

function notWritten(message: string): SvcError {
  return refusal(message);
}
