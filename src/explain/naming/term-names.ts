// Names the terms of a condition: an argument, a stored value, a result, or a part or a length of
// another term. Null if nothing names a term.

import {
  distinctMarked,
  joinedMarked,
  type Marked,
  marked,
  markedAs,
  plainWords,
} from "../../base/text/marked.ts";
import { withArticle } from "../../base/text/sentence.ts";
import type { Term } from "../../model/why.ts";
import type { ContractSpec } from "../../xdr/contract/contract-spec.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { keyCaseOf, showDataKey } from "../../xdr/contract/key-typed.ts";
import { showValue } from "../../xdr/values/value.ts";
import { integerOfValue, plainOf } from "../../xdr/values/value-parts.ts";
import { tokenAmount } from "./token-amount.ts";

/** Room for 32 bytes, which a short report shows by their first and last ones. */
export const SHOWN_VALUE = 66;

/** A plain word. Names are written by the contract's author, and a command goes into a shell. */
export const PLAIN_NAME = /^[A-Za-z_]\w{0,31}$/;

/** The contract and the function that a value belongs to. */
export interface TermScope {
  readonly lookup: ContractLookup;
  readonly spec: ContractSpec | null;
  readonly function: string;
}

/** Words of a sentence, in which those for a term are marked. */
export type TermWords = Marked<Term>;

/** The name of a term whose value the sentence states elsewhere. */
export function partInWords(term: Term, names: TermScope): TermWords | null {
  if (term.kind === "computed" && term.operator !== undefined) return computedOf(term, names);
  const { shown: own } = TERMS[term.kind];
  const name = termName(term, names);
  return own ? own(term, names) : name && markedAs(term, withOrigin(term, name, null));
}

/** A name, and whether it stands in the code, so that a sentence has it in backticks. */
interface TermName {
  readonly text: string;
  readonly isCode: boolean;
}

const inCode = (text: string): TermName => ({ text, isCode: true });
const inWords = (text: string): TermName => ({ text, isCode: false });

/** How a kind of value is named. */
interface TermForms {
  /** Its name; null if it has none, so that nothing is stated. */
  readonly name?: (term: Term, names: TermScope) => TermName | null;
  /** The place that the value came from, besides its name. */
  readonly origin?: (term: Term) => string;
  /** Its form in a sentence, if that is not its name with its value and origin. */
  readonly shown?: (term: Term, names: TermScope) => TermWords | null;
}

const RANDOM = "a random number";

const TERMS: Readonly<Record<Term["kind"], TermForms>> = {
  argument: { name: argumentName, origin: ({ index = 0 }) => `argument ${index + 1}` },
  storage: { name: storedName, origin: ({ durability }) => `${durability} storage` },
  written: { name: storedName, origin: () => "written earlier in this transaction" },
  ledger: { name: ledgerName },
  contract: { name: () => inWords("the contract itself") },
  result: { name: resultName },
  field: { name: partName, origin: originOfWhole },
  element: { name: partName, origin: originOfWhole },
  length: { shown: lengthShown },
  constant: { shown: constantShown },
  computed: { shown: computedShown },
  token: { shown: tokenShown },
  entry: {},
  key: {},
  random: { name: () => inWords(RANDOM) },
  unnamed: {},
};

export const LEDGER_NAMES: Readonly<Record<string, string>> = {
  time: "the ledger's time",
  sequence: "the ledger's number",
  protocol: "the ledger's protocol",
  max_live_until: "the last ledger to which a TTL can be extended",
  random: RANDOM,
};

export function termName(term: Term, names: TermScope): TermWords | null {
  const name = nameOf(term, names);
  return name && markedAs(term, name.isCode ? `\`${name.text}\`` : name.text);
}

function nameOf(term: Term, names: TermScope): TermName | null {
  return TERMS[term.kind].name?.(term, names) ?? null;
}

export function originOfTerm(term: Term): string {
  return TERMS[term.kind].origin?.(term) ?? "";
}

/** A value with its name, its origin and its number; null if it has no name. */
export function termShown(term: Term, names: TermScope): TermWords | null {
  const { shown: own } = TERMS[term.kind];
  if (own !== undefined) return own(term, names);
  const name = termName(term, names);
  return name && markedAs(term, withOrigin(term, name, term.number ?? constantOf(term)));
}

function constantShown(term: Term): TermWords | null {
  const text = term.number ?? constantOf(term);
  return text === null ? null : plainWords(text);
}

