import { describe, expect, test } from "bun:test";
import type { Investigation } from "../../src/model/investigation.ts";
import { COUNTS, noValues, type Verification } from "../../src/model/verification.ts";
import { renderJson, renderVerificationJson } from "../../src/report/json.ts";
import debugSchema from "../../src/report/schema/debug-report.schema.json";
import verifySchema from "../../src/report/schema/verify-report.schema.json";
import { protocolWalks } from "../verdict/protocol-walk.ts";
import { schemaProblems, undescribedFields } from "./check-schema.ts";
import { overridden } from "./findings-of.ts";
import { investigate, investigateClassic } from "./investigations.ts";

const names = protocolWalks().map(({ name }) => name);
const diverged = investigate("contract-error", (walk) => ({
  ...walk,
  execution: { ...walk.execution, operationResultXdr: "AAAAAAAAABj////9" },
}));
const inconclusive = investigate("contract-error", (walk) => ({
  ...walk,
  record: { ...walk.record, resultMetaXdr: null },
  snapshot: {
    ...walk.snapshot,
    unknown: [{ keyXdr: Buffer.alloc(40).toString("base64"), reason: "no node has it" }],
  },
}));

function documentOf(investigation: Investigation) {
  const text = renderJson(investigation);
  expect(text.endsWith("}\n")).toBe(true);
  return JSON.parse(text);
}

describe("svc debug --json", () => {
  const all: [string, Investigation][] = [
    ...names.map((name): [string, Investigation] => [name, investigate(name)]),
    ["diverged", diverged],
    ["inconclusive", inconclusive],
    ["overridden", overridden(investigate("contract-error"), investigate("sac-transfer"))],
    ["payment-underfunded", investigateClassic("payment-underfunded")],
    ["fee-bump-payment", investigateClassic("fee-bump-payment")],
  ];
  for (const [name, investigation] of all) {
    test(`${name} follows the schema, and the schema describes all of it`, () => {
      const document = documentOf(investigation);
      expect(schemaProblems(debugSchema, document)).toEqual([]);
      expect(undescribedFields(debugSchema, document)).toEqual([]);
    });
  }

  test("scripts find format, verdict.kind and outcome", () => {
    const document = documentOf(investigate("contract-error"));
    expect(document.format).toBe(1);
    expect(document.verdict.kind).toBe("exact");
    expect(document.outcome.cause.kind).toBe("contract-error");
    expect(documentOf(investigateClassic("payment-underfunded")).verdict).toBeNull();
  });

  test("a document that does not follow the schema is noticed", () => {
    const document = documentOf(diverged);
    document.verdict.kind = "certain";
    document.fees.bidStroops = 5;
    delete document.format;
    expect(schemaProblems(debugSchema, document).length).toBeGreaterThan(2);
  });
});

const VERIFICATION: Verification = {
  ...noValues(COUNTS),
  inputs: ["a.xdr.zst"],
  ledgers: 7,
  transactions: 3,
  classicTransactions: 1,
  refusedTransactions: 1,
  verdicts: { exact: 1, equivalent: 1, diverged: 1, inconclusive: 0 },
  byProtocol: { "23": { exact: 1, equivalent: 1, diverged: 1, inconclusive: 0 } },
  byCause: { "other metering": 1, "return value": 1 },
  byContract: { CA: 2 },
  notExact: [
    {
      hash: "ab".repeat(32),
      ledger: 5,
      protocolVersion: 23,
      applicationOrder: 2,
      source: "a.xdr.zst",
      verdict: "diverged",
      cause: "return value",
      detail: "The return value differs.",
      contract: "CA",
      lacksHistory: false,
    },
  ],
  notExactOmitted: 1,
  stateMismatches: 0,
  mismatches: [],
  rehearsal: null,
  elapsedMilliseconds: 12.5,
};

describe("svc verify --json", () => {
  test("follows the schema, and the schema describes all of it", () => {
    const document = JSON.parse(renderVerificationJson(VERIFICATION));
    expect(schemaProblems(verifySchema, document)).toEqual([]);
    expect(undescribedFields(verifySchema, document)).toEqual([]);
    expect(document.transactions).toBe(3);
    expect(document.verdicts).toEqual({ exact: 1, equivalent: 1, diverged: 1, inconclusive: 0 });
  });
});
