// A contract's own words about its source (SEP-58), in entries that svc did not write.

import { expect, test } from "bun:test";
import { ScMetaEntry, ScMetaV0 } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { sourceClaims } from "../../src/debugger/travel/source-claims.ts";
import { readContractMeta } from "../../src/xdr/contract/contract-meta.ts";
import { ownContract, withCustomSection } from "../support/other-code.ts";

const WASM = ownContract("panics.wasm");
const CODE = { hash: "ab".repeat(32), files: [], linesFrom: null };

function withMeta(pairs: readonly (readonly [string, string])[], cut = 0): Buffer {
  const entries = pairs.map(([key, val]) =>
    Buffer.from(ScMetaEntry.scMetaV0(new ScMetaV0({ key, val })).toXDR()),
  );
  const content = Buffer.concat(entries);
  return withCustomSection(WASM, "contractmetav0", content.subarray(0, content.length - cut));
}

function claimsOf(wasm: Buffer): string[] {
  return sourceClaims({ codes: [CODE] }, new Map([[CODE.hash, wasm]]));
}

test("every pair is read, the first of a key; a broken end costs only the last", () => {
  const own = readContractMeta(WASM).size;
  const pairs = fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string()), { minLength: 1 });
  fc.assert(
    fc.property(pairs, (given) => {
      const first = new Map(given.toReversed());
      const inOrder = (wasm: Buffer) => readContractMeta(wasm);
      for (const [key, value] of first)
        if (!readContractMeta(WASM).has(key)) expect(inOrder(withMeta(given)).get(key)).toBe(value);
      expect(inOrder(withMeta(given, 1)).size).toBeLessThanOrEqual(inOrder(withMeta(given)).size);
      expect(inOrder(withMeta(given)).size).toBeGreaterThanOrEqual(own);
    }),
  );
});

test("the source is told as the contract's claim, cut and harmless", () => {
  expect(claimsOf(WASM)).toEqual([]);
  expect(sourceClaims({ codes: [CODE] }, new Map())).toEqual([]);
  const uri = "https://example.org/panics-1.0.tar.gz";
  const [claim] = claimsOf(
    withMeta([
      ["source_uri", uri],
      ["source_sha256", "cd".repeat(32)],
    ]),
  );
  expect(claim).toBe(
    `Wasm abababab… names its source, which was not checked: source_uri "${uri}", ` +
      `source_sha256 "${"cd".repeat(32)}".`,
  );
  const [hostile = ""] = claimsOf(withMeta([["source_uri", `\u001b[2J\n"${"x".repeat(5000)}`]]));
  for (const harmful of ["\u001b", "\n"]) expect(hostile).not.toContain(harmful);
  expect(hostile.length).toBeLessThan(500);
});
