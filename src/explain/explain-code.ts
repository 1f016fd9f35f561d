// Explains a code or word by itself: a result code of a transaction or an operation, a node's
// status, an error of the contract host or a part of one, a trap of wasm, or a word of svc's
// reports. It understands every spelling in use: `txBadSeq` (SDKs), `txBAD_SEQ` (XDR), `tx_bad_seq`
// (Horizon).

import { atShell, flag, joined, phrase, svc, type Wording } from "../base/phrase.ts";
import { quotedText, SHOWN_QUOTE } from "../base/text/neutralise.ts";
import { sentenceStart } from "../base/text/sentence.ts";
import { CAUSES, type STATUS_CAUSES } from "../model/cause-kinds.ts";
import type { CodeExplanation, ListedTopic, TransactionStatus } from "../model/node-answer.ts";
import { ASSET_SPEC } from "../xdr/contract/asset-spec.ts";
import {
  type ContractSpec,
  type ErrorCase,
  errorCase,
  errorCases,
  showErrorCase,
  showName,
} from "../xdr/contract/contract-spec.ts";
import { ERROR_CODES, ERROR_TYPES, showError } from "../xdr/values/value-text.ts";
import { hostErrorNamed } from "./host-messages/host-error-named.ts";
import { hostErrorInWords, isKnownError, TRAPS, trapInWords } from "./host-messages/host-errors.ts";
import { libraryErrorsInWords } from "./naming/library-errors.ts";
import {
  operationCodeInWords,
  operationCodeRemedy,
  resultOfCode,
  resultsOfOperations,
} from "./naming/operation-codes.ts";
import {
  NOTHING_WRONG,
  TRANSACTION_CODES,
  transactionCodeInWords,
  transactionCodeRemedy,
} from "./naming/transaction-codes.ts";
import { FIND_CAUSE, OR_ITS_CODE } from "./words/answer-words.ts";
import { OF_CAUSES, WORDS } from "./words.ts";

const OF_CONTRACT = phrase`To read the contract's own name for the number, pass the contract as ${flag("id", "C…")}${OR_ITS_CODE}. The whole log of the error, if there is one, shows which contract raised it.`;

const OF_ANOTHER =
  "Check that this contract raised the error: the log of the error shows which one did. If so, ask its " +
  "author.";

/** The source of the names of error numbers, and its owner in words. */
interface NumberNames {
  readonly spec: ContractSpec | null;
  readonly of: string;
}

/** The kind of an explanation of `Error(Type, Code)` that no contract raised. */
export const HOST_ERROR_KIND = "host error";

/** All meanings of a name; empty if it has none. `names` has the names of a contract's errors. */
export function explainCode(text: string, names: NumberNames | null = null): CodeExplanation[] {
  const error = hostErrorNamed(text);
  if (error !== null) return [explainHostError(error, names)];
  const codes = codesNamed(text);
  // A cause has the name of its result, which explains it already. A cause that is asked for by its
  // own name is explained, too: `trapped`.
  const word = text.trim();
  const isResult = codes.length > 0 && /^\w+$/.test(word);
  return [
    ...statusNamed(text),
    ...(codes.length > 0 ? [explainCodes(text, codes)] : []),
    ...partsOfErrors(text),
    ...trapNamed(text),
    ...wordsNamed(text).filter(
      ({ kind, code }) => !isResult || kind !== OF_CAUSES || code === word,
    ),
  ];
}

/**
 * The result or the trap of the Wasm VM that has the name; null if the first meaning is another
 * one.
 */
export function resultOrTrap(name: string): CodeExplanation | null {
  if (hostErrorNamed(name) !== null || statusNamed(name).length > 0) return null;
  const codes = codesNamed(name);
  if (codes.length > 0) return explainCodes(name, codes);
  const [trap = null] = partsOfErrors(name).length > 0 ? [] : trapNamed(name);
  return trap;
}

