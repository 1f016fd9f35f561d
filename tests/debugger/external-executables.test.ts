// Contracts whose executable is an entry of another contract (CAP-85), run by the hosts: their code,
// its names and places, and what the footprint lacks of it.

import { describe, expect, test } from "bun:test";
import { RunSet } from "../../src/debugger/run/run-set.ts";
import { locateFailure } from "../../src/debugger/walk/further-runs.ts";
import { locationInWords } from "../../src/explain/naming/code-location.ts";
import { extendFootprint } from "../../src/fix/footprint.ts";
import { contractLookup, wasmHashesInUse } from "../../src/xdr/contract/contract-specs.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { describeEntry, describeKey } from "../../src/xdr/values/value.ts";
import { contractEntries, entryOf, executeCall } from "../support/executed.ts";
import { hostCallContract } from "../support/host-call-contract.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import {
  OWNER,
  ownContract,
  REFERENCE,
  referenceTo,
  requestWithCode,
  withReference,
} from "../support/other-code.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { stepped } from "../support/stepped.ts";

const simulator = openTestSimulator();
const PROTOCOLS = [28, 29, 30];
const DEBUG = ownContract("panics-debug.wasm");
const STRIPPED = ownContract("panics.wasm");
const POOL = ownContract("pool.wasm");

const entryXdrOf = (data: object) => entryOf(data).entryXdr ?? "";
const hashOf = (wasm: Uint8Array) => sha256(wasm).toHex();

describe("names", () => {
  const { contract, entries } = contractEntries(POOL, 1, REFERENCE);
  const known = entries.map(entryXdrOf);

  test("are those of the code whose hash the other contract stored first", () => {
    const references = [POOL, STRIPPED].map((wasm) => entryXdrOf(referenceTo(hashOf(wasm))));
    const all = [...references, ...known];
    const direct = contractEntries(POOL);
    const expected = contractLookup(direct.entries.map(entryXdrOf))(direct.contract);
    expect(expected?.spec?.functions.size).toBeGreaterThan(0);
    expect(contractLookup(all)(contract)).toEqual(expected);
    expect([...wasmHashesInUse(all)]).toEqual([hashOf(POOL)]);
  });

  test("are unknown without that entry", () => {
    expect(contractLookup(known)(contract)).toBeNull();
    expect(wasmHashesInUse(known).size).toBe(0);
  });

  test("an instance shows where its executable is", () => {
    expect(describeEntry(known[0] ?? "")).toContain(`instance of executable "fleet" of ${OWNER}`);
  });
});

test.each(PROTOCOLS)("a failure is located in the code, protocol %d", async (protocol) => {
  for (const [wasm, build] of [
    [DEBUG, null],
    [STRIPPED, DEBUG],
  ] as const) {
    const direct = requestWithCode(wasm, protocol);
    const [expected, found] = await Promise.all(
      [direct, withReference(direct)].map(async (request) => {
        const execution = await simulator.replay(request, { signal: NEVER_ABORTED });
        const options = { signal: NEVER_ABORTED, caveats: [], locate: { wasm: build } };
        return await locateFailure(new RunSet({ simulator }, request), execution, options);
      }),
    );
    if (found?.kind !== "known") throw new Error(JSON.stringify(found));
    expect(found).toEqual(expected as typeof found);
    expect(locationInWords(found, null).join()).toContain("lib.rs:");
  }
});

test.each(PROTOCOLS)("its calls are stepped through, protocol %d", async (protocol) => {
  const direct = requestWithCode(STRIPPED, protocol);
  const codes: unknown[] = [];
  for (const request of [direct, withReference(direct)])
    await stepped(request, [DEBUG], ({ trace }) => {
      const [, frame] = trace.frames;
      expect(frame).toMatchObject({ notStepped: null, trap: "unreachable instruction" });
      expect(trace.codes[0]?.linesFrom).toBe("given_wasm");
      codes.push(frame?.code);
      return Promise.resolve();
    });
  expect(codes[0]).toBe(codes[1]);
});

describe("a footprint", () => {
  const wasm = hostCallContract([{ name: "f", host: ["l", "h"], parameters: 1 }], 28);
  const { contract, entries } = contractEntries(wasm, 1, REFERENCE);
  const reference = referenceTo(hashOf(wasm));
  const call = { contract, function: "f", arguments: [{ string: "other" }] };

  test("with the other contract's entry lets it run", async () => {
    const made = { ...call, readOnly: [...entries, reference] };
    const { execution } = await executeCall(simulator, made);
    expect(execution.outcome.kind).toBe("success");
  });

  test("without it is explained and extended, and so is one with another tag", async () => {
    const { contract_data: data } = reference;
    const other = { contract_data: { ...data, key: { executable_tag: "other" } } };
    const missing = entryOf(reference);
    for (const more of [[], [other]]) {
      const readOnly = [...entries, ...more];
      const run = await executeCall(simulator, { ...call, readOnly });
      const { cause } = run.explanation;
      expect(cause).toMatchObject({ kind: "footprint-miss", confidence: "known" });
      expect(cause?.summary).toContain(`executable tag "fleet" of contract ${OWNER}`);
      const step = await extendFootprint(
        {
          failed: { entries: readOnly.map(entryOf) },
          findEntries: () => Promise.resolve({ entries: [missing], unknown: [] }),
          nameKey: describeKey,
        },
        { envelope: run.ran.envelope, entries: new Map(), restoredFirst: [] },
        run.execution,
      );
      if (step?.kind !== "changed") throw new Error(JSON.stringify(step));
      const footprint = step.attempt.envelope.soroban?.footprint;
      expect(footprint?.readOnly.at(-1)).toBe(missing.keyXdr);
      expect(footprint?.readWrite).toEqual([]);
    }
  });
});
