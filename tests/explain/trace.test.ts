// The trace of every recorded transaction, from real runs: it has all calls, host calls and events
// once and in order, its writes lead from the state before to the state after, and each error stands
// at the call that raised it.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ScVal } from "@stellar/stellar-sdk/xdr";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { allReportedCalls, diagnosticTree } from "../../src/explain/naming/diagnostic-calls.ts";
import { nameReported } from "../../src/explain/naming/named-steps.ts";
import { StorageValues } from "../../src/explain/naming/storage-values.ts";
import { type TracedCall, traceCalls } from "../../src/explain/naming/traced-calls.ts";
import type { CallNode, Execution } from "../../src/model/execution.ts";
import type { NamedCall, NamedEvent } from "../../src/model/explanation.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { dataKeyOf, isNonceKey } from "../../src/xdr/contract/key-typed.ts";
import { dataValueOf, instanceStorageOf } from "../../src/xdr/ledger/data-entry.ts";
import { isCoreMetric, readDiagnosticEvent } from "../../src/xdr/outcome/diagnostics.ts";
import { endingReports, readErrorReports } from "../../src/xdr/outcome/error-reports.ts";
import { ENTRY_TYPE, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { showValue } from "../../src/xdr/values/value.ts";
import { inOrder, investigate } from "../report/investigations.ts";
import { madeXdr } from "../support/changed-xdr.ts";
import { contractEntries, executeCall } from "../support/executed.ts";
import { hostCallContract } from "../support/host-call-contract.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

const loopback = openLoopback();
const simulator = openTestSimulator();
afterAll(() => loopback[Symbol.asyncDispose]());

interface Ran extends Investigation {
  readonly name: string;
  readonly execution: Execution;
  readonly snapshot: Snapshot;
  readonly calls: NamedCall;
}
const ran: Ran[] = [];

beforeAll(async () => {
  for (const { hash, name, soroban } of loopback.network.transactions) {
    if (!soroban) continue;
    const dependencies = { ...openWalk(loopback), simulator, progress: () => {} };
    const options = { signal: NEVER_ABORTED, hostCalls: true };
    const found = await debugTransaction(dependencies, hash, options);
    const { execution, snapshot } = found;
    const { calls } = found.explanation;
    if (execution === null || snapshot === null || calls === null) continue;
    ran.push({ ...found, name, execution, snapshot, calls });
  }
}, 120_000);

interface Tree<Below> {
  readonly contract: string | null;
  readonly function: string | null;
  readonly calls: readonly Below[];
}

/** The calls of contracts, in the order in which they began. */
function namesOf<Call extends Tree<Call>>(call: Call): string[] {
  const own = call.contract === null ? [] : [`${call.contract} ${call.function}`];
  return [...own, ...call.calls.flatMap((below) => namesOf(below))];
}

function* callsIn(call: NamedCall): Generator<NamedCall> {
  yield call;
  for (const below of call.calls) yield* callsIn(below);
}

/** What a call did, in the order of its steps, with that of the calls below it in their place. */
function eventsOf(call: NamedCall, isKept: boolean | null): NamedEvent[] {
  return call.steps.flatMap((step) => {
    if (step.kind === "call") return eventsOf(call.calls[step.index] as NamedCall, isKept);
    return step.kind === "event" && step.kept === (isKept ?? step.kept) ? [step.event] : [];
  });
}

test("it has the calls of the replay, and those of the diagnostic events", () => {
  expect(ran.length).toBeGreaterThan(150);
  for (const { name, execution, calls } of ran) {
    const replayed = namesOf(execution.callTree as CallNode);
    expect([name, ...namesOf(calls)]).toEqual([name, ...replayed]);
    const told = diagnosticTree(execution.diagnosticsXdr);
    expect([name, ...(told ? namesOf(told) : [])]).toEqual([name, ...replayed]);
  }
});

test("each call and each host call is a step once, in order, and where the host had it", () => {
  let between = 0;
  for (const { name, calls } of ran)
    for (const { steps, calls: below, hostCalls = [] } of callsIn(calls)) {
      const indexes = (kind: string) =>
        steps.flatMap((step) => (step.kind === kind && "index" in step ? [step.index] : []));
      expect([name, indexes("call")]).toEqual([name, [...below.keys()]]);
      expect([name, indexes("host-call")]).toEqual([name, [...hostCalls.keys()]]);
      let made = 0;
      for (const step of steps) {
        if (step.kind === "call") made += 1;
        if (step.kind !== "host-call") continue;
        expect([name, made]).toEqual([name, hostCalls[step.index]?.afterCalls as number]);
        if (made > 0) between += 1;
      }
    }
  expect(between).toBeGreaterThan(20);
});

test("its events are those of the replay, in their order, each behind the host call that emitted it", () => {
  let count = 0;
  for (const { name, execution, explanation, calls } of ran) {
    if (execution.outcome.kind === "success")
      expect([name, eventsOf(calls, true)]).toEqual([name, [...explanation.events]]);
    const told = execution.diagnosticsXdr
      .filter((event) => !isCoreMetric(event))
      .map(readDiagnosticEvent)
      .filter(({ kind }) => kind !== "diagnostic");
    const shown = eventsOf(calls, null);
    expect([name, shown.map(({ contract, topics }) => [contract, ...topics])]).toEqual([
      name,
      told.map(({ contract, topicsXdr }) => [contract, ...topicsXdr.map((xdr) => showValue(xdr))]),
    ]);
    for (const { steps, hostCalls = [] } of callsIn(calls))
      for (const [at, step] of steps.entries()) {
        const before = steps[at - 1];
        if (step.kind !== "event" || step.event.kind !== "contract") continue;
        const emitting = before?.kind === "host-call" ? hostCalls[before.index]?.function : null;
        expect([name, emitting]).toEqual([name, "contract_event"]);
        count += 1;
      }
  }
  expect(count).toBeGreaterThan(400);
});

/** Applies what a trace wrote, and checks each value that it read on the way. */
function applied(call: TracedCall, values: StorageValues, name: string): number {
  let reads = 0;
  values.begin();
  for (const step of call.steps) {
    if (step.kind === "call") reads += applied(call.calls[step.index] as TracedCall, values, name);
    const host = step.kind === "host-call" ? call.hostCalls?.[step.index] : undefined;
    if (host === undefined || host.failed || call.contract === null) continue;
    const isPut = host.function === "put_contract_data";
    const [keyXdr = null, second = null, third = null] = host.argumentsXdr;
    const stored = isPut ? third : second;
    if (!/^(get|put|del)_contract_data$/.test(host.function) || !keyXdr || !stored) continue;
    const durability = showValue(stored).toLowerCase();
    const key = { contract: call.contract, durability, keyXdr };
    if (isPut) values.write(key, second ?? undefined);
    else if (host.function === "del_contract_data") values.write(key, null);
    else {
      expect([name, values.valueOf(key)]).toEqual([name, host.resultXdr]);
      reads += 1;
    }
  }
  values.end(call.failed);
  return reads;
}

test("what it reads is what was there or written before, and its writes lead to the state after", () => {
  let [reads, writes] = [0, 0];
  for (const { name, execution, snapshot, record } of ran) {
    const values = new StorageValues(snapshot, record.ledger.sequence);
    const told = allReportedCalls(execution.diagnosticsXdr).tree;
    reads += applied(traceCalls(execution.callTree as CallNode, told), values, name);
    for (const { keyXdr, afterXdr } of execution.changes) {
      if (typeOfKey(keyXdr) !== ENTRY_TYPE.contractData || isNonceKey(keyXdr)) continue;
      const { contract, key, durability } = dataKeyOf(keyXdr);
      const after = afterXdr === null ? null : dataValueOf(afterXdr);
      const stored = after === null ? [] : instanceStorageOf(after);
      for (const [keyInside, value] of stored) {
        const inside = { contract, durability: "instance", keyXdr: keyInside };
        expect([name, values.valueOf(inside)]).toEqual([name, value]);
        writes += 1;
      }
      // The instance itself is written by the host.
      if (showValue(key) === "ledger key of a contract instance" || stored.length > 0) continue;
      const known = values.valueOf({ contract, durability, keyXdr: key });
      if (known === undefined) continue;
      expect([name, known]).toEqual([name, after]);
      writes += 1;
    }
  }
  expect(reads).toBeGreaterThan(100);
  expect(writes).toBeGreaterThan(60);
});

test("a write shows what was there before it", () => {
  const known = ran.filter(({ snapshot }) => snapshot.unknown.length === 0);
  const writes = known.flatMap(({ calls }) =>
    [...callsIn(calls)].flatMap(({ hostCalls = [] }) =>
      hostCalls.flatMap(({ storage, failed }) =>
        storage?.action === "write" && !failed ? [storage] : [],
      ),
    ),
  );
  expect(writes.length).toBeGreaterThan(50);
  expect(writes.filter(({ before }) => before === undefined)).toEqual([]);
  expect(writes.some(({ before }) => before === null)).toBe(true);
  expect(writes.some(({ before, value }) => before === "1" && value === "2")).toBe(true);
  expect(writes.flatMap(({ fields = [] }) => fields)).toContainEqual({
    field: "amount",
    before: "9000",
    after: "8989",
  });
});

test("each call that failed has its error, which one call raised and those above it passed on", () => {
  let [raised, passed] = [0, 0];
  for (const { name, execution, calls } of ran) {
    const reports = readErrorReports(execution.diagnosticsXdr);
    for (const call of callsIn(calls)) {
      expect([name, call.error !== null]).toEqual([name, call.failed]);
      if (call.error === null || call.contract === null) continue;
      const below = call.calls.findLast(({ failed }) => failed)?.error;
      if (call.error.raised) raised += 1;
      else {
        expect([name, below?.error]).toEqual([name, call.error.error]);
        passed += 1;
      }
    }
    const [origin] = endingReports(reports);
    if (!calls.failed || !origin?.contract) continue;
    const of = [...callsIn(calls)].filter((call) => call.contract !== null && call.failed);
    const last = of[0]?.error?.error;
    const raising = of.filter(({ error }) => error?.raised && error.error === last);
    expect([name, raising.map(({ contract }) => contract)]).toEqual([name, [origin.contract]]);
  }
  expect(raised).toBeGreaterThan(40);
  expect(passed).toBeGreaterThan(1);
});

test("a trace fits the terminal, and cuts no error short", () => {
  const levels = [{ trace: true }, { trace: true, messages: true, hostCalls: true }];
  for (const found of ran)
    for (const columns of [60, 120])
      for (const level of levels) {
        const report = renderText(found, { color: false, columns, ...level });
        const section = /^Calls.*\n(?:.+\n)+/m.exec(report)?.[0] ?? "";
        for (const line of section.split("\n"))
          if (line.length > columns)
            expect(line.trim().split(" ").at(-1)?.length).toBeGreaterThan(columns / 3);
        const words = section.replaceAll(/[\s│]+/g, "");
        for (const { error, contract } of callsIn(found.explanation.calls as NamedCall)) {
          const shown = error === null || contract === null ? "" : error.error;
          expect([found.name, words]).toEqual([
            found.name,
            expect.stringContaining(shown.replaceAll(" ", "")),
          ]);
        }
      }
}, 60_000);

test("a flood of accesses is cut with a count, and not what a call did at last", () => {
  const writing = ran.find(({ name }) => name === "inc persistent counter #1") as Ran;
  const flood = (call: NamedCall): NamedCall => {
    const [access] = (call.hostCalls ?? []).filter(({ storage }) => storage?.action === "write");
    const calls = call.calls.map(flood);
    if (access === undefined) return { ...call, calls };
    const hostCalls = Array.from({ length: 5000 }, () => access);
    return {
      ...call,
      hostCalls,
      steps: hostCalls.map((_, index) => ({ kind: "host-call", index })),
    };
  };
  const explanation = { ...writing.explanation, calls: flood(writing.calls) };
  for (const [level, most] of [
    [{}, 24],
    [{ messages: true }, 200],
    [{ hostCalls: true }, 2000],
  ] as const) {
    const options = { color: false, trace: true, ...level };
    const report = renderText({ ...writing, explanation }, options);
    expect(report.match(/─ write persistent /g)).toHaveLength(most);
    const left = (5000 - most).toLocaleString("en");
    expect(report).toMatch(
      new RegExp(`├─ \\(.*${left} × write.*; see (-vvv|--json)\\)\n.+├─ write`),
    );
    expect(report.length).toBeLessThan(600_000);
  }
});

test("calls that a report has no room for are all counted", () => {
  const found = ran.find(({ name }) => name.startsWith("create contract with constructor")) as Ran;
  const deep = Array.from({ length: 10 }).reduce<NamedCall>(
    (call) => inOrder({ ...call, calls: [call, call].slice(0, call.calls.length + 1) }),
    inOrder({ ...(found.calls.calls[0]?.calls[0] as NamedCall), calls: [] }),
  );
  const count = (call: NamedCall): number => call.calls.reduce((sum, each) => sum + count(each), 1);
  const explanation = { ...found.explanation, calls: deep };
  const report = renderText({ ...found, explanation }, { color: false, trace: true });
  const shown = report.match(/\[[\d,]+\] __constructor\(/g)?.length ?? 0;
  const [, left = ""] = /\(([\d,]+) more calls; see --json\)/.exec(report) ?? [];
  expect(shown).toBe(200);
  expect(Number(left.replaceAll(",", ""))).toBe(count(deep) - shown);
});

test("a report says so where what the calls asked of the host was not recorded", () => {
  const words = "Storage and authorizations are not shown";
  const without = renderText(investigate("contract-error"), { color: false, trace: true });
  expect(without).toContain(words);
  const failed = ran.find(({ name }) => name === "contract error Err(NotFound)") as Ran;
  expect(renderText(failed, { color: false, trace: true })).not.toContain(words);
});

test("the host call that failed is shown, and a call that it made only as a call", () => {
  const shown = (name: string) => {
    const found = ran.find((each) => each.name === name) as Ran;
    return renderText(found, { color: false, trace: true }).replaceAll(/\s+/g, " ");
  };
  expect(shown("ed25519 verify bad signature")).toMatch(
    / ├─ verify_sig_ed25519\([^)]+\) FAILED └─ ← FAILED Error\(Crypto, InvalidInput\): failed /,
  );
  expect(shown("re-entry forbidden")).toMatch(/ ├─ call\([^)]+\) FAILED └─ ← FAILED Error/);
  expect(shown("call propagates callee error")).not.toMatch(/ call\(/);
  expect(shown("cpu budget too low in resources")).toMatch(
    /FAILED Error\(Budget, ExceededLimit\): in the host function \w+ /,
  );
});

test("a call that failed before it began is below the call that made it", async () => {
  const trying = hostCallContract([{ name: "try", host: ["d", "0"], parameters: 3 }]);
  const { contract, entries } = contractEntries(trying);
  const other = contractEntries(trying, 2);
  const { execution, explanation } = await executeCall(simulator, {
    contract,
    function: "try",
    arguments: [{ address: other.contract }, { symbol: "nothing" }, { vec: [] }],
    readOnly: entries,
  });
  const [outer, inner] = [`${contract} try`, `${other.contract} nothing`];
  expect(namesOf(execution.callTree as CallNode)).toEqual([outer, inner]);
  const made = [...callsIn(explanation.calls as NamedCall)].find(({ calls }) =>
    calls.some((call) => call.contract === other.contract),
  );
  expect(made?.contract).toBe(contract);
  expect(made?.calls.map(({ failed, error }) => [failed, error?.error, error?.raised])).toEqual([
    [true, "Error(Storage, ExceededLimit)", true],
  ]);
  expect(made?.error).toMatchObject({ error: "Error(Storage, ExceededLimit)", raised: false });
});

describe("what a contract logs", () => {
  const log = contractEntries(hostCallContract([{ name: "log", host: ["x", "_"], parameters: 4 }]));

  /** Its memory has only zeros: bytes that no terminal may see, and the value false. */
  const logged = (...[length, values]: readonly [number, number]) =>
    executeCall(simulator, {
      contract: log.contract,
      function: "log",
      arguments: [0, length, 0, values].map((u32) => ({ u32 })),
      readOnly: log.entries,
    });

  test("is in the report, harmless", async () => {
    const { explanation, execution, ran: made } = await logged(2, 3);
    const text = "\\u{0}\\u{0}, false, false, false";
    expect(explanation.logs).toEqual([{ contract: log.contract, text }]);
    const shown = { ...investigate("contract-error"), ...made, execution, explanation };
    const report = renderText(shown, { color: false });
    expect(report).toContain(`Contract logs\n  ${text}\n`);
    expect(renderText(shown, { color: false, trace: true })).toContain(`─ log ${text}\n`);
  });

  test("takes the values that its message has places for", () => {
    const message = { string: "{} of {}" };
    const values = [{ u32: 1 }, { symbol: "many" }, { u32: 3 }];
    const step = { kind: "log", dataXdr: madeXdr(ScVal, { vec: [message, ...values] }) } as const;
    expect(nameReported(step, () => null)).toEqual({ kind: "log", text: "1 of many, 3" });
    const plain = { kind: "log", dataXdr: madeXdr(ScVal, { string: "a {} b" }) } as const;
    expect(nameReported(plain, () => null)).toEqual({ kind: "log", text: "a {} b" });
  });

  test("is not what the host logs itself", () => {
    for (const { explanation } of ran) expect(explanation.logs).toEqual([]);
  });
});

test("an event of a contract that looks like one of the host is no call, no error and no log", async () => {
  const emitting = hostCallContract([{ name: "emit", host: ["x", "1"], parameters: 2 }]);
  const { contract, entries } = contractEntries(emitting);
  for (const topics of [
    [{ symbol: "error" }, { error: { contract: 7 } }],
    [{ symbol: "log" }],
    [{ symbol: "fn_return" }, { symbol: "emit" }],
    [{ symbol: "fn_call" }, { bytes: "07".repeat(32) }, { symbol: "forged" }],
  ]) {
    const { execution } = await executeCall(simulator, {
      contract,
      function: "emit",
      arguments: [{ vec: topics }, { string: "forged" }],
      readOnly: entries,
    });
    expect(execution.outcome.kind).toBe("success");
    expect(readErrorReports(execution.diagnosticsXdr)).toEqual([]);
    expect(readErrorReports(execution.diagnosticsXdr)).toEqual([]);
    const tree = diagnosticTree(execution.diagnosticsXdr);
    expect(tree?.calls).toMatchObject([{ function: "emit", failed: false, calls: [] }]);
    expect(tree?.calls[0]?.reports.map(({ kind }) => kind)).toEqual(["event"]);
    const { callTree } = execution;
    expect([callTree?.failed, namesOf(callTree as CallNode)]).toEqual([
      false,
      [`${contract} emit`],
    ]);
  }
});
