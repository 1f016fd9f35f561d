// The location of a trap, found by svc-sim in our own contracts (tests/contracts), in words.

import { beforeAll, describe, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { RunSet } from "../../src/debugger/run/run-set.ts";
import { locateFailure } from "../../src/debugger/walk/further-runs.ts";
import {
  locationDetails,
  locationInWords,
  placeInWords,
} from "../../src/explain/naming/code-location.ts";
import type { CodeLocation, Execution } from "../../src/model/execution.ts";
import { inspectSimulator } from "../../src/simulator/inspect-simulator.ts";
import { openOneShot } from "../../src/simulator/one-shot.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { ownContract, requestWithCode } from "../support/other-code.ts";

const signal = new AbortController().signal;
const WITH_LINES = ownContract("panics-debug.wasm");
const STRIPPED = ownContract("panics.wasm");

beforeAll(ensureBuilt, 900_000);

async function located(
  request: ReplayRequest,
  wasm: Buffer | null = null,
): Promise<Execution & { readonly location?: CodeLocation }> {
  await using simulator = openOneShot({ path: SIMULATOR_BINARY });
  const execution = await simulator.replay(request, { signal });
  const options = { signal, caveats: [], locate: { wasm } };
  const location = await locateFailure(new RunSet({ simulator }, request), execution, options);
  return { ...execution, ...(location && { location }) };
}

/** All that a report says of the place, at any verbosity. */
const wordsOf = (location: CodeLocation | undefined): string[] => [
  ...locationInWords(location, "fail"),
  ...locationDetails(location, "fail", true),
];

const lineOf = (text: string): number =>
  ownSource.split("\n").findIndex((line) => line.includes(text)) + 1;
const ownSource = ownContract("panics/src/lib.rs").toString();

describe("a contract's panic", () => {
  test("is found by file and line, with the functions that led to it", async () => {
    const { location, hostError } = await located(requestWithCode(WITH_LINES));
    expect(hostError).toEqual({ type: "WasmVm", code: "InvalidAction", contractCode: null });
    if (location?.kind !== "known") throw new Error(JSON.stringify(location));
    expect(location.linesFrom).toBe("contract");
    const words = wordsOf(location).join("\n");
    expect(words).toContain(`lib.rs:${lineOf("less than the least")}`);
    expect(words).toContain(`lib.rs:${lineOf("        refuse();")}`);
    expect(words).toMatch(/of a package, called by panics::refuse .+::check .+::take .+ fail /);
    expect(placeInWords(location)).toBe(
      `panics::refuse (./src/lib.rs:${lineOf("less than the least")}:5)`,
    );
    expect(words).toContain("The code was run again on what the host had recorded");
  });

  test("in stripped code is found by function and offset, and by line with --wasm", async () => {
    const request = requestWithCode(STRIPPED);
    const { location } = await located(request);
    const words = wordsOf(location).join("\n");
    expect(words).toMatch(/, called by fail \(code offset 0x[0-9a-f]+\)\./);
    expect(words).not.toContain(".rs");
    const given = await located(request, WITH_LINES);
    const withLines = await located(requestWithCode(WITH_LINES));
    if (given.location?.kind !== "known" || withLines.location?.kind !== "known")
      throw new Error("not located");
    expect(given.location.linesFrom).toBe("given_wasm");
    expect(given.location.frames).toEqual(withLines.location.frames);
  });

  test("is found in the same way in the hosts of every protocol from 26 on", async () => {
    const places = new Set<string>();
    const { hosts } = await inspectSimulator(SIMULATOR_BINARY, { signal });
    for (const { protocol } of hosts.filter(({ protocol }) => protocol >= 26)) {
      const { location } = await located(requestWithCode(WITH_LINES, protocol));
      places.add(wordsOf(location).join("\n"));
    }
    expect([places.size, [...places][0]?.includes("lib.rs")]).toEqual([1, true]);
  });

  test("another contract's build is refused, with both hashes", async () => {
    const other = Buffer.from(WITH_LINES);
    const code = STRIPPED.indexOf(Buffer.from([0x0a, 0x4b]));
    const start = other.indexOf(STRIPPED.subarray(code, code + 20));
    other[start + 12] = (other[start + 12] ?? 0) ^ 1;
    for (const wasm of [other, Buffer.from("AGFzbQEAAAA=", "base64")]) {
      const refusal = await located(requestWithCode(STRIPPED), wasm).catch((error) => error);
      expect(refusal).toBeInstanceOf(SvcError);
      expect((refusal as SvcError).code).toBe("WASM_DIFFERS");
      expect((refusal as SvcError).message.match(/[0-9a-f]{64}/g)?.length).toBe(2);
    }
    const refusal = await located(requestWithCode(STRIPPED), Buffer.from("x")).catch((e) => e);
    expect((refusal as SvcError).code).toBe("REQUEST_INVALID");
  });
});

test("a failed second run leaves the replay unchanged, and states the reason", async () => {
  const request = requestWithCode(STRIPPED);
  await using real = openOneShot({ path: SIMULATOR_BINARY });
  const execution = await real.replay(request, { signal });
  const late: Simulator = {
    replay: () =>
      Promise.reject(
        new SvcError("SIMULATOR_TIMEOUT", { message: "It took too long.", remedy: "Wait." }),
      ),
    [Symbol.asyncDispose]: async () => {},
  };
  const caveats: string[] = [];
  const found = await locateFailure(new RunSet({ simulator: late }, request), execution, {
    signal,
    caveats,
    locate: { wasm: null },
  });
  const reason = "the run that looked for it failed";
  expect(found).toEqual({ kind: "unknown", reason });
  expect(caveats).toEqual([
    "To find where the code stopped, svc ran the transaction again, and that run failed: It took too long.",
  ]);
  expect(wordsOf(found)).toEqual([`The location in the code is unknown: ${reason}.`]);
});

test("names and files of a hostile contract come out neutral", () => {
  const hostile = "\u001b[2J\u202e<b>";
  const words = wordsOf({
    kind: "known",
    contract: "C",
    codeHash: "",
    linesFrom: "contract",
    frames: [
      {
        functionIndex: 1,
        function: hostile,
        address: 2,
        sources: [{ function: hostile, file: hostile, line: 3, column: null }],
      },
      { functionIndex: 0, function: hostile.repeat(100), address: null, sources: [] },
    ],
    framesLeftOut: 5,
  }).join(" ");
  for (const character of ["\u001b", "\u202e"]) expect(words).not.toContain(character);
  expect(words).toContain(", called by 5 more.");
  expect(words.length).toBeLessThan(600);
});
