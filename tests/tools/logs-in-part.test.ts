// Logs of which people paste a part: events without their topics, data or brackets, and the logs of
// several failures in one text.

import { describe, expect, test } from "bun:test";
import { explainText } from "../../src/tools/explain-text.ts";

const TOKEN = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";

function causesOf(text: string) {
  const found = explainText({ text, name: "the test" });
  return found.kind === "answers" ? found.answers.map(({ cause }) => cause) : [];
}

const kindsOf = (text: string) => causesOf(text).map((cause) => cause?.kind);

/** The error, and the data of the event that reported it → the cause. */
const REPORTED = [
  ["Contract, #10", '["balance is not sufficient to spend", 100, 500]', "token-balance"],
  ["Contract, #8", '["negative amount is not allowed", -1]', "token-amount"],
  ["Contract, #13", '["trustline entry is missing for account", GBXE…]', "trustline-missing"],
  ["Storage, MissingValue", '["Wasm does not exist", Bytes(1111...)]', "code-missing"],
  ["Auth, InvalidInput", '["signature has expired", GCGY…P3G7, 20, 10]', "authorization-expired"],
  ["WasmVm, InvalidAction", '["VM call trapped: UnreachableCodeReached", f]', "contract-panic"],
] as const;

describe.each(REPORTED)("Error(%s) with %s", (error, data, kind) => {
  const head = `error: transaction simulation failed: HostError: Error(${error})\n`;

  test.each([
    `   0: [Diagnostic Event] topics:[error, Error(${error})], data:`,
    "   [Diagnostic Event] ... data:",
    "   0: [Diagnostic Event] … data:",
    " 0: [Diagnostic Event] data:",
    "   [Failed Diagnostic Event (not emitted)] data:",
    "  ... data:",
    "  data:",
  ])("the same cause is found behind %p", (before) => {
    expect(kindsOf(`${head}${before}${data}`)).toEqual([kind]);
  });

  test("data gets no error that the text does not name before it", () => {
    expect(kindsOf(`data:${data}`)).toEqual([]);
  });
});

test("data that is no message of the host, and has no event around it, is of another program", () => {
  const text = 'Error(Contract, #8)\n  data: "loaded the configuration of the shop"';
  expect(JSON.stringify(explainText({ text, name: "the test" }))).not.toContain("shop");
});

test("an event of an error without data, and the call before it, are read", () => {
  const log = `HostError: Error(Contract, #8)
   [Diagnostic Event] contract:CDN2BQNG…OZ3B, topics:[error, Error(Contract, #8)]
   [Diagnostic Event] topics:[fn_call, CDN2BQNG…OZ3B, refund], data:3`;
  expect(JSON.stringify(causesOf(log))).toContain("refund(3) of contract CDN2BQNG…OZ3B");
});

test("a trap that is told with its function names it", () => {
  for (const text of [
    "VM call trapped: UnreachableCodeReached, registrar_egreso",
    'HostError: Error(WasmVm, InvalidAction)\ndata:"VM call trapped: UnreachableCodeReached", registrar_egreso',
  ])
    expect(JSON.stringify(causesOf(text))).toContain("registrar_egreso panicked");
});

describe("the logs of several failures in one text", () => {
  const failure = (error: string, data: string) =>
    `### step\nerror: HostError: Error(${error})\n\nEvent log (newest first):\n` +
    `   0: [Diagnostic Event] contract:${TOKEN}, topics:[error, Error(${error})], data:${data}\n`;

  test("each has its own cause, in the order of the text", () => {
    const text = REPORTED.map(([error, data]) => failure(error, data)).join("\n");
    expect(kindsOf(text)).toEqual(REPORTED.map(([, , kind]) => kind));
  });

  test("the same failure twice is one", () => {
    const [error, data, kind] = REPORTED[0];
    expect(kindsOf(failure(error, data) + failure(error, data))).toEqual([kind]);
  });
});
