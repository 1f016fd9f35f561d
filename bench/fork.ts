// How long a fork keeps a test suite waiting: its start with nodes that take 100 ms for each answer,
// a transfer from sending to its result, the return to a moment, and whole tests; and what it costs
// that the fork has changed much, or that a node hangs.
//
//   bun bench/fork.ts

import { join } from "node:path";
import {
  Account,
  Asset,
  BASE_FEE,
  Keypair,
  Operation,
  TransactionBuilder,
} from "@stellar/stellar-sdk";
import { ensureBuilt, SVC_BINARY } from "../scripts/ensure-built.ts";
import { openFork, type TestFork } from "../tests/support/fork.ts";
import { openLoopback } from "../tests/support/loopback-server.ts";
import { line } from "./aims.ts";
import { median } from "./round-trip.ts";
import { type RunningFork, startFork } from "./running-daemon.ts";

const DISTANCE_MILLISECONDS = 100;
const STARTS = 5;
const TRANSFERS = 1_000;
const ROUNDS = 5;
const TESTS = 1_000;
const STARTED_TESTS = 20;
const CAPSULE = join(import.meta.dir, "increment.capsule.json");
const MINUTE_MILLISECONDS = 60_000;
const CORES = 2;
/** A ledger of the recorded network. */
const LEDGER = 408;
const CHANGED = 10_000;
const SENDS = 200;

ensureBuilt();
const aim = (what: string, milliseconds: number, most: number) =>
  line(what, milliseconds, "ms", { value: milliseconds / most, of: `${most} ms`, atMost: 1 });
await start();
await transfers();
await contractTests();
await changedAccounts();
await hangingNode();

async function start(): Promise<void> {
  await using loopback = openLoopback();
  const far = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      await Bun.sleep(DISTANCE_MILLISECONDS);
      const answer = await fetch(loopback.url("rpc"), { method: "POST", body });
      return new Response(await answer.bytes(), { status: answer.status });
    },
  });
  const nodes = ["--network-passphrase", loopback.network.passphrase, "--rpc-url", `${far.url}`];
  const starts: number[] = [];
  for (let run = 0; run < STARTS; run += 1) {
    const begin = performance.now();
    const child = Bun.spawn([SVC_BINARY, "fork", "--port", "0", ...nodes], { stdout: "pipe" });
    await child.stdout.getReader().read();
    starts.push(performance.now() - begin);
    child.kill();
    await child.exited;
  }
  await far.stop(true);
  aim("start, with nodes 100 ms away", median(starts), 1_500);
}

async function transfers(): Promise<void> {
  await using fork = await openFork();
  const keypair = Keypair.fromSecret(fork.accounts[0]?.secret ?? "");
  const newAccount = () => new Account(keypair.publicKey(), "4294967296");
  const residentBefore = process.memoryUsage().rss;
  const times: number[] = [];
  const returns: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await fork.call<number>("fork_snapshot");
    const account = newAccount();
    for (let index = 0; index < TRANSFERS; index += 1)
      times.push(await transfer(fork, keypair, account));
    if (round === 0) {
      const grown = (process.memoryUsage().rss - residentBefore) / TRANSFERS / 1000;
      line("memory of one transfer, its meta kept", grown, "kB");
    }
    const begin = performance.now();
    await fork.call("fork_revert", { id });
    returns.push(performance.now() - begin);
  }
  aim("a transfer, from sending to SUCCESS", median(times), 20);
  aim(`return to a moment, after ${TRANSFERS} transfers`, median(returns), 5);
}

/**
 * Tests of a contract, each on the state of a capsule: a moment, a call, its result, the return.
 * The aim is CPU time of the fork and of its processes: other programs hardly change that.
 */
async function contractTests(): Promise<void> {
  const { record } = await Bun.file(CAPSULE).json();
  const most = (CORES * MINUTE_MILLISECONDS) / TESTS;
  {
    await using fork = await startFork("--offline", "--from", CAPSULE);
    const before = fork.cpuSeconds();
    const begun = performance.now();
    for (let test = 0; test < TESTS; test += 1) {
      const id = await fork.call("fork_snapshot");
      await runTest(fork, record);
      await fork.call("fork_revert", { id });
    }
    line("one test, in a fork that runs", (performance.now() - begun) / TESTS, "ms");
    aim("its CPU time", ((fork.cpuSeconds() - before) * 1000) / TESTS, most);
  }
  const cpu: number[] = [];
  for (let test = 0; test < STARTED_TESTS; test += 1) {
    await using fork = await startFork("--offline", "--from", CAPSULE);
    await runTest(fork, record);
    cpu.push(fork.cpuSeconds() * 1000);
  }
  line("CPU time of one test in a fork of its own", median(cpu), "ms");
}

