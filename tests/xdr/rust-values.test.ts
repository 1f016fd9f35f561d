// Values of every type that the Rust crate stellar-xdr of the newest protocol makes, with its base64
// and its JSON (tests/contracts/xdr-values, which shares no code with svc): svc walks them, reads them,
// writes them back byte for byte, shows them, and writes and reads the same JSON.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newestXdrVersion } from "../../scripts/xdr-definitions.ts";
import { fromJson } from "../../src/xdr/reader/from-json.ts";
import type { TypeName } from "../../src/xdr/reader/schema.ts";
import { memberNames, schemaNamed } from "../../src/xdr/reader/schema.ts";
import { shapeOf, xdrSource } from "../../src/xdr/reader/shape.ts";
import { toJson } from "../../src/xdr/reader/to-json.ts";
import { decode, decodeBytes, encodeBytes } from "../../src/xdr/reader/value.ts";
import { describeEntry, describeKey, showValue } from "../../src/xdr/values/value.ts";
import { TYPE_NAMES } from "../support/arbitrary-values.ts";

type Made = readonly [type: string, xdr: string, json: unknown];

const FILE = join(import.meta.dir, "../fixtures/xdr-values.jsonl.zst");
const VALUES = Buffer.from(Bun.zstdDecompressSync(readFileSync(FILE)))
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Made);

/** Names of the crate for types that svc's table has under another name. */
const ALIASES: Readonly<Record<string, TypeName>> = {
  AccountId: "PublicKey",
  NodeId: "PublicKey",
  SError: "Error",
};
/** Names of the crate for strings, integers and arrays, which svc's table has where they are used. */
const WITHOUT_NAME =
  "ContractCostParams DependentTxCluster Duration Int32 Int64 LedgerEntryChanges " +
  "ParallelTxExecutionStage ScMap ScString ScSymbol ScVec SequenceNumber " +
  "SorobanAuthorizationEntries SponsorshipDescriptor String32 String64 TimePoint TimePointMs " +
  "TimeSlicedPeerDataList TxAdvertVector TxDemandVector Uint32 Uint64";

const known: ReadonlySet<string> = new Set(TYPE_NAMES);
const typed = VALUES.flatMap(([name, xdr, json]) => {
  const type = known.has(name) ? (name as TypeName) : ALIASES[name];
  return type === undefined ? [] : [{ type, xdr, json }];
});

/**
 * Types of the overlay and of buckets in which the crate writes bytes of a fixed length as numbers, and
 * a name that begins with a digit with a letter before it. SEP-51 and the SDK do not.
 */
const WRITTEN_OTHERWISE =
  "AuthCert AuthenticatedMessage AuthenticatedMessageV0 BinaryFuseFilterType Curve25519Public " +
  "Curve25519Secret Hello HmacSha256Key HmacSha256Mac PeerAddress PeerAddressIp " +
  "SerializedBinaryFuseFilter ShortHashSeed SignedTimeSlicedSurveyRequestMessage StellarMessage " +
  "SurveyRequestMessage TimeSlicedSurveyRequestMessage";

/** The crate's JSON as SEP-51 has it. */
function standard(json: unknown, own: unknown): unknown {
  if (Array.isArray(json))
    return typeof own === "string"
      ? Buffer.from(json).toString("hex")
      : json.map((each, i) => standard(each, Array.isArray(own) ? own[i] : undefined));
  if (typeof json === "string") return json.replace(/^b(?=\d+_bit$)/, "");
  if (typeof json !== "object" || json === null) return json;
  const owns = (typeof own === "object" && own !== null ? own : {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(json).map(([name, each]) => [name, standard(each, owns[name])]),
  );
}

/** The only values that SEP-51 cannot write. */
const isWritable = (json: unknown) => !JSON.stringify(json).includes("<INVALID:");

describe("values that the Rust crate made", () => {
  test("are of the crate that the newest contract host uses", () => {
    const manifest = readFileSync(
      join(import.meta.dir, "../contracts/xdr-values/Cargo.toml"),
      "utf8",
    );
    expect(manifest).toContain(`stellar-xdr = { version = "=${newestXdrVersion()}"`);
  });

  test("are there for every type", () => {
    const made = new Set(typed.map(({ type }) => type));
    expect(TYPE_NAMES.filter((name) => !made.has(name))).toEqual([]);
    const others = new Set(VALUES.map(([name]) => name).filter((name) => !known.has(name)));
    for (const alias of Object.keys(ALIASES)) expect(others.delete(alias)).toBe(true);
    expect([...others].sort().join(" ")).toBe(WITHOUT_NAME);
  });

  test("have every member of the enums, and every case of the unions that protocol 30 made larger", () => {
    const casesOf = (wanted: TypeName) =>
      new Set(
        typed
          .filter(({ type }) => type === wanted)
          .map(({ xdr }) => Buffer.from(xdr, "base64").readInt32BE(0)),
      );
    for (const name of ["ContractCostType", "ScAddressType", "StellarValueType"] as const)
      expect(casesOf(name)).toEqual(new Set(memberNames(name).keys()));
    for (const name of ["ScAddress", "StellarValueExt"] as const) {
      const schema = schemaNamed(name);
      expect(schema.kind === "union" && casesOf(name)).toEqual(
        new Set(schema.kind === "union" ? schema.cases.keys() : []),
      );
    }
  });

  test("are walked to their end, read, and written back byte for byte", () => {
    for (const { type, xdr } of typed) {
      const bytes = Uint8Array.fromBase64(xdr);
      const followed = new Uint8Array([...bytes, ...new Uint8Array(8).fill(0xff)]);
      expect([type, shapeOf(type).skip(xdrSource(followed), 0, 0)]).toEqual([type, bytes.length]);
      const written = encodeBytes(type, decodeBytes(type, bytes) as never).toBase64();
      expect([type, written]).toEqual([type, xdr]);
    }
  });

  test("have the crate's JSON, and are read from it", () => {
    const otherwise = new Set<string>();
    for (const { type, xdr, json } of typed) {
      const own = toJson(type, decode(type, xdr)) as unknown;
      const written = standard(json, own);
      expect([type, own]).toEqual([type, written]);
      if (!Bun.deepEquals(written, json)) otherwise.add(type);
      if (!isWritable(json)) continue;
      const read = encodeBytes(type, fromJson(type, written) as never).toBase64();
      expect([type, read]).toEqual([type, xdr]);
    }
    expect([...otherwise].sort().join(" ")).toBe(WRITTEN_OTHERWISE);
  });

  test("are shown in one line", () => {
    const show = { ScVal: showValue, LedgerKey: describeKey, LedgerEntry: describeEntry } as const;
    for (const { type, xdr } of typed) {
      const showing = show[type as keyof typeof show];
      if (showing === undefined) continue;
      const text = showing(xdr);
      expect(text).not.toContain("undecodable");
      expect(text).not.toMatch(/\p{Cc}/u);
    }
  });
});
