// What a fork does that no network would, over JSON-RPC.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  Address,
  Asset,
  Contract,
  Keypair,
  nativeToScVal,
  Operation,
  rpc,
  StrKey,
  scValToNative,
  type xdr,
} from "@stellar/stellar-sdk";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { openFork, type TestFork } from "../support/fork.ts";

let fork: TestFork;
let server: rpc.Server;
beforeAll(async () => {
  fork = await openFork();
  server = fork.node;
});
afterAll(() => fork[Symbol.asyncDispose]());

const WASM = join(import.meta.dir, "../contracts/token.wasm");
const addressOf = (index: number) => fork.accounts[index]?.address ?? "";

async function balanceOf(address: string): Promise<bigint> {
  return (await server.getAccountEntry(address)).balance;
}

async function simulated(operation: xdr.Operation): Promise<unknown> {
  const answer = await server.simulateTransaction(await fork.build(addressOf(0), operation));
  if (!rpc.Api.isSimulationSuccess(answer)) throw new Error(JSON.stringify(answer));
  return scValToNative(answer.result?.retval as xdr.ScVal);
}

describe("balances", () => {
  test("an account that was not there has the balance, and can send", async () => {
    const keypair = Keypair.random();
    const account = keypair.publicKey();
    const done = await fork.call("fork_setBalance", { account, amount: "50000000" });
    expect(done).toMatchObject({ ok: true });
    expect(await balanceOf(account)).toBe(50_000_000n);
    const transaction = await fork.build(account, Operation.manageData({ name: "a", value: "b" }));
    transaction.sign(keypair);
    const { hash } = await server.sendTransaction(transaction);
    expect((await server.getTransaction(hash)).status).toBe("SUCCESS" as never);
  });

  test("a balance below the reserve is said to be one, and its account cannot pay", async () => {
    const keypair = Keypair.random();
    const account = keypair.publicKey();
    const enough = await fork.call("fork_setBalance", { account, amount: "10000000" });
    expect(enough).not.toHaveProperty("warning");
    const { warning } = await fork.call("fork_setBalance", { account, amount: "9999999" });
    expect(warning).toBe(
      `${account} must hold 10000000 stroops as its reserve: with 9999999 it cannot pay.`,
    );
    const data = Operation.manageData({ name: "a", value: "b" });
    const { status } = await server.sendTransaction(await fork.signed(keypair, data));
    expect(status).toBe("ERROR");
  });

  test("a trustline begins with the balance, and its account counts it", async () => {
    const account = addressOf(0);
    const asset = { code: "USDC", issuer: addressOf(1) };
    await fork.call("fork_setBalance", { account, amount: 700, asset });
    const trustline = await server.getTrustline(account, new Asset(asset.code, asset.issuer));
    expect(trustline.balance).toBe(700n);
    expect((await server.getAccountEntry(account)).numSubEntries).toBe(1);
    const ofIssuer = fork.call("fork_setBalance", { account: asset.issuer, amount: 1, asset });
    await expect(ofIssuer).rejects.toMatchObject({
      message: "the issuer of an asset has no balance of it",
    });
  });
});

test("a contract has lumens, an asset and a token's own balance", async () => {
  const contract = StrKey.encodeContract(new Uint8Array(32).fill(0xbb));
  const issuer = fork.keypair(1);
  const asset = new Asset("USDC", issuer.publicKey());
  const { networkPassphrase } = fork;
  for (const [deployed, source] of [
    [Asset.native(), fork.keypair(0)],
    [asset, issuer],
  ] as const) {
    const operation = Operation.createStellarAssetContract({ asset: deployed });
    await server.sendTransaction(await fork.signed(source, operation));
  }
  const balance = async (of: Asset) => {
    const { balanceEntry } = await server.getAssetBalance(contract, of, networkPassphrase);
    return balanceEntry?.amount;
  };
  for (const amount of ["900", "1200", "5"]) {
    await fork.call("fork_setBalance", { account: contract, amount });
    const code = { code: "USDC", issuer: issuer.publicKey() };
    await fork.call("fork_setBalance", { account: contract, amount, asset: code });
    expect([await balance(Asset.native()), await balance(asset)]).toEqual([amount, amount]);
  }
  const token = asset.contractId(networkPassphrase);
  await fork.call("fork_setBalance", { account: contract, amount: 77, asset: { contract: token } });
  expect(await balance(asset)).toBe("77");
});

