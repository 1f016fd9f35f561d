// Each result code is read once, as an operation and a code, from the chain and from svc-sim alike.

import { expect, test } from "bun:test";
import { parse } from "valibot";
import { executionSchema } from "../../src/model/execution.ts";
import { endedWith, resultCodeConstant, resultCodeName } from "../../src/model/result-code.ts";
import {
  allOperationCodes,
  isApplied,
  readOperationResult,
  readTransactionResult,
  resultOfOperation,
} from "../../src/xdr/outcome/result.ts";
import { memberNames } from "../../src/xdr/reader/schema.ts";
import { sampleResponse } from "../simulator/fake-simulator.ts";

/** An OperationResult. A path payment without an issuer names the asset: here, the native one. */
function operationResult(type: number, code: number): string {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setInt32(4, type);
  view.setInt32(8, code);
  const namesAsset = [PATH_PAYMENT_RECEIVE, PATH_PAYMENT_SEND].includes(type) && code === NO_ISSUER;
  return bytes.slice(0, namesAsset ? 16 : 12).toBase64();
}

const PATH_PAYMENT_RECEIVE = 2;
const PATH_PAYMENT_SEND = 13;
const NO_ISSUER = -9;

const TYPES = [...memberNames("OperationType")];

/** The codes of an operation with the numbers that they have in the XDR: 0, −1, −2, … */
const numbered = TYPES.flatMap(([type, name]) =>
  (allOperationCodes().get(name) ?? []).map((codeName, i) => ({ type, name, codeName, i })),
);

test("a code's two parts make its name in the XDR, for every operation", () => {
  let read = 0;
  for (const { type, codeName, i } of numbered) {
    if (i === 0) continue;
    const result = readOperationResult(operationResult(type, -i));
    expect(resultCodeName(result)).toBe(codeName);
    expect(codeName).toStartWith(result.operation ?? "no operation");
    read += 1;
  }
  expect(read).toBeGreaterThan(150);
});

test("an operation that was not applied has no operation in its code", () => {
  const badAuth = new Uint8Array([255, 255, 255, 255]).toBase64();
  expect(readOperationResult(badAuth)).toEqual({ operation: null, code: "opBadAuth" });
});

/** The codes with which stellar-core refuses an operation before it applies it. */
const BEFORE_IT_IS_APPLIED =
  /Malformed$|^bumpSequenceBadSeq$|(BadFlags|UnknownFlag|ThresholdOutOfRange|BadSigner|InvalidHomeDomain|InvalidName|NotSupportedYet)$/;

test("only codes of operations that were applied show that a transaction is in a ledger", () => {
  for (const { type, codeName, i } of numbered) {
    if (i === 0) continue;
    const resultXdr = resultOfOperation(operationResult(type, -i), false);
    expect([codeName, isApplied(readTransactionResult(resultXdr))]).toEqual([
      codeName,
      !BEFORE_IT_IS_APPLIED.test(codeName),
    ]);
  }
});

const SOROBAN = [
  ["INVOKE_HOST_FUNCTION", "invokeHostFunction"],
  ["EXTEND_FOOTPRINT_TTL", "extendFootprintTtl"],
  ["RESTORE_FOOTPRINT", "restoreFootprint"],
] as const;

test("svc-sim's name of a code is read as the chain's result is", () => {
  for (const [prefix, operation] of SOROBAN)
    for (const { type, codeName, i } of numbered.filter(({ name }) => name === operation)) {
      if (i === 0) continue;
      const rest = codeName.slice(operation.length).replace(/[A-Z]/g, (letter) => `_${letter}`);
      const code = `${prefix}${rest.toUpperCase()}`;
      const { outcome } = parse(executionSchema, {
        ...sampleResponse(),
        outcome: { kind: "failed", code },
      });
      const onChain = readOperationResult(operationResult(type, -i));
      expect<unknown>(outcome).toEqual({ kind: "failed", ...onChain });
    }
});

test("a name that is no result code of svc-sim's operations is refused where it enters", () => {
  const wire = { ...sampleResponse(), outcome: { kind: "failed", code: "PAYMENT_MALFORMED" } };
  expect(() => parse(executionSchema, wire)).toThrow(
    "must be the name of an operation's result code",
  );
});

test("a code of a whole transaction is never that of an operation", () => {
  expect(endedWith({ operation: null, code: "success" }, "success")).toBe(false);
  expect(endedWith(null, "trapped")).toBe(false);
});

test("a report's JSON has the code as the XDR names it", () => {
  for (const { type, codeName, i } of numbered) {
    if (i === 0) continue;
    const constant = codeName.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    expect(resultCodeConstant(readOperationResult(operationResult(type, -i)))).toBe(constant);
  }
});
