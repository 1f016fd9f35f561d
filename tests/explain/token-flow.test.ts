// Token flow and changed fields, of recorded transactions and of constructed values.

import { describe, expect, test } from "bun:test";
import { ContractEvent, LedgerEntry } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { decimalText } from "../../src/explain/naming/token-amount.ts";
import { tokenFlow } from "../../src/explain/naming/token-flow.ts";
import { readTokenMetadata } from "../../src/xdr/contract/token-metadata.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { operationChanges } from "../../src/xdr/outcome/operation-changes.ts";
import { assetContract } from "../../src/xdr/values/asset-contract.ts";
import { entryDifference } from "../../src/xdr/values/entry-difference.ts";
import { investigate, investigateClassic } from "../report/investigations.ts";
import { ASSET, account, asset, trustline } from "../support/asset-entries.ts";
import { madeXdr } from "../support/changed-xdr.ts";

type Json = ReturnType<typeof JSON.parse>;

const SOURCE = "GBH7CNIE6Y6TT3AYRDMJMXYBLRC6HGBHASDFCFLP2OHUKEZRQSRYL4D4";
const OTHER = "GAKPTYIOT7MPZA4SON3FOLORIRQABUZUBP3PBDVZA62RVL3AMQAZL4AT";
const TOKEN = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
const NETWORK = "Standalone Network ; February 2017";
const LAB = "LAB:GCRHIP25QTIUA3GEQTL4UAEQJN55FKPW2XNBPO4O7EWYY2C5MK7PPMWC";
const NO_TOKEN = () => null;
const NEUTRAL = /^[^\p{Cc}\p{Cf}]*$/u;

function entry(data: Json): string {
  return madeXdr(LedgerEntry, { last_modified_ledger_seq: 1, data, ext: "v0" });
}

function stored(val: Json, key: Json = { symbol: "k" }): string {
  const place = { contract: TOKEN, key, durability: "persistent" };
  return entry({ contract_data: { ext: "v0", ...place, val } });
}

function tokenInstance(decimal: number, symbol: string): string {
  const field = (name: string, val: Json) => ({ key: { symbol: name }, val });
  const map = [
    field("decimal", { u32: decimal }),
    field("name", { string: "A token" }),
    field("symbol", { string: symbol }),
  ];
  const instance = { executable: { wasm: "00".repeat(32) }, storage: [field("METADATA", { map })] };
  return stored({ contract_instance: instance }, "ledger_key_contract_instance");
}

function event(topics: Json[], data: Json, contract = TOKEN): string {
  const body = { v0: { topics, data } };
  return madeXdr(ContractEvent, { ext: "v0", contract_id: contract, type_: "contract", body });
}

function lookupOf(...entriesXdr: string[]) {
  const found = entriesXdr.flatMap((xdr) => readTokenMetadata(xdr) ?? []);
  return (contract: string) => found.find((each) => each.contract === contract) ?? null;
}

const address = (of: string) => ({ address: of });

