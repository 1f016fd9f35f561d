// What is watched is found in an envelope by the bytes that name it, whatever kind of address it is.

import { describe, expect, test } from "bun:test";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { openWatch } from "../../src/follow/watch-list.ts";
import { scAddressOf } from "../../src/xdr/reader/from-json.ts";
import { encodeBytes } from "../../src/xdr/reader/value.ts";
import { failureIn } from "../support/failure.ts";

const id = (letter: number) => new Uint8Array(32).fill(letter);
const numbered = (letter: number, number: number) =>
  Uint8Array.from([...id(letter), 0, 0, 0, 0, 0, 0, 0, number]);
const ADDRESSES = [
  encodeStrkey("account", id(1)),
  encodeStrkey("contract", id(2)),
  encodeStrkey("muxed", numbered(3, 5)),
  encodeStrkey("muxed-contract", numbered(4, 5)),
  encodeStrkey("claimable-balance", Uint8Array.from([0, ...id(5)])),
  encodeStrkey("liquidity-pool", id(6)),
];

const watching = (...addresses: readonly string[]) =>
  openWatch({
    things: addresses.map((address) => ({ address, label: null })),
    functions: [],
    causes: [],
    labels: new Map(),
  });

/** An argument with the address. */
const naming = (address: string) => {
  const read = scAddressOf(address);
  if (read === null) throw new Error(`${address} is no address`);
  return encodeBytes("ScVal", { type: 18, address: read });
};

describe("a watched address", () => {
  test("is found where it is named, of every kind", () => {
    const { find } = watching(...ADDRESSES);
    for (const address of ADDRESSES) expect(find(naming(address))).toEqual([address]);
  });

  test("of a contract is found in its muxed addresses, which are not found in each other", () => {
    const contract = encodeStrkey("contract", id(4));
    const [one, other] = [5, 6].map((number) =>
      encodeStrkey("muxed-contract", numbered(4, number)),
    );
    expect(watching(contract).find(naming(one as string))).toEqual([contract]);
    expect(watching(one as string).find(naming(other as string))).toBeNull();
    expect(watching(one as string).find(naming(contract))).toBeNull();
  });

  test("with a wrong character is refused", async () => {
    for (const address of ADDRESSES) {
      const wrong = address.slice(0, 9) + (address[9] === "A" ? "B" : "A") + address.slice(10);
      const error = await failureIn(() => watching(wrong));
      expect([error.code, error.remedy]).toEqual([
        "USAGE",
        "Copy the address again: a character of it is wrong.",
      ]);
    }
  });
});
