// What a node of Stellar RPC does, in its words: formats, pages, filters, refusals, and the queue of
// transactions that wait for a ledger.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
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
import { openFork, type TestFork } from "../support/fork.ts";

let fork: TestFork;
let server: rpc.Server;
let lumens: Contract;
const hashes: string[] = [];
beforeAll(async () => {
  fork = await openFork();
  server = fork.node;
  lumens = new Contract(Asset.native().contractId(fork.networkPassphrase));
  await send(fork, Operation.createStellarAssetContract({ asset: Asset.native() }));
  for (let index = 0; index < 6; index += 1) hashes.push(await send(fork, transfer(index + 1)));
});
afterAll(() => fork[Symbol.asyncDispose]());

const addressOf = (index: number) => fork.accounts[index]?.address ?? "";
const transfer = (amount: number) =>
  lumens.call(
    "transfer",
    new Address(addressOf(0)).toScVal(),
    new Address(addressOf(1)).toScVal(),
    nativeToScVal(amount, { type: "i128" }),
  );

const signed = (on: TestFork, operation: xdr.Operation) => on.signed(on.keypair(0), operation);

async function send(on: TestFork, operation: xdr.Operation): Promise<string> {
  return (await on.node.sendTransaction(await signed(on, operation))).hash;
}

const refusalOf = (method: string, params: object) =>
  fork.call(method, params).then(
    () => null,
    ({ code, message }: { code: number; message: string }) => [code, message],
  );

describe("getEvents", () => {
  const amounts = (events: readonly rpc.Api.EventResponse[]) =>
    events.map(({ value }) => scValToNative(value));
  const contractIds = () => [lumens.contractId()];
  const symbol = nativeToScVal("transfer", { type: "symbol" }).toXdr("base64");

  test("goes through all events page by page, without losing or repeating one", async () => {
    const filters = [{ type: "contract" as const, contractIds: contractIds() }];
    const whole = await server.getEvents({ startLedger: 2, filters, limit: 1000 });
    const ids: string[] = [];
    let page = await server.getEvents({ startLedger: 2, filters, limit: 4 });
    while (page.events.length > 0) {
      ids.push(...page.events.map(({ id }) => id));
      page = await server.getEvents({ cursor: page.cursor, filters, limit: 4 });
    }
    expect(ids).toEqual(whole.events.map(({ id }) => id));
    expect(ids).toEqual(ids.toSorted());
    // A fee and its refund are events too.
    expect(ids.length).toBeGreaterThan(hashes.length * 2);
  });

  test("chooses by topics, exactly or up to a point", async () => {
    const to = new Address(addressOf(1)).toScVal().toXdr("base64");
    const found = async (topics: string[][]) => {
      const filters = [{ contractIds: contractIds(), topics }];
      return amounts((await server.getEvents({ startLedger: 2, filters })).events);
    };
    const all = [1n, 2n, 3n, 4n, 5n, 6n];
    expect(await found([[symbol, "*", to, "*"]])).toEqual(all);
    expect(await found([[symbol, "**"]])).toEqual(all);
    expect(await found([[symbol, "*"]])).toEqual([]);
    expect(await found([["*", "*", nativeToScVal(1).toXdr("base64"), "*"]])).toEqual([]);
  });

  test("refuses what a node refuses, in its words", async () => {
    const { sequence } = await server.getLatestLedger();
    expect(await refusalOf("getEvents", {})).toEqual([-32602, "startLedger must be positive"]);
    expect(await refusalOf("getEvents", { startLedger: sequence + 1 })).toEqual([
      -32600,
      `startLedger must be within the ledger range: 1 - ${sequence}`,
    ]);
    const topics = [["**", symbol]];
    expect(await refusalOf("getEvents", { startLedger: 2, filters: [{ topics }] })).toEqual([
      -32602,
      "filter 1 invalid: topic 1 invalid: segment 1 invalid: wildcard '**' is only allowed as the " +
        "last segment",
    ]);
    const filters = Array.from({ length: 6 }, () => ({}));
    expect(await refusalOf("getEvents", { startLedger: 2, filters })).toEqual([
      -32602,
      "maximum 5 filters per request",
    ]);
  });
});

