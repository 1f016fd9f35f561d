// Describes the condition under which a contract's code failed, as a sentence and as data. Null if
// a part of it has no name, because every statement must be verifiable.

import { counted } from "../../base/text/counted.ts";
import { distinctMarked, listedMarked, marked, plainWords } from "../../base/text/marked.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { DecidedBy, DecidingCondition, DecidingTerm } from "../../model/explanation.ts";
import type { Overrides, StatedOverride } from "../../model/overrides.ts";
import type {
  FoundWrite,
  Origin,
  OtherValue,
  Refused,
  Term,
  Why,
  WhyCondition,
  WhyProof,
} from "../../model/why.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import { showValue } from "../../xdr/values/value.ts";
import { typeNameOf } from "../../xdr/values/value-parts.ts";
import { conditionInWords, conditionsInWords, entryInWords } from "./condition-words.ts";
import { namedWrites } from "./deciding-writes.ts";
import { longestWords, summaryParts } from "./summary-parts.ts";
import {
  constantOf,
  isOfArgument,
  LEDGER_NAMES,
  numberIn,
  originOfTerm,
  PLAIN_NAME,
  partInWords,
  SHOWN_VALUE,
  storedKeyName,
  type TermScope,
  type TermWords,
  termName,
  termShown,
  termsInOrder,
} from "./term-names.ts";
import { writtenArgumentJson, writtenEntryJson } from "./written-entry-json.ts";

/**
 * Describes the condition, for example: `least` stopped because `amount` (5, argument 1) is less
 * than `least` (6, argument 2). It is likely unless it is proven on a state whose inputs ledgers
 * show.
 */
export function decidingValue(
  why: Why,
  lookup: ContractLookup,
  proof: WhyProof | null = null,
  stateIsSure = true,
  writes: readonly FoundWrite[] = [],
): DecidedBy | null {
  const scopeOf = (call: Pick<Why, "contract" | "function">) => namesOf(lookup, call);
  const { always, end, frame, code, address, count, taken } = why;
  // The comparison of the asset contract says more than the call that it refused.
  const isOwnRule = reasonInWords(why.conditions, why.because, scopeOf(why)) !== null;
  const refused = isOwnRule ? undefined : why.refused;
  const names = scopeOf((refused && proof?.reason) ?? why);
  const chosen = proof?.reason;
  const conditions = (refused && chosen?.conditions) ?? why.conditions;
  const refusedTerms = why.refused?.arguments ?? [];
  const parts = refusedTerms.flatMap((term) => (term.kind === "entry" ? (term.of ?? []) : [term]));
  const all = [...conditions, ...(chosen?.conditions ?? []), ...(why.because ?? [])];
  const rests = [...all.flatMap(({ terms }) => terms), ...parts];
  const isSure = stateIsSure || !rests.some(restsOnState);
  const isKnown = (proof !== null || why.refused !== undefined) && isSure && !always;
  const reason = reasonInWords(conditions, why.because, names);
  const requestInWords = refused && requestWords(refused, scopeOf(why), reason !== null);
  if (refused === undefined ? reason === null && !always : !requestInWords) return null;
  if (proof === null && conditions.some(({ needsRun }) => needsRun)) return null;
  const place = why.line === undefined ? "" : ` at ${why.line.file}:${why.line.line}`;
  const [ended, ends] =
    end === "stopped" ? ["stopped", "stops there"] : ["failed", "fails with this error"];
  const there = chosen ? scopeOf(chosen) : names;
  const key = refused || !chosen ? null : conditionsInWords(chosen.conditions, there);
  const asks = key === null ? "" : marked<Term>`; it asked for that entry because ${key}`;
  const because =
    reason === null ? "" : marked<Term>`${refused ? "," : ""} because ${reason}${asks}`;
  const takesNone = names.spec?.functions.get(why.function)?.inputs.length === 0;
  const alwaysEnds = takesNone ? `always ${ends}` : `${ends} for all arguments that it accepts`;
  const does = always
    ? plainWords<Term>(`${alwaysEnds}.`)
    : marked<Term>`${requestInWords ?? `${ended}${place}`}${because}.`;
  const statement = marked<Term>`${isKnown ? "" : "Likely, "}\`${why.function}\` ${does}`;
  const isShown = proof !== null && !always;
  const words = isShown ? marked<Term>`${statement} ${proofInWords(proof, there)}` : statement;
  const wordsOf = longestWords(words);
  // The words for a condition in another call do not apply to the values of this one.
  const isHere = !refused || (chosen?.frame ?? frame) === frame;
  const wordsHere = isHere ? wordsOf : new Map<Term, string>();
  const named = (condition: WhyCondition) => namedCondition(condition, names, wordsHere);
  const inConditions = [...conditions, ...(why.because ?? [])].flatMap(({ terms }) => terms);
  return {
    summary: neutralise(words.text),
    firstSentence: neutralise(statement.text),
    parts: summaryParts(words, [...inConditions, ...refusedTerms]),
    confidence: isKnown ? "known" : "likely",
    contract: why.contract,
    function: neutralise(why.function),
    end,
    always,
    conditions: conditions.map(named),
    because: (why.because ?? []).map(named),
    refused: why.refused
      ? {
          function: neutralise(why.refused.function),
          arguments: refusedTerms.map((term) => namedTerm(term, scopeOf(why), wordsOf)),
          restsOn: why.refused.values,
          decidedOn: why.refused.control,
          complete: why.refused.complete,
        }
      : null,
    proof: proof && {
      ...namedProof(proof, chosen ?? why, there),
      text: neutralise(proofInWords(proof, there).text),
    },
    writes: namedWrites(writes, lookup),
    branch: { frame, code, address, count, taken },
  };
}

