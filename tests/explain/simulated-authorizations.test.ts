// The explanation of a simulation that cannot record an authorization: who would have to give it,
// and how, in a recorded network's transaction that no signature fixes.

import { afterAll, describe, expect, test } from "bun:test";
import { DiagnosticEvent } from "@stellar/stellar-sdk/xdr";
import { RECORDING_BINARY } from "../../scripts/ensure-built.ts";
import { openCurrentState } from "../../src/debugger/simulate/current-state.ts";
import { simulateTransaction } from "../../src/debugger/simulate/simulate-transaction.ts";
import { explainSimulation } from "../../src/explain/explain-simulation.ts";
import { openRecordingOneShot } from "../../src/simulator/one-shot.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openAnywhere } from "../support/opened.ts";
import { said } from "../support/said.ts";
import { TestClock } from "../support/test-clock.ts";

const SPAWN = "spawn: constructor auth of the deployer contract missing";

describe("authorizations that a simulation cannot record", () => {
  const loopback = openLoopback();
  afterAll(() => loopback[Symbol.asyncDispose]());

  test("of a contract higher in the call stack: the remedy is not a signature", async () => {
    const { simulation, subject } = await simulated(loopback, SPAWN);
    const { cause, remedy, evidence } = explainSimulation(simulation, ...subject);
    expect(cause?.kind).toBe("authorization-missing");
    expect(cause?.summary).toMatch(
      /^CAU7\w+, a contract higher in the call stack, does not authorize __constructor\(/,
    );
    expect(remedy).toContain("authorize_as_current_contract");
    expect(remedy).not.toMatch(/\bsign/i);
    expect(evidence.join("\n")).not.toContain("contains no authorization entries");
  });

  test("of an address that the first call does not require: how to record it", async () => {
    const { simulation, subject } = await simulated(loopback, SPAWN);
    const other = { ...simulation, diagnosticsXdr: simulation.diagnosticsXdr.map(notOfRoot) };
    const { cause, remedy } = explainSimulation(other, ...subject);
    expect(cause?.kind).toBe("authorization-not-of-root");
    expect(said(remedy)).toContain("--auth-mode record_allow_nonroot");
  });

  test("unknown messages of the host are cut with an ellipsis", async () => {
    const { simulation, subject } = await simulated(loopback, SPAWN);
    const long = (eventXdr: string) => saying(eventXdr, `unknown ${"long ".repeat(60)}`);
    const other = { ...simulation, diagnosticsXdr: simulation.diagnosticsXdr.map(long) };
    expect(explainSimulation(other, ...subject).cause?.summary).toMatch(
      / \("unknown (long )+.*…": CAU7/,
    );
  });
});

test("archived entries that a transaction cannot restore itself come first", async () => {
  await using loopback = openLoopback();
  const { simulation, subject } = await simulated(loopback, "read counter");
  const [envelope, read] = subject;
  const sending = {
    ledger: 1,
    refusals: [],
    failsAsDeclared: false,
    simulatedRefusal: null,
    unchecked: [],
    waived: [],
  };
  const restorePreamble = { transactionDataXdr: RESTORED, minResourceFeeStroops: "1" };
  expect(explainSimulation(simulation, envelope, read, sending).headline).toContain("succeed");
  const restoring = { ...simulation, restorePreamble };
  const { headline, restoreFirst } = explainSimulation(restoring, envelope, read, sending);
  expect(headline).toMatch(/ledger \d+, once its archived entries are restored\.$/);
  expect(restoreFirst).toEqual([]);
});

/** SorobanTransactionData without any entry. */
const RESTORED = Buffer.alloc(32).toString("base64");

describe("limits that a simulation exceeds", () => {
  const loopback = openLoopback();
  afterAll(() => loopback[Symbol.asyncDispose]());

  test.each([
    [
      "cpu budget exceeded by infinite loop",
      "cpu-exceeded",
      /^CPU limit exceeded: 100,\d{3},\d{3} instructions used, 100,000,000 allowed by the network\.$/,
    ],
    [
      "memory budget exceeded",
      "memory-exceeded",
      /^Memory limit exceeded in mem\(n: 60000\) of contract C\w+: [\d,]+ bytes used, 41,943,040 allowed by the network\.$/,
    ],
    ["stack exhaustion", "stack-exhausted", /^The wasm stack overflowed in deepstack/],
  ])("%s", async (name, kind, summary) => {
    const { simulation, subject } = await simulated(loopback, name);
    const { cause, remedy } = explainSimulation(simulation, ...subject);
    expect(cause).toMatchObject({ kind, confidence: "known" });
    expect(cause?.summary).toMatch(summary);
    expect(cause?.summary).not.toContain("declared");
    expect(remedy).toContain("transaction cannot raise");
  });
});

async function simulated(loopback: Loopback, name: string) {
  const { network } = loopback;
  const transaction = network.named(name);
  const envelopeXdr = String(network.file(transaction).rpcGetTransaction.result.envelopeXdr);
  const tip = `tip=${transaction.ledger - 1}`;
  const { sources, networkPassphrase } = openWalk(loopback, { horizon: [], rpc: [tip] });
  const state = openCurrentState({ sources, clock: new TestClock({ grantedUpTo: 5000 }) });
  const simulator = openRecordingOneShot({ path: RECORDING_BINARY });
  const { simulation, read } = await simulateTransaction(
    { simulator, state, networkPassphrase },
    { transactionXdr: envelopeXdr },
    { signal: NEVER_ABORTED },
  );
  return { simulation, subject: [openAnywhere(envelopeXdr), read, null] as const };
}

/** The host's message about an address that is not a contract of the call stack. */
const notOfRoot = (eventXdr: string) =>
  saying(
    eventXdr,
    "[recording authorization only] encountered authorization not tied to the root contract " +
      "invocation for an address. Use `require_auth()` in the top invocation or enable non-root " +
      "authorization.",
  );

/** Replaces the message about recording authorizations. */
function saying(eventXdr: string, message: string): string {
  return changedXdr(DiagnosticEvent, eventXdr, ({ event }) => {
    const [first] = event.body.v0.data?.vec ?? [];
    if (first?.string?.startsWith("[recording authorization only]")) first.string = message;
  });
}
