// An override that svc proposes is what the file of overrides reads, and what a shell gets when it is pasted.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  writtenArgumentJson,
  writtenEntryJson,
} from "../../src/explain/naming/written-entry-json.ts";
import type { OverriddenEntry } from "../../src/model/overrides.ts";
import { readOverrides } from "../../src/overrides/read-overrides.ts";
import { overrideFlag } from "../../src/report/document/next-command.ts";
import { contractDataEntry } from "../../src/xdr/ledger/patch-entry.ts";
import { xdrOfJson } from "../../src/xdr/reader/from-json.ts";
import { encode, type Value } from "../../src/xdr/reader/value.ts";
import { keyFlawOf } from "../../src/xdr/values/scval-validity.ts";
import { contractDataKeys, instanceKeyOfContract } from "../../src/xdr/values/value-parts.ts";
import { arbitraryValue } from "../support/arbitrary-values.ts";

const CONTRACT = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";
const INSTANCE = instanceKeyOfContract(CONTRACT) ?? "";
const ADDRESS = xdrOfJson("ScVal", { address: CONTRACT });
const scVal = arbitraryValue("ScVal").map((value) => encode("ScVal", value as Value<"ScVal">));
const text = fc.string({ unit: "grapheme", maxLength: 20 });
const KEYED = { field: "value", archived: null } as const;

const ofData = fc
  .record({
    key: scVal,
    valueXdr: fc.option(scVal),
    isTemporary: fc.boolean(),
    lives: fc.option(fc.integer({ min: 1, max: 0xffff_ffff })),
  })
  .map(({ key, valueXdr, isTemporary, lives }): OverriddenEntry => {
    const keyXdr = contractDataKeys(ADDRESS, key)[isTemporary ? 1 : 0] as string;
    return valueXdr === null
      ? { ...KEYED, keyXdr, change: { kind: "removed" }, liveUntilLedger: null }
      : { ...KEYED, keyXdr, change: { kind: "value", valueXdr }, liveUntilLedger: lives };
  })
  .filter(({ keyXdr }) => keyFlawOf(keyXdr) === null);

const ofInstance = fc
  .record({ storedKeyXdr: scVal, valueXdr: fc.option(scVal) })
  .map((stored): OverriddenEntry => {
    return {
      ...KEYED,
      keyXdr: INSTANCE,
      change: { kind: "stored", ...stored },
      liveUntilLedger: null,
    };
  });

test("the file reads from it the same entry and the same change", () => {
  fc.assert(
    fc.property(fc.oneof(ofData, ofInstance), (entry) => {
      const read = readOverrides({ format: 1, entries: [JSON.parse(writtenEntryJson(entry))] });
      expect("problems" in read ? read.problems : read.entries).toEqual([
        { ...entry, field: "entries.0" },
      ]);
    }),
  );
});

test("an entry with another value is written as that value, not as base64", () => {
  const [keyXdr = ""] = contractDataKeys(ADDRESS, xdrOfJson("ScVal", { symbol: "Count" }));
  const entryXdr = contractDataEntry(keyXdr, xdrOfJson("ScVal", { u32: 7 }), 5) ?? "";
  const change = { kind: "entry", entryXdr } as const;
  expect(writtenEntryJson({ ...KEYED, keyXdr, change, liveUntilLedger: null })).toBe(
    `{"contract":"${CONTRACT}","key":{"symbol":"Count"},"value":{"u32":7}}`,
  );
});

test("a shell gets the JSON as one word, whatever a contract's author put in it", () => {
  const shellWords = (command: string) =>
    Bun.spawnSync(["sh", "-c", `printf '%s\\0' ${command}`])
      .stdout.toString()
      .split("\0");
  fc.assert(
    fc.property(text, (words) => {
      const key = xdrOfJson("ScVal", { string: "" });
      const json = writtenArgumentJson({ a: words, b: `'${words}\`` });
      expect(json).not.toMatch(/['`]/);
      const [flag, value = "", end] = shellWords(
        overrideFlag({ kind: "entry", keyXdr: key, json }),
      );
      expect([flag, end]).toEqual(["--override-entry", ""]);
      expect(JSON.parse(value)).toEqual({ a: words, b: `'${words}\`` });
    }),
    { numRuns: 30 },
  );
});
