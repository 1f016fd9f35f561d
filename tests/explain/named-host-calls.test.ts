// Calls of contracts to the host, in real transactions replayed by the built svc-sim.

import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { explain } from "../../src/explain/explain.ts";
import { nameHostCall } from "../../src/explain/naming/named-host-calls.ts";
import type { HostCall } from "../../src/model/execution.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { openOneShot } from "../../src/simulator/one-shot.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { inOrder, investigate } from "../report/investigations.ts";
import { opened } from "../support/opened.ts";

const FOLDER = join(import.meta.dir, "..", "fixtures", "protocol");

beforeAll(ensureBuilt, 900_000);

async function withHostCalls(name: string): Promise<Investigation> {
  const text = readFileSync(join(FOLDER, `${name}.json`), "utf8");
  const { request } = JSON.parse(text) as { request: ReplayRequest };
  await using simulator = openOneShot({ path: SIMULATOR_BINARY });
  const options = { signal: new AbortController().signal };
  const traced = { ...request, options: { trace: "host_calls" as const } };
  const execution = await simulator.replay(traced, options);
  const known = investigate(name);
  const { record, snapshot, verdict } = known;
  return {
    ...known,
    execution,
    explanation: explain(opened({ record, snapshot }), execution, verdict),
  };
}

const LEVELS = [{}, { trace: true }, { trace: true, messages: true, hostCalls: true }];

/** As `-v` and `-vvv` show it. */
function callsSection(investigation: Investigation, level: 0 | 1 | 2): string {
  const report = renderText(investigation, { color: false, ...LEVELS[level] });
  return /^Calls\n(?:.+\n)+/m.exec(report)?.[0] ?? "";
}

describe("calls to the host", () => {
  test("storage is shown with its key, its value and its durability", async () => {
    const { explanation } = await withHostCalls("temporary-entry-created");
    const called = explanation.calls?.calls[0]?.calls[0];
    const accesses = (called?.hostCalls ?? []).flatMap(({ storage }) => storage ?? []);
    const created = explanation.changes.find(({ key }) => key.startsWith("temporary data"));
    const written = accesses.find(({ action }) => action === "write");
    expect(written?.durability).toBe("temporary");
    expect(created?.key).toContain(`data ${written?.key} of`);
    expect(created?.after).toContain(written?.value ?? "nothing was written");
  });

  test("a trace shows storage with what it held before, and host calls only in full", async () => {
    const investigation = await withHostCalls("temporary-entry-created");
    const [plain, trace, full] = LEVELS.map((_, level) =>
      callsSection(investigation, level as 0 | 1 | 2),
    );
    expect(plain).not.toContain("write");
    expect(trace).toMatch(/^ +├─ write temporary .+: \(absent\) → /m);
    expect(trace).not.toContain("put_contract_data");
    expect(full).toMatch(
      /^ +├─ \. put_contract_data\(.+ -> void \[[\d,]+\]\n +├─ write temporary /m,
    );
  });

  test("a host call that is in the tree as a contract call is not shown twice", async () => {
    const investigation = await withHostCalls("try-call-catches-callee-failure");
    const section = callsSection(investigation, 2);
    expect(section).toContain("fail(");
    expect(section).not.toContain("try_call(");
  });
});

test("missing values, hostile names and omitted calls are shown", () => {
  const call: HostCall = {
    function: "put_contract_data\u001b[31m",
    argumentsXdr: [null, "AAAAAQ=="],
    resultXdr: null,
    failed: false,
    depth: 0,
    afterCalls: 0,
    cpuInstructions: "12",
    memoryBytes: "0",
  };
  const named = nameHostCall(call, { contract: null, spec: null, storage: null });
  expect([named.arguments[0], named.result, named.storage]).toEqual([null, null, null]);
  const known = investigate("contract-error");
  const root = known.explanation.calls;
  if (root === null) throw new Error("the walk has a call tree");
  const calls = inOrder({ ...root, hostCalls: [named], hostCallsLeftOut: 12345 });
  const section = callsSection({ ...known, explanation: { ...known.explanation, calls } }, 2);
  expect(section).toContain("((not recorded), void) -> (not recorded) [12]");
  expect(section).toContain("(12,345 more host calls, not recorded)");
  expect(section).not.toContain("\u001b");
});

test("successive calls of which nothing was recorded are one line", () => {
  const known = investigate("contract-error");
  const root = known.explanation.calls;
  if (root === null) throw new Error("the walk has a call tree");
  const blank = {
    function: "obj_cmp",
    arguments: [null, null],
    result: null,
    failed: false,
    storage: null,
    authorization: null,
    depth: 0,
    afterCalls: 0,
    cpuInstructions: "12",
    memoryBytes: "0",
  };
  const seen = { ...blank, arguments: ["1", null] };
  const hostCalls = [blank, seen, ...Array(1234).fill(blank), { ...blank, failed: true }, blank];
  const calls = inOrder({ ...root, hostCalls });
  const section = callsSection({ ...known, explanation: { ...known.explanation, calls } }, 2);
  const lines = section.split("\n").filter((line) => line.includes(". obj_cmp"));
  expect(lines.map((line) => line.slice(line.indexOf(".")))).toEqual([
    ". obj_cmp((not recorded), (not recorded)) -> (not recorded) [12]",
    ". obj_cmp(1, (not recorded)) -> (not recorded) [12]",
    ". obj_cmp, 1,234 times (values not recorded)",
    ". obj_cmp((not recorded), (not recorded)) FAILED [12]",
    ". obj_cmp((not recorded), (not recorded)) -> (not recorded) [12]",
  ]);
});
