// The document of --override: valid documents are accepted, every invalid field is reported, and
// the published schema agrees.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import type { Overrides } from "../../src/model/overrides.ts";
import { readOverrides } from "../../src/overrides/read-overrides.ts";
import schema from "../../src/overrides/schema/overrides.schema.json";
import { describeKey } from "../../src/xdr/values/value.ts";
import { schemaProblems } from "../report/check-schema.ts";

const G = "GBBVQL7M2PWJGTIKY45VD32I67RQ77PZYCBWTCUMZTBVFWYRTVNHTKO4";
const C = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";
const NUMBERED = Uint8Array.from({ length: 40 }, (_, i) => (i < 32 ? 7 : 1));
const MUXED = encodeStrkey("muxed-contract", NUMBERED);
const HOLDER = encodeStrkey("contract", NUMBERED.subarray(0, 32));
const ACCOUNT_KEY = "AAAAAAAAAABDWC/s0+yTTQrHO1HvSPfjD/35wINpiozMw1LbEZ1aeQ==";

function taken(document: object) {
  const read = readOverrides(Object.assign(document, { format: 1 }));
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return read;
}

function problemsOf(document: unknown): readonly string[] {
  const read = readOverrides(document);
  return "problems" in read ? read.problems : [];
}

const WELL_FORMED: readonly object[] = [
  {},
  { $schema: "overrides.schema.json" },
  { ledger: { sequence: 1, protocolVersion: 23, closeTime: 1_700_000_000 } },
  { ledger: { closeTime: "2026-11-21T10:00:00Z", baseReserveStroops: 0 } },
  { ledger: { closeTime: "18446744073709551615" } },
  { limits: { instructions: 4_294_967_295, memoryBytes: 0, diskReadBytes: 1, writeBytes: 2 } },
  { limits: { eventsBytes: 3, resourceFeeStroops: "9223372036854775807" } },
  { arguments: { amount: "5", 0: { scval: { u32: 1 } }, list: [1, null] } },
  { wasm: { [C]: "target/contract.wasm" } },
  { entries: [{ account: G, balance: 5 }] },
  { entries: [{ account: G, asset: `USDC:${G}`, balance: "5" }] },
  { entries: [{ account: G, asset: `LONGERCODE:${G}`, remove: true }] },
  { entries: [{ ledgerKey: ACCOUNT_KEY, remove: true }] },
  { entries: [{ ledgerKey: { account: { account_id: G } }, remove: true }] },
  { entries: [{ contract: C, key: "ledger_key_contract_instance", liveUntilLedger: 7 }] },
  { entries: [{ contract: C, key: { symbol: "A" }, durability: "temporary", value: "void" }] },
  {
    entries: [
      { contract: C, key: { symbol: "A" }, durability: "instance", value: { u32: 1 } },
      { contract: C, key: { symbol: "B" }, durability: "instance", remove: true },
    ],
  },
  { entries: [{ contract: C, key: "AAAADwAAAAFBAAAA", value: { u32: 1 }, archived: true }] },
];

describe("what is well formed", () => {
  for (const document of WELL_FORMED)
    test(`${JSON.stringify(document)} is taken, by the schema too`, () => {
      const whole = { format: 1, ...document };
      expect(problemsOf(whole)).toEqual([]);
      expect(schemaProblems(schema, whole)).toEqual([]);
    });

  test("times are Unix seconds, amounts are text, and what is not named is not there", () => {
    const read = taken({
      ledger: { closeTime: "1970-01-01T00:01:00+00:00" },
      limits: { resourceFeeStroops: 7 },
    });
    expect(read.ledger).toEqual({ closeTimeUnixSeconds: "60" });
    expect(read.limits).toEqual({ resourceFeeStroops: "7" });
    expect(read.entries).toEqual([]);
  });

  test("an entry's friendly name is its ledger key", () => {
    const { entries } = taken({
      entries: [
        { account: G, balance: 5 },
        { account: G, asset: `USD:${G}`, balance: 5 },
        { contract: C, key: { symbol: "A" }, durability: "temporary", value: { u32: 5 } },
        { contract: C, key: { symbol: "A" }, remove: true },
      ],
    });
    expect(entries.map(({ keyXdr }) => describeKey(keyXdr))).toEqual([
      `account ${G}`,
      `trustline of ${G} for USD:${G}`,
      `temporary data A of contract ${C}`,
      `persistent data A of contract ${C}`,
    ]);
    expect(entries.map(({ change }) => change.kind)).toEqual([
      "balance",
      "balance",
      "value",
      "removed",
    ]);
    expect(entries[0]?.keyXdr).toBe(ACCOUNT_KEY);
  });
});

