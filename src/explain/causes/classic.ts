// Why a classic transaction failed: the operations that failed, their codes, and their fields in
// the envelope, which show the account or asset that a code is about.

import { neutralise } from "../../base/text/neutralise.ts";
import {
  type DescribedOperation,
  describeOperations,
} from "../../xdr/envelope/describe-envelope.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { ResultFacts } from "../../xdr/outcome/result.ts";
import { operationCodeInWords, operationCodeRemedy } from "../naming/operation-codes.ts";
import { transactionCodeInWords, transactionCodeRemedy } from "../naming/transaction-codes.ts";
import type { CauseFacts } from "./failure.ts";

/** Set options and path payments have many fields; the rest is in the envelope. */
const SHOWN_FIELDS = 12;

/** For a transaction whose operations ran. */
export function classicCause(envelope: Envelope, result: ResultFacts): CauseFacts {
  const { sourceAccount } = envelope;
  const described = describeOperations(envelope, { stroopsBeside: false });
  const failed = result.operationCodes.flatMap((code, i) => {
    const operation = described[i];
    const words = operationCodeInWords(code) ?? transactionCodeInWords(code);
    if (code.endsWith("Success") || words === null) return [];
    const facts = operation === undefined ? null : factsOf(operation, sourceAccount);
    const detailed = facts === null ? words : (detailedWords(code, facts) ?? words);
    const ended = `Operation ${i + 1} ended with ${code}: ${detailed}.`;
    const remedy = operationCodeRemedy(code) ?? transactionCodeRemedy(code);
    const what = facts === null ? null : factsInWords(i + 1, operation, facts);
    return [{ ended, what, remedy }];
  });
  const kind = "result-code";
  const [only, ...others] = failed;
  // A single failed operation is the cause. Of several, each is evidence.
  if (only !== undefined && others.length === 0) {
    const evidence = only.what === null ? [] : [only.what];
    const cause = { kind, summary: only.ended, confidence: "known" } as const;
    return { cause, evidence, remedy: only.remedy };
  }
  const code = result.innerCode ?? result.code;
  const summary = `${code}: ${transactionCodeInWords(code) ?? "the network refused it"}.`;
  const evidence = failed.flatMap(({ ended, what }) => (what === null ? [ended] : [ended, what]));
  const remedies = [...new Set(failed.flatMap(({ remedy }) => remedy ?? []))];
  const remedy = remedies.length === 0 ? transactionCodeRemedy(code) : remedies.join(" ");
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy };
}

type Facts = ReadonlyMap<string, string>;

/** Names of the fields as in the envelope; the operation's source account comes first. */
function factsOf({ fields, sourceAccount, kind }: DescribedOperation, ofAll: string): Facts {
  // The only field of an account merge, the destination, has no name.
  const unnamed = kind === "account_merge" ? "destination" : "value";
  return new Map([
    ["source", sourceAccount ?? ofAll],
    ...fields.map(({ name, value }): [string, string] => [
      name === "value" ? unnamed : name,
      neutralise(value === "native" ? "XLM" : value),
    ]),
  ]);
}

function factsInWords(
  position: number,
  operation: DescribedOperation | undefined,
  facts: Facts,
): string {
  const named = [...facts].map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`);
  const more = named.length - SHOWN_FIELDS;
  const rest = more > 0 ? `, and ${more} more` : "";
  const kind = (operation?.kind ?? "operation").replaceAll("_", " ");
  return `Operation ${position}, ${kind}: ${named.slice(0, SHOWN_FIELDS).join(", ")}${rest}.`;
}

/** The code in words, with the account or asset it is about; null when the fields lack them. */
function detailedWords(code: string, facts: Facts): string | null {
  const about = DETAILED_WORDS.find(([end]) => end.test(code))?.[1];
  return about?.((...names) => names.map((name) => facts.get(name)).find(Boolean) ?? null) ?? null;
}

type Look = (...names: readonly string[]) => string | null;

/** Null when a part is missing. */
function joined(parts: readonly (string | null)[]): string | null {
  return parts.some((part) => part === null) ? null : parts.join(" ");
}

const DETAILED_WORDS: readonly (readonly [end: RegExp, words: (look: Look) => string | null])[] = [
  [
    /^(payment|pathPayment\w+)NoDestination$|^accountMergeNoAccount$/,
    (look) => joined(["the destination account", look("destination"), "does not exist"]),
  ],
  [
    /^createAccountAlreadyExist$/,
    (look) => joined(["account", look("destination"), "already exists"]),
  ],
  [
    /^(payment|pathPayment\w+)SrcNoTrust$/,
    (look) =>
      joined(["the source", look("source"), "has no trustline for", look("send_asset", "asset")]),
  ],
  [
    /^(payment|pathPayment\w+)NoTrust$/,
    (look) =>
      joined(["account", look("destination"), "has no trustline for", look("dest_asset", "asset")]),
  ],
  [
    /^paymentUnderfunded$/,
    (look) =>
      joined([
        `the source ${look("source")} does not have`,
        look("amount"),
        look("asset"),
        "above reserves and liabilities",
      ]),
  ],
  [/^paymentNoIssuer$/, (look) => joined(["the issuer of", look("asset"), "does not exist"])],
];
