// The profile on the wire: requested only when needed, and refused when its sums are not the
// metered totals.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../../src/base/errors/errors.ts";
import { readResponse } from "../../src/simulator/read-response.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

const NAME = "sac-transfer";
const FIXTURE = join(import.meta.dir, "..", "fixtures", "protocol", `${NAME}.json`);
const response = JSON.parse(readFileSync(FIXTURE, "utf8")).response;
const { cpu_insn, mem_byte } = response.metrics;

function read(profile: unknown) {
  const document = { host_nanoseconds: 0, ...response, profile };
  return readResponse(document, "", { path: "svc-sim", stderr: "" });
}

function problemOf(profile: unknown): string {
  try {
    read(profile);
  } catch (error) {
    if (error instanceof SvcError && error.code === "SIMULATOR_INVALID_JSON") return error.message;
    throw error;
  }
  return "none";
}

const stack = (
  cpu: unknown,
  memory: unknown,
  frames: unknown = [{ name: "MemCpy", kind: "cost" }],
) => ({
  frames,
  cpu,
  memory,
});

describe("a profile in svc-sim's answer", () => {
  test("is asked for only when it is wanted", () => {
    const { record, snapshot } = walkOf(NAME);
    const options = { trace: true, diagnostics: true, feeTakenStroops: null };
    const asked = (profile: boolean) =>
      replayRequest(record, snapshot, { ...options, profile }).options?.profile;
    expect([asked(true), asked(false)]).toEqual([true, undefined]);
  });

  test("is null when there is none", () => {
    expect([read(undefined).profile, read(null).profile]).toEqual([null, null]);
  });

  test("is taken when its stacks are what was metered", () => {
    const stacks = [stack("1", mem_byte), stack(String(BigInt(cpu_insn) - 1n), "0")];
    expect(read({ stacks }).profile).toEqual(stacks as never);
  });

  test("is refused when a single instruction or byte is missing", () => {
    const less = (decimal: string) => String(BigInt(decimal) - 1n);
    expect(problemOf({ stacks: [stack(less(cpu_insn), mem_byte)] })).toContain("`cpu_insn` is");
    expect(problemOf({ stacks: [stack(cpu_insn, less(mem_byte))] })).toContain("`mem_byte` is");
  });

  test("is refused when it is not a profile", () => {
    for (const wrong of [stack(1, "0"), stack("-1", "0"), stack("1e3", "0"), stack("1", "0", [])])
      expect(problemOf({ stacks: [wrong] })).toContain("profile.stacks.0");
  });
});
