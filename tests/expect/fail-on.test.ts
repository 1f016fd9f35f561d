import { describe, expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import { checkFailOn, parseFailOn } from "../../src/expect/fail-on.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { investigate, investigateClassic } from "../report/investigations.ts";

const failed = investigate("contract-error");
const succeeded = investigate("sac-transfer");
const diverged = investigate("contract-error", (walk) => ({
  ...walk,
  execution: { ...walk.execution, operationResultXdr: "AAAAAAAAABj////9" },
}));

function holding(text: string, investigation: Investigation): string[] {
  return checkFailOn(parseFailOn(text), investigation).map(({ message }) => message);
}

describe("--fail-on", () => {
  test("a transaction that failed, a verdict by its name", () => {
    expect(holding("tx-failed", failed)).toEqual(["The transaction failed (txFailed)."]);
    expect(holding("tx-failed", succeeded)).toEqual([]);
    expect(holding("diverged,inconclusive,equivalent", diverged)).toEqual([
      "The verdict is diverged.",
    ]);
    expect(holding("diverged,inconclusive,equivalent", failed)).toEqual([]);
  });

  test("a limit fails when more was used, and the message has the excess", () => {
    const cpu = BigInt(succeeded.execution.metrics.cpu_insn ?? "");
    const grouped = (value: bigint) => value.toLocaleString("en");
    expect(holding(`cpu>${cpu}`, succeeded)).toEqual([]);
    expect(holding(`cpu>${cpu - 3n}`, succeeded)).toEqual([
      `cpu: ${grouped(cpu)} instructions, 3 above the limit of ${grouped(cpu - 3n)}.`,
    ]);
    for (const name of ["memory", "fee", "write-bytes", "events"])
      expect(holding(`${name}>0`, succeeded)).toHaveLength(1);
    expect(holding("read-bytes>1000000", succeeded)).toEqual([]);
  });

  test("each true condition is reported with its text, the expected and the actual value", () => {
    const failedExpectations = checkFailOn(parseFailOn("fee>7,tx-failed"), failed);
    expect(failedExpectations.map(({ condition }) => condition)).toEqual(["fee>7", "tx-failed"]);
    const actual = failed.explanation.fees.chargedStroops;
    expect(failedExpectations[0]).toMatchObject({
      origin: "--fail-on",
      expected: "at most 7",
      actual,
    });
  });

  test("64-bit limits are exact", () => {
    const fees = { ...succeeded.explanation.fees, chargedStroops: "9007199254740993" };
    const costly = { ...succeeded, explanation: { ...succeeded.explanation, fees } };
    expect(holding("fee>9007199254740993", costly)).toEqual([]);
    expect(holding("fee>9007199254740992", costly)).toHaveLength(1);
  });

  test("without a run nothing was used, and an unknown value counts as an excess", () => {
    const classic = investigateClassic("payment-underfunded");
    expect(holding("cpu>0,memory>0,write-bytes>0,diverged,inconclusive", classic)).toEqual([]);
    expect(holding("tx-failed", classic)).toHaveLength(1);
    const unmetered = { ...failed, explanation: { ...failed.explanation, resources: [] } };
    expect(holding("cpu>5000", unmetered)).toEqual([
      "cpu: the value is unknown; the limit is 5,000.",
    ]);
  });

  const REFUSED: readonly [string, string][] = [
    ["", "a condition is empty"],
    ["tx-failed,", "a condition is empty"],
    ["tx-failed, diverged", 'Did you mean "diverged"?'],
    ["tx_failed", 'Did you mean "tx-failed"?'],
    ["cpus>5", 'Did you mean "cpu>N"?'],
    ["exact", "is not a condition"],
    ["cpu", "'cpu>N' in quotes"],
    ["cpu>", "is not a limit"],
    ["cpu>=5", "is not a limit"],
    ["cpu<5", "is not a limit"],
    ["cpu>5e6", "is not a limit"],
    ["cpu>-1", "is not a limit"],
    ["cpu>1_000", "in digits only"],
    ["cpu>99999999999999999999", "is not a limit"],
    ["diverged>1", "takes no limit"],
    ["fee>1,fee>2", '"fee" is given twice'],
  ];
  for (const [text, says] of REFUSED)
    test(`"${text}" is refused`, () => {
      try {
        parseFailOn(text);
        throw new Error("it was accepted");
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        expect(error.code).toBe("USAGE");
        expect(`${error.message} ${error.remedy}`).toContain(says);
      }
    });
});
