import { describe, expect, test } from "bun:test";
import { ASSET_SPEC } from "../../src/xdr/contract/asset-spec.ts";
import {
  errorCase,
  errorCases,
  readContractSpec,
  showErrorCase,
  showName,
  showSpecType,
} from "../../src/xdr/contract/contract-spec.ts";
import { contractLookup } from "../../src/xdr/contract/contract-specs.ts";
import { showTyped } from "../../src/xdr/contract/value-typed.ts";
import { customSections } from "../../src/xdr/contract/wasm-sections.ts";
import { encodeBytes } from "../../src/xdr/reader/value.ts";
import { elementsOf, isVector, vectorOf, voidValue } from "../../src/xdr/values/value-parts.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

const MODULE = Buffer.from("0061736d01000000", "hex");
const NAME = "contractspecv0";

/** A section of less than 16 KiB, its size in two groups. */
function section(name: string, content: Uint8Array): Buffer {
  const size = 1 + name.length + content.length;
  const head = [0, (size & 0x7f) | 0x80, size >> 7, name.length];
  return Buffer.concat([Buffer.from(head), Buffer.from(name), content]);
}

const word = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value: string) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([word(bytes.length), bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
};

/** An error enum with one case. */
function errorEnum(name: string, caseName: string, doc: string, value: number): Buffer {
  return Buffer.concat([
    word(4),
    ...[text(""), text(""), text(name), word(1), text(doc), text(caseName), word(value)],
  ]);
}

const kitchen = () => {
  const { snapshot } = walkOf("contract-error");
  const lookup = contractLookup(snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []));
  const facts = lookup("CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV");
  if (!facts?.spec) throw new Error("no specification");
  return facts.spec;
};

describe("custom sections", () => {
  test("those of the name, in order", () => {
    const wasm = Buffer.concat([
      MODULE,
      section("other", word(1)),
      section(NAME, word(2)),
      section(NAME, word(3)),
    ]);
    expect(customSections(wasm, NAME).map((bytes) => bytes[3])).toEqual([2, 3]);
  });

  test("broken modules end early and never run past the end", () => {
    const whole = Buffer.concat([MODULE, section(NAME, word(2)), section(NAME, word(3))]);
    for (let length = 0; length < whole.length; length += 1) {
      expect(customSections(whole.subarray(0, length), NAME).length).toBeLessThan(2);
    }
    const endless = Buffer.concat([MODULE, Buffer.from("00ffffffffffffff", "hex")]);
    expect(customSections(endless, NAME)).toEqual([]);
    const nameTooLong = Buffer.concat([MODULE, Buffer.from("00030e4142", "hex")]);
    expect(customSections(nameTooLong, NAME)).toEqual([]);
  });
});

describe("names of protocol 30, of up to 1,024 bytes", () => {
  const long = "Ledger".repeat(170);
  const wasm = Buffer.concat([
    MODULE,
    section(
      NAME,
      encodeBytes("ScSpecEntry", {
        kind: 4,
        udtErrorEnumV0: {
          ...{ doc: Buffer.alloc(0), lib: Buffer.alloc(0), name: Buffer.from(long) },
          cases: [{ doc: Buffer.alloc(0), name: Buffer.from("Closed"), value: 7 }],
        },
      }),
    ),
    section(
      NAME,
      encodeBytes("ScSpecEntry", {
        kind: 5,
        eventV0: {
          ...{ doc: Buffer.alloc(0), lib: Buffer.alloc(0), name: Buffer.from(long) },
          ...{ prefixTopics: [Buffer.from("closed")], params: [], dataFormat: 0 },
        },
      }),
    ),
    section(
      NAME,
      encodeBytes("ScSpecEntry", {
        kind: 0,
        functionV0: {
          ...{ doc: Buffer.alloc(0), name: Buffer.from("take") },
          inputs: [
            {
              ...{ doc: Buffer.alloc(0), name: Buffer.from("what") },
              type: { type: 2000, udt: { name: Buffer.from(long) } },
            },
          ],
          outputs: [],
        },
      }),
    ),
  ]);

  test("are read whole, and found by them", () => {
    const spec = readContractSpec(wasm);
    expect(spec?.types.get(long)).toMatchObject({ kind: "error", name: long });
    expect(spec?.events.map(({ name }) => name)).toEqual([long]);
    expect(spec?.functions.get("take")?.inputs[0]?.type).toEqual({ kind: "named", name: long });
  });

  test("are short for people", () => {
    const spec = readContractSpec(wasm);
    const [found] = errorCases(spec, 7);
    expect(found && showErrorCase(found)).toBe(`${long.slice(0, 63)}…::Closed`);
    expect(showSpecType({ kind: "vec", element: { kind: "named", name: long } })).toBe(
      `Vec<${long.slice(0, 63)}…>`,
    );
    const hostile = showName(JSON.stringify(`${long}, Error`));
    expect(hostile).toBe(`"${long.slice(0, 61)}…"`);
  });
});

