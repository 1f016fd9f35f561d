import { describe, expect, test } from "bun:test";
import { StrKey, xdr } from "@stellar/stellar-sdk";
import fc from "fast-check";
import { describeEntry, describeKey, showStroops, showValue } from "../../src/xdr/values/value.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

const val = xdr.ScVal;
const show = (value: xdr.ScVal, limit?: number) => showValue(value.toXdr("base64"), limit);
const KEY = new Uint8Array(32).fill(3);
const publicKey = xdr.PublicKey.publicKeyTypeEd25519(KEY);
const ADDRESS = StrKey.encodeEd25519PublicKey(KEY);

const wide = (hi: bigint, lo: bigint) => ({ hi, lo });

describe("values in words", () => {
  const cases: [string, xdr.ScVal, string][] = [
    ["a boolean", val.scvBool(true), "true"],
    ["nothing", val.scvVoid(), "void"],
    ["a negative integer", val.scvI32(-7), "-7"],
    ["the largest u64", val.scvU64(2n ** 64n - 1n), "18446744073709551615"],
    ["an i128", val.scvI128(new xdr.Int128Parts(wide(-1n, 2n ** 64n - 5n))), "-5"],
    [
      "the largest u128",
      val.scvU128(new xdr.Uint128Parts(wide(2n ** 64n - 1n, 2n ** 64n - 1n))),
      "340282366920938463463374607431768211455",
    ],
    ["bytes", val.scvBytes(new Uint8Array([0, 255])), "0x00ff"],
    ["a symbol", val.scvSymbol("transfer"), "transfer"],
    ["a string", val.scvString("it's"), '"it\'s"'],
    ["an account", val.scvAddress(xdr.ScAddress.scAddressTypeAccount(publicKey)), ADDRESS],
    ["a vec", val.scvVec([val.scvU32(1), val.scvSymbol("a")]), "[1, a]"],
    [
      "a map",
      val.scvMap([new xdr.ScMapEntry({ key: val.scvSymbol("n"), val: val.scvVoid() })]),
      "{n: void}",
    ],
    ["a contract's error", val.scvError(xdr.ScError.sceContract(404)), "Error(Contract, #404)"],
    [
      "a host error",
      val.scvError(xdr.ScError.sceBudget(xdr.ScErrorCode.scecExceededLimit)),
      "Error(Budget, ExceededLimit)",
    ],
  ];
  for (const [name, value, text] of cases) test(name, () => expect(show(value)).toBe(text));
});

describe("hostile values", () => {
  test("escape sequences and bidi marks are made visible", () => {
    const text = show(val.scvString("a\u001b[31m\u202eb"));
    expect(text).toBe('"a\\u{1b}[31m\\u{202e}b"');
    expect(show(val.scvSymbol("\u001b[2J"))).not.toContain("\u001b");
  });

  test("quotes and backslashes cannot end the string", () => {
    expect(show(val.scvString('a" b\\'))).toBe('"a\\" b\\\\"');
  });

  test("a huge value is cut at the limit", () => {
    expect(show(val.scvString("x".repeat(100_000)), 50).length).toBeLessThan(52);
    const many = val.scvVec(Array.from({ length: 10_000 }, () => val.scvU32(1)));
    expect(show(many, 50)).toMatch(/^\[1, 1, .*…\]$/);
  });

  // Once, addresses and hashes were cut in the middle, and brackets left open.
  test("a value is cut between its parts, and every bracket is closed", () => {
    const account = val.scvAddress(xdr.ScAddress.scAddressTypeAccount(publicKey));
    const hash = val.scvBytes(Buffer.alloc(32, 7));
    const entry = new xdr.ScMapEntry({ key: val.scvSymbol("who"), val: val.scvVec([account]) });
    const parts = Array.from({ length: 9 }, () => [val.scvMap([entry]), hash]).flat();
    const whole = [ADDRESS, `0x${"07".repeat(32)}`, "who"];
    for (let limit = 8; limit < 400; limit += 1) {
      const text = show(val.scvVec(parts), limit);
      expect(text).toMatch(/…/);
      const rest = whole.reduce((left, part) => left.replaceAll(part, ""), text);
      expect(rest).toMatch(/^[[\]{}:, …]*(0x(07)+… \(32 bytes\))?[[\]{}:, …]*$/);
      expect(text.match(/[[{]/g)?.length ?? 0).toBe(text.match(/[\]}]/g)?.length ?? 0);
    }
    expect(show(val.scvBytes(Buffer.alloc(32, 7)), 80)).toBe(`0x${"07".repeat(32)}`);
  });

  test("deep nesting is cut", () => {
    let deep = val.scvVec([]);
    for (let i = 0; i < 300; i += 1) deep = val.scvVec([deep, val.scvU32(9)]);
    const text = show(deep, 1_000);
    expect(text).toContain("…");
    expect(text.endsWith("9]")).toBe(true);
  });

  test("a value that is not XDR is shown as such", () => {
    expect(showValue("AAAA")).toContain("undecodable");
    expect(showValue("!")).toContain("undecodable");
    expect(describeKey("AAAAAA==")).toContain("undecodable");
  });

  test("any string becomes one printable line within its limit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.integer({ min: 10, max: 90 }),
        (text, limit) => {
          const shown = show(val.scvString(text), limit);
          expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
          expect(shown.length).toBeLessThanOrEqual(limit + 1);
        },
      ),
    );
  });
});

