// svc call on a running and on a saved fork: the fork's own accounts are there as that fork has
// them, with the balance and the sequence number that they have now.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TransactionBuilder } from "@stellar/stellar-sdk";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { LOCAL_NETWORK } from "../../src/model/networks.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { capsuleAt } from "../support/capsule-at.ts";
import { openFork, type TestFork } from "../support/fork.ts";

setDefaultTimeout(60_000);

const CAPSULE = join(import.meta.dir, "../../examples/contract-error.capsule.json");
const VAULT = "CD3TNLAWOENGE7M47X2RVLHUYCP63JVRQQFNGSKVRWDAKFV7B3IBKH4D";
const directory = mkdtempSync(join(tmpdir(), "svc-made-calls-"));
let fork: TestFork;

beforeAll(async () => {
  await ensureBuilt();
  svcBinary();
  const file = { ...capsuleAt(CAPSULE), mayBeCapsule: true };
  const { passphrase } = LOCAL_NETWORK;
  fork = await openFork({ networkPassphrase: passphrase, offline: true, choice: { file } });
}, 900_000);
afterAll(async () => {
  await fork[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const callOf = (account: string) =>
  ["call", VAULT, "withdraw", "--of", account, "--amount", "5", "--as", account] as const;

/** The envelope of a call by an account of the fork, and what svc says of it. */
async function envelopeOf(account: string) {
  const words = [...callOf(account), "--rpc-url", fork.url];
  const { stdout, stderr, exitCode } = await svc([...words, "--format", "xdr"], { directory });
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("warning: ")]);
  return { xdr: stdout.trim(), stderr };
}

test("the envelope of one of its accounts is for the fork, which svc says, and takes it", async () => {
  const own = fork.keypair(0);
  for (let time = 1; time <= 2; time += 1) {
    const account = await fork.node.getAccount(own.publicKey());
    const { xdr, stderr } = await envelopeOf(own.publicKey());
    const { terms } = openEnvelope(xdr, fork.networkPassphrase);
    expect(BigInt(terms.sequence)).toBe(BigInt(account.sequenceNumber()) + 1n);
    expect(stderr).toContain("Send the envelope to that fork: the network that was forked may not");
    const transaction = TransactionBuilder.fromXDR(xdr, fork.networkPassphrase);
    transaction.sign(own);
    const { hash } = await fork.node.sendTransaction(transaction);
    const { status } = await fork.node.getTransaction(hash);
    expect(String(status)).toBe("SUCCESS");
  }
});

test("a saved fork has its accounts as they were, and no call changes the file", async () => {
  const address = fork.keypair(0).publicKey();
  const saved = join(directory, "saved.json");
  await svc(["fork", "save", "--url", fork.url, "--output", saved], { directory });
  const account = await fork.node.getAccount(address);
  for (let time = 1; time <= 2; time += 1) {
    const { stdout } = await svc([...callOf(address), "--on", saved, "--json"], { directory });
    const { outcome, call } = JSON.parse(stdout);
    expect(outcome.success).toBeTrue();
    expect(call.preparations).toEqual([]);
    const { terms } = openEnvelope(call.envelopeXdr, fork.networkPassphrase);
    expect(BigInt(terms.sequence)).toBe(BigInt(account.sequenceNumber()) + 1n);
  }
});

test("an account calls on a capsule right after a ledger in which it sent a transaction", async () => {
  // The ledger before closed less than the usual five seconds before.
  const words = [...callOf(fork.keypair(0).publicKey()), "--on", "demo:contract-error", "--json"];
  const { stdout } = await svc(words, { directory });
  const { outcome, call } = JSON.parse(stdout);
  expect(outcome.success).toBeTrue();
  expect(call.preparations).toEqual([]);
});