describe("getTransactions and getLedgers", () => {
  test("page by page", async () => {
    const found: string[] = [];
    let page = await server.getTransactions({ startLedger: 2, pagination: { limit: 2 } });
    while (page.transactions.length > 0) {
      found.push(...page.transactions.map(({ txHash }) => txHash));
      page = await server.getTransactions({ pagination: { limit: 2, cursor: page.cursor } });
    }
    expect(found.slice(1)).toEqual(hashes);
    const ledgers: number[] = [];
    const limit = { limit: 3 };
    let some = await server.getLedgers({ startLedger: 2, pagination: limit });
    while (ledgers.at(-1) !== some.latestLedger) {
      ledgers.push(...some.ledgers.map(({ sequence }) => sequence));
      if (some.cursor === String(some.latestLedger)) break;
      some = await server.getLedgers({ pagination: { ...limit, cursor: some.cursor } });
    }
    expect(ledgers).toEqual(Array.from({ length: some.latestLedger - 1 }, (_, at) => at + 2));
  });

  test("refuse a ledger that the fork does not have", async () => {
    expect(await refusalOf("getTransactions", { startLedger: 900 })).toEqual([
      -32600,
      expect.stringContaining("start ledger (900) must be between the oldest ledger: 1 and the"),
    ]);
    const refused = await refusalOf("getLedgers", { startLedger: 2, pagination: { limit: 201 } });
    expect(refused).toEqual([-32600, "limit must not exceed 200"]);
  });
});

test("with `xdrFormat` json, XDR is the JSON of SEP-51", async () => {
  const xdrFormat = "json";
  const [hash = ""] = hashes;
  const found = await fork.call("getTransaction", { hash, xdrFormat });
  expect(found).toMatchObject({ envelopeJson: { tx: {} }, resultMetaJson: { v4: {} } });
  expect(JSON.stringify(found)).not.toContain("Xdr");
  const transaction = await signed(fork, transfer(1));
  const given = { transaction: transaction.toXdr(), xdrFormat };
  expect(await fork.call("simulateTransaction", given)).toMatchObject({
    transactionDataJson: { resources: {} },
    results: [{ returnValueJson: "void" }],
  });
  const key = { contract_data: { durability: "persistent", key: "ledger_key_contract_instance" } };
  const keys = [lumens.getFootprint().toXdr("base64")];
  expect(await fork.call("getLedgerEntries", { keys, xdrFormat })).toMatchObject({
    entries: [{ keyJson: key, extJson: "v0" }],
  });
  expect(await refusalOf("getTransaction", { hash, xdrFormat: "yaml" })).toEqual([
    -32602,
    "got 'yaml': expected base64, json for optional 'xdrFormat'",
  ]);
});

test("what a node refuses of other calls", async () => {
  expect(await refusalOf("getTransaction", { hash: "ab" })).toEqual([
    -32602,
    "unexpected hash length (2)",
  ]);
  expect(await refusalOf("sendTransaction", { transaction: "AAAA" })).toEqual([
    -32602,
    "invalid_xdr",
  ]);
  const keys = ["AAAA"];
  expect(await refusalOf("getLedgerEntries", { keys })).toEqual([
    -32602,
    "cannot unmarshal key value AAAA at index 0",
  ]);
  const offer = Operation.manageSellOffer({
    ...{ selling: Asset.native(), buying: new Asset("USD", addressOf(1)) },
    ...{ amount: "1", price: "1" },
  });
  const transaction = await signed(fork, offer);
  const unsupported = await refusalOf("sendTransaction", { transaction: transaction.toXdr() });
  expect(unsupported).toEqual([-32000, expect.stringContaining("manageSellOffer")]);
});

test("where stellar-cli and quickstart look for a node, there is one", async () => {
  for (const path of ["/rpc", "/soroban/rpc"]) {
    const node = new rpc.Server(`${fork.url}${path}`, { allowHttp: true });
    expect((await node.getNetwork()).passphrase).toBe(fork.networkPassphrase);
  }
});

test("friendbot gives a contract lumens, and refuses what is no address", async () => {
  const contract = StrKey.encodeContract(new Uint8Array(32).fill(0xcc));
  expect((await server.fundAddress(contract)).status).toBe("SUCCESS" as never);
  const balance = await server.getAssetBalance(contract, Asset.native(), fork.networkPassphrase);
  expect(balance.balanceEntry?.amount).toBe("100000000000");
  const refused = await fetch(`${fork.url}/friendbot?addr=x`);
  const { detail } = (await refused.json()) as { detail: string };
  expect([refused.status, detail]).toEqual([400, expect.stringContaining("addr")]);
});

