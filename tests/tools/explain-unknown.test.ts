// What people paste from a network of a later protocol: as far as it can be decoded, and that a later
// svc may know the rest. Bytes of another kind are not taken for it.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { NEWEST_PROTOCOL } from "../../src/model/protocols.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { encodeBytes } from "../../src/xdr/reader/value.ts";
import { thrownBy } from "../support/failure.ts";
import { LATER_PROTOCOL, laterLedger, makeLater } from "../support/later-protocol.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { said } from "../support/said.ts";

const network = new RecordedNetwork();
const SEQUENCE = 414;
const LEDGER = network.ledgerBytes(SEQUENCE) as Uint8Array;
const [transaction] = network.transactions.filter(({ ledger }) => ledger === SEQUENCE);
const found = transaction && network.file(transaction).rpcGetTransaction.result;
const ENVELOPE = String(found?.envelopeXdr);

/** A TransactionResult with another code of the transaction, or of its operation's type. */
function laterResult(at: 8 | 20): string {
  const bytes = Buffer.from(String(found?.resultXdr), "base64");
  bytes.writeInt32BE(77, at);
  return bytes.toString("base64");
}

const CODE = "TransactionResultCode 77";
const explained = (text: string) => {
  const answer = explainText({ text, name: "input" });
  return answer.kind === "codes" ? answer.codes : [];
};

for (const [name, text, says] of [
  ["a result code", laterResult(8), `first 8 of 64 bytes can be decoded as TransactionResult`],
  ["a result code, in a terminal", `failed: resultXdr: '${laterResult(8)}' !`, CODE],
  ["an operation", laterResult(20), "OperationType 77"],
  ["a kind of address", address(), "ScAddressType 77"],
  ["an envelope", changedEnvelope(), "TransactionEnvelope"],
] as const)
  test(`${name} of a later protocol is said to be one`, () => {
    const [code, ...others] = explained(text);
    expect([code?.code, others]).toEqual(["PROTOCOL_UNKNOWN", []]);
    expect(code?.meaning).toContain(says);
    expect(code?.meaning).toContain(`protocols up to ${NEWEST_PROTOCOL}`);
    expect(said(code?.remedy)).toContain("update svc");
  });

test("answers of nodes with such a code are refused by name", () => {
  const status = { status: "FAILED", envelopeXdr: ENVELOPE, resultXdr: laterResult(8) };
  const sent = { status: "ERROR", hash: "0".repeat(64), errorResultXdr: laterResult(8) };
  const extras = { result_xdr: laterResult(8), envelope_xdr: ENVELOPE };
  for (const json of [
    { jsonrpc: "2.0", id: 1, result: { ...found, ...status } },
    { jsonrpc: "2.0", id: 1, result: { ...sent, latestLedger: 5 } },
    { status: 400, title: "Transaction Failed", extras },
  ]) {
    const error = thrownBy(() => explained(JSON.stringify(json)));
    expect([error.code, error.message]).toEqual([
      ...["PROTOCOL_UNKNOWN", expect.stringContaining("TransactionResultCode")],
    ] as never);
    expect(error.remedy).toContain("update svc");
    // The parts that can be read are shown beside it.
    const source = openEnvelope(ENVELOPE, "").sourceAccount;
    const shown = "hash" in (json.result ?? {}) ? `transaction ${sent.hash}` : `account ${source}`;
    expect(error.message).toContain(shown);
  }
});

test("a ledger, and a header with its hash, name the later protocol", () => {
  const { hash, header } = makeLater(LEDGER, { part: "header extension" });
  const entry = Buffer.concat([hash, header, Buffer.alloc(4)]);
  for (const bytes of [laterLedger(LEDGER, { part: "closing value" }), entry]) {
    const [code] = explained(Buffer.from(bytes).toString("base64"));
    expect(code?.code).toBe("PROTOCOL_UNKNOWN");
    expect(code?.meaning).toContain(`of protocol ${LATER_PROTOCOL}`);
  }
});

test("a word of a later protocol is not explained, and nothing is claimed", () => {
  for (const text of ["txFromTomorrow", "HostError: Error(Quantum, InvalidInput)"])
    expect(explainText({ text, name: "input" }).kind).toBe("unknown");
});

test("other bytes hardly ever seem to be of a later protocol, and never name one", () => {
  let many = 0;
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 9, maxLength: 300 }), (bytes) => {
      const codes = explained(bytes.toBase64());
      for (const { code, meaning } of codes) {
        if (code === "PROTOCOL_UNKNOWN") many += 1;
        expect(meaning).not.toContain("is of protocol");
      }
    }),
    { numRuns: 500, seed: 44 },
  );
  expect(many).toBeLessThan(10);
});

function address(): string {
  const known = { type: 18, address: { type: 1, contractId: new Uint8Array(32) } } as const;
  const bytes = Buffer.from(encodeBytes("ScVal", { type: 16, vec: [known] }));
  bytes.writeInt32BE(77, 16);
  // Without the padding of a hash and a result.
  return Buffer.concat([bytes, Buffer.alloc(8)]).toString("base64");
}

function changedEnvelope(): string {
  const bytes = Buffer.from(ENVELOPE, "base64");
  bytes.writeInt32BE(77, 4);
  return bytes.toString("base64");
}