function namesOf(
  lookup: ContractLookup,
  { contract, function: called }: Pick<Why, "contract" | "function">,
): TermScope {
  return { lookup, spec: lookup(contract)?.spec ?? null, function: called };
}

function reasonInWords(
  conditions: readonly WhyCondition[],
  because: readonly WhyCondition[] | undefined,
  names: TermScope,
): TermWords | null {
  const held = conditionsInWords(conditions, names);
  if (held === null) return null;
  const reason = because && conditionsInWords(because, names);
  const origins = originsInWords(
    conditions.flatMap(({ terms }) => terms),
    names,
  );
  return marked`${held}${reason ? marked<Term>`, as ${reason}` : ""}${origins}`;
}

/** The values that other contracts made these values of: `; \`a\` is \`x\` (argument 1) of \`add_with\``. */
function originsInWords(terms: readonly Term[], names: TermScope): TermWords {
  return distinctMarked(terms.flatMap((term) => originClauses(term, names))).reduce(
    (clauses, clause) => marked`${clauses}; ${clause}`,
    plainWords<Term>(""),
  );
}

function originClauses(term: Term, names: TermScope): TermWords[] {
  const { origin: source, kind } = term;
  const name = kind === "result" ? `\`${term.name}\`` : termName(term, names);
  const elsewhere = source && elsewhereInWords(source, kind, names);
  if (!elsewhere || name === null)
    return termsInOrder(term.of ?? []).flatMap((part) => originClauses(part, names));
  const verbs: Readonly<Record<string, string>> = { result: "returned", written: "was written as" };
  return [marked`${name} ${verbs[kind] ?? "is"} ${elsewhere}`];
}

/** The place of an argument in the outermost call in which it has a name. */
function elsewhereInWords(
  { term, ...callee }: Origin,
  kind: Term["kind"],
  names: TermScope,
  depth = 0,
): TermWords | null {
  const further = depth < 8 && term.kind === "argument" ? term.origin : undefined;
  const outer = further && elsewhereInWords(further, kind, names, depth + 1);
  if (outer) return outer;
  const there = namesOf(names.lookup, callee);
  const words = partInWords(term, there) ?? null;
  if (words === null || kind !== "argument") return words;
  return marked`${words} ${isOfArgument(term) ? "of" : "in"} \`${callee.function}\``;
}

