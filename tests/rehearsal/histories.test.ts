// Calls that build on one another, on a fork: two counters, whose calls write what the next ones
// read. The truth of each next build is known (tests/contracts/upgrade).

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import {
  Address,
  Contract,
  nativeToScVal,
  Operation,
  rpc,
  scValToNative,
  TransactionBuilder,
  xdr,
} from "@stellar/stellar-sdk";
import type { ListedRehearsal } from "../../src/rehearsal/rehearsal.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { openFork, type TestFork } from "../support/fork.ts";

setDefaultTimeout(60_000);

let fork: TestFork;
const buildOf = (name: string) =>
  join(import.meta.dir, "../contracts", `upgrade${name === "" ? "" : `-${name}`}.wasm`);
/** The numbers that the calls of the first counter add, in order. */
const ADDED = [3, 5, 2];
/** The hash of each call, in order. */
const hashes: string[] = [];
const ledgers: number[] = [];
const counters: string[] = [];

beforeAll(async () => {
  svcBinary();
  fork = await openFork();
  const wasm = await Bun.file(buildOf("")).bytes();
  const uploaded = await invoke(Operation.uploadContractWasm({ wasm }));
  const address = new Address(fork.keypair(0).publicKey());
  const limit = nativeToScVal(6, { type: "u32" });
  const options = {
    address,
    wasmHash: scValToNative(uploaded.value) as Uint8Array,
    constructorArgs: [address.toScVal(), limit],
  };
  for (const number of [1, 2]) {
    const salt = new Uint8Array(32).fill(number);
    const { value } = await invoke(Operation.createCustomContract({ ...options, salt }));
    counters.push(String(scValToNative(value)));
  }
  const [first = "", second = ""] = counters;
  for (const [counter, by] of [...ADDED.map((by) => [first, by] as const), [second, 1] as const]) {
    const { hash, ledger } = await invoke(addition(counter, by));
    hashes.push(hash);
    ledgers.push(ledger);
  }
}, 120_000);
afterAll(() => fork[Symbol.asyncDispose]());

async function invoke(operation: xdr.Operation) {
  const { hash } = await fork.node.sendTransaction(await fork.signed(fork.keypair(0), operation));
  const done = await fork.node.pollTransaction(hash);
  if (done.status !== rpc.Api.GetTransactionStatus.SUCCESS) throw new Error(JSON.stringify(done));
  return { hash, ledger: done.ledger, value: done.returnValue as xdr.ScVal };
}

function addition(counter: string, by: number): xdr.Operation {
  const amount = nativeToScVal(by, { type: "u32" });
  return new Contract(counter).call("inc", xdr.ScVal.scvSymbol("a"), amount);
}

/** Adds more than the contract allows, with the resources of less. Returns the hash. */
async function failToAdd(counter: string): Promise<string> {
  const source = fork.keypair(0);
  const simulated = await fork.node.simulateTransaction(
    await fork.build(source.publicKey(), addition(counter, 1)),
  );
  if (!("transactionData" in simulated)) throw new Error("the call was not simulated");
  const transaction = new TransactionBuilder(await fork.node.getAccount(source.publicKey()), {
    fee: String(100 + Number(simulated.minResourceFee)),
    networkPassphrase: fork.networkPassphrase,
  })
    .addOperation(addition(counter, 9))
    .setSorobanData(simulated.transactionData.build())
    .setTimeout(0)
    .build();
  transaction.sign(source);
  const { hash } = await fork.node.sendTransaction(transaction);
  const { status } = await fork.node.pollTransaction(hash);
  expect(status).toBe(rpc.Api.GetTransactionStatus.FAILED);
  return hash;
}

function nodeWords(): string[] {
  return ["--rpc-url", fork.url, "--network-passphrase", fork.networkPassphrase];
}

function wordsFor(builds: readonly (readonly [contract: number, name: string])[]): string[] {
  const range = `${ledgers[0]}-${ledgers.at(-1)}`;
  return [
    "rehearse",
    ...builds.map(([at, name]) => `${counters[at]}=${buildOf(name)}`),
    range,
    ...nodeWords(),
  ];
}