async function runTest(fork: RunningFork, record: { readonly envelopeXdr: string }): Promise<void> {
  const { hash } = await fork.call("sendTransaction", { transaction: record.envelopeXdr });
  const { status } = await fork.call("getTransaction", { hash });
  if (status !== "SUCCESS") throw new Error(`the call ended with ${status}`);
}

/** A ledger costs what its transactions cost, however much the fork has changed before. */
async function changedAccounts(): Promise<void> {
  await using fork = await openFork();
  const keypair = Keypair.fromSecret(fork.accounts[0]?.secret ?? "");
  const account = new Account(keypair.publicKey(), "4294967296");
  const transfersNow = async () => {
    const times: number[] = [];
    for (let index = 0; index < SENDS; index += 1)
      times.push(await transfer(fork, keypair, account));
    return median(times);
  };
  await transfersNow();
  const before = await transfersNow();
  for (let index = 0; index < CHANGED; index += 1) {
    const changed = Keypair.random().publicKey();
    await fork.call("fork_setBalance", { account: changed, amount: "10000000" });
  }
  const after = await transfersNow();
  const ratio = { value: after / before, of: "a transfer before", atMost: 2 };
  line(`a transfer, after ${CHANGED} changed accounts`, after, "ms", ratio);
}

/** A transaction whose entries come from a node that hangs delays no other. */
async function hangingNode(): Promise<void> {
  await using loopback = openLoopback();
  let hangs = false;
  const node = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (hangs) return new Promise<never>(() => {});
      const body = await request.text();
      const answer = await fetch(loopback.url("rpc"), { method: "POST", body });
      return new Response(await answer.bytes(), { status: answer.status });
    },
  });
  const networkPassphrase = loopback.network.passphrase;
  const choice = { ledger: LEDGER };
  await using fork = await openFork({ networkPassphrase, rpcUrl: `${node.url}`, choice });
  const keypair = Keypair.fromSecret(fork.accounts[0]?.secret ?? "");
  const account = new Account(keypair.publicKey(), `${BigInt(LEDGER) << 32n}`);
  const times = async () => {
    const found: number[] = [];
    for (let index = 0; index < SENDS; index += 1)
      found.push(await transfer(fork, keypair, account));
    return found;
  };
  const before = await times();
  hangs = true;
  const other = Keypair.fromSecret(fork.accounts[2]?.secret ?? "");
  const destination = Keypair.random().publicKey();
  const sent = new TransactionBuilder(new Account(other.publicKey(), `${BigInt(LEDGER) << 32n}`), {
    ...{ fee: BASE_FEE, networkPassphrase },
  })
    .addOperation(Operation.payment({ destination, asset: Asset.native(), amount: "1" }))
    .setTimeout(0)
    .build();
  sent.sign(other);
  const stuck = fork.call("sendTransaction", { transaction: sent.toXdr() }).catch(() => {});
  const after = await times();
  const value = Math.max(...after) / median(before);
  const aim = { value, of: "the median before", atMost: 50 };
  line("the slowest transfer while another reads", Math.max(...after), "ms", aim);
  await node.stop(true);
  await stuck;
}

async function transfer(fork: TestFork, keypair: Keypair, account: Account): Promise<number> {
  const destination = fork.accounts[1]?.address ?? "";
  const { networkPassphrase } = fork;
  const transaction = new TransactionBuilder(account, { fee: BASE_FEE, networkPassphrase })
    .addOperation(Operation.payment({ destination, asset: Asset.native(), amount: "0.0001" }))
    .setTimeout(0)
    .build();
  transaction.sign(keypair);
  const begin = performance.now();
  const { hash } = await fork.call("sendTransaction", { transaction: transaction.toXdr() });
  const { status } = await fork.call("getTransaction", { hash });
  if (status !== "SUCCESS") throw new Error(`the transfer ended with ${status}`);
  return performance.now() - begin;
}
