// Why a classic transaction failed: the operations that failed, their codes, and their fields in
// the envelope, which show the account or asset that a code is about.

import { groupedDecimal } from "../../base/text/grouped.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { Cause } from "../../model/explanation.ts";
import { resultCodeName } from "../../model/result-code.ts";
import {
  type DescribedOperation,
  describeOperations,
} from "../../xdr/envelope/describe-envelope.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { isSuccess, type ResultFacts } from "../../xdr/outcome/result.ts";
import { operationCodeInWords, operationCodeRemedy } from "../naming/operation-codes.ts";
import { transactionCodeInWords, transactionCodeRemedy } from "../naming/transaction-codes.ts";
import type { CauseFacts } from "./failure.ts";

/** Set options and path payments have many fields; the rest is in the envelope. */
const SHOWN_FIELDS = 12;
const SHOWN_OPERATIONS = 6;

/** For a transaction whose operations ran. */
export function classicCause(envelope: Envelope, result: ResultFacts): CauseFacts {
  const { sourceAccount } = envelope;
  const described = describeOperations(envelope, { stroopsBeside: false });
  const failed = result.operationResults.flatMap((ended, i) => {
    const code = resultCodeName(ended);
    const operation = described[i];
    const words = operationCodeInWords(code) ?? transactionCodeInWords(code);
    if (isSuccess(ended) || words === null) return [];
    const facts = operation === undefined ? null : factsOf(operation, sourceAccount);
    const detailed = facts === null ? words : (detailedWords(code, facts) ?? words);
    const what = facts === null ? [] : [factsInWords(i + 1, operation, facts)];
    const sentence = `Operation ${i + 1} ended with ${code}: ${detailed}.`;
    const remedy = operationCodeRemedy(code) ?? transactionCodeRemedy(code);
    return [{ code, words, sentence, what, remedy }];
  });
  const [first, ...others] = failed;
  const known = (summary: string): Cause => ({ kind: "result-code", summary, confidence: "known" });
  if (first === undefined) {
    const code = result.innerCode ?? result.code;
    const summary = `${code}: ${transactionCodeInWords(code) ?? "the network refused it"}.`;
    return { cause: known(summary), evidence: [], remedy: transactionCodeRemedy(code) };
  }
  // A single failed operation is the cause. Of several, each is evidence.
  if (others.length === 0)
    return { cause: known(first.sentence), evidence: first.what, remedy: first.remedy };
  const codes = [...new Set(failed.map(({ code }) => code))];
  const summary =
    codes.length === 1
      ? `${failed.length} operations ended with ${first.code}: ${first.words}.`
      : `${failed.length} operations failed: ${codes.join(", ")}.`;
  const more = failed.length - SHOWN_OPERATIONS;
  const remedies = new Set(failed.flatMap(({ remedy }) => remedy ?? []));
  return {
    cause: known(summary),
    evidence: [
      ...failed.slice(0, SHOWN_OPERATIONS).map(({ sentence }) => sentence),
      ...(more > 0 ? [`${more} more operations failed.`] : []),
    ],
    remedy: remedies.size === 0 ? null : [...remedies].join(" "),
  };
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
      neutralise(value === "native" ? "XLM" : AMOUNTS.test(name) ? amountText(value) : value),
    ]),
  ]);
}

const AMOUNTS = /amount|balance|limit|_max|_min/;

/** An amount has seven decimals in an envelope. */
function amountText(value: string): string {
  return /^\d+\.\d{7}$/.test(value) ? groupedDecimal(value.replace(/\.?0+$/, "")) : value;
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
  const words = DETAILED_WORDS.find(([end]) => end.test(code))?.[1] ?? null;
  let lacks = words === null;
  const filled = words?.replace(/\{([a-z_|]+)\}/g, (_, names: string) => {
    const value = names.split("|").flatMap((name) => facts.get(name) ?? [])[0];
    lacks ||= value === undefined;
    return value ?? "";
  });
  return lacks ? null : (filled ?? null);
}

/** `{a|b}`: the first of these fields that the operation has. */
const DETAILED_WORDS: readonly (readonly [code: RegExp, words: string])[] = [
  [
    /^(payment|pathPayment\w+)NoDestination$|^accountMergeNoAccount$/,
    "the destination account {destination} does not exist",
  ],
  [/^createAccountAlreadyExist$/, "account {destination} already exists"],
  [
    /^createAccountUnderfunded$/,
    "the source {source} does not have {starting_balance} XLM above its reserve",
  ],
  [
    /^((payment|pathPayment\w+)Src|createClaimableBalance)NoTrust$/,
    "the source {source} has no trustline for {send_asset|asset}",
  ],
  [
    /^(payment|pathPayment\w+)NoTrust$/,
    "account {destination} has no trustline for {dest_asset|asset}",
  ],
  [/OfferSellNoTrust$/, "the source {source} has no trustline for {selling}"],
  [/OfferBuyNoTrust$/, "the source {source} has no trustline for {buying}"],
  [
    /^(payment|createClaimableBalance)Underfunded$/,
    "the source {source} does not have {amount} {asset} above reserves and liabilities",
  ],
  [
    /^pathPaymentStrictSendUnderfunded$/,
    "the source {source} does not have {send_amount} {send_asset} above reserves and liabilities",
  ],
  [
    /^manageSellOfferUnderfunded$/,
    "the source {source} does not have {amount} {selling} above reserves and liabilities",
  ],
  [
    /^manageBuyOfferUnderfunded$/,
    "the source {source} does not have enough {selling} above reserves and liabilities",
  ],
  [/^manage\w+OfferNotFound$/, "offer {offer_id} of {source} does not exist"],
  [
    /OverSendmax$/,
    "it would cost more than {send_max} {send_asset}, the maximum that the source set",
  ],
  [
    /UnderDestmin$/,
    "it would yield less than {dest_min} {dest_asset}, the minimum for the destination",
  ],
  [/^paymentNoIssuer$/, "the issuer of {asset} does not exist"],
];
