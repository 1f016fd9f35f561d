import { describe, expect, test } from "bun:test";
import {
  OperationResultTr,
  ScErrorCode,
  ScErrorType,
  TransactionResultCode,
} from "@stellar/stellar-sdk/xdr";
import { causeOfFailure } from "../../src/explain/cause-of-failure.ts";
import { explain } from "../../src/explain/explain.ts";
import { hostErrorInWords } from "../../src/explain/host-messages/host-errors.ts";
import {
  operationCodeInWords,
  operationCodeRemedy,
  operationInWords,
  resultsOfOperations,
} from "../../src/explain/naming/operation-codes.ts";
import {
  TRANSACTION_CODES,
  transactionCodeInWords,
  transactionCodeRemedy,
} from "../../src/explain/naming/transaction-codes.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import type { CauseKind } from "../../src/model/cause-kinds.ts";
import type { CallNode } from "../../src/model/execution.ts";
import { investigate, investigateClassic, recordOf } from "../report/investigations.ts";
import { opened, openedAlone } from "../support/opened.ts";
import { said } from "../support/said.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

const NOTHING = { readOnly: [], readWrite: [] };

describe("failures of real transactions", () => {
  const cases: [string, CauseKind, RegExp, RegExp | null][] = [
    [
      "contract-error",
      "contract-error",
      / returned LabError::NotFound \(Error\(Contract, #1\)\)/,
      null,
    ],
    ["entry-archived", "entry-archived", /^A footprint entry is archived/, /RestoreFootprint/],
    ["fee-bump-failing", "contract-panic", /panicked/, null],
    ["insufficient-refundable-fee", "insufficient-refundable-fee", /rent/, /Raise/],
    ["write-bytes-exceeded", "write-bytes-exceeded", / 300 declared\.$/, /Declare more write/],
    [
      "entry-over-the-size-limit",
      "entry-size-exceeded",
      /Blob\(2\).* the network allows 65,536 /,
      /smaller value/,
    ],
  ];
  for (const [name, kind, summary, remedy] of cases) {
    test(name, () => {
      const { explanation } = investigate(name);
      expect(explanation.success).toBe(false);
      expect(explanation.cause?.kind).toBe(kind);
      expect(explanation.cause?.summary).toMatch(summary);
      if (remedy === null) expect(explanation.remedy).toBeNull();
      else expect(said(explanation.remedy)).toMatch(remedy);
      expect(explanation.details.some((detail) => detail.kind === "host")).toBe(true);
    });
  }

  test("the node's reports are details", () => {
    const { evidence, details, cause } = investigate("fee-bump-failing").explanation;
    // The cause names the call, so the evidence does not repeat it.
    expect(cause?.summary).toMatch(/^trap\(\) of contract C\w{55} panicked /);
    expect(evidence.join("\n")).not.toContain("Failed call");
    expect(evidence.join("\n")).not.toContain("VM call trapped");
    expect(details.map(({ text }) => text).join("\n")).toContain(
      "VM call trapped: UnreachableCodeReached",
    );
  });

  test("the diagnostics name the archived entry where the state before is unknown", () => {
    const { record, envelope, chain } = opened(walkOf("entry-archived"));
    const found = causeOfFailure({ record, envelope, chain, snapshot: null }, null, null);
    expect(found && inWords(found).cause.summary).toMatch(
      / does not restore it: persistent data p1 of contract C/,
    );
    const forged = { ...envelope, soroban: { ...envelope.soroban, footprint: NOTHING } } as never;
    const other = causeOfFailure({ record, envelope: forged, chain, snapshot: null }, null, null);
    expect(other && inWords(other).cause.summary).toBe(
      "A footprint entry is archived: its TTL had expired.",
    );
  });

  test("the chain's diagnostics are believed before the replay's", () => {
    const { explanation } = investigate("contract-error", (walk) => ({
      ...walk,
      execution: { ...walk.execution, hostError: { type: "Auth", code: "x", contractCode: null } },
    }));
    expect(explanation.cause?.kind).toBe("contract-error");
  });

  test("a hostile function name is neutral in cause and evidence", () => {
    const walk = walkOf("fee-bump-failing");
    const rename = (node: CallNode): CallNode => ({
      ...node,
      function: node.function === null ? null : "a\u001b[31m\u202e, b",
      calls: node.calls.map(rename),
    });
    const { callTree } = walk.execution;
    const execution = { ...walk.execution, callTree: callTree && rename(callTree) };
    const { cause, evidence, details } = explain(opened(walk), execution, null);
    const text = [cause?.summary, ...evidence, ...details.map((each) => each.text)].join("\n");
    expect(text).toContain("u{202e}, b");
    expect(text).not.toMatch(/[\p{Cf}]|(?!\n)\p{Cc}/u);
  });

  test("a replay with other diagnostics than the chain's is no evidence", () => {
    const other = (node: CallNode): CallNode => ({
      ...node,
      function: node.function && "other",
      calls: node.calls.map(other),
    });
    const causeWith = (diagnosticsOf: (own: readonly string[]) => readonly string[]) => {
      const { verdict, explanation } = investigate("fee-bump-failing", ({ execution, ...walk }) => {
        const diagnosticsXdr = diagnosticsOf(execution.diagnosticsXdr);
        const callTree = execution.callTree && other(execution.callTree);
        return { ...walk, execution: { ...execution, callTree, diagnosticsXdr } };
      });
      return [verdict?.kind, explanation.cause?.summary.includes("other(")];
    };
    expect(causeWith((own) => own)).toEqual(["exact", true]);
    expect(causeWith(([first = "", ...own]) => [...own, first])).toEqual(["equivalent", false]);
  });

  test("without diagnostics the cause comes from the replay's host error", () => {
    const walk = walkOf("contract-error");
    const silent = opened({ ...walk, record: { ...walk.record, resultMetaXdr: null } });
    const execution = { ...walk.execution, diagnosticsXdr: [] };
    const { cause } = explain(silent, execution, null);
    expect(cause?.summary).toContain("(Error(Contract, #1))");
    const nothing = { ...execution, hostError: null };
    expect(explain(silent, nothing, null).cause?.kind).toBe("trapped");
  });
});

describe("a successful transaction", () => {
  test("has a headline and no cause", () => {
    const { explanation } = investigate("sac-transfer");
    expect(explanation).toMatchObject({ success: true, cause: null, remedy: null, evidence: [] });
    expect(explanation.headline).toBe("`transfer()` succeeded in ledger 356.");
  });

  test("names a TTL for the entry it belongs to", () => {
    const { explanation } = investigate("extend-footprint-ttl");
    expect(explanation.headline).toBe("Extend footprint TTL succeeded in ledger 434.");
    expect(explanation.changes[0]?.key).toMatch(/^TTL of persistent data p4 of contract C/);
  });

  test("the TTL before comes from the snapshot if the chain's changes lack it", () => {
    const { record, snapshot, execution } = walkOf("extend-footprint-ttl");
    const silent = opened({ record: { ...record, resultMetaXdr: null }, snapshot });
    const { changes } = explain(silent, execution, null);
    const lived = snapshot.entries.map((entry) => `live until ledger ${entry.liveUntilLedger}`);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ kind: "updated", before: lived[0] ?? "" });
    const entries = snapshot.entries.map((entry) => ({
      ...entry,
      provisional: "ttl-unchanged" as const,
    }));
    const later = explain({ ...silent, snapshot: { ...snapshot, entries } }, execution, null);
    expect(later.changes[0]?.before).toBeNull();
  });

  test("shows what was used and declared, with the network's limits", () => {
    const settings = [
      // Compute: ledger 600 M instructions, transaction 100 M, fee 25, memory 41,943,040 bytes.
      "AAAAAQAAAAgAAAABAAAAACPDRgAAAAAABfXhAAAAAAAAAAAZAoAAAAAAAAA=",
    ].map((entryXdr) => ({
      name: "CONFIG_SETTING_CONTRACT_COMPUTE_V0",
      entryXdr,
      provenance: { kind: "meta" as const, detail: "" },
    }));
    const { resources } = investigate("sac-transfer", (walk) => ({
      ...walk,
      snapshot: { ...walk.snapshot, settings },
    })).explanation;
    expect(resources[0]).toEqual({
      name: "CPU",
      unit: "instructions",
      used: "181664",
      declared: "252451",
      limit: "100000000",
      limitProvenance: "meta",
    });
  });
});