const STORAGE_CALLS: Readonly<Record<string, string>> = {
  get_contract_data: "asked for",
  has_contract_data: "asked for",
  put_contract_data: "asked to write",
  del_contract_data: "asked to delete",
  extend_contract_data_ttl: "asked to extend the TTL of",
};

/** The request that the host refused; null if nothing of it has a name. */
function requestWords(
  { function: called, arguments: terms, values: sources }: Refused,
  names: TermScope,
  hasReason: boolean,
): TermWords | null {
  const [first, second, ...others] = terms;
  if (first === undefined) return null;
  const of = first.of ?? [];
  if (first.kind === "entry" && first.keyXdr !== undefined) {
    const parts = of.map((part) => partInWords(part, names));
    const known = distinctMarked(parts.filter((part) => part !== null));
    const entry = entryInWords(first.keyXdr, names);
    const verb = STORAGE_CALLS[called] ?? "asked for";
    const action = `${verb} the ${entry} in its ${first.durability} storage`;
    // The key was also computed from these facts of the ledger, which none of its terms shows.
    const unsaid = sources.filter(
      (kind) => LEDGER_NAMES[kind] !== undefined && !of.some(mentions(kind)),
    );
    const named = [...known, ...unsaid.flatMap((kind) => LEDGER_NAMES[kind] ?? [])];
    if (named.length === 0) return hasReason ? plainWords(action) : null;
    const isPart = parts.includes(null) && unsaid.length === 0;
    const made = isPart ? [...named, "other values"] : named;
    return marked`${action}, made of ${listedMarked(made)}${originsInWords(of, names)}`;
  }
  const isAuth = called.startsWith("require_auth");
  const isCall = called === "call" || called === "try_call";
  const inputs = isCall ? others : second === undefined ? [] : [second, ...others];
  const values = (isAuth || isCall ? inputs : terms).flatMap((value) =>
    value.kind === "unnamed" ? (value.of ?? []) : [value],
  );
  const subject = valueInWords(first, names);
  const origins = originsInWords(
    isAuth ? [first] : terms.flatMap((x) => [x, ...(x.of ?? [])]),
    names,
  );
  if (isAuth) return subject && marked`required the authorization of ${subject}${origins}`;
  const named = values.flatMap((value) => valueInWords(value, names) ?? []);
  const withThem = named.length === 0 ? "" : marked<Term>` with ${listedMarked(named)}`;
  if (isCall) {
    const contract = subject ?? constantOf(first);
    const name = second === undefined ? null : constantOf(second);
    if (contract === null || name === null || (subject === null && named.length === 0)) return null;
    return marked`called \`${name}\` of ${contract}${withThem}${origins}`;
  }
  return named.length === 0 ? null : marked`called the host's \`${called}\`${withThem}${origins}`;
}

/** Says whether a value comes from the ledger's time or number, or is random. */
function mentions(kind: string): (term: Term) => boolean {
  return function isOne({ kind: own, name, of = [], origin: source }: Term): boolean {
    const isIt = own === "ledger" ? name === kind : own === kind;
    return isIt || of.some(isOne) || (source !== undefined && isOne(source.term));
  };
}

const LONG: ReadonlySet<string> = new Set(["vec", "map", "bytes", "string"]);

function valueInWords(term: Term, names: TermScope): TermWords | null {
  if (term.kind === "constant") return null;
  const isLong = LONG.has(typeNameOf(term.valueXdr ?? "") ?? "");
  return isLong ? partInWords(term, names) : termShown(term, names);
}

/** The longest words that the summary has for each term. */
type WordsOfTerms = ReadonlyMap<Term, string>;