test("pages of this machine may use it, and no others", async () => {
  const ask = (origin: string) =>
    fetch(fork.url, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" }),
    });
  const allowed = await ask("http://localhost:5173");
  expect(allowed.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
  expect(allowed.status).toBe(200);
  for (const origin of ["https://evil.example", "http://localhost.evil.example:80"])
    expect((await ask(origin)).status).toBe(400);
});

describe("a fork that closes no ledger by itself", () => {
  test("has one transaction of an account waiting", async () => {
    await using waiting = await openFork({ mining: "never" });
    const data = (value: string) => Operation.manageData({ name: "a", value });
    const { node } = waiting;
    const transaction = await signed(waiting, data("1"));
    const other = await signed(waiting, data("2"));
    const statuses = [transaction, transaction, other].map(async (each) => {
      return (await node.sendTransaction(each)).status;
    });
    expect(await Promise.all(statuses)).toEqual(["PENDING", "DUPLICATE", "TRY_AGAIN_LATER"]);
    const hash = Buffer.from(transaction.hash()).toString("hex");
    expect((await node.getTransaction(hash)).status).toBe("NOT_FOUND" as never);
    await waiting.call("fork_closeLedgers");
    expect((await node.getTransaction(hash)).status).toBe("SUCCESS" as never);
  });

  test("or closes them as time passes", async () => {
    await using timed = await openFork({ mining: { everyMilliseconds: 20 } });
    const hash = await send(timed, Operation.bumpSequence({ bumpTo: "0" }));
    const sleepStrategy = () => 10;
    const done = await timed.node.pollTransaction(hash, { attempts: 5_000, sleepStrategy });
    expect(done.status).toBe("SUCCESS" as never);
  });
});

test("many clients at once: each gets its own results", async () => {
  const USERS = 12;
  const users = Array.from({ length: USERS }, () => Keypair.random());
  const one = async (keypair: Keypair, index: number) => {
    const results: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const call = lumens.call(
        "transfer",
        new Address(keypair.publicKey()).toScVal(),
        new Address(users[(index + 1) % USERS]?.publicKey() ?? "").toScVal(),
        nativeToScVal(1000 * index + round + 1, { type: "i128" }),
      );
      const { hash } = await server.sendTransaction(await fork.signed(keypair, call));
      results.push((await server.getTransaction(hash)).status);
    }
    return results;
  };
  // A transfer needs the account that it goes to.
  await Promise.all(users.map((keypair) => server.fundAddress(keypair.publicKey())));
  const all = await Promise.all(users.map((keypair, index) => one(keypair, index).catch(String)));
  expect(all).toEqual(users.map(() => ["SUCCESS", "SUCCESS", "SUCCESS"]));
});

test("a proof of a fork's transaction is refused: no archive has it", async () => {
  const [hash = ""] = hashes;
  const asked = { hash, prove: true };
  const answer = await fetch(`${fork.url}/v1/debug`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(asked),
  });
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  expect([answer.status, error.code, error.message]).toEqual([
    ...[409, "ARCHIVE_NOT_SET", "No history archive is set."],
  ]);
  const call = fork.call("debugTransaction", asked);
  expect(await call.catch((problem) => JSON.stringify(problem))).toContain("ARCHIVE_NOT_SET");
});

test("friendbot is where the client found the fork, on each path of the node", async () => {
  for (const path of ["/", "/rpc", "/soroban/rpc"]) {
    const origin = `http://localhost:${new URL(fork.url).port}`;
    const answer = await fetch(`${origin}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getNetwork" }),
    });
    expect(await answer.json()).toMatchObject({ result: { friendbotUrl: `${origin}/friendbot` } });
  }
});

test("a call by name is made on the state of the fork, and changes nothing there", async () => {
  const latest = await fork.node.getLatestLedger();
  const transferred = {
    contract: lumens.contractId(),
    function: "transfer",
    arguments: { from: addressOf(0), to: addressOf(1), amount: "7" },
  };
  const answer = await fetch(`${fork.url}/v1/call`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(transferred),
  });
  const report = await answer.json();
  expect(report).toMatchObject({
    outcome: { success: true },
    call: {
      step: "call",
      state: `ledger ${latest.sequence} of a fork of ${fork.networkPassphrase}`,
      shownBy: "fork",
      source: addressOf(0),
    },
  });
  expect(await fork.node.getLatestLedger()).toEqual(latest);
});