describe("without a replay", () => {
  test("a classic payment that failed", () => {
    const { explanation } = investigateClassic("payment-underfunded");
    expect(explanation.headline).toBe("Payment failed in ledger 386.");
    expect(explanation.cause?.summary).toBe(
      "The source GAWHQXHVLXOQ3W4QOSI4NN27HC5HOLHUCFQZNGDRDMHK3SSQUAUSDNCK does not have " +
        "99,999,999 XLM above reserves and liabilities (operation 1: paymentUnderfunded).",
    );
    expect(explanation.evidence).toEqual([
      "Operation 1, payment: source GAWHQXHVLXOQ3W4QOSI4NN27HC5HOLHUCFQZNGDRDMHK3SSQUAUSDNCK, " +
        "destination GBH7CNIE6Y6TT3AYRDMJMXYBLRC6HGBHASDFCFLP2OHUKEZRQSRYL4D4, asset XLM, " +
        "amount 99,999,999.",
    ]);
    expect(explanation.remedy).toBe(
      "Add more of the asset to the source account, or use a smaller amount.",
    );
    expect(explanation.resources).toEqual([]);
  });

  test("the failed one of several operations is named", () => {
    const { explanation } = investigateClassic("one-of-several-failed");
    expect(explanation.headline).toBe("Operation 2 of 2 (payment) failed in ledger 389.");
    expect(explanation.cause?.summary).toBe(
      "Account GBH7CNIE6Y6TT3AYRDMJMXYBLRC6HGBHASDFCFLP2OHUKEZRQSRYL4D4 has no trustline for " +
        "NOPE:GCRHIP25QTIUA3GEQTL4UAEQJN55FKPW2XNBPO4O7EWYY2C5MK7PPMWC " +
        "(operation 2: paymentNoTrust).",
    );
  });

  test("a refusal before anything ran", () => {
    // feeCharged 100, txBAD_SEQ, no extension.
    const resultXdr = "AAAAAAAAAGT////7AAAAAA==";
    const classic = { ...recordOf("payment-underfunded"), resultXdr };
    const { cause } = explain(openedAlone(classic), null, null);
    expect(cause?.summary).toStartWith("txBadSeq: the sequence");
    const soroban = { ...walkOf("contract-error").record, resultXdr };
    const explanation = explain(openedAlone(soroban), null, null);
    expect(explanation.cause?.kind).toBe("bad-sequence");
    expect(explanation.headline).toContain("was refused");
  });
});

