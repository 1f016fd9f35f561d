// Reads each format back like its readers: the sums are the metered totals, the stacks are
// complete, and hostile names stay names.

import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { Profile } from "pprof-format";
import { PROFILE_FORMATS } from "../../../src/report/profile/formats.ts";
import type { TransactionProfile } from "../../../src/report/profile/transaction-profile.ts";
import { schemaProblems, undescribedFields } from "../check-schema.ts";
import { framesOf, HOSTILE_NAMES, largeProfile, profileFrom, ROUTER, SMALL } from "./profiles.ts";

const HOSTILE = profileFrom(
  HOSTILE_NAMES.map((name) => ({
    frames: framesOf("invoke_contract", `${ROUTER}:f`, name, "MemCpy"),
    cpu: "11",
    memory: "5",
  })),
);
const PROFILES: readonly (readonly [string, TransactionProfile])[] = [
  ["a small profile", profileFrom(SMALL)],
  ["ten thousand frames", largeProfile(10_000)],
  ["hostile names", HOSTILE],
  ["nothing metered", profileFrom([])],
];
/** Characters that could move a cursor, break a line or reorder text. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

// The part of https://www.speedscope.app/file-format-schema.json that is about sampled profiles.
const SPEEDSCOPE_SCHEMA = {
  type: "object",
  required: ["$schema", "profiles", "shared"],
  properties: {
    $schema: { const: "https://www.speedscope.app/file-format-schema.json" },
    name: { type: "string" },
    exporter: { type: "string" },
    activeProfileIndex: { type: "number" },
    shared: {
      type: "object",
      required: ["frames"],
      properties: {
        frames: {
          type: "array",
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" } },
          },
        },
      },
    },
    profiles: {
      type: "array",
      items: {
        type: "object",
        required: ["endValue", "name", "samples", "startValue", "type", "unit", "weights"],
        properties: {
          type: { const: "sampled" },
          name: { type: "string" },
          unit: {
            enum: ["bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"],
          },
          startValue: { type: "number" },
          endValue: { type: "number" },
          samples: { type: "array", items: { type: "array", items: { type: "number" } } },
          weights: { type: "array", items: { type: "number" } },
        },
      },
    },
  },
};

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe("folded stacks", () => {
  for (const [name, profile] of PROFILES)
    test(`${name}: the lines add up to the metered instructions`, () => {
      const text = String(PROFILE_FORMATS.folded.render(profile));
      const lines = text.split("\n").slice(0, -1);
      const spending = profile.stacks.filter((stack) => stack.cpuInstructions > 0);
      expect(lines.length).toBe(spending.length);
      const parsed = lines.map((line) => /^(.+) (\d+)$/.exec(line) ?? []);
      expect(sum(parsed.map(([, , count]) => Number(count)))).toBe(profile.cpuInstructions);
      for (const [i, [, frames]] of parsed.entries())
        expect(frames?.split(";").length).toBe(spending[i]?.frames.length ?? 0);
      for (const line of lines) expect(line).not.toMatch(UNSAFE);
    });
});

describe("speedscope", () => {
  for (const [name, profile] of PROFILES)
    test(`${name}: follows the schema, and both profiles end at their totals`, () => {
      const document = JSON.parse(String(PROFILE_FORMATS.speedscope.render(profile)));
      expect(schemaProblems(SPEEDSCOPE_SCHEMA, document)).toEqual([]);
      expect(undescribedFields(SPEEDSCOPE_SCHEMA, document)).toEqual([]);
      const totals = [profile.cpuInstructions, profile.memoryBytes];
      for (const [i, sampled] of document.profiles.entries()) {
        expect([sampled.startValue, sampled.endValue]).toEqual([0, totals[i]]);
        expect(sum(sampled.weights)).toBe(sampled.endValue);
        expect(sampled.samples.length).toBe(sampled.weights.length);
        const used: number[] = sampled.samples.flat();
        for (const index of used) expect(document.shared.frames[index]?.name).toBeString();
      }
      for (const frame of document.shared.frames) expect(frame.name).not.toMatch(UNSAFE);
    });
});

describe("pprof", () => {
  for (const [name, profile] of PROFILES)
    test(`${name}: decoded again, the stacks are the same`, () => {
      const bytes = PROFILE_FORMATS.pprof.render(profile) as Uint8Array;
      const decoded = Profile.decode(gunzipSync(bytes));
      const text = (index: number | bigint) => decoded.stringTable.strings[Number(index)];
      const types = decoded.sampleType.map(({ type, unit }) => [text(type), text(unit)]);
      expect(types).toEqual([
        ["cpu", "instructions"],
        ["memory", "bytes"],
      ]);
      const nameOf = new Map(decoded.function.map((each) => [each.id, text(each.name)]));
      const locations = new Map(decoded.location.map((each) => [each.id, each]));
      const stacks = decoded.sample.map(({ locationId, value }) => ({
        frames: locationId
          .map((id) => nameOf.get(locations.get(id)?.line[0]?.functionId ?? 0) ?? "?")
          .reverse(),
        cpuInstructions: Number(value[0] ?? 0),
        memoryBytes: Number(value[1] ?? 0),
      }));
      const named = profile.stacks.map((stack) => ({
        ...stack,
        frames: stack.frames.map((frame) => frame.name),
      }));
      expect(stacks).toEqual(named);
      expect(sum(stacks.map((stack) => stack.cpuInstructions))).toBe(profile.cpuInstructions);
      expect(sum(stacks.map((stack) => stack.memoryBytes))).toBe(profile.memoryBytes);
      for (const each of decoded.stringTable.strings) expect(each).not.toMatch(UNSAFE);
    });
});

test("pprof: a close time that 64 bits cannot hold is left out", () => {
  const timeOf = (closeTimeUnixSeconds: string) => {
    const bytes = PROFILE_FORMATS.pprof.render({ ...profileFrom(SMALL), closeTimeUnixSeconds });
    return BigInt(Profile.decode(gunzipSync(bytes as Uint8Array)).timeNanos);
  };
  expect(timeOf("1700000000")).toBe(1_700_000_000_000_000_000n);
  expect(timeOf("99999999999999999999")).toBe(0n);
});

test("the same profile gives the same bytes", () => {
  for (const { render } of Object.values(PROFILE_FORMATS))
    expect(render(profileFrom(SMALL))).toEqual(render(profileFrom(SMALL)));
});