describe("keys and entries", () => {
  const { snapshot, execution } = walkOf("sac-transfer");

  test("footprint keys of a real transfer", () => {
    const names = snapshot.entries.map(({ keyXdr }) => describeKey(keyXdr));
    expect(names.some((name) => /^instance of contract C[A-Z2-7]{55}$/.test(name))).toBe(true);
    expect(
      names.some((name) => /^trustline of G[A-Z2-7]{55} for \w+:G[A-Z2-7]{55}$/.test(name)),
    ).toBe(true);
  });

  test("values of a real change", () => {
    for (const { beforeXdr, afterXdr } of execution.changes) {
      expect(describeEntry(beforeXdr ?? "")).toMatch(/^balance [\d.]+$/);
      expect(describeEntry(afterXdr ?? "")).toMatch(/^balance [\d.]+$/);
    }
  });

  test("a long key is cut before the contract's address", () => {
    const contract = xdr.ScAddress.scAddressTypeAccount(publicKey);
    const key = xdr.LedgerKey.contractData(
      new xdr.LedgerKeyContractData({
        contract,
        key: val.scvString("k".repeat(500)),
        durability: xdr.ContractDataDurability.persistent,
      }),
    );
    expect(describeKey(key.toXdr("base64"))).toMatch(
      new RegExp(`^persistent data "k+…" of contract ${ADDRESS}$`),
    );
  });

  test("stroops as amounts", () => {
    expect(showStroops(0n)).toBe("0");
    expect(showStroops(1n)).toBe("0.0000001");
    expect(showStroops(-125_000_000n)).toBe("-12.5");
    expect(showStroops(9223372036854775807n)).toBe("922337203685.4775807");
  });
});

test("a nonce is that of an account or a contract, not data", () => {
  const nameOf = (contract: string) =>
    describeKey(
      xdr.LedgerKey.fromJson({
        contract_data: {
          contract,
          key: { ledger_key_nonce: { nonce: "4326052656500981406" } },
          durability: "temporary",
        },
      } as never).toXdr("base64"),
    );
  const account = "GCRHIP25QTIUA3GEQTL4UAEQJN55FKPW2XNBPO4O7EWYY2C5MK7PPMWC";
  expect(nameOf(account)).toBe(`nonce 4326052656500981406 of account ${account}`);
  const contract = "CDQWYNOHQDEEIGUNEZI5F4NH46REH26EBNBKEYHANSHF4LDOWIBGLLO3";
  expect(nameOf(contract)).toBe(`nonce 4326052656500981406 of contract ${contract}`);
});