/** All names by their topic. */
export const LISTS = {
  causes: () => entriesOf(OF_CAUSES),
  codes: () =>
    [...TRANSACTION_CODES, ...resultsOfOperations()].map((code) => explainCodes(code, [code])),
  statuses: () => Object.keys(STATUS_WORDS).flatMap(statusNamed),
  "host-errors": () => [
    ...ERROR_TYPES.flatMap((type) =>
      ERROR_CODES.flatMap((code) => {
        const error = { type, code, contractCode: null };
        return isKnownError(error) ? [explainHostError(error, null)] : [];
      }),
    ),
    ...ASSET_SPEC.errors.map(({ value }) =>
      explainHostError(
        { type: "Contract", code: String(value), contractCode: value },
        { spec: ASSET_SPEC, of: "the Stellar asset contract" },
      ),
    ),
  ],
  traps: () => Object.keys(TRAPS).flatMap(trapNamed),
  words: () => WORDS.flatMap(([kind]) => (kind === OF_CAUSES ? [] : entriesOf(kind))),
} as const satisfies Readonly<
  Record<Exclude<ListedTopic, "errors">, () => readonly CodeExplanation[]>
>;

/** The codes of a name. Horizon's names, and names without a prefix, can mean several codes. */
function codesNamed(text: string): readonly string[] {
  const horizon = BY_NAME.horizon.get(text.toLowerCase());
  if (horizon !== undefined) return horizon;
  const normalized = plain(text);
  const code = BY_NAME.plain.get(normalized);
  if (code !== undefined) return code;
  const [, prefix = "", codeWords = ""] = PREFIXED.exec(normalized) ?? [];
  const ending = BY_NAME.ending.get(codeWords) ?? [];
  return ending.filter((each) => prefix === "" || (prefix === "tx") === each.startsWith("tx"));
}

const PREFIXED = /^(tx|op|function)?(.*)$/;

/** The names for "Did you mean". */
export function codeNames(): string[] {
  const words = WORDS.flatMap(([, each]) => Object.keys(each));
  return [
    ...Object.keys(STATUS_WORDS),
    ...HORIZON_NAMES.keys(),
    ...HORIZON_NAMES.values(),
    ...Object.keys(TRAPS),
    ...ERROR_TYPES,
    ...ERROR_CODES,
    ...words,
  ];
}

function plain(text: string): string {
  return text.replaceAll(/[\s_-]/g, "").toLowerCase();
}

function statusNamed(text: string): CodeExplanation[] {
  const statusRow = Object.entries(STATUS_WORDS).find(([status]) => plain(status) === plain(text));
  if (statusRow === undefined) return [];
  const [code, words] = statusRow;
  return [{ code, kind: "node status", ...words }];
}

function wordsNamed(text: string): readonly CodeExplanation[] {
  const name = plain(text);
  return WORDS_BY_NAME.get(name) ?? [];
}

function entriesOf(kind: string): CodeExplanation[] {
  const table = WORDS.find(([each]) => each === kind)?.[1] ?? {};
  return Object.entries(table).map(([code, [meaning, remedy = ""]]) => ({
    code,
    kind,
    meaning,
    remedy,
  }));
}

const WORDS_BY_NAME = Map.groupBy(
  WORDS.flatMap(([kind]) => entriesOf(kind)),
  ({ code }) => plain(code),
);

function trapNamed(text: string): CodeExplanation[] {
  const trap = trapInWords(text.trim());
  if (trap === null) return [];
  const meaning = `The contract's code trapped, and the call failed: ${trap.words}.`;
  return [{ code: trap.name, kind: "trap of the Wasm VM", meaning, remedy: DEBUG_TRAP }];
}

const DEBUG_TRAP = phrase`${svc("debug", "Run")} with the transaction's hash: it shows the function and which value decided${atShell(", and the line with a debug build as `--wasm FILE`")}.`;

/**
 * Explains `ExceededLimit` or `scecExceededLimit` in every type that has the code, and a type by
 * itself.
 */
function partsOfErrors(text: string): CodeExplanation[] {
  const name = plain(text);
  const isNamed = (prefix: string) => (each: string) =>
    [plain(each), prefix + plain(each)].includes(name);
  const code = ERROR_CODES.find(isNamed("scec"));
  const type = ERROR_TYPES.find(isNamed("sce"));
  if (code !== undefined) {
    const errors = ERROR_TYPES.map((each) => ({ type: each, code, contractCode: null }));
    const having = code === "InternalError" ? errors.slice(1, 2) : errors.filter(isKnownError);
    const meanings = having.map((error) => `${error.type}: ${hostErrorInWords(error).words}.`);
    const meaning = `It depends on the type of the error. ${meanings.join(" ")}`;
    return [{ code, kind: "code of a host error", meaning, remedy: WHOLE_ERROR }];
  }
  if (type === undefined) return [];
  const meaning = ended(hostErrorInWords({ type, code: "", contractCode: null }).words);
  return [{ code: type, kind: "type of a host error", meaning, remedy: WHOLE_ERROR }];
}