const REFUSED: readonly [unknown, string][] = [
  [null, "the document: must be an object"],
  [[], "format is missing"],
  [{ format: 2 }, "format: must be 1"],
  [{ format: 1, limit: {} }, 'limit is not a known field; did you mean "limits"?'],
  [{ format: 1, limits: { instruction: 1 } }, 'did you mean "instructions"?'],
  [{ format: 1, limits: { instructions: "5" } }, "limits.instructions: must be a whole number"],
  [{ format: 1, limits: { writeBytes: -1 } }, "limits.writeBytes: must not be negative"],
  [{ format: 1, limits: { writeBytes: 2 ** 32 } }, "limits.writeBytes: must be below 2^32"],
  [{ format: 1, limits: { resourceFeeStroops: "5.5" } }, "must be a whole number of stroops"],
  [{ format: 1, limits: { resourceFeeStroops: -5 } }, "must not be negative"],
  [{ format: 1, ledger: { sequence: 0 } }, "ledger.sequence: must not be 0"],
  [{ format: 1, ledger: { closeTime: "tomorrow" } }, "ledger.closeTime: must be a time such as"],
  [{ format: 1, ledger: { closeTime: "2026-11-21T10:00:00" } }, "must be a time such as"],
  [{ format: 1, wasm: { [G]: "x.wasm" } }, "must be a contract's address, C…"],
  [
    { format: 1, entries: [{ contract: MUXED, key: "AAAAAQ==", remove: true }] },
    `entries.0.contract: must be a contract's address, C… (this is a muxed address, of the contract ${HOLDER}`,
  ],
  [
    { format: 1, entries: [{ account: "GABC", balance: 5 }] },
    "entries.0.account: must be an account's address, G…",
  ],
  [{ format: 1, entries: {} }, "entries: must be a list"],
  [{ format: 1, entries: [{ account: G, balence: 5 }] }, 'did you mean "balance"?'],
  [
    { format: 1, entries: [{ account: G, durability: "long", balance: 5 }] },
    "persistent, temporary or instance",
  ],
];

/** Rules that a schema cannot express: which fields go together, and what XDR accepts. */
const REFUSED_ENTRIES: readonly [object, string][] = [
  [{ balance: 5 }, "must have exactly one of"],
  [{ account: G, contract: C, key: "void", remove: true }, "must have exactly one of"],
  [{ account: G, key: "void", balance: 5 }, "key and durability can be used only with"],
  [{ contract: C, remove: true }, "key is missing"],
  [{ contract: C, asset: `USD:${G}`, key: "void", remove: true }, "asset can be used only with"],
  [{ contract: C, key: "void", balance: 5 }, "balance can be used only with"],
  [{ account: G, value: "void" }, "value can be used only with contract"],
  [{ account: G }, "changes nothing"],
  [{ contract: C, key: "void", durability: "instance" }, "must have value or remove"],
  [
    { contract: C, key: "void", durability: "instance", value: "void", liveUntilLedger: 5 },
    "a value of an instance has no TTL of its own",
  ],
  [
    { contract: C, key: "void", durability: "instance", entry: ACCOUNT_KEY },
    "a value of an instance changes by value or remove",
  ],
  [
    { account: G, balance: 5, remove: true },
    "must have only one of entry, value, balance and remove",
  ],
  [{ contract: C, key: "void", remove: true, archived: true }, "a removed entry has no TTL"],
  [
    { contract: C, key: { vec: [{ symbol: "Balance" }, { address: MUXED }] }, remove: true },
    `key has the muxed address ${MUXED} in it, which the host refuses in storage keys: use ${HOLDER}`,
  ],
  [
    {
      ledgerKey: {
        contract_data: {
          contract: C,
          key: { map: [{ key: "void", val: { address: MUXED } }] },
          durability: "temporary",
        },
      },
      remove: true,
    },
    `ledgerKey has the muxed address ${MUXED}`,
  ],
  [{ contract: C, key: { sym: "A" }, remove: true }, "key is not an ScVal in the JSON of SEP-51"],
  [{ contract: C, key: "AAAA", remove: true }, "key is not base64 of an ScVal"],
  [{ ledgerKey: "not base64!", remove: true }, "ledgerKey is not base64 of a LedgerKey"],
  [{ account: G, entry: "AAAA" }, "entry is not base64 of a LedgerEntry"],
];

