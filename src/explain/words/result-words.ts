// The words for a cause that only a result code shows: of a refused transaction, and of the
// operations of a classic one.

import { phrase, svc, svcDebug } from "../../base/phrase.ts";
import { stroopsInWords } from "../../base/text/grouped.ts";
import { quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import { CAUSES } from "../../model/cause-kinds.ts";
import { type ResultCode, resultCodeName } from "../../model/result-code.ts";
import { operationCodeInWords, operationCodeRemedy } from "../naming/operation-codes.ts";
import { transactionCodeInWords, transactionCodeRemedy } from "../naming/transaction-codes.ts";
import type { CauseWords, FoundBy, RefusedFacts } from "./found-cause.ts";
import type { OperationFacts } from "./found-evidence.ts";
import { refusalDetails } from "./refused-words.ts";
import { sentences } from "./sentences.ts";

export function internalWords({ facts: { message } }: FoundBy<"internal">): CauseWords {
  const why = message === null ? "" : `: ${quotedText(message, SHOWN_QUOTE)}`;
  return {
    summary: `The contract host ended with an internal error${why}.`,
    remedy: "Report it to the maintainers of svc, with this transaction.",
  };
}

/** The words for the code of an operation or a transaction. */
function codeInWords(code: string): string | null {
  return operationCodeInWords(code) ?? transactionCodeInWords(code);
}

function codeRemedy(code: string): string | null {
  return operationCodeRemedy(code) ?? transactionCodeRemedy(code);
}

export function codeWords({ kind, facts: { code } }: FoundBy<"code">): CauseWords {
  if (kind === "trapped")
    return {
      summary: `The contract call trapped (${code}); the node reported no diagnostics.`,
      remedy: null,
    };
  return { summary: `${code}: ${codeInWords(code) ?? "it failed"}.`, remedy: codeRemedy(code) };
}

export function refusedWords({ facts }: FoundBy<"refused">): CauseWords {
  const { code, refusal, least, refused } = facts;
  const details = refusal === null ? least && stroopsInWords(least) : refusalDetails(code, refusal);
  const words = transactionCodeInWords(code) ?? operationCodeInWords(code) ?? "it was refused";
  const why = `${words}${details ? `: ${details}` : ""}.`;
  const remedy = transactionCodeRemedy(code) ?? operationCodeRemedy(code);
  const begins: Readonly<Record<RefusedFacts["refused"], string>> = {
    outer: `The fee-bump transaction itself was refused (${code}), so its inner transaction did not run`,
    classic: code,
    answer: code,
    soroban: `The network refused the transaction before the contract host ran (${code})`,
  };
  return { summary: `${begins[refused]}: ${why}`, remedy };
}

export function contradictionWords({
  facts: { status, code, hash },
}: FoundBy<"contradiction">): CauseWords {
  const check =
    hash === null ? "" : phrase`, or ${svcDebug(hash, null, "run")}, which checks it by the ledger`;
  return {
    summary: `The answer contradicts itself: its status is ${status}, and its result is ${code}.`,
    remedy: phrase`Ask another node${check}.`,
  };
}

/** The words for a refusal without an errorResultXdr, which would have the cause. */
const WITHOUT_RESULT = {
  meaning: "The node refused the transaction.",
  more: "Its answer has no errorResultXdr.",
  remedy: phrase`Send it again with xdrFormat base64, and pass that answer to ${svc("explain")}.`,
};

export function statusWords({ kind, facts: { status } }: FoundBy<"status">): CauseWords {
  const isError = kind === "error";
  const { meaning, remedy = null } = isError ? WITHOUT_RESULT : CAUSES[kind];
  return {
    summary: sentences(`${status}: ${meaning}`, isError ? WITHOUT_RESULT.more : null),
    remedy,
  };
}

export function unexplainedWords(): CauseWords {
  return {
    summary: ["svc could not explain this failure.", "Please report the transaction."],
    remedy: null,
  };
}

/**
 * The words for operations. A single failed one is the cause. If several failed, each is evidence.
 */
export function operationsWords({ facts }: FoundBy<"operations">): CauseWords {
  const { failed, code } = facts;
  const [first, ...others] = failed;
  if (first === undefined)
    return {
      summary: `${code}: ${transactionCodeInWords(code) ?? "the network refused it"}.`,
      remedy: transactionCodeRemedy(code),
    };
  if (others.length === 0)
    return {
      summary: failedOperationInWords(first),
      remedy: codeRemedy(resultCodeName(first.result)),
    };
  const codes = [...new Set(failed.map(({ result }) => resultCodeName(result)))];
  const [only = ""] = codes;
  const summary =
    codes.length === 1
      ? `${failed.length} operations ended with ${only}: ${codeInWords(only)}.`
      : `${failed.length} operations failed: ${codes.join(", ")}.`;
  const remedies = new Set(codes.flatMap((each) => codeRemedy(each) ?? []));
  return { summary, remedy: remedies.size === 0 ? null : [...remedies].join(" ") };
}

export function failedOperationInWords({ position, result, described }: OperationFacts): string {
  const code = resultCodeName(result);
  const words = codeInWords(code) ?? "it failed";
  const fields = described && new Map(described.fields);
  const why = (fields && detailedWords(result, fields)) ?? words;
  return `${sentenceStart(why)} (operation ${position}: ${code}).`;
}

/** Set options and path payments have many fields; the rest is in the envelope. */
const SHOWN_FIELDS = 12;

export function fieldsInWords({ position, described }: OperationFacts): string {
  const named = (described?.fields ?? []).map(([name, value]) => `${spaced(name)} ${value}`);
  const more = named.length - SHOWN_FIELDS;
  const moreInWords = more > 0 ? `, and ${more} more` : "";
  const kind = spaced(described?.kind ?? "operation");
  return `Operation ${position}, ${kind}: ${named.slice(0, SHOWN_FIELDS).join(", ")}${moreInWords}.`;
}

function spaced(name: string): string {
  return name.replaceAll("_", " ");
}

/** The result with the account or asset that it is about; null if the fields lack them. */
function detailedWords(result: ResultCode, facts: ReadonlyMap<string, string>): string | null {
  const isOf = ([operations, code]: DetailedRow) =>
    code === result.code && operations.some((each) => each === result.operation);
  const words = DETAILED_WORDS.find(isOf)?.[2] ?? null;
  let lacks = words === null;
  const filled = words?.replace(/\{([a-z_|]+)\}/g, (_, names: string) => {
    const value = names.split("|").flatMap((name) => facts.get(name) ?? [])[0];
    lacks ||= value === undefined;
    return value ?? "";
  });
  return lacks ? null : (filled ?? null);
}

/** `{a|b}` stands for the first of these fields that the operation has. */
type DetailedRow = readonly [operations: readonly string[], code: string, words: string];

const PATH_PAYMENTS = ["pathPaymentStrictReceive", "pathPaymentStrictSend"];
const PAYMENTS = ["payment", ...PATH_PAYMENTS];
const OFFERS = ["manageSellOffer", "manageBuyOffer"];

const DETAILED_WORDS: readonly DetailedRow[] = [
  [PAYMENTS, "noDestination", "the destination account {destination} does not exist"],
  [["accountMerge"], "noAccount", "the destination account {destination} does not exist"],
  [["createAccount"], "alreadyExist", "account {destination} already exists"],
  [
    ["createAccount"],
    "underfunded",
    "the source {source} does not have {starting_balance} XLM above its reserve",
  ],
  [PAYMENTS, "srcNoTrust", "the source {source} has no trustline for {send_asset|asset}"],
  [
    ["createClaimableBalance"],
    "noTrust",
    "the source {source} has no trustline for {send_asset|asset}",
  ],
  [PAYMENTS, "noTrust", "account {destination} has no trustline for {dest_asset|asset}"],
  [OFFERS, "sellNoTrust", "the source {source} has no trustline for {selling}"],
  [OFFERS, "buyNoTrust", "the source {source} has no trustline for {buying}"],
  [
    ["payment", "createClaimableBalance"],
    "underfunded",
    "the source {source} does not have {amount} {asset} above reserves and liabilities",
  ],
  [
    ["pathPaymentStrictSend"],
    "underfunded",
    "the source {source} does not have {send_amount} {send_asset} above reserves and liabilities",
  ],
  [
    ["manageSellOffer"],
    "underfunded",
    "the source {source} does not have {amount} {selling} above reserves and liabilities",
  ],
  [
    ["manageBuyOffer"],
    "underfunded",
    "the source {source} does not have enough {selling} above reserves and liabilities",
  ],
  [OFFERS, "notFound", "offer {offer_id} of {source} does not exist"],
  [
    PATH_PAYMENTS,
    "overSendmax",
    "the payment would cost more than {send_max} {send_asset}, the maximum that the source set",
  ],
  [
    PATH_PAYMENTS,
    "underDestmin",
    "the payment would yield less than {dest_min} {dest_asset}, the minimum for the destination",
  ],
  [["payment"], "noIssuer", "the issuer of {asset} does not exist"],
];
