// The outline of a transaction that was not replayed: outcome, result codes, envelope, operations.

import type { OutlinedOperation, TransactionOutline } from "../../model/transaction-outline.ts";
import { type Head, type Item, itemsOf, type ReportDocument, rowsOf, section } from "./document.ts";

const ANSWER = { level: "answer" } as const;
const UNREADABLE = "this svc cannot decode it";
const OUTCOMES = { true: "succeeded", false: "failed", null: "was included" } as const;

/** `why`: nothing was replayed. */
export function outlineDocument(outline: TransactionOutline, why: Head): ReportDocument {
  const { hash, ledger, succeeded, result, envelope } = outline;
  const outcome = OUTCOMES[`${succeeded}`];
  const codes = result && [result.code, result.innerCode, ...result.operationCodes];
  const facts = rowsOf([
    ["transaction", hash],
    ["result codes", codes?.filter((code) => code !== null).join(", ") ?? UNREADABLE],
    ["fee charged", result && `${result.feeChargedStroops} stroops`],
    ["envelope", envelope === null ? UNREADABLE : null],
    ["source account", envelope?.sourceAccount],
    ["sequence number", envelope?.sequence],
    ["fee bid", envelope && `${envelope.feeBidStroops} stroops`],
  ]);
  const operations = envelope && itemsOf("tree", envelope.operations.map(operationItem));
  return {
    head: {
      headline: `The transaction ${outcome} in ledger ${ledger}. ${why.headline}`,
      tone: "caution",
      body: why.body,
    },
    sections: [
      section("outline", "From the node (only the envelope was checked)", facts, ANSWER),
      section("operations", "Operations", operations, ANSWER),
    ],
  };
}

function operationItem({ kind, sourceAccount, fields }: OutlinedOperation): Item {
  const shown = fields.map(({ name, value }) => ({ text: `${name}: ${value}` }));
  const source = sourceAccount === null ? [] : [{ text: `source account: ${sourceAccount}` }];
  return { text: kind, notes: [...source, ...shown] };
}
