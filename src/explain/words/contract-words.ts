// The words for failures in a contract's code, its interface and its values.

import type { Wording } from "../../base/phrase.ts";
import { listed } from "../../base/text/listed.ts";
import { quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";
import { sentenceStart, withArticle } from "../../base/text/sentence.ts";
import { REFUSALS } from "../../xdr/outcome/host-messages.ts";
import { showError } from "../../xdr/values/value-text.ts";
import { hostErrorInWords, trapInWords } from "../host-messages/host-errors.ts";
import { refusalInWords } from "../host-messages/refusal-words.ts";
import { askAnother, tokenErrorInWords } from "../host-messages/token-errors.ts";
import { showFunction } from "../naming/named-calls.ts";
import type { CauseWords, FlawedPart, Misfit, MissAdvice, SaidBy } from "./found-cause.ts";
import { networkRemedyOf } from "./limit-words.ts";
import { sentences } from "./sentences.ts";

const SHOWN_NAMES = 20;

export function ownErrorWords({ facts }: SaidBy<"own-error">): CauseWords {
  const { call, contract, returned, number: code, names, doc, numberOf, last, miss } = facts;
  const who = call ?? (contract === null ? "The call" : `Contract ${contract}`);
  const ended = `${who} ${returned ? "returned" : "failed with"}`;
  const number = `Error(Contract, #${code})`;
  const after = last && `The last call before the error, ${last.call}, returned ${last.returned}.`;
  const remedy = miss && missRemedy(miss);
  const [name, ...others] = names;
  if (name !== undefined) {
    const summary =
      others.length > 0
        ? `${ended} ${names.join(" or ")} (${number}): the specification has each of them.`
        : `${ended} ${name}${doc === "" ? "" : `, ${quotedText(doc, SHOWN_QUOTE)}`} (${number}).`;
    return { summary: sentences(summary, after), remedy, isLastResort: true };
  }
  if (numberOf === "specification") {
    const summary = `${ended} ${number}, an error that the contract's specification does not name.`;
    return { summary: sentences(summary, after), remedy: remedy ?? ASK_AUTHOR, isLastResort: true };
  }
  const whose =
    numberOf === "contract"
      ? ", an error number of its own"
      : ": nothing here shows which contract defines this number, or what it means";
  const look = "Look the number up among the errors of the contract that raised it.";
  return { summary: sentences(`${ended} ${number}${whose}.`, after), remedy: look };
}

const ASK_AUTHOR = "Ask the contract's author what the number means.";

/** The values come first, because they explain more than the name of the error. */
export function assetErrorWords({ facts }: SaidBy<"asset-error">): CauseWords {
  const { message, values, token, isAbsentByNode, failedCall, doc, name, isConcluded } = facts;
  const known = tokenErrorInWords(message, values, token, isAbsentByNode, failedCall);
  const who = facts.call ?? (facts.contract === null ? "The call" : `Contract ${facts.contract}`);
  const whose = isConcluded ? `${name} of the Stellar asset contract` : name;
  const number = `Error(Contract, #${facts.number})`;
  return {
    summary: [`${sentenceStart(known?.words ?? doc)}.`, `${who} failed with ${whose} (${number}).`],
    remedy: known?.remedy ?? null,
  };
}

const UNREACHABLE = "UnreachableCodeReached";
/** A call without arguments has none of the wrong type. */
function usualReasons({ hasArguments }: { readonly hasArguments: boolean }): string {
  return hasArguments
    ? "Usual reasons: an arithmetic overflow, a failed unwrap, an index out of bounds, or an argument " +
        "of the wrong type."
    : "Usual reasons: an arithmetic overflow, a failed unwrap, or an index out of bounds.";
}

interface TrapPlace {
  readonly call: string;
  readonly trap: string;
  readonly place: string | null;
}

function trapped({ call, trap, place }: TrapPlace): string {
  const where = place === null ? "" : ` in ${place}`;
  return `${call} ${trap === UNREACHABLE ? "panicked" : "trapped"} (${trap})${where}`;
}

export function trapWords({ facts }: SaidBy<"trap">): CauseWords {
  const { trap, after, hasAbsent, miss } = facts;
  const ended = trapped(facts);
  const remedy = miss && missRemedy(miss);
  if (after !== null)
    return {
      summary: `${ended} after it looked up ${after}.`,
      remedy,
      beforeDecision: `${ended}.`,
      isLastResort: true,
    };
  if (trap === UNREACHABLE)
    return {
      summary: sentences(`${ended}.`, hasAbsent ? null : usualReasons(facts)),
      remedy,
      beforeDecision: `${ended}.`,
      isLastResort: true,
    };
  const why = trapInWords(trap)?.words ?? "the code cannot continue";
  const summary = `${ended}: ${why}.`;
  return { summary, remedy, beforeDecision: summary, isLastResort: true };
}

export function testPanicWords({ facts }: SaidBy<"test-panic">): CauseWords {
  const { call, contract, panic } = facts;
  const who = call ?? (contract === null ? "A contract's code" : `Contract ${contract}`);
  return {
    summary: `${who} panicked: ${quotedText(panic, SHOWN_QUOTE)}.`,
    remedy:
      "The test prints the file and the line of the panic after `panicked at`. Change the code there, or " +
      "the arguments and the state that the test prepares.",
  };
}

export function misfitWords({ facts }: SaidBy<"misfit">): CauseWords {
  const { argument, expectedType, holder, call } = facts;
  const muxed = holder === null ? "" : "a muxed address, ";
  const misfit = `argument \`${argument}\` is ${muxed}not ${expectedType}`;
  const remedy = `Pass ${valueFor(facts)} as \`${argument}\`.`;
  if (facts.trapped === null)
    return { summary: `The asset contract refused ${call}: ${misfit}.`, remedy };
  const ended = trapped(facts.trapped);
  return { summary: `${ended}: ${misfit}.`, remedy, beforeDecision: `${ended}.` };
}

function valueFor({ expectedType, holder }: Misfit): string {
  return holder !== null && expectedType === "an address" ? holder : expectedType;
}

export function unknownFunctionWords({ facts }: SaidBy<"unknown-function">): CauseWords {
  const { contract, function: called, functions, isAll, near } = facts;
  const more = functions.length > SHOWN_NAMES ? `, and ${functions.length - SHOWN_NAMES} more` : "";
  const shown = functions.slice(0, SHOWN_NAMES).join(", ");
  const list = isAll ? `Its functions are ${shown}${more}.` : `Some of its functions are ${shown}.`;
  const known = functions.length === 0 ? null : list;
  const hint = near === null ? "" : `Did you mean \`${near}\`? `;
  return {
    summary: sentences(`Contract ${contract} has no function ${showFunction(called)}.`, known),
    remedy: `${hint}Check the function's name and the contract's version.`,
  };
}

export function argumentCountWords({ facts }: SaidBy<"argument-count">): CauseWords {
  const { call, taken, passed, signature } = facts;
  const were = passed === 1 ? "was" : "were";
  return {
    summary: `${call} takes ${taken} arguments, but ${passed} ${were} given.`,
    remedy: `Call the function as ${signature}.`,
  };
}

interface HostPlace {
  readonly call: string | null;
  readonly hostFunction: string | null;
}

/** The place, such as `, in fail(code: 1) of contract C…`; empty if the call is unknown. */
function placeOf({ call, hostFunction }: HostPlace): string {
  const by = hostFunction === null ? "" : ` (host function ${hostFunction})`;
  return call === null ? by : `${by}, in ${call}`;
}

/** The message and its values as one clause. */
function messageWithValues(message: string, values: readonly string[]): string {
  const shown = quotedText(message, SHOWN_QUOTE);
  return values.length === 0 ? shown : `${shown}: ${values.join(", ")}`;
}

export function refusalWords({ facts }: SaidBy<"refusal">): CauseWords {
  const { id, message, values, named: groups } = facts;
  const { words, quotesMessage, remedy } = refusalInWords(id);
  const { values: names = [] } = REFUSALS[id] as { readonly values?: readonly string[] };
  const named = new Map([
    ...Object.entries(groups),
    ...names.map((name, at) => [name, values[at]] as const),
  ]);
  const all = values.length === 0 ? "values" : values.join(" and ");
  // The replacement is a function, because a value from the chain could contain `$&`.
  const clause = words.replace(/\{(\w+)\}/g, (_, name) => {
    return name === "values" ? all : (named.get(name) ?? "(unknown)");
  });
  const quoted = quotesMessage ? ` (${messageWithValues(message, values)})` : "";
  return { summary: `${sentenceStart(clause)}${quoted}${placeOf(facts)}.`, remedy };
}

export function hostErrorWords({ facts }: SaidBy<"host-error">): CauseWords {
  const { error, upload, reported } = facts;
  const { words, remedy } = hostErrorInWords(error, upload);
  const message =
    reported === null ? "" : ` (${messageWithValues(reported.message, reported.values)})`;
  const clause = `${words}${message}${placeOf(facts)}`;
  return { summary: `${sentenceStart(clause)} (${showError(error)}).`, remedy };
}

export function reportedWords({ facts }: SaidBy<"reported">): CauseWords {
  const { text, error, ofNetwork } = facts;
  if (error === null) return { summary: text, remedy: null };
  const { words, remedy } = hostErrorInWords(error);
  return {
    summary: `${showError(error)}: ${sentenceStart(words)}.`,
    remedy: ofNetwork ? networkRemedyOf() : remedy,
  };
}

export function absentEntryWords({ kind, facts }: SaidBy<"absent-entry">): CauseWords {
  const { entry, call, instance, values, byNode } = facts;
  const where = call === null ? "" : ` in ${call}`;
  const withNode = (remedy: Wording) => (byNode ? askAnother(remedy) : remedy);
  if (kind === "contract-exists")
    return {
      summary: `The contract to create${where} already exists: the deployer and the salt determine its address.`,
      remedy: "Use another salt, or use the existing contract.",
    };
  if (instance !== null) {
    const lacks = byNode
      ? `The node has no entry for contract ${instance.contract}`
      : `Contract ${instance.contract} does not exist`;
    return {
      summary: `${lacks}; ${instance.called} was called on it.`,
      remedy: withNode("Check the contract's address and the network; deploy the contract first."),
    };
  }
  const which = values === "" ? "" : ` (${values})`;
  if (byNode && entry === "contract code")
    return {
      summary: [
        `The node has the contract and no entry for its code${which}, which was needed${where}.`,
        "Code is never deleted: it is archived, or the node left it out.",
      ],
      remedy: "Ask another node. If the code is archived, restore it first.",
    };
  const missing = entry === "contract code" ? entry : withArticle(entry);
  const absent = byNode ? "for which the node has no entry" : "that does not exist";
  return {
    summary: `The transaction read ${missing} ${absent}${which}${where}.`,
    remedy: withNode(
      "Check that the contract is deployed and initialized, and that the entry has not expired.",
    ),
  };
}

export function inputWords({ facts: { flaw } }: SaidBy<"input">): CauseWords {
  const remedy = "Build the values with an SDK's conversion functions, and sign again.";
  if (flaw === null)
    return {
      summary: "The host refused a value of the transaction before any contract ran.",
      remedy,
    };
  const { of, why, isAddress } = flaw;
  return {
    summary: `The host refused ${partInWords(of)} before any contract ran: ${why}.`,
    remedy: isAddress ? "Pass the address of an account or of a contract." : remedy,
  };
}

function partInWords(of: FlawedPart): string {
  if (of.part === "argument") return `argument ${of.index + 1}`;
  const where = `authorization entry ${of.entry + 1}`;
  if (of.part === "signature") return `the signature of ${where}`;
  return of.part === "function-name"
    ? `the name of a function in ${where}`
    : `an argument in ${where}`;
}

const CREATE_FIRST = "If the entry should exist, first send the transaction that creates it.";
const CREATE_AGAIN =
  "A temporary entry is deleted when its TTL ends: create it again, or extend its TTL in time.";
const SET_FIRST =
  "If the contract has to be initialized, do that first: no call has set this value, or one has " +
  "removed it.";
const SET_FOR = "If the value should exist, first send the transaction that sets it.";

export function missRemedy({ durability, byNode, names, key }: MissAdvice): Wording {
  const isInstance = durability === "instance";
  if (isInstance && key === undefined && names.length === 0) return SET_FIRST;
  const remedy = missAdvice({ durability, names, key });
  return byNode && !isInstance ? askAnother(remedy) : remedy;
}

function missAdvice({
  durability,
  names,
  key,
}: Pick<MissAdvice, "durability" | "names"> & {
  readonly key: MissAdvice["key"] | undefined;
}): string {
  const stored = durability === "instance" ? SET_FOR : CREATE_FIRST;
  const then = durability === "temporary" ? CREATE_AGAIN : stored;
  if (key === "right") return then;
  if (key === "constant") return durability === "temporary" ? then : SET_FIRST;
  return key === "made" && names.length === 0 ? then : `${checked(names)} ${then}`;
}

function checked(names: readonly string[]): string {
  if (names.length === 0) return "Check the arguments that the key is made of.";
  return `Check ${listed(names, "and")}: the key is made of ${names.length > 1 ? "them" : "it"}.`;
}
