// Texts from the chain that are empty, or nothing but blanks: no sentence of svc has an empty place.

import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DiagnosticEvent,
  ScSpecEntry,
  SorobanAuthorizationEntry,
  TransactionEnvelope,
} from "@stellar/stellar-sdk/xdr";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { blankInWords, quotedText } from "../../src/base/text/neutralise.ts";
import { showFunction } from "../../src/explain/naming/named-calls.ts";
import { readContractSpec, showErrorCase } from "../../src/xdr/contract/contract-spec.ts";
import { svc } from "../cli/run-svc.ts";
import { changedXdr, madeXdr } from "../support/changed-xdr.ts";

const BLANKS = ["", " ", "   ", "\t", "\u00a0\u2003"];
/** Those that an XDR string of any use may have, in ASCII. */
const WRITTEN = ["", " ", "   "];
const DIRECTORY = mkdtempSync(join(tmpdir(), "svc-empty-"));
const CAPSULE = JSON.parse(
  readFileSync(join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json"), "utf8"),
);
const ENVELOPE = String(/"envelopeXdr":"([^"]+)"/.exec(JSON.stringify(CAPSULE))?.[1]);

beforeAll(ensureBuilt, 900_000);

/** Quotes or backticks around nothing, a word that is missing before a mark, or two spaces. */
function emptyPlaces(text: string): string[] {
  const joined = text.replace(/\n +/g, " ");
  const sentences = joined.split("\n").map((line) => line.replace(/^[ -]+|(?<=^\w[\w ]*:) +/g, ""));
  return sentences.filter((each) =>
    /"\s*"|`\s*`|[(,;:] *[,;)]| {2}| [,;)]|\( | \.(?:\s|$)|: *\.|::"| :/.test(each),
  );
}

async function explained(text: string, ...words: string[]): Promise<string> {
  const path = join(DIRECTORY, `${crypto.randomUUID()}.txt`);
  writeFileSync(path, text);
  const { stdout, stderr } = await svc(["explain", path, ...words], { directory: DIRECTORY });
  expect(stderr).toBe("");
  return stdout;
}