const WHOLE_ERROR =
  "Pass the whole error, such as `Error(Storage, MissingValue)`, best with the log below it.";

function remedyOf(code: string): Wording {
  if (resultOfCode(code) === "Success") return NOTHING_WRONG;
  return transactionCodeRemedy(code) ?? operationCodeRemedy(code) ?? FIND_CAUSE;
}

/** Explains codes: each meaning once, with the codes that have it. */
function explainCodes(name: string, codes: readonly string[]): CodeExplanation {
  const [first = name] = codes;
  const isOfTransaction = (code: string) => code.startsWith("tx");
  const kind = codes.every(isOfTransaction)
    ? "transaction result"
    : codes.some(isOfTransaction)
      ? "transaction or operation result"
      : "operation result";
  return {
    code: codes.length === 1 ? first : name,
    kind,
    meaning: wordsPerCode(codes, (code) => `${wordsOf(code)}.`)
      .map(({ names, words }) => (names === null ? sentenceStart(words) : `${names}: ${words}`))
      .join(" "),
    remedy: joined(
      wordsPerCode(codes, remedyOf).map(({ names, words }) => {
        if (names !== null) return phrase`${names}: ${words}`;
        return typeof words === "string" ? sentenceStart(words) : words;
      }),
      " ",
    ),
  };
}

/** The words that most codes share, then the other words with the names of their codes. */
function wordsPerCode<Words extends Wording>(
  codes: readonly string[],
  wordsOfCode: (code: string) => Words,
): readonly { readonly names: string | null; readonly words: Words }[] {
  const groups = [...Map.groupBy(codes, wordsOfCode)].sort(
    ([, left], [, right]) => right.length - left.length,
  );
  return groups.map(([words, having], i) => {
    const isOfMost = i === 0 && (groups.length === 1 || having.length > 2);
    return { names: isOfMost ? null : having.join(", "), words };
  });
}

function wordsOf(code: string): string {
  return transactionCodeInWords(code) ?? operationCodeInWords(code) ?? "";
}

type NamedHostError = NonNullable<ReturnType<typeof hostErrorNamed>>;

function explainHostError(error: NamedHostError, names: NumberNames | null): CodeExplanation {
  const code = showError(error);
  if (error.contractCode !== null) return { code, ...explainNumber(error.contractCode, names) };
  const { words, remedy } = hostErrorInWords(error);
  return { code, kind: HOST_ERROR_KIND, meaning: ended(words), remedy: remedy ?? FIND_CAUSE };
}

/**
 * Explains a number. Numbers are a contract's own, so only one contract's meaning can be explained.
 */
function explainNumber(number: number, names: NumberNames | null): Omit<CodeExplanation, "code"> {
  const kind = "error of a contract";
  const cases = errorCases(names?.spec ?? null, number);
  const [only] = cases;
  const inWords = (each: ErrorCase) => {
    const name = each.of === "Error" ? showName(each.name) : showErrorCase(each);
    return `${name}${each.doc === "" ? "" : `, ${quotedText(each.doc, SHOWN_QUOTE)}`}`;
  };
  if (names !== null && only !== undefined && cases.length === 1)
    return { kind, meaning: `In ${names.of}, it is ${inWords(only)}.`, remedy: FIND_CAUSE };
  if (names !== null && cases.length > 1) {
    const meaning = `In ${names.of}, several enums have the number: ${cases.map(inWords).join("; ")}.`;
    return {
      kind,
      meaning,
      remedy: phrase`Check which of them the function returns. ${FIND_CAUSE}`,
    };
  }
  if (names !== null) {
    const meaning =
      "A contract refused the call with an error number of its own, which " +
      `${names.of} does not name.`;
    return { kind, meaning, remedy: OF_ANOTHER };
  }
  const asset = errorCase(ASSET_SPEC, number);
  const known =
    asset === null
      ? "The Stellar asset contract has no such number."
      : `Only if it was the Stellar asset contract (XLM or an issued asset), it is ${inWords(asset)}.`;
  const meaning =
    "A contract refused the call with an error number of its own. Each contract has its own " +
    `numbers. ${[known, libraryErrorsInWords(number) ?? ""].join(" ").trim()}`;
  return { kind, meaning, remedy: OF_CONTRACT };
}

