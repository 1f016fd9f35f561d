// XDR and files that show no outcome: what they are, and what is in them. A text that was cut off
// says where it ends.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { CodeExplanation } from "../../src/model/node-answer.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

const network = new RecordedNetwork();

function explained(text: string, bytes?: Uint8Array): CodeExplanation | null {
  const found = explainText({ text, name: "the test", ...(bytes !== undefined && { bytes }) });
  return found.kind === "codes" ? (found.codes[0] ?? null) : null;
}

describe("short values", () => {
  test.each([
    ["AAAAAwAAAAc=", "A value of a contract (ScVal): 7."],
    ["AAAAAwAAAAc", "A value of a contract (ScVal): 7."],
    ["00000003 00000007", "A value of a contract (ScVal): 7."],
    ["0x0000000f00000003696e6300", "A value of a contract (ScVal): inc."],
    ["AAAADwAAAANpbmMA", "A value of a contract (ScVal): inc."],
    ["AAAAAQ==", "A value of a contract (ScVal): void."],
  ])("%s", (text, meaning) => {
    expect(explained(text)?.meaning).toBe(meaning);
  });

  test.each(["transfer", "increment", "approveToken", "1700159337000000", "Counter12345"])(
    "%s is a word",
    (text) => {
      expect(explainText({ text, name: "the test" }).kind).toBe("unknown");
    },
  );
});

describe("XDR that was cut off", () => {
  const envelopes = network.transactions
    .filter(({ soroban }) => soroban)
    .map((each) => String(network.file(each).rpcGetTransaction.result.envelopeXdr));

  test("is known by its beginning, wherever it ends", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...envelopes),
        fc.double({ min: 0.3, max: 0.98, noNaN: true }),
        (xdr, part) => {
          const length = Math.floor(xdr.length * part);
          const found = explained(xdr.slice(0, length));
          expect(found?.kind).toBe("XDR that was cut off");
          expect(found?.meaning).toContain("TransactionEnvelope");
          const bytes = Math.floor((length * 6) / 8);
          expect(found?.meaning).toContain(`ends after ${bytes.toLocaleString("en")} bytes`);
        },
      ),
    );
  });

  test("of a value says in what it ends", () => {
    const found = explained("AAAAEAAAAAEAAAACAAAADwAAAAdDb3VudGVyAAAAAAMA");
    expect(found?.meaning).toBe(
      "The text can be the beginning of ScVal: it ends after 33 bytes, inside uint32.",
    );
  });
});

describe("a wasm file", () => {
  const read = (name: string) => readFileSync(join(import.meta.dir, "../contracts", name));
  const asText = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

  test("says its size, its hash, its build and its interface", () => {
    const wasm = read("token.wasm");
    const { meaning = "" } = explained(asText(wasm), wasm) ?? {};
    expect(meaning).toContain(`of ${wasm.length.toLocaleString("en")} bytes`);
    expect(meaning).toContain(sha256(wasm).toHex());
    expect(meaning).toContain('the SDK is "22.0.11#');
    expect(meaning).toContain("a network of protocol 20 or later");
    expect(meaning).toContain(
      "Functions: balance(of: address) -> i128; " +
        "transfer(from: address, to: address, amount: i128) -> Result<(), TokenError>.",
    );
    expect(meaning).toContain("TokenError::BalanceTooLow (7)");
  });

  test("that is none of a contract, or is only a text, claims nothing", () => {
    const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    expect(explained(asText(empty), empty)?.meaning).toContain("no specification");
    const { meaning = "" } = explained(asText(read("token.wasm"))) ?? {};
    expect(meaning).not.toContain("hash");
  });

  test("of any damaged contract is explained or refused, and never fails", () => {
    const wasm = read("token.wasm");
    fc.assert(
      fc.property(fc.nat(wasm.length - 1), fc.nat(255), fc.nat(wasm.length), (at, byte, end) => {
        const damaged = new Uint8Array(wasm);
        if (at > 4) damaged[at] = byte;
        const cut = damaged.subarray(0, Math.max(8, end));
        expect(explained(asText(cut), cut)?.code).toBe("wasm");
      }),
    );
  });
});
