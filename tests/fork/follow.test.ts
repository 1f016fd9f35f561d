// Ledgers of the recorded network, applied to a fork of one of them as they came.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Asset, AuthRevocableFlag, Operation, type xdr } from "@stellar/stellar-sdk";
import type { FollowedTransaction } from "../../src/fork/follow-ledgers.ts";
import { ENTRY_TYPE } from "../../src/xdr/reader/keys.ts";
import { decode, encode, type Value } from "../../src/xdr/reader/value.ts";
import { svc } from "../cli/run-svc.ts";
import { openDyingSimulator } from "../support/dying-simulator.ts";
import { openFork, type TestFork } from "../support/fork.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";

const BASE = 408;
const LAST = 453;
const KITCHEN = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
const WASM = join(import.meta.dir, "../contracts/token.wasm");

let loopback: Loopback;
let fork: TestFork;
beforeAll(async () => {
  loopback = openLoopback();
  fork = await openFork({ ...network(), mining: "never", choice: { ledger: BASE } });
});
afterAll(async () => {
  await fork[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

const network = () => ({
  networkPassphrase: loopback.network.passphrase,
  rpcUrl: loopback.url("rpc"),
});

interface Answer {
  readonly latestLedger: number;
  readonly followed: { readonly sequence: number };
  readonly transactions: readonly FollowedTransaction[];
}

const metaOf = (sequence: number) => loopback.network.view(sequence)?.bytes.toBase64() ?? "";
const follow = (...ledgers: number[]) =>
  fork.call<Answer>("fork_followLedgers", { ledgers: ledgers.map(metaOf) });

/** The first ledger has what the network did while the fork closed ledgers of its own. */
async function followAll(): Promise<FollowedTransaction[]> {
  const next = (await follow()).latestLedger + 1;
  const first = Array.from({ length: next - BASE }, (_, index) => BASE + 1 + index);
  const all = [...(await follow(...first)).transactions];
  for (let sequence = next + 1; sequence <= LAST; sequence += 1) {
    const { latestLedger, transactions } = await follow(sequence);
    expect(latestLedger).toBe(sequence);
    all.push(...transactions);
  }
  return all;
}

test("transactions of the network end as they did, until the fork has changed what they use", async () => {
  const id = await fork.call<number>("fork_snapshot");
  const transactions = await followAll();
  expect(transactions.length).toBeGreaterThan(40);
  // Of an entry that was restored later, nodes do not say until when it lived at the forked ledger.
  const others = transactions.filter(({ outcome }) => outcome !== "same");
  expect(others.map(({ outcome, network }) => [outcome, network])).toEqual([
    ["different", "txFailed (invokeHostFunctionEntryArchived)"],
  ]);
  expect((await follow()).followed.sequence).toBe(LAST);
  await fork.call("fork_revert", { id });
  expect((await follow()).followed.sequence).toBe(BASE);
  await fork.call("fork_etch", {
    contract: KITCHEN,
    wasm: (await Bun.file(WASM).bytes()).toBase64(),
  });
  const changed = (await followAll()).filter(({ outcome }) => outcome === "different");
  expect(changed.length).toBeGreaterThan(5);
  expect(changed).toContainEqual({
    hash: expect.any(String),
    outcome: "different",
    network: "txSuccess",
    fork: "txFailed (invokeHostFunctionTrapped)",
  });
}, 60_000);

test("as a command; what waits in the fork is in the network's next ledger", async () => {
  await fork.call("fork_reset");
  const data = Operation.manageData({ name: "a", value: "b" });
  const { hash } = await fork.node.sendTransaction(await fork.signed(fork.keypair(0), data));
  const words = ["fork", "follow", "--url", fork.url, "--until-ledger", String(BASE + 6)];
  const { networkPassphrase, rpcUrl } = network();
  const node = ["--rpc-url", rpcUrl, "--network-passphrase"];
  const { exitCode, stdout } = await svc([...words, ...node, networkPassphrase]);
  expect([exitCode, [...(stdout.match(/^ledger \d+/gm) ?? [])]]).toEqual([
    0,
    [2, 3, 4, 5, 6].map((after) => `ledger ${BASE + after}`),
  ]);
  expect(stdout).toContain(" as on the network, 0 taken over, 0 different\n");
  const found = await fork.node.getTransaction(hash);
  expect([found.status, found.latestLedger]).toEqual(["SUCCESS" as never, BASE + 6]);
  const elsewhere = await svc([...words, ...node, "Another"]);
  expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([
    2,
    expect.stringContaining("The fork's passphrase is"),
  ]);
}, 60_000);

test("a saved fork goes on where it was", async () => {
  const state = await fork.call<string>("fork_dump");
  await using again = await openFork({
    ...network(),
    choice: { file: { name: "fork.json", text: state } },
  });
  const ledgers = [metaOf(BASE + 7)];
  const { followed } = await again.call<Answer>("fork_followLedgers", { ledgers });
  expect(followed.sequence).toBe(BASE + 7);
});

test("a ledger that does not follow, and a fork that cannot, are refused", async () => {
  await fork.call("fork_reset");
  await expect(follow(BASE + 2)).rejects.toMatchObject({
    code: -32602,
    message: `ledger ${BASE + 2} does not follow ledger ${BASE}, the last one of the fork`,
  });
  await using empty = await openFork();
  await expect(empty.call("fork_followLedgers")).rejects.toMatchObject({
    message: "only a fork of a network's ledger can follow the network",
  });
});

test("while nodes fail, the command says so once, and goes on when they answer", async () => {
  await fork.call("fork_reset");
  const { networkPassphrase } = network();
  const node = ["--rpc-url", loopback.url("rpc", "first-broken=5"), "--network-passphrase"];
  const words = ["fork", "follow", "--url", fork.url, "--until-ledger", String(BASE + 3)];
  const { exitCode, stdout, stderr } = await svc([...words, ...node, networkPassphrase]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`ledger ${BASE + 3}: `)]);
  expect(stderr.match(/the node failed: .*503/g)).toHaveLength(1);
}, 60_000);

test("what waits and cannot be applied does not keep the network's next ledger from following", async () => {
  await fork.call("fork_reset");
  const [issuer, holder] = [fork.keypair(0), fork.keypair(1)];
  const asset = new Asset("USD", issuer.publicKey());
  const send = async (operation: xdr.Operation) =>
    fork.node.sendTransaction(await fork.signed(issuer, operation));
  await send(Operation.setOptions({ setFlags: AuthRevocableFlag }));
  await fork.call("fork_closeLedgers");
  const trustor = holder.publicKey();
  const balance = { account: trustor, amount: "700", asset: `USD:${issuer.publicKey()}` };
  await fork.call("fork_setBalance", balance);
  const saved = JSON.parse(await fork.call<string>("fork_dump"));
  const lines = saved.overlay.entries.map(({ entryXdr }: { entryXdr: string }) =>
    decode("LedgerEntry", entryXdr),
  );
  const line = lines.find(({ data }: Value<"LedgerEntry">) => data.type === ENTRY_TYPE.trustline);
  const liabilities = { buying: 0n, selling: 5n };
  line.data.trustLine.ext = { v: 1, v1: { liabilities, ext: { v: 0 } } };
  await fork.call("fork_setLedgerEntry", { entry: encode("LedgerEntry", line) });
  const flags = { authorized: false };
  const { hash } = await send(Operation.setTrustLineFlags({ trustor, asset, flags }));
  expect((await follow(BASE + 1)).followed.sequence).toBe(BASE + 1);
  await expect(fork.node.getTransaction(hash)).rejects.toMatchObject({
    message: expect.stringContaining("A fork does not know how to revoke USD:"),
  });
});

test("a transaction of the network with which svc-sim ends is taken over", async () => {
  const dying = await openDyingSimulator();
  await using other = await openFork({
    ...{ ...network(), mining: "never", choice: { ledger: BASE } },
    simulatorPath: dying.path,
  });
  const { ledger, hash } =
    loopback.network.transactions.find((each) => each.soroban && each.ledger > BASE + 1) ?? {};
  const view = loopback.network.view(ledger ?? 0);
  const recorded = view?.transactions.find((each) => each.hash === hash);
  if (ledger === undefined || recorded === undefined) throw new Error("no transaction");
  await dying.endAt(recorded.envelopeXdr);
  const ledgers = Array.from({ length: ledger - BASE }, (_, index) => metaOf(BASE + 1 + index));
  const { transactions } = await other.call<Answer>("fork_followLedgers", { ledgers });
  const takenOver = transactions.filter(({ outcome }) => outcome === "taken-over");
  expect(takenOver.map((each) => each.hash)).toEqual([hash ?? ""]);
});