describe("code and storage", () => {
  const contract = StrKey.encodeContract(new Uint8Array(32).fill(0xee));
  const wasm = async () => (await Bun.file(WASM).bytes()).toBase64();

  test("a contract that nobody deployed can be called, and keeps its storage", async () => {
    const holder = new Address(addressOf(0)).toScVal();
    await fork.call("fork_etch", { contract, wasm: await wasm() });
    expect(await simulated(new Contract(contract).call("balance", holder))).toBe(0n);
    const key = nativeToScVal([nativeToScVal("Balance", { type: "symbol" }), holder]);
    const value = nativeToScVal(41n, { type: "i128" });
    const written = { contract, key: key.toXdr("base64"), value: value.toXdr("base64") };
    await fork.call("fork_setStorage", written);
    await fork.call("fork_etch", { contract, wasm: await wasm() });
    expect(await simulated(new Contract(contract).call("balance", holder))).toBe(41n);
  });

  test("the hash of installed code is the fork's own", async () => {
    const { hash } = await fork.call<{ hash: string }>("fork_setCode", { wasm: await wasm() });
    const bytes = await server.getContractWasmByHash(Buffer.from(hash, "hex"));
    expect(bytes.length).toBe((await Bun.file(WASM).bytes()).length);
  });

  test("any entry can be replaced and removed", async () => {
    const account = Keypair.random().publicKey();
    await fork.call("fork_setBalance", { account, amount: "1" });
    const key = { account: { account_id: account } };
    await fork.call("fork_setLedgerEntry", { key });
    await expect(server.getAccountEntry(account)).rejects.toThrow();
  });
});

