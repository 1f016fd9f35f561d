// stellar-sdk against a fork, over HTTP: what a test suite of a dapp does.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import {
  Address,
  Asset,
  Contract,
  Keypair,
  nativeToScVal,
  Operation,
  rpc,
  scValToNative,
  type xdr,
} from "@stellar/stellar-sdk";
import { openFork, type TestFork } from "../support/fork.ts";

let fork: TestFork;
let server: rpc.Server;
beforeAll(async () => {
  fork = await openFork();
  server = fork.node;
});
afterAll(() => fork[Symbol.asyncDispose]());

async function invoke(keypair: Keypair, operation: xdr.Operation) {
  const sent = await server.sendTransaction(await fork.signed(keypair, operation));
  expect(sent.status).toBe("PENDING");
  const done = await server.pollTransaction(sent.hash);
  if (done.status !== rpc.Api.GetTransactionStatus.SUCCESS)
    throw new Error(`${done.status}: ${JSON.stringify(done)}`);
  return done;
}

test("create, fund, deploy, simulate, sign, send, poll, events", async () => {
  const alice = Keypair.random();
  const bob = Keypair.random();
  expect((await server.requestAirdrop(alice.publicKey())).accountId()).toBe(alice.publicKey());
  expect((await server.fundAddress(bob.publicKey())).status).toBe("SUCCESS" as never);
  // Once more: the account is there already.
  expect((await server.requestAirdrop(alice.publicKey())).accountId()).toBe(alice.publicKey());

  const wasm = await Bun.file(join(import.meta.dir, "../contracts/token.wasm")).bytes();
  const uploaded = await invoke(alice, Operation.uploadContractWasm({ wasm }));
  const wasmHash = scValToNative(uploaded.returnValue as xdr.ScVal) as Uint8Array;
  const address = new Address(alice.publicKey());
  const created = await invoke(
    alice,
    Operation.createCustomContract({ address, wasmHash, salt: new Uint8Array(32) }),
  );
  const token = new Contract(String(scValToNative(created.returnValue as xdr.ScVal)));
  const balance = await invoke(alice, token.call("balance", address.toScVal()));
  expect(scValToNative(balance.returnValue as xdr.ScVal)).toBe(0n);

  await invoke(alice, Operation.createStellarAssetContract({ asset: Asset.native() }));
  const lumens = new Contract(Asset.native().contractId(fork.networkPassphrase));
  const amount = nativeToScVal(12_345n, { type: "i128" });
  const transfer = ["transfer", address.toScVal(), new Address(bob.publicKey()).toScVal()] as const;
  const done = await invoke(alice, lumens.call(...transfer, amount));
  const { events, cursor } = await server.getEvents({
    startLedger: done.ledger,
    filters: [{ type: "contract", contractIds: [lumens.contractId()], topics: [["**"]] }],
  });
  const transfers = events.filter(
    ({ topic }) => scValToNative(topic[0] as xdr.ScVal) === "transfer",
  );
  expect(transfers.map(({ txHash, value }) => [txHash, scValToNative(value)])).toEqual([
    [done.txHash, 12_345n],
  ]);
  expect((await server.getEvents({ cursor, filters: [] } as never)).events).toEqual([]);
});

test("a classic payment, and a transaction that the fork refuses", async () => {
  const from = fork.keypair(0);
  const destination = fork.keypair(1).publicKey();
  const payment = Operation.payment({ destination, asset: Asset.native(), amount: "5" });
  const transaction = await fork.build(from.publicKey(), payment);
  const unsigned = await server.sendTransaction(transaction);
  expect([unsigned.status, unsigned.errorResult?.result.type]).toEqual(["ERROR", "txBadAuth"]);
  transaction.sign(from);
  const sent = await server.sendTransaction(transaction);
  const done = await server.getTransaction(sent.hash);
  expect(done.status).toBe(rpc.Api.GetTransactionStatus.SUCCESS);
  expect((await server.sendTransaction(transaction)).status).toBe("TRY_AGAIN_LATER");
});

test("reads: ledgers, transactions, health, network, fees", async () => {
  const latest = await server.getLatestLedger();
  expect((await server.getHealth()).status).toBe("healthy");
  expect((await server.getNetwork()).passphrase).toBe(fork.networkPassphrase);
  const { ledgers } = await server.getLedgers({ startLedger: 2 });
  expect(ledgers.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: latest.sequence - 1 }, (_, index) => index + 2),
  );
  const { transactions } = await server.getTransactions({ startLedger: 2 });
  expect(transactions.length).toBeGreaterThan(5);
  expect(Number((await server.getFeeStats()).sorobanInclusionFee.max)).toBeGreaterThan(0);
  await server.getVersionInfo();
});
