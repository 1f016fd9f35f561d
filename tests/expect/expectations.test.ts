import { describe, expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import { checkExpectations } from "../../src/expect/check-expectations.ts";
import { readExpectations } from "../../src/expect/expectation-file.ts";
import schema from "../../src/expect/schema/expectations.schema.json";
import type { Investigation } from "../../src/model/investigation.ts";
import { schemaProblems } from "../report/check-schema.ts";
import { investigate, investigateClassic } from "../report/investigations.ts";

const failed = investigate("contract-error");
const succeeded = investigate("sac-transfer");
const bumped = investigate("fee-bump-failing");
const HASH = failed.record.hash;

const file = (transactions: object, more: object = {}) =>
  JSON.stringify({ format: 1, transactions, ...more });

function failedExpectations(investigation: Investigation, expectation: object, more: object = {}) {
  const { hash } = investigation.record;
  return checkExpectations(
    readExpectations(file({ [hash]: expectation }, more), "expected.json"),
    investigation,
  );
}

describe("an expectation that passes", () => {
  test("every field of a failure", () => {
    const expectation = {
      outcome: "failed",
      verdict: "exact",
      resultCode: "invokeHostFunctionTrapped",
      cause: failed.explanation.cause?.kind,
      error: `Error(Contract, #${failed.execution.hostError?.contractCode})`,
      events: 0,
      atMost: { cpu: 100_000_000, memory: "99999999", fee: 10_000_000, "read-bytes": 200_000 },
    };
    expect(failedExpectations(failed, expectation)).toEqual([]);
  });

  test("a return value, as shown and byte for byte", () => {
    const returnValueXdr = succeeded.execution.returnValueXdr ?? "";
    const wanted = { outcome: "success", returnValue: "void", returnValueXdr, events: 1 };
    expect(failedExpectations(succeeded, wanted)).toEqual([]);
    expect(failedExpectations(succeeded, { returnValueXdr: "AAAAAwAAAAc=" })[0]).toMatchObject({
      condition: "returnValueXdr",
      expected: "AAAAAwAAAAc=",
      actual: returnValueXdr,
    });
  });

  test("one of several verdicts, the outer hash or the inner one, upper case or lower", () => {
    expect(failedExpectations(failed, { verdict: ["equivalent", "exact"] })).toEqual([]);
    const inner = bumped.record.innerHash ?? "";
    for (const hash of [bumped.record.hash, inner, inner.toUpperCase()]) {
      const expectations = readExpectations(file({ [hash]: { outcome: "success" } }), "x");
      expect(checkExpectations(expectations, bumped)).toHaveLength(1);
    }
  });

  test("the file's defaults apply unless a transaction has another value", () => {
    const defaults = { outcome: "success", atMost: { cpu: 1, fee: 99_999_999 } };
    const found = failedExpectations(
      failed,
      { outcome: "failed", atMost: { memory: 1 } },
      { defaults },
    );
    expect(found.map(({ condition }) => condition)).toEqual(["atMost.cpu", "atMost.memory"]);
  });
});

describe("an expectation that fails", () => {
  test("each field has its expected and its actual value", () => {
    const found = failedExpectations(failed, {
      outcome: "success",
      verdict: ["diverged", "inconclusive"],
      resultCode: "txSuccess",
      cause: "budget-exceeded",
      error: "Error(Contract, #999999)",
      returnValue: "7",
      events: 3,
      atMost: { cpu: 1000 },
    });
    expect(found.map(({ condition, expected }) => `${condition}: ${expected}`)).toEqual([
      "outcome: success",
      "verdict: diverged or inconclusive",
      "resultCode: txSuccess",
      "cause: budget-exceeded",
      "error: Error(Contract, #999999)",
      "returnValue: 7",
      "events: 3",
      "atMost.cpu: at most 1000",
    ]);
    expect(found[0]?.message).toBe("Expected outcome success, found failed.");
    expect(found[2]?.actual).toBe("txFailed, invokeHostFunctionTrapped");
  });

  test("a transaction that is not in the file", () => {
    const expectations = readExpectations(file({ ["0".repeat(64)]: {} }), "expected.json");
    const [found, ...others] = checkExpectations(expectations, failed);
    expect(others).toEqual([]);
    expect(found?.message).toBe(`expected.json has no expectation for ${HASH}.`);
  });

  test("a classic transaction has no verdict, error or return value", () => {
    const classic = investigateClassic("payment-underfunded");
    const wanted = { verdict: "exact", error: "Error(Contract, #1)", returnValue: "1" };
    expect(failedExpectations(classic, wanted).map(({ actual }) => actual)).toEqual([
      "none",
      "none",
      "none",
    ]);
  });
});

const WELL_FORMED: readonly object[] = [
  {},
  { outcome: "failed", verdict: "exact", resultCode: "txFailed", cause: "contract-error" },
  { error: "Error(WasmVm, InvalidAction)", returnValue: "()", returnValueXdr: "AAAAAQ==" },
  { verdict: ["exact", "equivalent"], events: 0, atMost: { cpu: 1, fee: "18446744073709551" } },
  { atMost: { memory: 0, "read-bytes": 5, "write-bytes": "6", events: 7 } },
];

const REFUSED: readonly [object, string][] = [
  [{ outcom: "failed" }, 'did you mean "outcome"?'],
  [{ atMost: { cpus: 1 } }, 'did you mean "cpu"?'],
  [{ outcome: "fail" }, "must be success or failed"],
  [{ verdict: [] }, "verdict"],
  [{ verdict: "sure" }, "verdict"],
  [{ error: "Contract #5" }, "Error(Contract, #5)"],
  [{ events: -1 }, "must not be negative"],
  [{ events: 1.5 }, "must be a whole number"],
  [{ events: "1" }, "events"],
  [{ atMost: { cpu: "1e6" } }, "cpu"],
  [{ atMost: { cpu: -1 } }, "cpu"],
  [{ returnValueXdr: "not base64" }, "returnValueXdr"],
  [{ cause: "" }, "must not be empty"],
];

describe("the file", () => {
  test("a valid file is accepted, and follows the schema", () => {
    for (const expectation of WELL_FORMED) {
      const text = file({ [HASH]: expectation }, { $schema: "x", defaults: expectation });
      expect(schemaProblems(schema, JSON.parse(text))).toEqual([]);
      expect(readExpectations(text, "x").transactions.size).toBe(1);
    }
  });

  for (const [expectation, says] of REFUSED)
    test(`${JSON.stringify(expectation)} is refused, by the schema too`, () => {
      const text = file({ [HASH]: expectation });
      expect(problemOf(text)).toContain(says);
      expect(schemaProblems(schema, JSON.parse(text))).not.toEqual([]);
    });

  test("errors around the expectations are refused", () => {
    const wrong: [string, string][] = [
      ["{", "it is not JSON"],
      ["[]", "format is missing"],
      ["7", "the document"],
      [JSON.stringify({ transactions: {} }), "format is missing"],
      [JSON.stringify({ format: 2, transactions: {} }), "format: must be 1"],
      [JSON.stringify({ format: 1 }), "transactions is missing"],
      [file({ "12": {} }), "64 hexadecimal"],
      [file({}, { default: {} }), 'did you mean "defaults"?'],
      [file({ [HASH]: {}, [HASH.toUpperCase()]: {} }), "twice"],
      [`{"format":1,"transactions":{"${HASH}":{"outcome":"failed"},"${HASH}" : {}}}`, "twice"],
    ];
    for (const [text, says] of wrong) expect(problemOf(text)).toContain(says);
  });
});

function problemOf(text: string): string {
  try {
    readExpectations(text, "expected.json");
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    expect(error.code).toBe("FILE_INVALID");
    return error.message;
  }
  throw new Error(`${text} was accepted`);
}