function namedCondition(
  condition: WhyCondition,
  names: TermScope,
  wordsOf: WordsOfTerms,
): DecidingCondition {
  const text = neutralise(conditionInWords(condition, names)?.text ?? "");
  const { relation, terms, type, values } = condition;
  return {
    text,
    relation,
    ...(type !== undefined && { type }),
    ...(values !== undefined && { values }),
    terms: terms.map((term) => namedTerm(term, names, wordsOf)),
  };
}

/** A term with its name, and with the words that the summary has for it. */
function namedTerm(term: Term, names: TermScope, wordsOf: WordsOfTerms): DecidingTerm {
  const { name: part, of = [], contract, origin: source, ...facts } = term;
  const known = termName(term, names);
  const name = known === null ? null : neutralise(known.text);
  const from = originOfTerm(term);
  const value = term.number ?? constantOf(term);
  const key = term.keyXdr === undefined ? {} : { key: neutralise(storedKeyName(term, names)) };
  const words = wordsOf.get(term);
  return {
    ...facts,
    ...(part !== undefined && { part: neutralise(part) }),
    ...(contract !== undefined && { contract: neutralise(contract) }),
    ...key,
    name,
    origin: from,
    value: value === null ? null : neutralise(value),
    text: name === null || words === undefined ? null : neutralise(words),
    of: of.map((each) => namedTerm(each, names, wordsOf)),
    ...(source !== undefined && {
      givenBy: {
        contract: source.contract,
        function: neutralise(source.function),
        outermost: source.outermost,
        term: namedTerm(source.term, namesOf(names.lookup, source), wordsOf),
      },
    }),
  };
}

/** A value with the values from which it was made. */
interface Made extends Pick<Term, "kind"> {
  readonly of?: readonly Made[];
  readonly origin?: string | { readonly term: Made };
  readonly givenBy?: { readonly term: Made };
}

export function restsOnState({ kind, of = [], origin, givenBy }: Made): boolean {
  const from = givenBy ?? (typeof origin === "string" ? undefined : origin);
  // An entry that was written was often read before.
  const isState = STATE.has(kind) || (kind === "written" && from === undefined);
  return isState || of.some(restsOnState) || (from !== undefined && restsOnState(from.term));
}

const STATE: ReadonlySet<Term["kind"]> = new Set(["storage", "result", "entry", "token"]);

function namedProof(
  proof: WhyProof,
  by: Pick<Why, "contract" | "function">,
  names: TermScope,
): Omit<NonNullable<DecidedBy["proof"]>, "text"> {
  const { term, other, error, within, range, overrides, recorded, entry: change } = proof;
  const there = within ? namesOf(names.lookup, within) : names;
  const [entry] = overrides.entries;
  const entryXdr = entry?.change.kind === "entry" ? entry.change.entryXdr : null;
  const isNumber = other.kind === "number" || other.kind === "truth";
  const number = term.kind === "argument" && isNumber ? otherInWords(other) : null;
  const override = stated(overrides, number, there);
  return {
    name: neutralise(nameOfProven(term, there)?.text ?? ""),
    argument: term.kind === "argument" ? (term.index ?? 0) : null,
    kind: entry ? "storage" : overrides.arguments.size > 0 ? "argument" : "ledger",
    contract: (within ?? by).contract,
    function: neutralise((within ?? by).function),
    was: change === "added" ? "absent" : neutralise(term.number ?? constantOf(term) ?? ""),
    lastWrittenLedger: entryXdr === null ? null : lastModifiedOf(entryXdr),
    value: change === "removed" ? "absent" : neutralise(otherInWords(other) || "present"),
    other,
    wasNumber: change === "added" ? null : (numberIn(term)?.toString() ?? null),
    range,
    outcome: error === null ? "succeeds" : error === "" ? "gets-past" : "fails",
    error: error || null,
    recorded,
    override,
  };
}