async function rehearsed(
  builds: readonly (readonly [contract: number, name: string])[],
  ...words: string[]
): Promise<ListedRehearsal> {
  const { stdout, stderr } = await svc([...wordsFor(builds), "--json", ...words]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

const groupsIn = ({ calls }: ListedRehearsal) => calls.map(({ group }) => group);

test("what the new build writes, its next call reads", async () => {
  // The strict build refuses to add 5, so that 2 more do not make 10.
  const alone = await rehearsed([[0, "strict"]]);
  expect(groupsIn(alone)).toEqual(["same", "newly-failing", "same"]);
  expect(alone.sequence).toBeNull();
  const { calls, sequence } = await rehearsed([[0, "strict"]], "--in-sequence");
  expect(calls.map(({ hash }) => hash)).toEqual(hashes.slice(0, 3));
  expect(calls.map(({ group }) => group)).toEqual(["same", "newly-failing", "other-result"]);
  expect(calls[2]?.differences[0]).toEqual({ kind: "result", before: "10", after: "5" });
  // The count is other at the end.
  const partedAt = { hash: hashes[1] ?? "", ledger: ledgers[1] ?? 0 };
  expect(sequence).toEqual({ partedAt, others: 0, changedEntries: 1, lostEntries: 0 });
});

test("the report says where the histories part", async () => {
  const inOrder = [...wordsFor([[0, "strict"]]), "--in-sequence"];
  const said = (await svc(inOrder)).stdout.replace(/\s+/g, " ");
  expect(said).toContain(
    `The histories part at inc in ledger ${ledgers[1]}, transaction ${hashes[1]}: newly failing.`,
  );
  expect(said).toContain("At the end, 1 entry would differ from the chain.");
  const same = await svc([...wordsFor([[0, ""]]), "--in-sequence"]);
  expect(same.stdout.replace(/\s+/g, " ")).toContain("the histories do not part.");
});

test("a build that does the same leaves the chain's entries", async () => {
  // Debug information makes the code larger, so that the senders would have to simulate again.
  for (const [name, group] of [
    ["", "same"],
    ["debug", "declared-too-little"],
  ] as const) {
    const { calls, sequence } = await rehearsed([[0, name]], "--in-sequence");
    expect(calls.map((call) => call.group)).toEqual(ADDED.map(() => group));
    expect(sequence).toEqual({ partedAt: null, others: 0, changedEntries: 0, lostEntries: 0 });
  }
});

test("several contracts change at once, each with its own build", async () => {
  const both = await rehearsed([
    [0, "result"],
    [1, "events"],
  ]);
  expect(both.calls.map(({ hash }) => hash)).toEqual(hashes);
  const others = ADDED.map(() => "other-result" as const);
  expect(groupsIn(both)).toEqual([...others, "other-events"]);
  const hashOf = async (name: string) => sha256(await Bun.file(buildOf(name)).bytes()).toHex();
  expect(both.contracts.map(({ contract, newHash }) => [contract, newHash])).toEqual([
    [counters[0] ?? "", await hashOf("result")],
    [counters[1] ?? "", await hashOf("events")],
  ]);
  for (const { oldHash } of both.contracts) expect(oldHash).toBe(both.contracts[0]?.oldHash ?? "");
  // The command of an example has the builds of its call alone.
  const { stdout } = await svc(
    wordsFor([
      [0, "result"],
      [1, "events"],
    ]),
  );
  const commands = stdout.split("\n").filter((line) => line.includes("svc debug"));
  expect(commands.map((line) => line.match(/--override-wasm C\w+/g))).toEqual(
    counters.slice(0, 2).map((each) => [`--override-wasm ${each}`]),
  );
  // A rehearsal of one contract's build leaves out the calls of the other contract.
  expect(groupsIn(await rehearsed([[1, "events"]]))).toEqual(["other-events"]);
});

const TYPES = [
  [0, "types"],
  [1, "types"],
] as const;

/** The migration of a counter, which keeps the limit of 6. */
function migrationOf(at: number): string {
  return `${counters[at]}.migrate(${fork.keypair(0).publicKey()}, 6, step=1)`;
}

test("with several contracts, the first call says which it calls, and migrates only that one", async () => {
  for (const [at, groups] of [
    [0, ["same", "same", "same", "newly-failing"]],
    [1, ["newly-failing", "newly-failing", "newly-failing", "same"]],
  ] as const) {
    const migrated = await rehearsed(TYPES, "--first", migrationOf(at));
    expect(groupsIn(migrated)).toEqual([...groups]);
    expect(migrated.first).toBe(migrationOf(at));
  }
  const [, unnamed = ""] = migrationOf(0).split(".");
  const { stderr, exitCode } = await svc([...wordsFor(TYPES), "--first", unnamed]);
  expect(stderr).toContain("does not say which of the contracts it calls");
  expect(stderr).toContain(`${counters[0]}.migrate`);
  expect(exitCode).toBe(2);
});

test("in order on one state, the first call is made once", async () => {
  const migrated = await rehearsed([[0, "types"]], "--in-sequence", "--first", migrationOf(0));
  expect(groupsIn(migrated)).toEqual(["same", "same", "same"]);
  // The migrated configuration stays in the instance.
  const { sequence } = migrated;
  expect(sequence).toEqual({ partedAt: null, others: 0, changedEntries: 1, lostEntries: 0 });
  // A lower limit holds for each later call, not only for the first one.
  const lower = migrationOf(0).replace(", 6,", ", 4,");
  const strict = await rehearsed([[0, "types"]], "--in-sequence", "--first", lower);
  expect(groupsIn(strict)).toEqual(["same", "newly-failing", "other-result"]);
});

test("several contracts change on one state, each with its own build", async () => {
  const { calls, sequence } = await rehearsed(
    [
      [0, "strict"],
      [1, "events"],
    ],
    "--in-sequence",
  );
  expect(calls.map(({ hash }) => hash)).toEqual(hashes);
  expect(calls.map(({ group }) => group)).toEqual([
    ...["same", "newly-failing", "other-result"],
    "other-events",
  ] as (typeof calls)[number]["group"][]);
  expect(sequence).toMatchObject({ partedAt: { hash: hashes[1] }, changedEntries: 1 });
  // The migration of one contract is no migration of the other.
  const migrated = await rehearsed(TYPES, "--in-sequence", "--first", migrationOf(0));
  expect(groupsIn(migrated)).toEqual(["same", "same", "same", "newly-failing"]);
});

test("what failed and succeeds with a build that allows more is newly succeeding", async () => {
  const hash = await failToAdd(counters[1] ?? "");
  const rehearse = async (name: string) => {
    const words = ["rehearse", `${counters[1]}=${buildOf(name)}`, hash, ...nodeWords(), "--json"];
    return JSON.parse((await svc(words)).stdout).calls;
  };
  expect(await rehearse("lenient")).toMatchObject([
    { group: "newly-succeeding", detail: "The call failed before, with Error(Contract, 1)." },
  ]);
  // The code with another error number fails both times.
  expect(await rehearse("code")).toMatchObject([{ group: "other-failure" }]);
});