describe("what is not", () => {
  for (const [document, says] of REFUSED)
    test(`${JSON.stringify(document)}: ${says}`, () => {
      expect(problemsOf(document).join("\n")).toContain(says);
      expect(schemaProblems(schema, document)).not.toEqual([]);
    });

  for (const [entry, says] of REFUSED_ENTRIES)
    test(`${JSON.stringify(entry)}: ${says}`, () => {
      const problems = problemsOf({ format: 1, entries: [{ account: G, remove: true }, entry] });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toStartWith("entries.1: ");
      expect(problems[0]).toContain(says);
    });

  test("every field that is wrong is named", () => {
    const limits = { instructions: -1, writeBytes: 0.5, bytes: 1 };
    const named = problemsOf({ format: 1, limits, ledger: 5 }).map((each) => each.split(/[ :]/)[0]);
    expect(named.toSorted()).toEqual([
      "ledger",
      "limits.bytes",
      "limits.instructions",
      "limits.writeBytes",
    ]);
  });

  test("a ledger key cannot be repeated, however it is written", () => {
    const entries = [
      { account: G, balance: 5 },
      { ledgerKey: ACCOUNT_KEY, remove: true },
    ];
    expect(problemsOf({ format: 1, entries })).toEqual([
      "entries.1 has the same ledger key as entries.0",
    ]);
  });
});

describe("each door names the fields itself", () => {
  const read = (document: unknown) =>
    readOverrides(document, (path) => `<${path.join(" of ")}>`) as { problems?: string[] };

  test("in every problem, with the names of fields that are not known", () => {
    const document = {
      format: 1,
      limits: { cpu: 1 },
      ledger: { sequence: 0 },
      entries: [{ x: 1 }],
    };
    const { problems } = read(document);
    expect(problems).toHaveLength(3);
    for (const problem of problems ?? []) expect(problem).toMatch(/^<[a-z]+ of [a-z0-9 ]+>/);
  });

  test("where a ledger key is repeated", () => {
    const entries = [
      { account: G, balance: 5 },
      { account: G, balance: 6 },
    ];
    expect(read({ format: 1, entries }).problems).toEqual([
      "<entries of 1> has the same ledger key as <entries of 0>",
    ]);
  });
});

describe("any document", () => {
  test("is read or refused with sentences, never thrown at", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        const read = readOverrides(document);
        if ("problems" in read) {
          expect(read.problems.length).toBeGreaterThan(0);
          for (const problem of read.problems) expect(problem.length).toBeGreaterThan(5);
        } else expect(document).toMatchObject({ format: 1 });
      }),
    );
  });

  const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  test("of limits and ledger facts comes back as it was written", () => {
    const document = fc.record(
      {
        instructions: uint32,
        memoryBytes: uint32,
        diskReadBytes: uint32,
        writeBytes: uint32,
        eventsBytes: uint32,
        resourceFeeStroops: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(document, optional(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), (limits, at) => {
        const closeTime = at === undefined ? {} : { closeTime: String(at) };
        const read: Pick<Overrides, "limits" | "ledger"> = taken({ limits, ledger: closeTime });
        expect(read.limits).toEqual(limits);
        expect(read.ledger.closeTimeUnixSeconds).toBe(at?.toString());
      }),
    );
  });

  test("with one field more is refused, and the field is named", () => {
    const sections = fc.constantFrom("ledger", "limits");
    const field = fc.stringMatching(/^[a-z]{3,12}X$/);
    fc.assert(
      fc.property(sections, field, fc.jsonValue(), (section, name, value) => {
        const problems = problemsOf({ format: 1, [section]: { [name]: value } });
        expect(problems).toHaveLength(1);
        expect(problems[0]).toStartWith(`${section}.${name} is not a known field`);
      }),
    );
  });
});

test("names that every object has are names of arguments too", () => {
  const text = '{"arguments":{"__proto__":1,"constructor":2},"wasm":{"__proto__":"a.wasm"}}';
  const read = taken(JSON.parse(text));
  expect([...read.arguments, ...read.wasmFiles]).toEqual([
    ["__proto__", 1],
    ["constructor", 2],
    ["__proto__", "a.wasm"],
  ]);
});

test("a day that its month does not have is no time", () => {
  const closeTimes = ["2026-02-30T00:00:00Z", "2027-02-29T00:00:00Z", "2026-04-31T00:00:00+02:00"];
  for (const closeTime of closeTimes)
    expect(problemsOf({ format: 1, ledger: { closeTime } })).toHaveLength(1);
  expect(taken({ ledger: { closeTime: "2028-02-29T00:00:00Z" } }).ledger).toEqual({
    closeTimeUnixSeconds: "1835395200",
  });
});