/** Describes a value. `number` is that of a whole argument. */
function stated(
  { ledger, arguments: argumentOverrides, entries }: Overrides,
  number: string | null,
  { spec, function: called }: TermScope,
): StatedOverride {
  const { closeTimeUnixSeconds: unixSeconds, sequence } = ledger;
  if (unixSeconds !== undefined) return { kind: "close-time", unixSeconds };
  if (sequence !== undefined) return { kind: "ledger", sequence };
  const [entry] = entries;
  if (entry !== undefined)
    return { kind: "entry", keyXdr: entry.keyXdr, json: writtenEntryJson(entry) };
  const [[at, written] = ["", null]] = argumentOverrides;
  const named = spec?.functions.get(called)?.inputs[Number(at)]?.name ?? "";
  const name = PLAIN_NAME.test(named) ? named : at;
  return number === null
    ? { kind: "argument-value", name, json: writtenArgumentJson(written) }
    : { kind: "argument", name, value: number };
}

function proofInWords(
  { term, other, error, isSameError, within, recorded, entry: change }: WhyProof,
  names: TermScope,
): TermWords {
  const value = otherInWords(other, SHOWN_VALUE);
  const own = nameOfProven(term, within ? namesOf(names.lookup, within) : names) ?? "it";
  const name = within ? marked<Term>`${own} of \`${within.function}\`` : own;
  const next = error === "" ? "it gets past this" : `it fails with ${error}`;
  const on = error === null ? "it succeeds" : next;
  const again =
    error !== null && error !== "" ? (isSameError ? " again, elsewhere" : " instead") : "";
  const anew = recorded ? " and newly recorded authorizations and footprint" : "";
  if (change === "removed") return marked`Run without the ${name}${anew}, ${on}${again}.`;
  if (change === "added" && (other.kind === "none" || value.length > LONGEST_ADDED))
    return term.kind === "key" && term.name === "element"
      ? marked`Run with the ${name}${anew}, ${on}${again}.`
      : plainWords(
          `Run with such ${term.kind === "key" ? "a key" : "an entry"}${anew}, ${on}${again}.`,
        );
  if (change === "added")
    return marked`Run with the ${name} set to ${EMPTY_VALUES[value] ?? value}${anew}, ${on}${again}.`;
  if (within && value !== "") return marked`Run with ${value} as ${name}${anew}, ${on}${again}.`;
  return marked`Run with ${name} ${value}${anew}, ${on}${again}.`;
}

/** A longer value was made up: an entry has it, so that it is there. */
const LONGEST_ADDED = 66;

/** How values without contents are called. */
const EMPTY_VALUES: Readonly<Record<string, string>> = {
  "{}": "an empty map",
  "[]": "an empty vector",
  '""': "an empty string",
  "0x": "empty bytes",
};

/** The other value; empty if nothing of it is known. */
function otherInWords(other: OtherValue, limitCharacters?: number): string {
  switch (other.kind) {
    case "number":
      return `${other.number}`;
    case "truth":
      return `${other.isTrue}`;
    case "value":
      return showValue(other.valueXdr, limitCharacters);
    case "length":
      return `of ${counted(other.count, other.unit)}`;
    case "authorized":
      return "authorized";
    case "none":
      return "";
  }
}

/** The value, the entry, the key or the element that a run changed. */
function nameOfProven(term: Term, names: TermScope): TermWords | null {
  const { kind, keyXdr, of: [whole] = [] } = term;
  if (kind === "entry" && keyXdr !== undefined) return plainWords(entryInWords(keyXdr, names));
  if (kind !== "key" || keyXdr === undefined || whole === undefined) return termName(term, names);
  const noun = term.name === "element" ? "element" : "key";
  return marked`${noun} ${showValue(keyXdr, SHOWN_VALUE)} in ${termName(whole, names) ?? "it"}`;
}
