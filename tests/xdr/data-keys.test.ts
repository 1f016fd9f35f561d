// How a contract's own keys are shown if no specification says what they are.

import { describe, expect, test } from "bun:test";
import { ScVal } from "@stellar/stellar-sdk/xdr";
import { showDataKey } from "../../src/xdr/contract/key-typed.ts";
import { madeXdr } from "../support/changed-xdr.ts";

const symbol = (name: string) => ({ symbol: name });
const vec = (...items: object[]) => ({ vec: items });

describe("keys of contract data without a specification", () => {
  const shown: readonly (readonly [object, string])[] = [
    [vec(symbol("Admin")), "Admin"],
    [vec(symbol("Count"), { u32: 4 }), "Count(4)"],
    [vec(symbol("Balance"), vec(symbol("Pool"), { u32: 1 })), "Balance(Pool(1))"],
    [vec(vec(symbol("CollectedFees")), { u32: 5 }), "(CollectedFees, 5)"],
    [vec(vec(vec(symbol("Fees")), { u32: 5 }), { u32: 6 }), "((Fees, 5), 6)"],
    [vec(vec({ u32: 1 }), { u32: 2 }), "[[1], 2]"],
    [vec(), "[]"],
    [symbol("cfg"), "cfg"],
  ];
  for (const [key, text] of shown)
    test(text, () => expect(showDataKey(madeXdr(ScVal, key), null)).toBe(text));
});
