// Who last wrote the stored value that decided: named where a ledger shows it, and nowhere else. A
// call that succeeded before is not sent again.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  Address,
  Contract,
  nativeToScVal,
  Operation,
  rpc,
  scValToNative,
  type xdr,
} from "@stellar/stellar-sdk";
import { phraseFor, SHELL } from "../../src/base/phrase.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { openFork, type TestFork } from "../support/fork.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { ownContract } from "../support/other-code.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const loopback = openLoopback();
let fork: TestFork;
beforeAll(async () => {
  fork = await openFork();
});
afterAll(async () => {
  await fork[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

const u32 = (value: number) => nativeToScVal(value, { type: "u32" });
const symbol = (text: string) => nativeToScVal(text, { type: "symbol" });

async function send(operation: xdr.Operation, index = 0) {
  const signed = await fork.signed(fork.keypair(index), operation);
  const { hash } = await fork.node.sendTransaction(signed);
  const done = await fork.node.getTransaction(hash);
  if (done.status !== "SUCCESS") throw new Error(JSON.stringify(done));
  return { hash, ledger: done.ledger, returned: scValToNative(done.returnValue as xdr.ScVal) };
}

async function deployed(name: string, constructorArgs: xdr.ScVal[] = []) {
  const { returned: wasmHash } = await send(
    Operation.uploadContractWasm({ wasm: ownContract(name) }),
  );
  const address = new Address(fork.keypair(0).publicKey());
  const made = { address, wasmHash, salt: crypto.getRandomValues(new Uint8Array(32)) };
  const created = await send(Operation.createCustomContract({ ...made, constructorArgs }));
  return { ...created, contract: new Contract(String(created.returned)) };
}

/** Sends the call with what the simulation of another one declares, and debugs its failure. */
async function failed(operation: xdr.Operation, like: xdr.Operation, index = 0, signs = true) {
  const source = fork.keypair(index).publicKey();
  const simulated = await fork.node.simulateTransaction(await fork.build(source, like));
  return async () => {
    if (!("transactionData" in simulated)) throw new Error(JSON.stringify(simulated));
    const { networkPassphrase } = fork;
    const bare = await fork.build(source, operation);
    const prepared = signs ? simulated : { ...simulated, result: { auth: [] } };
    const built = rpc.assembleTransaction(bare, prepared as typeof simulated).build();
    built.sign(fork.keypair(index));
    const { hash } = await fork.node.sendTransaction(built);
    const more = { networkPassphrase, horizonUrls: [], rpcUrls: [fork.url] };
    const walk = openWalk(loopback, { more });
    const dependencies = { ...walk, simulator, progress: () => {} };
    const { explanation, remedy, conflict, fix } = await debugTransaction(dependencies, hash, {
      signal: NEVER_ABORTED,
    });
    const { decidedBy, evidence } = explanation;
    return { decidedBy, evidence, conflict, fix, remedy: remedy && phraseFor(remedy, SHELL) };
  };
}

/** A counter whose creation sets the limit. */
async function counter(limit: number) {
  const admin = new Address(fork.keypair(0).publicKey()).toScVal();
  const { contract, ...created } = await deployed("upgrade.wasm", [admin, u32(limit)]);
  const inc = (by: number) => contract.call("inc", symbol("main"), u32(by));
  return { contract, inc, created };
}

test("what a creation set, and what a call set, is named with its transaction", async () => {
  const { inc, created } = await counter(9);
  const { decidedBy, evidence, remedy } = await (await failed(inc(10), inc(1)))();
  const [write] = decidedBy?.writes ?? [];
  expect(write).toMatchObject({
    ...{ of: "value", before: null, after: "9", call: null, repeats: null },
    ...{ transactionHash: created.hash, ledger: created.ledger, applicationOrder: 1 },
    text: `Config.limit was first set to 9 in transaction ${created.hash} (ledger ${created.ledger}).`,
  });
  expect(evidence).toContain(write?.text ?? "");
  expect(remedy).toStartWith("Pass at most 9 as `by`");

  const { inc: count } = await counter(0xffff_ffff);
  await send(count(2));
  const { hash, ledger } = await send(count(3));
  const overflow = await (await failed(count(0xffff_fffe), count(1)))();
  expect(overflow.decidedBy?.writes.map(({ text }) => text)).toEqual([
    `Count(main) was set to 5 by \`inc\` in transaction ${hash} (ledger ${ledger}).`,
  ]);
  // What a number has reached is no call that was made before.
  expect(overflow.remedy).toStartWith("Pass at most 4294967290 as `by`");
});

test("the same call that succeeded before ends the advice", async () => {
  const { contract } = await deployed("keys-s.wasm");
  const alice = new Address(fork.keypair(0).publicKey()).toScVal();
  const sow = contract.call("sow", alice, nativeToScVal(5n, { type: "i128" }));
  const debugged = await failed(sow, sow);
  const { hash, ledger } = await send(sow);
  const { decidedBy, remedy, conflict } = await debugged();
  expect(decidedBy?.writes).toMatchObject([{ of: "entry", repeats: "call" }]);
  expect(decidedBy?.writes[0]?.text).toMatch(/^The entry Pail\(\w+, 1\) was created by the same /);
  expect(conflict?.transactionHash).toBe(hash);
  expect(remedy).toBe(
    `Do not send this call again: it already succeeded in transaction ${hash} (ledger ${ledger}).`,
  );
});

test("so does a follower: without the authorization, the call fails first for that", async () => {
  const { contract } = await deployed("keys-s.wasm");
  const alice = new Address(fork.keypair(0).publicKey()).toScVal();
  const sow = contract.call("sow", alice, nativeToScVal(5n, { type: "i128" }));
  const debugged = await failed(sow, sow, 0, false);
  const { hash } = await send(sow);
  const { fix, remedy } = await debugged();
  expect(fix?.proof).toMatchObject({ outcome: "fails-next", isDone: true });
  expect(remedy).toContain(`already succeeded in transaction ${hash}`);
});

test("so does a call with other arguments, if none is part of the condition", async () => {
  const { contract } = await deployed("advice-z.wasm", [
    new Address(fork.keypair(0).publicKey()).toScVal(),
    u32(5),
  ]);
  const initialize = (fee: number) => contract.call("initialize", u32(fee));
  const debugged = await failed(initialize(6), initialize(6));
  const { hash, ledger } = await send(initialize(5));
  const { decidedBy, remedy } = await debugged();
  expect(decidedBy?.writes.map(({ text }) => text)).toEqual([
    `The entry Fee was created by \`initialize\` in transaction ${hash} (ledger ${ledger}).`,
  ]);
  expect(remedy).toBe(
    `Do not send this call: \`initialize\` already succeeded in transaction ${hash} (ledger ${ledger}), with other arguments.`,
  );
});

test("a value that no transaction wrote last is nobody's", async () => {
  const { contract, inc } = await counter(0xffff_ffff);
  await send(inc(2));
  await fork.call("fork_setStorage", {
    ...{ contract: contract.contractId(), durability: "persistent", value: u32(7).toXDR("base64") },
    key: nativeToScVal([symbol("Count"), symbol("main")]).toXDR("base64"),
  });
  const { decidedBy } = await (await failed(inc(0xffff_fffe), inc(1)))();
  expect(decidedBy?.summary).toContain("Count(main) (7, persistent storage) + `by`");
  expect(decidedBy?.writes).toEqual([]);
});
