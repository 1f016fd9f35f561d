// svc simulate on the compiled binary: an envelope on the command line, in a file or on standard
// input, and a node at the ledger of the recorded simulation.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withAuthorizations, withoutSignatures } from "../../src/xdr/envelope/patch-envelope.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { openAnywhere } from "../support/opened.ts";
import { svc } from "./run-svc.ts";

const loopback = openLoopback();
/** A payment, without a recorded simulation. */
const CLASSIC = 125;
const directory = mkdtempSync(join(tmpdir(), "svc-simulate-"));
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await loopback[Symbol.asyncDispose]();
});

function recorded(n: number) {
  const transaction = loopback.network.transactions.find((each) => each.n === n);
  if (transaction === undefined) throw new Error(`no transaction ${n}`);
  const { simulation, rpcGetTransaction } = loopback.network.file(transaction);
  const envelope = openAnywhere(String(rpcGetTransaction.result.envelopeXdr));
  const flags = [
    "--rpc-url",
    loopback.url("rpc", `tip=${simulation?.latestLedger ?? transaction.ledger - 1}`),
    "--network-passphrase",
    loopback.network.passphrase,
  ];
  return { simulation, envelope, flags };
}

test("the report says what it would do, what to sign and what to declare", async () => {
  const { envelope, flags, simulation } = recorded(106);
  const unsigned = withAuthorizations(envelope, []).xdr;
  const { exitCode, stdout, stderr } = await svc(["simulate", unsigned, ...flags]);
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`ledger ${simulation?.latestLedger}`);
  for (const refusal of ["txBadSeq: ", "txBadAuth: "]) expect(stdout).toContain(refusal);
  for (const heading of ["Authorizations to sign", "Resources to declare"])
    expect(stdout).toContain(heading);
});

test("an envelope that only lacks its signatures would succeed once it is signed", async () => {
  const { envelope } = recorded(67);
  const node = ["--rpc-url", loopback.url("rpc", "tip=241")];
  const network = ["--network-passphrase", loopback.network.passphrase];
  const words = ["simulate", withoutSignatures(envelope).xdr, ...node, ...network, "--json"];
  const { outcome, rpc, sending } = JSON.parse((await svc(words)).stdout);
  expect([outcome.kind, outcome.success, rpc.latestLedger]).toEqual(["succeeds", true, 241]);
  expect(sending.refusals.map(({ code }: { code: string }) => code)).toEqual(["txBadAuth"]);
});

test("what the envelope names is asked for at once, and nothing twice", async () => {
  const { envelope, flags } = recorded(106);
  const before = loopback.requests.length;
  expect((await svc(["simulate", envelope.xdr, ...flags])).exitCode).toBe(0);
  const asked = loopback.requests.slice(before).toSorted();
  // The network of the node, and the protocol of its latest ledger.
  const ofNetwork = ["getNetwork", "getNetwork"];
  expect(asked).toEqual(["getLedgerEntries", ...ofNetwork, "getTransaction"]);
});

test("--json holds the answer of Stellar RPC, from a file and from standard input", async () => {
  const { envelope: signed, flags, simulation } = recorded(106);
  const envelope = withAuthorizations(signed, []).xdr;
  const file = join(directory, "envelope.txt");
  writeFileSync(file, `${envelope}\n`);
  const fromFile = await svc(["simulate", file, ...flags, "--json"]);
  const fromStdin = await svc(["simulate", "-", ...flags, "--json"], { stdin: envelope });
  expect(fromFile.exitCode).toBe(0);
  expect(fromStdin.stdout).toBe(fromFile.stdout);
  expect(JSON.parse(fromFile.stdout).rpc).toEqual(simulation);
});

test("a transaction that would fail is an answer, with its cause", async () => {
  const { envelope, flags } = recorded(106);
  const words = ["simulate", withAuthorizations(envelope, []).xdr, ...flags];
  const { exitCode, stdout } = await svc([...words, "--auth-mode", "enforce"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("would fail on the state of ledger");
  expect(stdout).toContain("Cause: ");
});

test("--fail-on tx-failed ends with 7 where it would fail, and only there", async () => {
  const { envelope, flags } = recorded(106);
  const words = [
    "simulate",
    withAuthorizations(envelope, []).xdr,
    ...flags,
    "--fail-on",
    "tx-failed",
  ];
  const well = await svc(words);
  expect([well.exitCode, well.stderr]).toEqual([0, ""]);
  const failing = await svc([...words, "--auth-mode", "enforce", "--json"]);
  expect(failing.exitCode).toBe(7);
  expect(failing.stderr).toStartWith("error: --fail-on tx-failed: ");
  const { outcome } = JSON.parse(failing.stdout);
  expect([outcome.kind, outcome.success]).toEqual(["fails", false]);
});

test("--fail-on tx-failed ends with 7 where what is declared makes it fail", async () => {
  const { envelope } = recorded(57);
  const node = ["--rpc-url", loopback.url("rpc", "entries-at=223,tip=223")];
  const network = ["--network-passphrase", loopback.network.passphrase];
  const words = ["simulate", envelope.xdr, ...node, ...network, "--fail-on", "tx-failed"];
  const { exitCode, stdout, stderr } = await svc([...words, "--json"]);
  expect([exitCode, stderr.startsWith("error: --fail-on tx-failed: ")]).toEqual([7, true]);
  const { outcome, sending } = JSON.parse(stdout);
  expect(outcome.kind).toBe("succeeds");
  expect(sending.refusals.map(({ code }: { code: string }) => code)).toContain(
    "invokeHostFunctionResourceLimitExceeded",
  );
});

test("a classic transaction cannot be simulated", async () => {
  const { envelope, flags } = recorded(CLASSIC);
  const words = ["simulate", envelope.xdr, ...flags, "--fail-on", "tx-failed"];
  const { exitCode, stdout, stderr } = await svc(words);
  expect([exitCode, stderr, stdout.trim().includes("\n\n")]).toEqual([0, "", false]);
  const { outcome, rpc } = JSON.parse((await svc([...words, "--json"])).stdout);
  expect(outcome).toMatchObject({ kind: "nothing-to-simulate", success: null, cause: null });
  // The words of Stellar RPC.
  expect(rpc.error).toBe("transaction contains unsupported operation type: OperationTypePayment");
});

test("what is no envelope is refused before any node is asked", async () => {
  const { flags } = recorded(106);
  const asked = loopback.requests.length;
  const { exitCode, stderr } = await svc(["simulate", "A".repeat(200), ...flags]);
  expect(stderr).toContain("[FILE_INVALID]");
  expect(exitCode).toBe(2);
  expect(loopback.requests.length).toBe(asked);
});

test("without svc-sim-recording next to svc-sim, the error has the path that was tried", async () => {
  const lonely = join(directory, "svc-sim");
  writeFileSync(lonely, "#!/bin/sh\n", { mode: 0o755 });
  const { envelope, flags } = recorded(106);
  const { exitCode, stderr } = await svc([
    "simulate",
    envelope.xdr,
    ...flags,
    "--sim-path",
    lonely,
  ]);
  expect(exitCode).toBe(5);
  expect(stderr).toContain("[SIMULATOR_NOT_FOUND]");
  expect(stderr).toContain(join(directory, "svc-sim-recording"));
});