describe("every code has words", () => {
  interface Union {
    cases: { arm: { schema: { switchOn: { nameByValue: ReadonlyMap<number, string> } } } }[];
  }

  test("result codes of transactions", () => {
    const names = [...TransactionResultCode.schema.nameByValue.values()];
    expect(names.filter((name) => transactionCodeInWords(name) === null)).toEqual([]);
  });

  test("result codes of operations", () => {
    const { cases } = OperationResultTr.schema as unknown as Union;
    const names = cases.flatMap(({ arm }) => [...arm.schema.switchOn.nameByValue.values()]);
    expect(names.length).toBeGreaterThan(150);
    expect(names.filter((name) => operationCodeInWords(name) === null)).toEqual([]);
  });

  test("every code has a remedy, but that of a trap", () => {
    const ofTransactions = TRANSACTION_CODES.filter((code) => transactionCodeRemedy(code) === null);
    expect(ofTransactions).toEqual([]);
    const ofOperations = resultsOfOperations().filter((code) => operationCodeRemedy(code) === null);
    expect(ofOperations.every((code) => /Success$|Trapped$/.test(code))).toBe(true);
  });

  test("a result that is about another account than the source does not blame the source", () => {
    expect(operationCodeInWords("clawbackUnderfunded")).not.toContain("source");
    expect(operationCodeInWords("createAccountLowReserve")).toContain("starting balance");
    expect(operationCodeInWords("changeTrustInvalidLimit")).toContain("does not exist");
  });

  test("host errors of every type and code", () => {
    const typeNames = [...ScErrorType.schema.nameByValue.values()];
    const codeNames = [...ScErrorCode.schema.nameByValue.values()];
    expect([typeNames.length, codeNames.length]).toEqual([10, 10]);
    const withoutPrefix = (name: string) => name.replace(/^sce?c?(?=[A-Z])/, "");
    for (const type of typeNames.map(withoutPrefix))
      for (const code of codeNames.map(withoutPrefix)) {
        const { kind, words } = hostErrorInWords({ type, code, contractCode: null });
        expect(kind).not.toBe("host-error");
        expect(words).not.toBe("the host reported an error");
      }
  });

  test("host errors of any type", () => {
    for (const type of ["Contract", "WasmVm", "Budget", "Auth", "Unknown"]) {
      const { words } = hostErrorInWords({ type, code: "Whatever", contractCode: null });
      expect(words).not.toBe("");
    }
  });

  test("names of operations read as words", () => {
    expect(operationInWords("pathPaymentStrictSend")).toBe("path payment strict send");
  });
});
