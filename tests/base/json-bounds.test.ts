// What a JSON text would make is known from its bytes, however they are cut.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { fileInvalid, parseJsonText } from "../../src/base/errors/errors.ts";
import { excessOfJson, openJsonMeter } from "../../src/base/json-bounds.ts";
import { checkKind } from "../../src/fork/base/saved-fork.ts";
import { readPiece } from "../../src/model/verification/verification-piece.ts";
import { decodeCapsule } from "../../src/sources/files/capsule.ts";

/** Counted as the meter does: objects, arrays, and what stands behind a comma. */
function measure(value: unknown): { readonly depth: number; readonly values: number } {
  if (typeof value !== "object" || value === null) return { depth: 0, values: 0 };
  const inner = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: inner.reduce((sum, { values }) => sum + values, Math.max(1, inner.length)),
  };
}

test("any JSON is within the bounds that it has, and not within narrower ones", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 9 }), (value, size) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const { depth, values } = measure(value);
      const meter = (bounds: { depth: number; values: number }) => {
        const take = openJsonMeter(bounds);
        for (let at = 0; at < bytes.length; at += size) {
          const excess = take(bytes.subarray(at, at + size));
          if (excess !== null) return excess;
        }
        return null;
      };
      const enough = { depth, values: values + 1000 };
      expect(meter(enough)).toBeNull();
      if (depth > 0) expect(meter({ ...enough, depth: depth - 1 })).toContain("levels");
      if (values > 0) expect(meter({ depth, values: values - 1 })).not.toBeNull();
    }),
  );
});

test("brackets in strings are none, and escapes have a bound of their own", () => {
  const take = (text: string) => openJsonMeter({ depth: 2, values: 10 })(Buffer.from(text));
  expect(take(JSON.stringify(`${"[".repeat(100)}\\"{,`))).toBeNull();
  expect(take(`"${"\\n".repeat(100)}"`)).toBeNull();
  expect(take(`"${"\\n".repeat(101)}"`)).toBe("too many escapes");
  expect(take("[[[")).toBe("more than 2 levels");
  expect(take("[1,2,3,4,5,6,7,8,9,10,11]")).toBe("more than 10 values");
});

test("files of brackets are refused before they are parsed, by every reader of files", () => {
  const nested = "[".repeat(1_000_000);
  const flat = `[${"[],".repeat(1_000_000)}0]`;
  for (const [text, excess] of [
    [nested, "more than 500 levels"],
    [flat, "values"],
  ] as const) {
    const capsule = `{"kind":"svc-capsule","format":3,"record":${text}}`;
    const refused = expect.objectContaining({
      code: "FILE_INVALID",
      message: expect.stringContaining(excess),
    });
    expect(() => decodeCapsule(capsule)).toThrow(refused);
    const invalid = (why: string) => fileInvalid("overrides", why, "Correct the file.");
    expect(() => parseJsonText(text, invalid)).toThrow(refused);
    expect(readPiece(text)).toEqual({ kind: "damaged", reason: expect.stringContaining(excess) });
    expect(() => checkKind({ name: "a.json", text })).toThrow(/other JSON/);
  }
  const entry = { keyXdr: "A".repeat(60), entryXdr: null, provenance: null };
  const entries = JSON.stringify({ entries: Array.from({ length: 100_000 }, () => entry) });
  expect(excessOfJson(entries)).toBeNull();
});
