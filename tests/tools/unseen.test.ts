// Nothing is said of an entry, a signature or a result that the pasted text does not have.

import { expect, test } from "bun:test";
import { explainText } from "../../src/tools/explain-text.ts";

const ACCOUNT = "CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2KM";
const TOKEN = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";

function log(...events: readonly string[]): string {
  const numbered = events.map((event, i) => `   ${i}: [Diagnostic Event] ${event}`);
  return [
    "HostError: Error(Auth, InvalidAction)",
    "",
    "Event log (newest first):",
    ...numbered,
  ].join("\n");
}

const refusedWith = (error: string) =>
  `contract:${TOKEN}, topics:[error, Error(Auth, InvalidAction)], ` +
  `data:["failed account authentication with error", ${ACCOUNT}, ${error}]`;

/** Everything that the answer says, in one line. */
function said(text: string): string {
  return JSON.stringify(explainText({ text, name: "the test" }));
}

test("an account's own refusal says nothing of a signature", () => {
  const answer = said(log(refusedWith("Error(Contract, #3)")));
  expect(answer).toContain("Error(Contract, #3)");
  expect(answer).not.toContain("has no signature");
  expect(answer).not.toContain("Sign the authorization entry again");
});

test("a call back into an account that runs needs no signature", () => {
  const inner =
    `contract:${TOKEN}, topics:[error, Error(Context, InvalidAction)], ` +
    `data:["Contract re-entry is not allowed", ${ACCOUNT}]`;
  const answer = said(log(refusedWith("Error(Context, InvalidAction)"), inner));
  expect(answer).toContain("No signature helps");
  expect(answer).not.toContain("Sign the authorization entry again");
});

test.each([
  ["XDR Write Error: [object Object] is not a ScVal", "a second copy of the SDK"],
  ["XDR Write Error: 12 is not a Hyper", "did not convert"],
  ["invalid version byte. expected 48, got 16", "passed the address of a contract (C…)"],
  ["invalid version byte. expected 16, got 48", "passed the address of an account (G…)"],
])("%s is a value in the wrong place, not an old SDK", (text, meaning) => {
  expect(said(text)).toContain(meaning);
  expect(said(text)).not.toContain("older than the network's protocol");
});

test("an operation that failed as it was applied is in a ledger", () => {
  const applied = JSON.stringify({
    extras: { result_codes: { transaction: "tx_failed", operations: ["op_underfunded"] } },
    result: {
      fee_charged: "100",
      result: { tx_failed: [{ op_inner: { payment: "underfunded" } }] },
    },
  });
  expect(said(applied)).not.toContain("did not accept the transaction");
});

test("a file of code is named, whatever words are in it", () => {
  const answer = said("\0asm\u0001\0\0\0 the amount would overflow");
  expect(answer).toContain("A wasm module");
  expect(answer).not.toContain("smaller amount");
});