function ended(clause: string): string {
  return `${sentenceStart(clause)}.`;
}

/**
 * Horizon's names of result codes (stellar-horizon, internal/codes) are mostly the protocol's in
 * snake case, an operation's without the operation, so that one name stands for several codes.
 * The exceptions are named by the code or by an operation's result alone.
 */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  txNoAccount: "tx_no_source_account",
  txBadMinSeqAgeOrGap: "tx_bad_minseq_age_or_gap",
  opNoAccount: "op_no_source_account",
  AlreadyExist: "op_already_exists",
  OfferCrossSelf: "op_cross_self",
  OverSendmax: "op_over_source_max",
  UnderDestmin: "op_under_dest_min",
  SellNotAuthorized: "sell_not_authorized",
  BuyNotAuthorized: "buy_not_authorized",
  BuyNoIssuer: "buy_no_issuer",
  NotFound: "op_offer_not_found",
  NotAuthMaintainLiabilities: "op_not_aut_maintain_liabilities",
  NoTrustLine: "op_no_trust",
  TrustNotRequired: "op_not_required",
  SeqnumTooFar: "op_seq_num_too_far",
  NameNotFound: "op_data_name_not_found",
  InvalidName: "op_data_invalid_name",
  NotIssuer: "op_no_issuer",
  Trapped: "function_trapped",
  ResourceLimitExceeded: "resource_limit_exceeded",
  EntryArchived: "entry_archived",
  InsufficientRefundableFee: "insufficient_refundable_fee",
};

/** Every code with its name in Horizon's answers. */
export const HORIZON_NAMES: ReadonlyMap<string, string> = new Map(
  [...TRANSACTION_CODES, ...resultsOfOperations()].map((code) => {
    const result = resultOfCode(code);
    const name = result === null ? snake(code) : `op${snake(result)}`;
    return [code, OTHER_NAMES[code] ?? OTHER_NAMES[result ?? ""] ?? name];
  }),
);

/**
 * Codes by their names: Horizon's names, names without case and signs, and these without their
 * prefix.
 */
const BY_NAME = {
  horizon: Map.groupBy(HORIZON_NAMES.keys(), (code) => HORIZON_NAMES.get(code)),
  plain: Map.groupBy(HORIZON_NAMES.keys(), plain),
  ending: new Map<string, string[]>(),
};
for (const [code, name] of HORIZON_NAMES)
  for (const each of new Set([name, resultOfCode(code) ?? code].map(endingOf)))
    BY_NAME.ending.set(each, [...(BY_NAME.ending.get(each) ?? []), code]);

function endingOf(name: string): string {
  return plain(name).replace(/^(tx|op|function)/, "");
}

/** Turns `NoTrust` into `_no_trust` and `txBadSeq` into `tx_bad_seq`. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface StatusWords {
  /** One sentence. */
  readonly meaning: string;
  readonly remedy: Wording;
}

function ofCause(kind: (typeof STATUS_CAUSES)[number]): StatusWords {
  const { meaning, remedy = "" } = CAUSES[kind];
  return { meaning, remedy };
}

/** The statuses with which Stellar RPC answers sendTransaction and getTransaction. */
const STATUS_WORDS: Readonly<Record<TransactionStatus, StatusWords>> = {
  PENDING: {
    meaning: "The node accepted the transaction into its queue; no ledger has it yet.",
    remedy:
      "Ask getTransaction with its hash until it is in a ledger, or its time bounds have passed.",
  },
  DUPLICATE: ofCause("duplicate"),
  TRY_AGAIN_LATER: ofCause("try-again-later"),
  ERROR: ofCause("error"),
  NOT_FOUND: ofCause("not-found"),
  SUCCESS: {
    meaning: "The transaction is in a ledger, and succeeded.",
    remedy: phrase`Nothing is wrong. ${svc("debug", "Run")} with its hash to see what it did.`,
  },
  FAILED: {
    meaning: "The transaction is in a ledger, and failed. Its fee was charged.",
    remedy: phrase`${svc("debug", "Run")} with its hash, or pass the node's whole answer to ${svc("explain")}.`,
  },
};