describe("time", () => {
  test("ledgers pass, and time with them", async () => {
    const before = await server.getLatestLedger();
    await fork.call("fork_closeLedgers", { ledgers: 100 });
    const after = await server.getLatestLedger();
    expect(after.sequence).toBe(before.sequence + 100);
    expect(Number(after.closeTime) - Number(before.closeTime)).toBeGreaterThanOrEqual(495);
  });

  test("entries expire as their TTLs say", async () => {
    const contract = StrKey.encodeContract(new Uint8Array(32).fill(0xdd));
    const { sequence } = await server.getLatestLedger();
    const key = nativeToScVal("Price", { type: "symbol" });
    await fork.call("fork_setStorage", {
      contract,
      key: key.toXdr("base64"),
      value: nativeToScVal(5).toXdr("base64"),
      durability: "temporary",
      liveUntilLedgerSeq: sequence + 10,
    });
    const read = () => server.getContractData(contract, key, rpc.Durability.Temporary);
    expect((await read()).liveUntilLedgerSeq).toBe(sequence + 10);
    await fork.call("fork_warp", { toLedger: sequence + 11 });
    await expect(read()).rejects.toThrow();
  });

  test("a warp to a time that has passed is refused", async () => {
    await expect(fork.call("fork_warp", { toUnixSeconds: 5 })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe("moments", () => {
  test("a revert takes back transactions, cheats and ledgers", async () => {
    const account = addressOf(2);
    const before = await balanceOf(account);
    const { sequence } = await server.getLatestLedger();
    const id = await fork.call<number>("fork_snapshot");
    await fork.call("fork_setBalance", { account, amount: "7" });
    await fork.call("fork_closeLedgers", { ledgers: 3 });
    expect(await balanceOf(account)).toBe(7n);
    await fork.call("fork_revert", { id });
    expect(await balanceOf(account)).toBe(before);
    expect((await server.getLatestLedger()).sequence).toBe(sequence);
    await expect(fork.call("fork_revert", { id })).rejects.toMatchObject({ code: -32602 });
  });

  test("impersonated accounts need no signature", async () => {
    const account = addressOf(1);
    const send = async () => {
      const operation = Operation.manageData({ name: "c", value: "d" });
      return server.sendTransaction(await fork.build(account, operation));
    };
    expect((await send()).status).toBe("ERROR");
    await fork.call("fork_impersonate", { accounts: [account] });
    const { status, hash } = await send();
    expect(status).toBe("PENDING");
    expect((await server.getTransaction(hash)).status).toBe("SUCCESS" as never);
    await fork.call("fork_stopImpersonating");
    expect((await send()).status).toBe("ERROR");
  });

  test("a saved fork goes on where it was", async () => {
    const state = await fork.call<string>("fork_dump");
    const account = addressOf(2);
    const before = await balanceOf(account);
    const { sequence } = await server.getLatestLedger();
    await fork.call("fork_setBalance", { account, amount: "9" });
    // As long as one that has read much code.
    await fork.call("fork_load", { state: state + " ".repeat(5_000_000) });
    expect(await balanceOf(account)).toBe(before);
    expect((await server.getLatestLedger()).sequence).toBe(sequence);
    const elsewhereSaved = state.replaceAll(fork.networkPassphrase, "Another");
    await expect(fork.call("fork_load", { state: elsewhereSaved })).rejects.toMatchObject({
      message: "the saved fork has another passphrase",
    });
    await using other = await openFork({
      choice: { file: { name: "fork.json", text: state } },
      offline: true,
    });
    const elsewhere = new rpc.Server(other.url, { allowHttp: true });
    expect((await elsewhere.getAccountEntry(account)).balance).toBe(before);
  });

  test("a reset begins anew", async () => {
    await fork.call("fork_reset");
    expect((await server.getLatestLedger()).sequence).toBe(2);
    expect(await balanceOf(addressOf(0))).toBe(100_000_000_000n);
  });
});

test("a fork that other machines can reach has no cheats unless its user says so", async () => {
  await using closed = await openFork({ cheats: false });
  await expect(closed.call("fork_closeLedgers")).rejects.toMatchObject({ code: -32601 });
});

describe("what a cheat is refused for", () => {
  const refused = async (method: string, params: object, words: string) => {
    const message = expect.stringContaining(words);
    await expect(fork.call(method, params)).rejects.toMatchObject({ code: -32602, message });
  };

  test("addresses whose checksum is wrong", async () => {
    const account = addressOf(0);
    const wrong = `${account.slice(0, -1)}${account.endsWith("A") ? "B" : "A"}`;
    const contract = `C${account.slice(1)}`;
    const balance = { account, amount: 1 };
    for (const asset of [`A:${wrong}`, { code: "A", issuer: wrong }, contract, { contract }])
      await refused("fork_setBalance", { ...balance, asset }, "asset");
    await refused("fork_setStorage", { contract, key: "AAAAAQ==" }, "must be a contract");
    const numbered = Uint8Array.from({ length: 40 }, (_, i) => (i < 32 ? 7 : 1));
    const muxed = encodeStrkey("muxed-contract", numbered);
    const holder = encodeStrkey("contract", numbered.subarray(0, 32));
    await refused(
      "fork_setStorage",
      { contract: muxed, key: "AAAAAQ==" },
      `of the contract ${holder}`,
    );
    const key = { vec: [{ symbol: "Balance" }, { address: muxed }] };
    const flaw = `key has the muxed address ${muxed} in it, which the host refuses in storage keys: use ${holder}`;
    await refused("fork_setStorage", { contract: holder, key, value: "AAAAAQ==" }, flaw);
    const ledgerKey = { contract_data: { contract: holder, key, durability: "persistent" } };
    await refused("fork_setLedgerEntry", { key: ledgerKey }, flaw);
    await refused("fork_sdkSnapshot", { keys: ["zz"] }, "cannot unmarshal key value zz");
  });

  test("the removal of what each ledger has", async () => {
    const setting = Buffer.from([0, 0, 0, 8, 0, 0, 0, 1]).toString("base64");
    const ttl = Buffer.from([0, 0, 0, 9, ...new Uint8Array(32)]).toString("base64");
    for (const key of [setting, ttl])
      await refused("fork_setLedgerEntry", { key }, "a setting or a TTL cannot be removed");
  });

  test("a ledger or a time after which the fork could not go on", async () => {
    const { sequence } = await server.getLatestLedger();
    const ledger = 2 ** 31;
    await refused("fork_warp", { toLedger: ledger }, "a fork ends at ledger 2147483647");
    await refused("fork_closeLedgers", { ledgers: ledger - 1 }, "a fork ends at ledger");
    const seconds = "253402300800";
    await refused("fork_warp", { toUnixSeconds: seconds }, "in the year 9999");
    await refused("fork_closeLedgers", { timestampAdvanceSeconds: seconds }, "in the year 9999");
    expect((await server.getLatestLedger()).sequence).toBe(sequence);
    const id = await fork.call("fork_snapshot");
    await fork.call("fork_warp", { toLedger: ledger - 10, toUnixSeconds: "253402300700" });
    await server.requestAirdrop(Keypair.random().publicKey());
    const account = addressOf(0);
    await fork.call("fork_setBalance", { account, amount: 1 });
    expect((await server.getLatestLedger()).sequence).toBe(ledger - 8);
    await fork.call("fork_revert", { id });
  });

  test("a ledger of another network, or of one that must not be asked", async () => {
    await using alone = await openFork({ passphrase: "Of nobody else" });
    await expect(alone.call("fork_reset", { ledger: 7 })).rejects.toMatchObject({
      message: "no node of the fork's network is known",
    });
    await using offline = await openFork({ offline: true });
    await expect(offline.call("fork_reset", { ledger: 7 })).rejects.toMatchObject({
      message: "With --offline, svc may ask no node for another ledger.",
    });
  });
});

test("a call without an id has no answer, and is made", async () => {
  const { sequence } = await server.getLatestLedger();
  const body = JSON.stringify({ jsonrpc: "2.0", method: "fork_closeLedgers" });
  const headers = { "content-type": "application/json" };
  expect((await fetch(fork.url, { method: "POST", headers, body })).status).toBe(204);
  expect((await server.getLatestLedger()).sequence).toBe(sequence + 1);
});