describe("token flow", () => {
  test("a recorded transfer of an asset, with its decimals and code", () => {
    const { tokens } = investigate("sac-transfer").explanation;
    const amount = { token: ASSET, symbol: "LAB", asset: LAB, amount: "0.0001234", units: "1234" };
    expect(tokens.moves).toEqual([{ kind: "transfer", from: SOURCE, to: OTHER, ...amount }]);
    expect(tokens.net).toEqual([
      { ...amount, account: SOURCE, amount: "-0.0001234", units: "-1234" },
      { ...amount, account: OTHER },
    ]);
  });

  test("a classic payment, by its events and only by the balances", () => {
    const { explanation, record } = investigateClassic("fee-bump-payment");
    const sums = ({ net }: typeof explanation.tokens) =>
      net.map(({ symbol, amount }) => `${amount} ${symbol}`).sort();
    expect(explanation.tokens.moves).toMatchObject([{ amount: "1", symbol: "XLM" }]);
    expect(sums(explanation.tokens)).toEqual(["-1 XLM", "1 XLM"]);
    const meta = readTransactionMeta(record.resultMetaXdr ?? "");
    const balances = [...operationChanges(meta).values()];
    const byBalances = tokenFlow([], balances, NO_TOKEN, NETWORK);
    expect(byBalances.from).toBe("balances");
    expect(sums(byBalances)).toEqual(["-1 XLM", "1 XLM"]);
    expect(investigateClassic("payment-underfunded").explanation.tokens.net).toEqual([]);
  });

  test("another contract's token: its decimals, and its name in quotes", () => {
    const minted = event([{ symbol: "mint" }, address(OTHER)], { i128: "1500" });
    const burnt = event([{ symbol: "burn" }, address(OTHER)], { i128: "500" });
    const { moves, net } = tokenFlow(
      [minted, burnt],
      [],
      lookupOf(tokenInstance(2, "XLM")),
      NETWORK,
    );
    expect(moves.map(({ kind, amount, symbol }) => [kind, amount, symbol])).toEqual([
      ["mint", "15", '"XLM"'],
      ["burn", "5", '"XLM"'],
    ]);
    expect(net).toMatchObject([{ account: OTHER, amount: "10", units: "1000" }]);
  });

  test("unknown decimals: units; amounts next to other data; an admin before the holder", () => {
    const map = [
      { key: { symbol: "amount" }, val: { i128: "7" } },
      { key: { symbol: "to_muxed_id" }, val: { u64: "9" } },
    ];
    const moved = event([{ symbol: "transfer" }, address(SOURCE), address(OTHER)], { map });
    const clawed = event([{ symbol: "clawback" }, address(SOURCE), address(OTHER)], { i128: "2" });
    const { moves } = tokenFlow([moved, clawed], [], NO_TOKEN, NETWORK);
    expect(moves).toMatchObject([
      { amount: null, units: "7", symbol: null, from: SOURCE, to: OTHER },
      { kind: "clawback", units: "2", from: OTHER, to: null },
    ]);
  });

  test("an event that only looks like a movement is ignored", () => {
    const odd = [
      event([{ symbol: "transfer" }, address(SOURCE)], { i128: "7" }),
      event([{ symbol: "transfer" }, address(SOURCE), address(OTHER)], { u32: 7 }),
      event([{ symbol: "moved" }, address(SOURCE), address(OTHER)], { i128: "7" }),
      event([{ string: "transfer" }, address(SOURCE), address(OTHER)], { i128: "7" }),
    ];
    expect(tokenFlow(odd, [], NO_TOKEN, NETWORK).moves).toEqual([]);
  });

  test("network and asset determine an asset's contract; another contract cannot claim it", () => {
    const of = (asset: string) => assetContract(asset, NETWORK);
    expect(of(LAB)).toBe(ASSET);
    const mainnet = "Public Global Stellar Network ; September 2015";
    expect(assetContract("native", mainnet)).toBe(
      "CAS3J7GYLGXMF6TDJBBYYSE3HQ6BBSMLNUQ34T6TZMYMW2EVH34XOWMA",
    );
    expect([of("nativ"), of("TOOLONGACODEX:G"), of("")]).toEqual([null, null, null]);
    const claimed = event([{ symbol: "mint" }, address(OTHER), { string: "native" }], {
      i128: "1",
    });
    expect(tokenFlow([claimed], [], NO_TOKEN, NETWORK).moves[0]?.symbol).toBeNull();
  });

  test("any amount keeps its value", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(38), (units, decimals) => {
        const [whole = "", fraction = ""] = decimalText(units, decimals).split(".");
        expect(BigInt(`${whole}${fraction.padEnd(decimals, "0")}`)).toBe(units);
      }),
    );
  });

  test("a hostile symbol comes out neutral and short", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (symbol) => {
        const bytes = new TextEncoder().encode(symbol).toHex().match(/../g) ?? [];
        const xdr = tokenInstance(2, bytes.map((byte) => `\\x${byte}`).join(""));
        const { moves } = tokenFlow(
          [event([{ symbol: "mint" }, address(OTHER)], { i128: "1" })],
          [],
          lookupOf(xdr),
          NETWORK,
        );
        expect(moves[0]?.symbol ?? "").toMatch(NEUTRAL);
        expect(moves[0]?.symbol?.length ?? 0).toBeLessThanOrEqual(18);
      }),
    );
  });
});

describe("fields that changed", () => {
  const map = (fields: Record<string, Json>) => ({
    map: Object.entries(fields).map(([symbol, val]) => ({ key: { symbol }, val })),
  });

  test("only what changed within a struct, a vector or a map", () => {
    const before = map({ a: { u32: 1 }, b: { vec: [{ u32: 1 }, { u32: 2 }] }, c: { u32: 3 } });
    const after = map({ a: { u32: 1 }, b: { vec: [{ u32: 1 }, { u32: 5 }] }, d: { u32: 4 } });
    expect(entryDifference(stored(before), stored(after))).toEqual([
      { field: "b[1]", before: "2", after: "5" },
      { field: "c", before: "3", after: null },
      { field: "d", before: null, after: "4" },
    ]);
    expect(entryDifference(stored({ u32: 1 }), stored({ u32: 2 }))).toEqual([
      { field: "", before: "1", after: "2" },
    ]);
  });

  test("an instance's storage by key", () => {
    const instance = (count: number) => {
      const storage = [{ key: { vec: [{ symbol: "Count" }] }, val: { u32: count } }];
      const contract_instance = { executable: { wasm: "00".repeat(32) }, storage };
      return stored({ contract_instance }, "ledger_key_contract_instance");
    };
    expect(entryDifference(instance(1), instance(2))).toEqual([
      { field: "storage.[Count]", before: "1", after: "2" },
    ]);
  });

  test("an account's and a trustline's own fields, in whole tokens", () => {
    expect(
      entryDifference(entry(account(SOURCE, "10")), entry(account(SOURCE, "25000000"))),
    ).toEqual([{ field: "balance", before: "0.000001", after: "2.5" }]);
    const frozen = trustline(SOURCE, "10", { flags: 0 });
    expect(entryDifference(entry(trustline(SOURCE, "10")), entry(frozen))).toEqual([
      { field: "flags", before: "1", after: "0" },
    ]);
  });

  test("equal entries, and values that are not entries, have none", () => {
    expect(entryDifference(entry(asset()), entry(asset()))).toEqual([]);
    expect(entryDifference("AAAA", "BBBB")).toEqual([]);
  });

  test("hostile keys and values come out neutral", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const hostile = { bytes: bytes.toHex() };
        const text = { string: `\\x1b[31m\\xe2\\x80\\xae${bytes.length}` };
        const value = (n: number) => ({
          map: [{ key: text, val: { vec: [hostile, { u32: n }] } }],
        });
        for (const { field, before, after } of entryDifference(stored(value(1)), stored(value(2))))
          for (const shown of [field, before ?? "", after ?? ""]) expect(shown).toMatch(NEUTRAL);
      }),
    );
  });
});
