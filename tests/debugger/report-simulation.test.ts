// Every recorded transaction as it was sent, simulated on the state of the ledger before its own:
// the report says that it would succeed where the network applied it with success, and only there.

import { afterAll, describe, expect, test } from "bun:test";
import { TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { SvcError } from "../../src/base/errors/errors.ts";
import { asSimulated } from "../../src/debugger/simulate/as-simulated.ts";
import { openCurrentState } from "../../src/debugger/simulate/current-state.ts";
import {
  type ReportDependencies,
  reportSimulation,
} from "../../src/debugger/simulate/report-simulation.ts";
import { SIMULATION_RENDERERS } from "../../src/report/renderers.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import { withAuthorizations, withResources } from "../../src/xdr/envelope/patch-envelope.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import {
  alphaNum4,
  CODE,
  changed,
  DATA,
  extendingTo,
  HASH_SIGNER,
  LONG,
  multiplexed,
  OFFER,
  preconditions,
  SETTING,
  TTL,
  trustline,
  withKeys,
} from "../support/changed-envelope.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openAnywhere } from "../support/opened.ts";
import type { RecordedTransaction } from "../support/recorded-network.ts";
import { said } from "../support/said.ts";
import { openTestRecorder, openTestSimulator } from "../support/simulator.ts";
import { TestClock } from "../support/test-clock.ts";

const replayer = openTestSimulator();

describe("as it was sent", () => {
  const loopback = openLoopback();
  const { network } = loopback;
  const simulator = openTestRecorder();
  afterAll(() => loopback[Symbol.asyncDispose]());

  async function report(
    transaction: RecordedTransaction,
    change: Partial<ReportDependencies> & { readonly envelopeXdr?: string } = {},
    hostCalls = false,
  ) {
    const { ledger } = transaction;
    const before = `entries-at=${ledger - 1},tip=${ledger - 1}`;
    const { rpcGetTransaction } = network.file(transaction);
    const { sources, networkPassphrase } = openWalk(loopback, { horizon: [], rpc: [before] });
    const state = openCurrentState({ sources, clock: new TestClock({ grantedUpTo: 5000 }) });
    return reportSimulation(
      { simulator, replayer, state, networkPassphrase, ...change },
      { transactionXdr: change.envelopeXdr ?? String(rpcGetTransaction.result.envelopeXdr) },
      { signal: NEVER_ABORTED, name: "test", hostCalls },
    );
  }
  const sent = network.transactions.filter(({ soroban }) => soroban);
  /** Its envelope before it was simulated. */
  const declaringNothing = (transaction: RecordedTransaction): string => {
    const { rpcGetTransaction } = network.file(transaction);
    const { decoded } = openAnywhere(String(rpcGetTransaction.result.envelopeXdr));
    if (decoded.type !== 2) throw new Error("another kind of envelope");
    const v1 = { ...decoded.v1, tx: { ...decoded.v1.tx, ext: { v: 0 as const } } };
    return encode("TransactionEnvelope", { ...decoded, v1 });
  };

  for (const transaction of sent)
    test(`${transaction.n}: ${transaction.name}`, async () => {
      const { simulation, explanation, sending } = await report(transaction);
      const refusals = sending?.refusals.filter(({ code }) => code !== UNRECORDED[transaction.n]);
      const succeeds = explanation.outcome === "succeeds" && refusals?.length === 0;
      const [refusal] = refusals ?? [];
      const found = { succeeds, cause: explanation.cause, refusal };
      const happened = transaction.status === "SUCCESS" || transaction.n === RACED;
      expect(found).toMatchObject({ succeeds: happened });
      if (explanation.outcome === "fails")
        expect(explanation).toMatchObject({ result: null, resources: null, changes: [] });
      const insufficient = sending?.simulatedRefusal?.detail ?? null;
      if (ROLLED_BACK.has(transaction.n))
        expect(insufficient).toStartWith(
          "With the simulated resources the transaction would fail: Write limit exceeded: 104 bytes",
        );
      else expect(insufficient).toBeNull();
      const removed = explanation.changes.filter(({ kind }) => kind === "removed");
      // What a call wrote whose error was caught is as it was, and no recorded call removes it.
      expect(explanation.maybeRemoved).toHaveLength(ROLLED_BACK.has(transaction.n) ? 1 : 0);
      expect(removed).toHaveLength(REMOVING.has(transaction.n) ? 1 : 0);
      const { code = "", detail: words } = succeeds ? {} : (refusal ?? {});
      const detail = said(words);
      expect(`${transaction.result}/txBadSeq/Error(Auth, InvalidAction)`).toContain(code);
      const helps = detail.includes("Declare the footprint");
      if (ROLLED_BACK.has(transaction.n))
        expect(detail).toContain("The simulated resources are not enough either.");
      else if (code.startsWith("invoke")) expect(helps).toBe(true);
      if (!helps) return;
      const { rpcGetTransaction } = network.file(transaction);
      const envelope = openAnywhere(String(rpcGetTransaction.result.envelopeXdr));
      const envelopeXdr = asSimulated(envelope, simulation).xdr;
      const again = await report(transaction, { envelopeXdr });
      const codes = again.sending?.refusals.map((each) => each.code) ?? ["unknown"];
      expect(codes.filter((each) => !/^tx(BadAuth|InsufficientFee)$/.test(each))).toEqual([]);
    });

  test("an envelope that declares nothing comes back with all but its signature", async () => {
    let signable = 0;
    for (const transaction of sent.filter(({ status }) => status === "SUCCESS").slice(0, 30)) {
      const { envelopeToSignXdr } = await report(transaction, {
        envelopeXdr: declaringNothing(transaction),
      });
      if (envelopeToSignXdr === null) continue;
      signable += 1;
      const { terms } = openAnywhere(envelopeToSignXdr);
      expect(terms.signatures).toEqual([]);
      const again = await report(transaction, { envelopeXdr: envelopeToSignXdr });
      const codes = again.sending?.refusals.map(({ code }) => code) ?? [];
      expect([transaction.name, ...codes]).toEqual([transaction.name, "txBadAuth"]);
    }
    expect(signable).toBeGreaterThan(20);
  });

  test("what a signature alone does not make succeed is not offered to be signed", async () => {
    for (const transaction of sent.filter(({ status }) => status === "FAILED")) {
      const { explanation, envelopeToSignXdr } = await report(transaction);
      if (explanation.outcome === "fails") expect(envelopeToSignXdr).toBeNull();
    }
  });

  const decided: Readonly<Record<string, readonly [sentence: string, remedy: string]>> = {
    "divide by zero": [
      "`divide` stopped because `denominator` (argument 1) is 0. Run with `denominator` 1, it succeeds.",
      "Pass a value other than 0, such as 1, as `denominator`.",
    ],
    "integer overflow trap": [
      "`add` stopped because `a` (4294967295, argument 1) + `b` (1, argument 2) does not fit a u32. " +
        "Run with `a` 4294967294, it succeeds.",
      "Pass at most 4294967294 as `a`.",
    ],
    "call propagates callee error": [
      "`fail` failed because `code` (argument 1) is 2; `code` is `args[0]` (argument 3) of `fwd`. " +
        "Run with 3 as `args[0]` of `fwd`, it succeeds.",
      "Pass a value other than 2, such as 3, as `args[0]` of `fwd`.",
    ],
    "get of missing key -> contract error": [
      "Likely, `get` failed because there is no entry Count(nokey) in its persistent storage (`key`, argument 1). " +
        "Run with the entry Count(nokey) set to 1, it succeeds.",
      "Ask another node. If it has no entry either: Check `key`: the key is made of it. If the entry should exist, first send the " +
        "transaction that creates it.",
    ],
  };
  for (const [name, [sentence, remedy]] of Object.entries(decided))
    test(`the value that decides is said, and what helps: ${name}`, async () => {
      const { explanation } = await report(network.named(name));
      expect(explanation.evidence[0]).toBe(sentence);
      expect(explanation.remedy).toBe(remedy);
    });

  test("no value is said of a failure that the enforced run does not show", async () => {
    for (const name of ["function does not exist", "write bytes too low", "upload invalid wasm"]) {
      const { explanation } = await report(network.named(name));
      expect(explanation.evidence.join()).not.toContain(" because ");
    }
  });

  test("an upload of 0 bytes fails, whatever a recording host takes", async () => {
    const invalid = network.named("upload invalid wasm");
    const { rpcGetTransaction } = network.file(invalid);
    const sentXdr = String(rpcGetTransaction.result.envelopeXdr);
    const envelopeXdr = changedXdr(TransactionEnvelope, sentXdr, ({ tx: { tx } }) => {
      tx.operations[0].body.invoke_host_function.host_function = { upload_contract_wasm: "" };
      tx.ext = "v0";
    });
    const { explanation } = await report(invalid, { envelopeXdr });
    expect([explanation.outcome, explanation.cause?.kind]).toEqual(["fails", "wasm-invalid"]);
    expect(explanation.cause?.summary).toContain("0 bytes");
    expect(explanation.headline).not.toContain("without an error");
  });

  test("the calls are those of the transaction, with -v with storage, events and errors", async () => {
    let [stored, errors] = [0, 0];
    const chosen = sent.filter(({ n }) => n % 7 === 0 || n === 99 || n === 119 || n === 90);
    for (const transaction of chosen) {
      const found = await report(transaction, {}, true);
      const { calls, trace, outcome } = found.explanation;
      const [brief, traced] = [{}, { trace: true }].map((options) =>
        SIMULATION_RENDERERS.text(found, { color: false, ...options }),
      );
      if (calls.length === 0) continue;
      expect(brief).toContain("\nCalls\n");
      if (outcome === "fails") {
        expect(trace).toBeNull();
        expect(traced).toMatch(/← FAILED\s+\w/);
        errors += 1;
      }
      const unsigned = found.explanation.authorizations.some(({ signed }) => !signed);
      expect([transaction.n, trace === null]).toEqual([
        transaction.n,
        outcome === "fails" || unsigned,
      ]);
      expect(traced).toContain(
        trace === null ? "Storage and authorizations are not shown" : "from a run in the next",
      );
      stored += traced?.match(/[├└]─ (read|write|has) /g)?.length ?? 0;
      expect(brief).not.toMatch(/[├└]─ (read|write|has|event) /);
    }
    expect(stored).toBeGreaterThan(10);
    expect(errors).toBeGreaterThan(3);
  });

  test("declarations that the network refuses are named", async () => {
    const transaction = sent.find(({ n }) => n === 67) as RecordedTransaction;
    const { rpcGetTransaction } = network.file(transaction);
    const envelope = openAnywhere(String(rpcGetTransaction.result.envelopeXdr));
    const cases = [
      [
        { resourceFeeStroops: "1" },
        /declared resources cost [\d,]+ stroops, and the resource fee is 1\./,
      ],
      [{ instructions: 100_000_001 }, /declares 100,000,001 CPU instructions; the network allows/],
    ] as const;
    for (const [change, words] of cases) {
      const envelopeXdr = withResources(envelope, change).xdr;
      const { sending } = await report(transaction, { envelopeXdr });
      const refusal = sending?.refusals.find(({ code }) => code === "txSorobanInvalid");
      expect(refusal?.detail).toMatch(words);
    }
  });

  for (const [what, n, change, code] of invalid())
    test(`${what} is refused, and is not said to succeed`, async () => {
      const transaction = network.transactions.find((each) => each.n === n) as RecordedTransaction;
      const { rpcGetTransaction } = network.file(transaction);
      const envelope = openAnywhere(String(rpcGetTransaction.result.envelopeXdr));
      const { explanation, sending } = await report(transaction, {
        envelopeXdr: change(envelope).xdr,
      });
      const known = sending?.refusals.filter(({ confidence }) => confidence === "known") ?? [];
      // Its signatures no longer hold, and stellar-core looks at an operation's form after them.
      const codes = known.map((each) => each.code).filter((each) => each !== "txBadAuth");
      expect(codes.filter((each) => each !== "txBadSeq")).toEqual([code]);
      expect(sending?.failsAsDeclared).toBe(true);
      expect(explanation.headline).not.toContain("would succeed");
    });

  test("without svc-sim, nothing is said of what is declared", async () => {
    const replay = () =>
      Promise.reject(new SvcError("SIMULATOR_DIED", { message: "It died.", remedy: "" }));
    const failing: Simulator = { replay, [Symbol.asyncDispose]: () => Promise.resolve() };
    const recorded = (n: number) => sent.find((each) => each.n === n) as RecordedTransaction;
    const { explanation, sending } = await report(recorded(57), { replayer: failing });
    expect(sending).toBeNull();
    expect(explanation.headline).toMatch(
      /would run without an error on the state of ledger 223\.$/,
    );
  });

  test("an envelope that declares nothing yet is told that alone", async () => {
    const transaction = sent.find(({ n }) => n === 57) as RecordedTransaction;
    const envelopeXdr = declaringNothing(transaction);
    const { sending } = await report(transaction, { envelopeXdr });
    expect(sending?.refusals.map(({ code }) => code)).toEqual(["txMalformed", "txBadAuth"]);
    expect(sending?.simulatedRefusal).toBeNull();
  });

  test("a contract account that has not signed is to sign before the resources suffice", async () => {
    const transaction = network.named("custom account __check_auth transfer");
    const { rpcGetTransaction } = network.file(transaction);
    const envelope = openAnywhere(String(rpcGetTransaction.result.envelopeXdr));
    const signed = await report(transaction);
    const recorded = await report(transaction, {
      envelopeXdr: withAuthorizations(envelope, []).xdr,
    });
    const { sending, explanation } = recorded;
    expect(sending?.simulatedRefusal?.detail).toMatch(/do not include `__check_auth` of C\w{55}, /);
    expect(sending?.simulatedRefusal?.confidence).toBe("likely");
    expect(SIMULATION_RENDERERS.text(recorded, { color: false })).toMatch(
      /simulate\s+that\s+envelope\./,
    );
    // With signatures, it runs and is metered.
    expect(signed.sending?.simulatedRefusal).toBeNull();
    const instructions = signed.explanation.resources?.instructions ?? 0;
    expect(instructions).toBeGreaterThan(explanation.resources?.instructions ?? instructions);
    const read = (found: typeof signed) => found.explanation.resources?.readOnly.length ?? 0;
    expect(read(signed)).toBeGreaterThan(read(recorded));
  });

  test("such an envelope is told too where the simulation's resources do not suffice", async () => {
    const transaction = sent.find(({ n }) => n === 98) as RecordedTransaction;
    const envelopeXdr = declaringNothing(transaction);
    const { sending } = await report(transaction, { envelopeXdr });
    expect(sending?.simulatedRefusal?.code).toBe("invokeHostFunctionResourceLimitExceeded");
  });
});

/** Resources of no use, beside any operation. */
const DECLARED = {
  v: 1,
  sorobanData: {
    ext: { v: 0 },
    resources: {
      footprint: { readOnly: [], readWrite: [] },
      ...{ instructions: 0, diskReadBytes: 0, writeBytes: 0 },
    },
    resourceFee: 0n,
  },
} as const;
const TWICE = preconditions([HASH_SIGNER, HASH_SIGNER]);
/** Whose envelope, what becomes of it, and what stellar-core answers. */
function invalid(): readonly (readonly [string, number, (of: Envelope) => Envelope, string])[] {
  return [
    [
      "a multiplexed source",
      29,
      (of) => changed(of, ({ sourceAccount: own }) => ({ sourceAccount: multiplexed(own) })),
      "txSorobanInvalid",
    ],
    ["a multiplexed source of the operation", 29, multiplexedOperation, "txSorobanInvalid"],
    ["a memo", 29, (of) => changed(of, () => ({ memo: { type: 2, id: 1n } })), "txSorobanInvalid"],
    ["a long key", 29, (of) => withKey(of, LONG), "txSorobanInvalid"],
    ["a trustline of XLM", 29, (of) => withKey(of, trustline({ type: 0 })), "txSorobanInvalid"],
    [
      "an issuer's trustline",
      29,
      (of) => withKey(of, trustline(alphaNum4("A"))),
      "txSorobanInvalid",
    ],
    ["a TTL", 29, (of) => withKey(of, TTL), "txSorobanInvalid"],
    ["a data entry", 29, (of) => withKey(of, DATA), "txSorobanInvalid"],
    ["an offer", 29, (of) => withKey(of, OFFER), "txSorobanInvalid"],
    ["a setting", 29, (of) => withKey(of, SETTING), "txSorobanInvalid"],
    ["an index out of bounds", 29, (of) => withKey(of, CODE, [99]), "txSorobanInvalid"],
    ["an index without entries", 11, (of) => withKeys(of, [CODE], [], [0]), "txSorobanInvalid"],
    ["keys to write", 161, (of) => withKeys(of, [], [CODE]), "extendFootprintTtlMalformed"],
    [
      "a TTL over the maximum",
      161,
      (of) => extendingTo(of, 2 ** 31),
      "extendFootprintTtlMalformed",
    ],
    ["keys to read", 159, (of) => withKeys(of, [CODE]), "restoreFootprintMalformed"],
    ["an extra signer twice", 29, (of) => changed(of, () => TWICE), "txMalformed"],
    ["no operation", 124, (of) => changed(of, () => ({ operations: [] })), "txMissingOperation"],
    [
      "Soroban data beside a payment",
      124,
      (of) => changed(of, () => ({ ext: DECLARED })),
      "txMalformed",
    ],
  ];
}

function multiplexedOperation(of: Envelope): Envelope {
  return changed(of, ({ sourceAccount, operations }) => ({
    operations: operations.map((each) => ({ ...each, sourceAccount: multiplexed(sourceAccount) })),
  }));
}

/** With one key more to read. */
function withKey(of: Envelope, key: string, archived: number[] = []): Envelope {
  const { readOnly = [], readWrite = [] } = of.soroban?.footprint ?? {};
  return withKeys(of, [...readOnly, key], readWrite, archived);
}

/** What the recorded state cannot show: settings before they were upgraded; sequence numbers. */
const UNRECORDED: Readonly<Record<number, string>> = {
  2: "invokeHostFunctionInsufficientRefundableFee",
  70: "txBadSeq",
  81: "txBadSeq",
  82: "txBadSeq",
  106: "txBadSeq",
};
/** The simulation declares no write bytes for an entry that a caught error rolled back. */
const ROLLED_BACK: ReadonlySet<number> = new Set([98, 171]);
/** They call \`del\`. */
const REMOVING: ReadonlySet<number> = new Set([37, 141]);
/** An earlier transaction of the same ledger removed what it reads. */
const RACED = 143;