describe("a real contract's specification", () => {
  test("functions, types, errors and events by name", () => {
    const spec = kitchen();
    expect(spec.functions.get("send")?.inputs.map(({ name }) => name)).toEqual([
      "tok",
      "from",
      "to",
      "amount",
    ]);
    expect(spec.functions.get("trap")?.output).toBeNull();
    expect(spec.types.get("Key")?.kind).toBe("union");
    expect(errorCase(spec, 418)).toMatchObject({ name: "Teapot", of: "LabError" });
    expect(errorCase(spec, 7)).toBeNull();
    expect(spec.events[0]).toMatchObject({ name: "Bump", prefix: ["lab", "bump"], format: "map" });
  });

  test("values get the names of their types only if they fit", () => {
    const spec = kitchen();
    const key = { kind: "named", name: "Key" } as const;
    const symbol = (name: string) => Buffer.concat([word(15), text(name)]).toString("base64");
    const u32 = (value: number) => Buffer.concat([word(3), word(value)]).toString("base64");
    const show = (xdr: string) => showTyped(xdr, key, spec);
    expect(show(vectorOf([symbol("Count"), symbol("main")]))).toBe("Count(main)");
    expect(show(vectorOf([symbol("Admin")]))).toBe("Admin");
    expect(show(vectorOf([symbol("Admin"), u32(1)]))).toBe("[Admin, 1]");
    expect(show(vectorOf([symbol("Nothing")]))).toBe("[Nothing]");
    expect(show(u32(7))).toBe("7");
    const option = { kind: "option", element: key } as const;
    expect(showTyped(voidValue(), option, spec)).toBe("none");
    const pair = { kind: "tuple", elements: [key, key] } as const;
    const admin = vectorOf([symbol("Admin")]);
    expect(showTyped(vectorOf([admin, admin]), pair, spec)).toBe("(Admin, Admin)");
    expect(showTyped(vectorOf([admin]), pair, spec)).toBe("[[Admin]]");
    const error = Buffer.concat([word(2), word(0), word(2)]).toString("base64");
    const result = { kind: "result", ok: key, error: { kind: "plain", name: "error" } } as const;
    expect(showTyped(error, result, spec)).toBe("TooBig (#2)");
    expect(showTyped("AAAA", key, spec)).toContain("undecodable");
  });

  test("the asset contract has one without code", () => {
    expect(ASSET_SPEC.functions.get("transfer")?.inputs.length).toBe(3);
    expect(errorCase(ASSET_SPEC, 10)?.name).toBe("BalanceError");
  });
});

describe("hostile specifications", () => {
  test("text is neutralised, and no name looks like several", () => {
    const entry = errorEnum("E\u202e", "A (#1), B", "line\none\u001b[31m", 1);
    const spec = readContractSpec(Buffer.concat([MODULE, section(NAME, entry)]));
    expect(errorCase(spec, 1)).toEqual({
      of: '"E\\\\u{202e}"',
      name: '"A (#1), B"',
      doc: "line one\\u{1b}[31m",
      value: 1,
    });
  });

  test("a number of several error enums has no one name, even where they share theirs", () => {
    for (const [other, name] of [
      ["F", "Other"],
      ["E", "Other"],
    ] as const) {
      const both = [errorEnum("E", "One", "", 1), errorEnum(other, name, "", 1)];
      const spec = readContractSpec(Buffer.concat([MODULE, section(NAME, Buffer.concat(both))]));
      expect(errorCases(spec, 1).map((each) => each.name)).toEqual(["One", "Other"]);
      expect(errorCase(spec, 1)).toBeNull();
    }
    const twice = Buffer.concat([errorEnum("E", "One", "", 1), errorEnum("E", "One", "", 1)]);
    const same = readContractSpec(Buffer.concat([MODULE, section(NAME, twice)]));
    expect(errorCase(same, 1)?.name).toBe("One");
  });

  test("entries before a broken entry are kept", () => {
    const good = errorEnum("E", "Known", "", 1);
    const content = Buffer.concat([good, word(4), word(0xffffffff)]);
    const spec = readContractSpec(Buffer.concat([MODULE, section(NAME, content)]));
    expect(errorCase(spec, 1)?.name).toBe("Known");
    expect(readContractSpec(Buffer.concat([MODULE, section(NAME, word(9))]))).toBeNull();
    expect(readContractSpec(Buffer.alloc(0))).toBeNull();
  });

  test("unreadable entries are left out", () => {
    expect(contractLookup(["AAAA", "!"])("C")).toBeNull();
  });
});

test("vectors are built and read", () => {
  expect(elementsOf(vectorOf([voidValue()]))).toEqual([voidValue()]);
  expect(isVector(voidValue())).toBe(false);
  expect(isVector("?")).toBe(false);
});
