// Explains why a classic transaction failed: the operations that failed, their codes, and their
// fields in the envelope, which show the account or asset that a code is about.

import { resultCodeName } from "../../model/result-code.ts";
import { type TypedOperation, typedOperations } from "../../xdr/envelope/describe-envelope.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { isSuccess, type ResultFacts } from "../../xdr/outcome/result.ts";
import { groupedFieldText } from "../naming/field-text.ts";
import { operationCodeInWords } from "../naming/operation-codes.ts";
import { transactionCodeInWords } from "../naming/transaction-codes.ts";
import type { CauseFinding } from "../words/found-cause.ts";
import type { OperationFacts } from "../words/found-evidence.ts";

const SHOWN_OPERATIONS = 6;

/** The cause of a transaction whose operations ran. */
export function classicCause(envelope: Envelope, result: ResultFacts): CauseFinding {
  const { sourceAccount } = envelope;
  const described = typedOperations(envelope);
  const failed = result.operationResults.flatMap((ended, i): OperationFacts[] => {
    const code = resultCodeName(ended);
    const operation = described[i];
    if (isSuccess(ended) || !isKnown(code)) return [];
    const facts = operation && {
      kind: operation.kind,
      fields: fieldsOf(operation, sourceAccount),
    };
    return [{ position: i + 1, result: ended, described: facts ?? null }];
  });
  const code = result.innerCode ?? result.code;
  const finding = {
    by: "operations",
    kind: "result-code",
    facts: { failed, code },
    confidence: "known",
  } as const;
  const [first, ...others] = failed;
  // A single failed operation is the cause. If several failed, each is evidence.
  if (first === undefined || others.length === 0)
    return {
      ...finding,
      evidence: first?.described ? [{ kind: "operation-fields", operation: first }] : [],
    };
  const more = failed.length - SHOWN_OPERATIONS;
  const shown = failed.slice(0, SHOWN_OPERATIONS);
  return {
    ...finding,
    evidence: [
      ...shown.map((operation) => ({ kind: "operation", operation }) as const),
      ...(more > 0 ? [{ kind: "more-operations", count: more } as const] : []),
    ],
  };
}

type Fields = readonly (readonly [name: string, value: string])[];

/** The fields with their names in the envelope, the operation's source account first. */
function fieldsOf({ fields, sourceAccount, kind }: TypedOperation, ofAll: string): Fields {
  // The only field of an account merge, the destination, has no name.
  const unnamed = kind === "account_merge" ? "destination" : "value";
  return [
    ["source", sourceAccount ?? ofAll],
    ...fields.map((field): [string, string] => [
      field.name === "value" ? unnamed : field.name,
      groupedFieldText(field),
    ]),
  ];
}

function isKnown(code: string): boolean {
  return (operationCodeInWords(code) ?? transactionCodeInWords(code)) !== null;
}