describe("a blank text", () => {
  test("is said to be blank, and not quoted", () => {
    for (const blank of BLANKS) {
      const words = blank === "" ? "(empty)" : "(blank)";
      expect(blankInWords(blank)).toBe(words);
      expect(quotedText(blank === "\t" ? " " : blank)).toMatch(/^\((?:empty|blank)\)$/);
    }
    expect(blankInWords(" x ")).toBeNull();
    expect(quotedText(" x ")).toBe('" x "');
    for (const name of ["", "  "]) expect(showFunction(name)).toMatch(/^\(\w+\)$/);
    expect(showFunction('"a b"')).toBe('"\\"a b\\""');
    expect(showFunction("a b")).toBe('"a b"');
  });

  test.each(WRITTEN)("in operations leaves no place empty: %j", async (blank) => {
    const account = TransactionEnvelope.fromXdr(ENVELOPE, "base64").toJson() as {
      tx: { tx: { source_account: string } };
    };
    const { source_account: source } = account.tx.tx;
    const asset = { credit_alphanum4: { asset_code: "", issuer: source } };
    const operation = (body: object) => ({ source_account: null, body });
    const options = Object.fromEntries(
      [
        ...["inflation_dest", "clear_flags", "set_flags", "master_weight"],
        ...["low_threshold", "med_threshold", "high_threshold", "signer"],
      ].map((name) => [name, null]),
    );
    const envelope = changedXdr(TransactionEnvelope, ENVELOPE, ({ tx: { tx } }) => {
      tx.memo = { text: blank };
      tx.ext = "v0";
      tx.operations = [
        operation({ set_options: { ...options, home_domain: blank } }),
        operation({ manage_data: { data_name: blank, data_value: "" } }),
        operation({ payment: { destination: source, asset, amount: "1" } }),
      ];
    });
    const text = await explained(envelope);
    expect(text).toContain("set options (home_domain (");
    expect(emptyPlaces(text)).toEqual([]);
  });

  test.each(WRITTEN)("as the name of a function leaves no place empty: %j", async (blank) => {
    const envelope = changedXdr(TransactionEnvelope, ENVELOPE, ({ tx: { tx } }) => {
      const call = tx.operations[0].body.invoke_host_function;
      call.host_function.invoke_contract.function_name = blank;
    });
    const text = await explained(envelope);
    expect(text).toMatch(/It calls\s+\((?:empty|blank)\)\(/);
    expect(emptyPlaces(text)).toEqual([]);
  });

  test.each(WRITTEN)("in an authorization leaves no place empty: %j", async (blank) => {
    const { invoke_contract: call } = (
      TransactionEnvelope.fromXdr(ENVELOPE, "base64").toJson() as never as {
        tx: {
          tx: {
            operations: {
              body: { invoke_host_function: { host_function: { invoke_contract: object } } };
            }[];
          };
        };
      }
    ).tx.tx.operations[0]?.body.invoke_host_function.host_function ?? { invoke_contract: {} };
    const entry = madeXdr(SorobanAuthorizationEntry, {
      credentials: "source_account",
      root_invocation: {
        function: { contract_fn: { ...call, function_name: blank } },
        sub_invocations: [],
      },
    });
    expect(emptyPlaces(await explained(entry))).toEqual([]);
  });

  test.each(WRITTEN)("as the message of an error leaves no place empty: %j", async (blank) => {
    const event = (data: object) =>
      madeXdr(DiagnosticEvent, {
        in_successful_contract_call: false,
        event: {
          ext: "v0",
          contract_id: null,
          type_: "diagnostic",
          body: { v0: { topics: [{ symbol: "error" }, { error: { contract: 1 } }], data } },
        },
      });
    const datas = [
      { string: blank },
      { vec: [{ string: blank }] },
      { vec: [{ string: blank }, { u32: 7 }] },
    ];
    for (const data of datas) {
      const text = await explained(JSON.stringify({ events: [event(data)] }));
      expect(emptyPlaces(text)).toEqual([]);
    }
  });

  test.each(WRITTEN)("as a name of a specification names no error: %j", async (blank) => {
    const wasm = wasmWith([
      {
        udt_error_enum_v0: {
          doc: blank,
          lib: "",
          name: blank,
          cases: [
            { doc: blank, name: blank, value: 1 },
            { doc: blank, name: "Known", value: 2 },
          ],
        },
      },
      {
        function_v0: {
          doc: blank,
          name: "",
          inputs: [{ doc: "", name: blank, type_: "u32" }],
          outputs: [],
        },
      },
    ]);
    const spec = readContractSpec(wasm);
    expect(spec?.errors.map(showErrorCase)).toEqual(["Known"]);
    const path = join(DIRECTORY, `${blank.length}.wasm`);
    writeFileSync(path, wasm);
    for (const [code, words] of [
      ["1", "does not name"],
      ["2", "it is Known."],
    ] as const) {
      const { stdout } = await svc(["explain", `Error(Contract, #${code})`, "--wasm", path], {
        directory: DIRECTORY,
      });
      expect(stdout.replace(/\s+/g, " ")).toContain(words);
      expect(emptyPlaces(stdout)).toEqual([]);
    }
  });
});

/** A module that has nothing but a specification. */
function wasmWith(entries: readonly object[]): Uint8Array {
  const spec = entries.map((each) => Buffer.from(madeXdr(ScSpecEntry, each), "base64"));
  const name = Buffer.from("contractspecv0");
  const body = Buffer.concat([Buffer.from([name.length]), name, ...spec]);
  const length = Buffer.from([(body.length & 0x7f) | 0x80, body.length >> 7]);
  const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from(head), length, body]);
}
