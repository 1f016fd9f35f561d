// Strkeys of every kind (SEP-23), with the muxed contract addresses of CAP-84.

import { describe, expect, test } from "bun:test";
import { StrKey } from "@stellar/stellar-sdk";
import fc from "fast-check";
import { addressesIn, withShortAddresses } from "../../src/base/text/found-by-form.ts";
import {
  ADDRESS_KINDS,
  addressHint,
  decodeStrkey,
  encodeStrkey,
  isAddress,
  isMistypedAddress,
  isStrkeyForm,
  partsOfMuxed,
  type StrkeyKind,
  strkeyPattern,
} from "../../src/base/text/strkey.ts";

const ID = new Uint8Array(32).fill(63);
const withNumber = (id: bigint) => {
  const payload = Buffer.alloc(40, 63);
  payload.writeBigUInt64BE(id, 32);
  return payload;
};
const PAYLOADS: Readonly<Record<Exclude<StrkeyKind, "seed">, Uint8Array>> = {
  account: ID,
  contract: ID,
  muxed: withNumber(7n),
  "muxed-contract": withNumber(2n ** 64n - 1n),
  "claimable-balance": Buffer.concat([new Uint8Array(1), ID]),
  "liquidity-pool": ID,
  "pre-authorized-transaction": ID,
  hash: ID,
  "signed-payload": Buffer.concat([
    ID,
    Buffer.from("0000000501020304050000", "hex"),
    Buffer.alloc(1),
  ]),
};
const KINDS = Object.entries(PAYLOADS) as [keyof typeof PAYLOADS, Uint8Array][];

/** From the tests of the contract host of protocol 30. */
const CONTRACT = "CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA";
const MUXED_CONTRACT = "WA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAACWJY";
const NO_MUXED_CONTRACTS = [
  "WA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAAAWWD",
  "WA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAAAWWCA",
  "WA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAAAAIOUI",
  "W47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAADXHW",
  "WA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAAAWWA",
];

describe("a strkey", () => {
  test.each(KINDS)("of the kind %s is read as it is written", (kind, payload) => {
    const text = encodeStrkey(kind, payload);
    expect(decodeStrkey(text)).toEqual({ kind, payload: new Uint8Array(payload) });
    expect(isStrkeyForm(text, [kind])).toBe(true);
    expect(isAddress(text)).toBe(ADDRESS_KINDS.some((each) => each === kind));
  });

  test("is not read with another letter, one letter more or one less", () => {
    const places = fc.tuple(fc.constantFrom(...KINDS), fc.nat(), fc.constantFrom(..."ABY27a1"));
    fc.assert(
      fc.property(places, ([[kind, payload], at, letter]) => {
        const text = encodeStrkey(kind, payload);
        const place = at % text.length;
        const other = text.slice(0, place) + letter + text.slice(place + 1);
        if (other !== text) expect(decodeStrkey(other)).toBeNull();
        expect(decodeStrkey(text + letter)).toBeNull();
        expect(decodeStrkey(text.slice(1))).toBeNull();
        expect(decodeStrkey(text.slice(0, -1))).toBeNull();
      }),
    );
  });

  test("is that of the SDK, for the kinds that it knows", () => {
    const { account, contract, muxed } = PAYLOADS;
    expect(encodeStrkey("account", account)).toBe(StrKey.encodeEd25519PublicKey(account));
    expect(encodeStrkey("contract", contract)).toBe(StrKey.encodeContract(contract));
    expect(encodeStrkey("muxed", muxed)).toBe(StrKey.encodeMed25519PublicKey(muxed));
    const payload = PAYLOADS["signed-payload"];
    expect(encodeStrkey("signed-payload", payload)).toBe(StrKey.encodeSignedPayload(payload));
  });

  test("of a secret is not decoded", () => {
    expect(decodeStrkey(encodeStrkey("seed", ID))).toBeNull();
  });

  test("of a balance or a payload must be one that the network has", () => {
    expect(decodeStrkey(encodeStrkey("claimable-balance", Buffer.alloc(33, 1)))).toBeNull();
    const payload = Buffer.from(PAYLOADS["signed-payload"]);
    for (const at of [35, 43]) {
      const other = Buffer.from(payload);
      other[at] = 1;
      expect(decodeStrkey(encodeStrkey("signed-payload", other))).toBeNull();
    }
  });
});

describe("a muxed address", () => {
  test("is an account or a contract, and a number", () => {
    expect(partsOfMuxed(MUXED_CONTRACT)).toEqual({
      kind: "contract",
      address: CONTRACT,
      id: 2n ** 63n,
    });
    expect(partsOfMuxed(encodeStrkey("muxed", PAYLOADS.muxed))).toMatchObject({
      kind: "account",
      id: 7n,
    });
    expect(partsOfMuxed(CONTRACT)).toBeNull();
  });

  test.each(NO_MUXED_CONTRACTS)("%s is none", (text) => expect(isAddress(text)).toBe(false));

  test("is named in the place of what it is of", () => {
    expect(addressHint(MUXED_CONTRACT)).toBe(
      ` (this is a muxed address, of the contract ${CONTRACT} and the number ${2n ** 63n})`,
    );
    expect(addressHint(NO_MUXED_CONTRACTS[0] as string)).toContain("its checksum is wrong");
    expect(addressHint("hello")).toBe("");
  });
});

describe("addresses in a text", () => {
  const all = ADDRESS_KINDS.map((kind) => encodeStrkey(kind, PAYLOADS[kind]));

  test("are found whole, of every kind", () => {
    expect([...addressesIn(`(${all.join(") ")}`)]).toEqual(all);
    expect(addressesIn(`${CONTRACT}A x${CONTRACT}`)).toEqual([]);
  });

  test("are shortened, of every kind", () => {
    for (const address of all)
      expect(withShortAddresses(`to ${address}: 5`)).toBe(
        `to ${address.slice(0, 4)}…${address.slice(-4)}: 5`,
      );
  });

  test("with a wrong character are seen, of every kind", () => {
    for (const address of all) {
      expect(isMistypedAddress(address)).toBe(false);
      const wrong = address.slice(0, 20) + (address[20] === "A" ? "B" : "A") + address.slice(21);
      expect(isMistypedAddress(wrong)).toBe(true);
    }
  });

  test("have one pattern", () => {
    expect(strkeyPattern(["contract"])).toBe("C[A-Z2-7]{55}");
    expect(strkeyPattern(["account", "muxed"])).toBe("(?:G[A-Z2-7]{55}|M[A-Z2-7]{68})");
    expect(strkeyPattern(["signed-payload"])).toBe("P[A-Z2-7]{68,164}");
  });
});