function argumentName({ index = -1 }: Term, { spec, function: name }: TermScope): TermName {
  const input = spec?.functions.get(name)?.inputs[index];
  return input === undefined ? inWords("its argument") : inCode(input.name);
}

function ledgerName({ name = "" }: Term): TermName | null {
  const words = LEDGER_NAMES[name];
  return words === undefined ? null : inWords(words);
}

function storedName(term: Term, names: TermScope): TermName | null {
  if (term.keyXdr === undefined) return null;
  const name = storedKeyName(term, names);
  if (typeof plainOf(term.keyXdr) !== "bigint") return inWords(name);
  return inWords(numberedCase(term.keyXdr, names.spec) ?? `entry ${name}`);
}

/** The case of the enum of keys, for a key that is a number; null if nothing names it. */
export function numberedCase(keyXdr: string, spec: ContractSpec | null): string | null {
  const keyCase = keyCaseOf(keyXdr, spec);
  return keyCase !== null && PLAIN_NAME.test(keyCase.name) ? keyCase.name : null;
}

export function storedKeyName({ kind, keyXdr = "" }: Term, { spec }: TermScope): string {
  return kind === "key" || kind === "field"
    ? showValue(keyXdr, SHOWN_VALUE)
    : showDataKey(keyXdr, spec);
}

function resultName({ name, contract }: Term): TermName | null {
  return name === undefined || contract === undefined
    ? null
    : inWords(`the result of \`${name}\` of ${contract}`);
}

/** True for an argument, and for a part of one. */
export function isOfArgument({ kind, of: [whole] = [] }: Term): boolean {
  if (kind === "argument") return true;
  const isPart = kind === "field" || kind === "element";
  return isPart && whole !== undefined && isOfArgument(whole);
}

function originOfWhole({ of: [whole] = [] }: Term): string {
  return whole === undefined ? "" : originOfTerm(whole);
}

function lengthShown({ number = "", of: [whole] = [] }: Term, names: TermScope): TermWords | null {
  const name = whole === undefined ? null : termName(whole, names);
  if (whole === undefined || name === null) return null;
  return marked`the length ${number} of ${markedAs(whole, withOrigin(whole, name, null))}`;
}

const DIGESTS: Readonly<Record<string, string>> = { sha256: "SHA-256", keccak256: "Keccak-256" };

function computedShown(term: Term, names: TermScope): TermWords | null {
  const { number = "", operator, name, of = [] } = term;
  const digest = name && DIGESTS[name];
  if (digest) {
    const [whole] = of;
    const part = whole && termName(whole, names);
    return part ? withOrigin(whole, marked`the ${digest} of ${part}`, constantOf(term)) : null;
  }
  if (operator === undefined) return sourcesShown(term, of, names);
  const computed = computedOf(term, names);
  const whole = computed && marked`${computed} = ${number}`;
  const isShort = computed !== null && computed.text.length <= LONGEST_COMPUTATION;
  return isShort ? whole : (sourcesShown(term, sourcesOf(term), names) ?? whole);
}

/** A longer computation is replaced by its value, and by the values that it was computed from. */
const LONGEST_COMPUTATION = 240;

/** The values from which a number was computed; constants are none. */
function sourcesOf({ of = [] }: Term): readonly Term[] {
  const parts = of.filter(({ kind }) => kind !== "constant");
  return parts.flatMap((part) => (part.kind === "computed" ? sourcesOf(part) : [part]));
}

function sourcesShown(
  { number = "" }: Term,
  of: readonly Term[],
  names: TermScope,
): TermWords | null {
  const parts = of.map((part) => termName(part, names));
  const known = distinctMarked(parts.filter((part) => part !== null));
  if (known.length === 0) return null;
  const sources = parts.includes(null) ? [...known, "other values"] : known;
  return marked`${number} (computed from ${joinedMarked(sources, ", ")})`;
}

/**
 * A fact that an asset's contract compared with an amount: how much somebody has, may spend or may
 * receive.
 */
