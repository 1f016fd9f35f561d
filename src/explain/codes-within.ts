// Finds the codes in a text that a Stellar tool printed, and messages of tools that have no code.

import { jsonWithin } from "../base/json-within.ts";
import { cutVisibly } from "../base/text/neutralise.ts";
import { sentenceStart } from "../base/text/sentence.ts";
import { CAUSES } from "../model/cause-kinds.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import { DECLARED_LIMITS, FRAMES, kindOfMessage, messageIn } from "../xdr/outcome/host-messages.ts";
import { namesNothingOfStellar } from "../xdr/outcome/tool-origins.ts";
import type { HostValue } from "../xdr/values/host-value.ts";
import { explainCode, HORIZON_NAMES, resultOrTrap } from "./explain-code.ts";
import { TRAPS } from "./host-messages/host-errors.ts";
import { namedRefusal } from "./host-messages/refusal-words.ts";
import { tokenErrorInWords } from "./host-messages/token-errors.ts";
import type { ToolMessage } from "./host-messages/tool-words.ts";
import { declaredLimitRemedy } from "./words/limit-words.ts";

const MOST_CODES = 8;
const DEEPEST = 8;
const LONGEST_LINE = 200;
const LONGEST_MESSAGE = 2000;
const MOST_SEARCHED = 1024 * 1024;
/** Results that add nothing to those of operations. */
const AROUND = /^(tx_?(fee_?bump_?inner_?)?failed|op_?inner|(tx|op)_?success|\w+success)$/i;
const SHAPES: readonly RegExp[] = [
  // The form of SDKs and Horizon.
  /\b(?:tx|op)_[a-z_]{3,40}\b/g,
  /\b(?:tx|op)(?:[A-Z][A-Z_]{2,40}|(?:[A-Z][a-z]+){1,8})\b/g,
  /\b(?:function_trapped|resource_limit_exceeded|entry_archived|insufficient_refundable_fee)\b/g,
  // The forms `paymentUnderfunded` and `PAYMENT_UNDERFUNDED`.
  /\b[a-z]+(?:[A-Z][a-z]+){1,9}\b/g,
  /\b[A-Z]+(?:_[A-Z]+){1,9}\b/g,
  // The form in which Rust prints them: `OpInner(Payment(Underfunded))`, `result: TxBadSeq`.
  /\b(?!OpInner|Some|VecM|TxF)(?:[A-Z][a-z]+){1,8}\(\s*(?:[A-Z][a-z]+){1,8}\b/g,
  /\bTx(?:[A-Z][a-z]+){1,8}\b/g,
  // The forms of OpenZeppelin's relayer: `txFeeBumpInnerFailed op=EntryArchived`, `op_result_code=Trapped`.
  /\bop(?:_result_code)?=(?:[A-Z][a-z]+){1,8}\b/g,
  // The form of explorers: `InvokeHostFunction - Trapped`.
  /\b(?!Error|Status|Result|Reason|Code)(?:[A-Z][a-z]+){1,8} ?[-–—:/>] ?(?:[A-Z][a-z]+){1,8}\b/g,
  new RegExp(`\\b(?:${Object.keys(TRAPS).join("|")})\\b`, "g"),
];
const PREFIXED = /^(tx|op|function_|resource_limit|entry_archived|insufficient_refundable)/i;
/** A status of a node is in capitals: other programs have statuses of their own. */
const STATUS =
  /TRY_AGAIN_LATER\b|(?<=[Ss]tatus\W{1,6})(?:PENDING|DUPLICATE|ERROR|NOT_FOUND|FAILED)\b/g;

/** The names of codes in the order of the text, each once. */
export function codesWithin(text: string): string[] {
  const searched = text.slice(0, MOST_SEARCHED);
  const places = new Map<string, number>();
  for (const shape of SHAPES)
    for (const { 0: word, index } of searched.matchAll(shape)) {
      // Turns `Payment(Underfunded` into `PaymentUnderfunded`.
      const name = word.replace(/\(\s*|(?:_result_code)?=| ?[-–—:/>] ?/, "");
      places.set(name, Math.min(places.get(name) ?? index, index));
    }
  const names = [...places].sort(([, left], [, right]) => left - right);
  const codes = names.flatMap(([name]) => {
    const first = resultOrTrap(name);
    if (first === null) return [];
    // `notFound` in a text is no result of an offer: the name has to be complete.
    const isOne = first.code in TRAPS || HORIZON_NAMES.has(first.code);
    const isComplete = isOne && first.code.toLowerCase() === name.replaceAll("_", "").toLowerCase();
    return isComplete || PREFIXED.test(name) ? [first.code] : [];
  });
  const statuses = namesNothingOfStellar(searched)
    ? []
    : [...searched.matchAll(STATUS)].map(([status]) => status);
  return withoutNoise([...new Set(codes.length > 0 ? codes : statuses)]);
}

function withoutNoise(codes: readonly string[]): string[] {
  const news = codes.filter((code) => !AROUND.test(code));
  return (news.length > 0 ? news : codes).slice(0, MOST_CODES);
}

/**
 * Explains Horizon's `result_codes`, at any depth of an answer or alone; empty if there are none.
 */
export function explainResultCodes(value: unknown, depth = 0): CodeExplanation[] {
  const json = jsonWithin(value);
  if (typeof json !== "object" || json === null || depth > DEEPEST) return [];
  const { result_codes: codes, operations: places } = json as ResultCodes;
  const isAlone = codes === undefined && Array.isArray(places);
  const own = isAlone ? json : typeof codes === "object" && codes !== null ? codes : {};
  const names = Object.values(own)
    .flat()
    .filter((code) => typeof code === "string");
  const { operations } = own as { readonly operations?: unknown };
  const explanations = withoutNoise([...new Set(names)]).flatMap((name) => {
    const [code] = explainCode(name);
    return code === undefined
      ? []
      : [{ ...code, kind: `${code.kind}${placesOf(name, operations)}` }];
  });
  if (explanations.length > 0) return explanations;
  for (const part of Object.values(json)) {
    const within = explainResultCodes(part, depth + 1);
    if (within.length > 0) return within;
  }
  return [];
}

interface ResultCodes {
  readonly result_codes?: unknown;
  readonly operations?: unknown;
}

/** The place of a code, such as `, of operation 2`, if there are several. */
function placesOf(name: string, operations: unknown): string {
  if (!Array.isArray(operations) || operations.length < 2) return "";
  const places = operations.flatMap((each, i) => (each === name ? [i + 1] : []));
  if (places.length === 0) return "";
  return `, of operation${places.length > 1 ? "s" : ""} ${places.join(", ")}`;
}

/** Finds the message of a tool in a text; null if there is none that is known. */
export type ToolMessages = (text: string) => ToolMessage | null;

/**
 * Explains a message of the contract host, stellar-core, a node or a tool; null if it is unknown.
 */
export function explainMessage(text: string, toolMessages: ToolMessages): CodeExplanation | null {
  const message = text.trim().replace(/^"(.*)"$/, "$1");
  const ofHost = MESSAGE.test(message) ? messageOfHost(message) : null;
  if (ofHost !== null) return ofHost;
  const tool = toolMessages(message);
  const within = tool?.isPrecise ? null : hostMessageWithin(message, isNoFrame);
  return within ?? (tool && messageOfTool(tool)) ?? hostMessageWithin(message);
}

/** A shorter message of a host could be ordinary words. */
const SHORTEST_WITHIN = 20;
/** A message follows the words of another program, or a quote of any kind. */
const BEHIND = /: |["`]/;
/** A person who leaves out the values of a message ends it with dots. */
const LEFT_OUT = / ?(?:…|\.{3}).*$/;

function isNoFrame(message: string): boolean {
  return messageIn(FRAMES, message) === null;
}

/** Explains a message of the host after words of another program: `error: it failed: MESSAGE`. */
function hostMessageWithin(
  text: string,
  isAsked: (message: string) => boolean = () => true,
): CodeExplanation | null {
  if (text.length > LONGEST_MESSAGE) return null;
  for (const line of text.split("\n")) {
    const parts = line.split(BEHIND);
    for (let from = 1; from < parts.length; from += 1) {
      const part = (parts[from] ?? "").replace(LEFT_OUT, "").trim();
      const isOne = part.length >= SHORTEST_WITHIN && MESSAGE.test(part) && isAsked(part);
      const explanation = isOne ? messageOfHost(part) : null;
      if (explanation !== null) return explanation;
    }
  }
  return null;
}

/** Messages of hosts and of stellar-core are short lines. */
const MESSAGE = /^[^\p{Cc}]{1,240}$/u;

const OVER_NETWORK =
  "A node refused the transaction before it ran: it declares, or has, more than the network allows.";
const WITH_LOG = "Pass the whole log: it has the values, and the calls in which it happened.";

/**
 * Explains a message of the contract host, with the values that were reported with it; null: they
 * are unknown.
 */
export function explainMessageWith(
  message: string,
  values: readonly HostValue[] | null,
): CodeExplanation | null {
  return MESSAGE.test(message) ? messageOfHost(message, values) : null;
}

function messageOfHost(
  message: string,
  values: readonly HostValue[] | null = null,
): CodeExplanation | null {
  const kind = "message of the contract host";
  const code = cutVisibly(message, LONGEST_LINE);
  const known = namedRefusal(message);
  const token = tokenErrorInWords(message, values, null, false);
  const words = token?.words ?? (known && refusalAlone(known));
  if (words !== null) {
    const remedy = token?.remedy ?? known?.remedy ?? WITH_LOG;
    return { code, kind, meaning: `${sentenceStart(words)}.`, remedy };
  }
  const limit = messageIn(DECLARED_LIMITS, message);
  if (limit !== null)
    return { code, kind, meaning: OVER_NETWORK, remedy: declaredLimitRemedy(limit.id) };
  const cause = kindOfMessage(message);
  if (cause !== null) {
    const { meaning, remedy = "" } = CAUSES[cause];
    return { code, kind, meaning, remedy };
  }
  const frame = messageIn(FRAMES, message);
  if (frame === null) return null;
  return { code, kind, meaning: FRAME_WORDS[frame.id] ?? PASSED_ON, remedy: WITH_LOG };
}

const PASSED_ON =
  "The host adds this to every error that a contract passes on: it is not the cause.";
const FRAME_WORDS: Readonly<Partial<Record<keyof typeof FRAMES, string>>> = {
  "contract-failed":
    "A contract ended its call with an error number of its own, which the error beside this message has.",
  "constructor-failed":
    "The constructor of the contract to create failed. The error before this message is the cause.",
  "vm-trap-logged":
    "A call in a contract's code ended with an error of the host, which the log has before this message.",
};

/** Words a message of which the call is unknown, and so are the values that the call would show. */
function refusalAlone({ words, facts }: NonNullable<ReturnType<typeof namedRefusal>>): string {
  return words.replace(/\{(\w+)\}/g, (_, name) => facts[name] ?? "…");
}

function messageOfTool({ line, meaning, remedy }: ToolMessage): CodeExplanation {
  return { code: line, kind: "message of a tool", meaning, remedy };
}

/** Explains words of svc's reports in a short text, such as a line of one. */
export function wordsWithin(text: string): CodeExplanation[] {
  if (text.length > LONGEST_LINE) return [];
  const words = new Set(text.split(/[^\w-]+/));
  return [...words].flatMap((word) =>
    explainCode(word).filter(
      ({ kind }) => kind === "verdict of svc" || (kind === "kind of cause" && word.includes("-")),
    ),
  );
}
