// Texts of which a part is missing, as people paste them: a log without its calls, an answer that was
// cut off, a message behind the words of another program, events without an error.

import { describe, expect, test } from "bun:test";
import { answerDocument } from "../../src/report/document/answers.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { resultOfRefusal } from "../../src/xdr/outcome/result.ts";
import { encode } from "../../src/xdr/reader/value.ts";

const ACCOUNT = "GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF";
const CONTRACT = "CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2KM";

const explained = (text: string) => explainText({ text, name: "the test" });

/** Everything that the answer says, in one line. */
const said = (text: string) => JSON.stringify(explained(text));

function log(error: string, ...events: readonly string[]): string {
  const numbered = events.map((event, i) => `   ${i}: [Diagnostic Event] ${event}`);
  return [`HostError: ${error}`, "", "Event log (newest first):", ...numbered].join("\n");
}

const VM = "Error(WasmVm, InvalidAction)";

describe("a log", () => {
  test.each(["UnreachableCodeReached", "IntegerOverflow", "MemoryOutOfBounds"])(
    "with a trap (%s) says which function of which contract trapped, also without its call",
    (trap) => {
      const report = `contract:${CONTRACT}, topics:[error, ${VM}], data:["VM call trapped: ${trap}", withdraw]`;
      const outer = `contract:${CONTRACT}, topics:[error, ${VM}], data:["contract call failed", withdraw, []]`;
      for (const text of [log(VM, report), log(VM, outer, report)]) {
        expect(said(text)).toContain(`withdraw of contract ${CONTRACT}`);
        expect(said(text)).not.toContain("If the transaction uploads code");
      }
    },
  );

  test("whose texts have escaped quotes is read to the end of each", () => {
    const message = String.raw`Module(Other(\"a feature is not enabled: zero byte expected\", offset: 15, hint: None))`;
    const answer = said(log(VM, `topics:[error, ${VM}], data:"${message}"`));
    expect(answer).toContain("The code is not wasm that the host accepts");
    expect(answer).not.toContain("panic");
  });

  test("of a simulation has the error before its recorder's as the cause", () => {
    const auth = "Error(Auth, InvalidAction)";
    const after = `topics:[error, ${auth}], data:"previous invocation is missing - no auth data to get"`;
    const budget =
      "topics:[error, Error(Budget, ExceededLimit)], " +
      'data:"escalating error to VM trap from failed host function call: put_contract_data"';
    const both = said(`error: transaction simulation failed: ${log(auth, after, budget)}`);
    expect(both).toContain("CPU or memory limit exceeded");
    expect(both).toContain("The network sets this limit");
    const alone = said(log(auth, after));
    expect(alone).toContain("another error before, which is the cause");
    for (const answer of [both, alone]) {
      expect(answer).not.toContain("sign an authorization");
      expect(answer).not.toContain("is missing, or was refused");
    }
  });
});

describe("an answer that was cut off", () => {
  const bump = { type: 11, bumpSequenceOp: { bumpTo: 2n } } as const;
  const transaction = {
    sourceAccount: { type: 0, ed25519: new Uint8Array(32) },
    fee: 100,
    seqNum: 1n,
    cond: { type: 0 },
    memo: { type: 0 },
    ext: { v: 0 },
    operations: [{ sourceAccount: null, body: bump }],
  } as const;
  const v1 = { tx: transaction, signatures: [] };
  const envelope = encode("TransactionEnvelope", { type: 2, v1 });

  test.each(["tx_bad_auth", "tx_bad_seq", "tx_no_source_account"])(
    "behind %s is explained with its envelope",
    (code) => {
      const json = JSON.stringify({
        title: "Transaction Failed",
        extras: { envelope_xdr: envelope, result_codes: { transaction: code } },
      });
      for (const cut of [json, json.slice(0, -2), `${json.slice(0, -2)},\n`]) {
        const [answer] = JSON.parse(said(cut)).answers;
        expect(answer.evidence.join(" ")).toContain("The transaction's hash on testnet would be");
        const sequence = "The transaction has the sequence number 1.";
        expect(answer.evidence.includes(sequence)).toBe(code === "tx_bad_seq");
      }
    },
  );

  test("a result in hex is read, and a hash is not taken for one", () => {
    const result = resultOfRefusal("txBadSeq") ?? "";
    const hex = Uint8Array.fromBase64(result).toHex();
    expect(said(`{ hash: '${"ab".repeat(32)}',\n  result: 'failed', error: '${hex}' }`)).toContain(
      "txBadSeq",
    );
    expect(said("ab".repeat(32))).not.toContain("result");
  });

  test("only a code without operations has a result of its own", () => {
    expect(resultOfRefusal("txFailed")).toBeNull();
    expect(resultOfRefusal("txFeeBumpInnerFailed")).toBeNull();
    expect(resultOfRefusal("txSuccess")).toBeNull();
    expect(resultOfRefusal("paymentUnderfunded")).toBeNull();
  });
});

test.each([
  "sent, then: total events size exceeds network config maximum",
  'level=error msg="total events size exceeds network config maximum"',
  "it failed: trying to access contract instance outside of the footprint",
])("a message of the host is found behind other words: %s", (text) => {
  expect(said(text)).toContain("message of the contract host");
});

test("a result in a link of Lab is read, however short it is", () => {
  const result = encodeURIComponent(resultOfRefusal("txInsufficientFee") ?? "");
  for (const link of [
    `https://laboratory.stellar.org/#xdr-viewer?input=${result}&type=TransactionResult&network=test`,
    `https://lab.stellar.org/xdr/view?xdr=${result}`,
  ])
    expect(said(link)).toContain("txInsufficientFee");
});

test("a refused request that is about no transaction gets no advice about a hash", () => {
  const refused = JSON.stringify({
    error: { code: -32003, message: "something went wrong" },
    id: 1,
    jsonrpc: "2.0",
  });
  expect(said(refused)).not.toContain("svc debug");
});

test("what a message of a node means stands beside it", () => {
  const message = "startLedger must be within the ledger range: 100 - 200";
  const refused = JSON.stringify({ error: { code: -32600, message }, id: 1, jsonrpc: "2.0" });
  expect(said(refused)).toContain("The node keeps the ledgers 100 to 200 only.");
});

test("events without an error, and an envelope without a fault, are shown", () => {
  const text =
    `   0: [Diagnostic Event] contract:${CONTRACT}, topics:[fn_return, transfer], data:Void\n` +
    `   1: [Diagnostic Event] topics:[fn_call, ${CONTRACT}, transfer], data:[${ACCOUNT}, 100]`;
  const found = explained(text);
  const [answer] = found.kind === "answers" ? found.answers : [];
  expect(answer?.cause).toBeNull();
  const shown = JSON.stringify(answer && answerDocument(answer));
  expect(shown).toContain(`A call of transfer of contract ${CONTRACT}`);
  expect(shown).toContain("The return of transfer");
});