function tokenShown(
  { name = "", number = "", contract, of = [] }: Term,
  names: TermScope,
): TermWords | null {
  const [holder = "its holder", owner = "its owner"] = of.flatMap((each) => constantOf(each) ?? []);
  const words: Readonly<Record<string, string>> = {
    allowance: `the allowance of ${holder} from ${owner}`,
    balance: `the balance of ${holder}`,
    minimum: "the minimum balance of a new account",
    room: `the amount that ${holder} can still receive`,
    spendable: `the amount that ${holder} can spend`,
  };
  const shown = words[name];
  return shown === undefined ? null : marked`${shown} (${inTokens(number, contract, names, ", ")})`;
}

export function assetInWords(token: Term | undefined, { lookup }: TermScope): string {
  return lookup(token?.contract ?? null)?.token?.asset ?? "the asset";
}

/** An amount in the units of a token's contract, and in whole tokens if the token is known. */
function inTokens(
  number: string,
  contract: string | undefined,
  { lookup }: TermScope,
  between: ", " | " = ",
): string {
  const token = contract === undefined ? null : (lookup(contract)?.token ?? null);
  return token === null ? number : `${number}${between}${tokenAmount(BigInt(number), token)}`;
}

/** A named value that was compared with a fact of a token, as an amount of that token. */
export function amountShown(term: Term, { contract }: Term, names: TermScope): TermWords | null {
  const name = termName(term, names);
  if (term.number === undefined) return termShown(term, names);
  if (term.kind === "constant") return plainWords(inTokens(term.number, contract, names, " = "));
  if (name === null) return termShown(term, names);
  return markedAs(term, withOrigin(term, name, inTokens(term.number, contract, names, ", ")));
}

export function computedOf(term: Term, names: TermScope, depth = 0): TermWords | null {
  const { operator, of = [] } = term;
  if (depth > 3 || operator === undefined) return null;
  const commutes = operator === "+" || operator === "*";
  const parts = commutes ? termsInOrder(of) : of;
  const each = parts.map((part) => {
    if (part.kind !== "computed") return termShown(part, names);
    const inner = computedOf(part, names, depth + 1);
    return inner && marked`(${inner})`;
  });
  const known = each.filter((part) => part !== null);
  if (known.length < each.length || known.length === 0) return null;
  const last = parts.at(-1);
  const constant = last?.kind === "constant" ? numberIn(last) : null;
  // Adding a negative number is a subtraction.
  if (operator === "+" && known.length > 1 && constant !== null && constant < 0n)
    return marked`${joinedMarked(known.slice(0, -1), " + ")} − ${`${-constant}`}`;
  return joinedMarked(known, ` ${SIGNS[operator] ?? operator} `);
}

const SIGNS: Readonly<Record<string, string>> = { "-": "−", "*": "×" };

/** The terms with arguments in their order and constants last. */
export function termsInOrder(terms: readonly Term[]): Term[] {
  const place = ({ kind, index = 0 }: Term) => (kind === "constant" ? 1e9 : index);
  return [...terms].sort((a, b) => place(a) - place(b));
}

export function withOrigin(term: Term, name: TermWords | string, value: string | null): TermWords {
  const known = [value ?? "", originOfTerm(term)].filter((part) => part !== "");
  return known.length === 0 ? marked`${name}` : marked`${name} (${known.join(", ")})`;
}

/** The name of a part, such as `order.tokens[0]`. */
function partName(term: Term, names: TermScope): TermName | null {
  const [of] = term.of ?? [];
  const whole = of === undefined ? null : nameOf(of, names);
  if (whole === null) return null;
  const isElement = term.kind === "element";
  const key = term.keyXdr === undefined ? "" : showValue(term.keyXdr, SHOWN_VALUE);
  const bare = isElement ? (term.index ?? term.name) : (term.name ?? key);
  const part = isElement || term.name === undefined ? `[${bare}]` : `.${bare}`;
  if (of?.kind === "result") {
    const kind = isElement ? "element" : "field";
    return inWords(`${kind} ${bare} of ${whole.text}`);
  }
  return { ...whole, text: `${whole.text}${part}` };
}

/** The number that the term has, or that its value is; null for every other value. */
export function numberIn({ number, valueXdr }: Term): bigint | null {
  if (number !== undefined) return BigInt(number);
  return valueXdr === undefined ? null : integerOfValue(valueXdr);
}

export function constantOf({ valueXdr }: Term): string | null {
  return valueXdr === undefined ? null : showValue(valueXdr, SHOWN_VALUE);
}

/** A type with its article: `a u32`, `an i128`, `void`. */
export function article(type: string): string {
  if (type === "void" || type === "bytes") return type;
  return withArticle(type);
}
