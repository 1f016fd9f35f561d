// Describes conditions of a contract's code. Null if a part of a condition has no name.

import type { Noun } from "../../base/text/counted.ts";
import {
  distinctMarked,
  joinedMarked,
  listedMarked,
  marked,
  markedAs,
  plainWords,
} from "../../base/text/marked.ts";
import type { Term, WhyCondition } from "../../model/why.ts";
import { showDataKey } from "../../xdr/contract/key-typed.ts";
import { showValue } from "../../xdr/values/value.ts";
import { holderOfMuxed, plainOf, typeNameOf } from "../../xdr/values/value-parts.ts";
import {
  amountShown,
  article,
  assetInWords,
  computedOf,
  constantOf,
  numberedCase,
  originOfTerm,
  partInWords,
  SHOWN_VALUE,
  type TermScope,
  type TermWords,
  termName,
  termShown,
  withOrigin,
} from "./term-names.ts";

export function conditionsInWords(
  conditions: readonly WhyCondition[],
  names: TermScope,
): TermWords | null {
  const others = withOneSubject(conditions);
  const absent = absentTogether(conditions);
  const isApart = (condition: WhyCondition) =>
    (others.length < 2 || !others.includes(condition)) &&
    (absent.length < 2 || !absent.includes(condition));
  const each = [
    ...(others.length > 1 ? [noneInWords(others, names)] : []),
    ...(absent.length > 1 ? [neitherInWords(absent, names)] : []),
    ...conditions.filter(isApart).map((condition) => conditionInWords(condition, names)),
  ];
  const known = each.filter((words) => words !== null);
  if (known.length === 0 || known.length < each.length) return null;
  return joinedMarked(distinctMarked(known), " and ");
}

/** The conditions that one value is not another one. */
function withOneSubject(conditions: readonly WhyCondition[]): readonly WhyCondition[] {
  const differ = conditions.filter(
    ({ relation, terms }) => relation === "not_equal" && terms.length === 2,
  );
  const subjects = new Set(differ.map(({ terms: [subject] }) => JSON.stringify(subject)));
  return subjects.size === 1 ? differ : [];
}

/** Describes several exclusions: `\`who\` is neither the first nor the second`. */
function noneInWords(conditions: readonly WhyCondition[], names: TermScope): TermWords | null {
  const subjects = conditions.flatMap(({ terms: [subject] }) => subject ?? []);
  const [subject] = subjects;
  const shown = subject === undefined ? null : termShown(subject, names);
  const others = conditions.map(({ terms: [, other] }) => other && termShown(other, names));
  const known = others.flatMap((other) => other ?? []);
  if (shown === null || known.length < others.length) return null;
  // One clause has the words of the subject that all conditions have.
  const left = subjects.reduce((words, each) => markedAs(each, words), shown);
  const [first = "", second = "", ...more] = known;
  return more.length === 0
    ? marked`${left} is neither ${first} nor ${second}`
    : marked`${left} is none of ${listedMarked(known)}`;
}

/** The conditions that two entries of one storage are absent. */
function absentTogether(conditions: readonly WhyCondition[]): readonly WhyCondition[] {
  const absent = conditions.filter(
    ({ relation, terms: [entry] }) => relation === "absent" && entry?.kind === "entry",
  );
  const storages = new Set(absent.map(({ terms: [entry] }) => entry?.durability));
  return absent.length === 2 && storages.size === 1 ? absent : [];
}

/** Describes two absent entries: `there is neither an entry A nor an entry B in its storage`. */
function neitherInWords(conditions: readonly WhyCondition[], names: TermScope): TermWords | null {
  const entries = conditions.flatMap(({ terms: [entry] }) => entry ?? []);
  const [first, second] = entries.map((entry) => {
    const an = entry.durability === "temporary" ? "a live" : "an";
    const from = sourcesInBrackets(entry.of ?? [], names);
    return marked<Term>`${an} ${entryInWords(entry.keyXdr ?? "", names)}${from}`;
  });
  if (first === undefined || second === undefined) return null;
  const storage = `${entries[0]?.durability ?? ""} storage`;
  return marked`there is neither ${first} nor ${second} in its ${storage}`;
}

const SIZES = [32, 64, 128] as const;
const TYPE_ENDS = SIZES.flatMap((bits) => {
  const [half, whole] = [2n ** BigInt(bits - 1), 2n ** BigInt(bits)];
  return [
    { type: `u${bits}`, least: 0n, most: whole - 1n },
    { type: `i${bits}`, least: -half, most: half - 1n },
  ];
});
/** The types of which these are the least and the greatest number. */
const TYPE_OF_BOUNDS: ReadonlyMap<string, string> = new Map(
  TYPE_ENDS.map(({ type, least, most }) => [`${least} ${most}`, type]),
);
/** The types that have no such number: nobody compares with the end of a type for its own sake. */
const TYPE_OF_END: ReadonlyMap<string, string> = new Map(
  TYPE_ENDS.flatMap(({ type, least, most }): [string, string][] => [
    [`greater ${most}`, type],
    ...(least < 0n ? ([[`less ${least}`, type]] as [string, string][]) : []),
  ]),
);

const RELATIONS: Readonly<Record<string, readonly [ofTerms: string, ofConstant: string]>> = {
  equal: ["equals", "is"],
  not_equal: ["is not", "is not"],
  less: ["is less than", "is less than"],
  less_or_equal: ["is not greater than", "is not greater than"],
  greater: ["is greater than", "is greater than"],
  greater_or_equal: ["is not less than", "is not less than"],
};

export function conditionInWords(condition: WhyCondition, names: TermScope): TermWords | null {
  const { relation, terms, type = "", values = [] } = condition;
  const [first, second] = terms;
  if (first === undefined) return null;
  const name = termName(first, names);
  switch (relation) {
    case "absent":
    case "present":
      return presence(first, relation === "present", names);
    case "frozen": {
      const holder = termShown(first, names);
      return (
        holder &&
        marked`the issuer has not authorized ${holder} to hold ${assetInWords(second, names)}`
      );
    }
    case "no_trustline": {
      const holder = termShown(first, names);
      return holder && marked`${holder} has no trustline for ${assetInWords(second, names)}`;
    }
    case "overflow": {
      const computed = computedOf(first, names);
      return computed && marked`${computed} does not fit ${article(type)}`;
    }
    case "not_type":
    case "is_type": {
      const actual = typeIn(first.valueXdr ?? "");
      if (name === null || actual === null) return null;
      const place = markedAs(first, withOrigin(first, name, null));
      if (relation === "is_type") return marked`${place} is ${article(type)}`;
      return type === "void"
        ? marked`${place} is not void`
        : marked`${place} is ${article(actual)}, not ${article(type)}`;
    }
    case "within":
    case "outside": {
      const [least = "", most = ""] = values;
      const bounded = relation === "outside" ? TYPE_OF_BOUNDS.get(`${least} ${most}`) : undefined;
      const left = bounded && termShown(first, names);
      if (bounded && left) return marked`${left} does not fit ${article(bounded)}`;
      const not = relation === "outside" ? "not " : "";
      return number(first, `${not}${least} to ${most}`, names);
    }
    case "one_of":
    case "not_one_of": {
      if (values.length > 12 || values.length === 0) return null;
      const which = relation === "one_of" ? "one of" : "none of";
      return number(first, `${which} ${values.join(", ")}`, names);
    }
  }
  const words = RELATIONS[relation];
  if (words === undefined || second === undefined) return null;
  if (second.kind === "token") {
    const [left, right] = [amountShown(first, second, names), termShown(second, names)];
    return left && right && marked`${left} ${words[0]} ${right}`;
  }
  if (second.kind !== "constant") {
    const [left, right] = [termShown(first, names), otherShown(second, name, names)];
    return left && right && marked`${left} ${words[0]} ${right}`;
  }
  const constant = second.number ?? constantOf(second);
  if (constant === null) return null;
  if (first.kind === "length") return lengthInWords(first, relation, constant, names);
  const left =
    relation === "equal" ? nameWithoutValue(first, name, names) : termShown(first, names);
  const end = TYPE_OF_END.get(`${relation} ${constant}`);
  if (end && left) return marked`${left} does not fit ${article(end)}`;
  const superlative = relation === "equal" ? endOfType(first, constant) : "";
  return left && marked`${left} ${words[1]} ${constant}${superlative}`;
}

/** The second value of a condition. Two calls may have results of one name. */
function otherShown(term: Term, nameOfFirst: TermWords | null, names: TermScope): TermWords | null {
  if (term.kind !== "result" || termName(term, names)?.text !== nameOfFirst?.text)
    return termShown(term, names);
  return markedAs(term, withOrigin(term, "that of another call", term.number ?? null));
}

/** Says that a number of a contract's value is the last one of its type. */
function endOfType({ valueXdr, number: own }: Term, constant: string): string {
  const type = typeNameOf(valueXdr ?? "");
  const end = TYPE_ENDS.find((each) => each.type === type);
  // A value whose number was read in another way has other ends.
  if (end === undefined || own !== constant) return "";
  if (constant === `${end.most}`) return `, the largest ${end.type}`;
  return end.least < 0n && constant === `${end.least}` ? `, the lowest ${end.type}` : "";
}

/** The host has another type for a muxed address than for other addresses. */
function typeIn(valueXdr: string): string | null {
  const name = typeNameOf(valueXdr);
  return name === "address" && holderOfMuxed(valueXdr) !== null ? "muxed address" : name;
}

/** A value whose number the sentence states afterwards. */
function nameWithoutValue(term: Term, name: TermWords | null, names: TermScope): TermWords | null {
  if (term.kind === "computed" && term.operator !== undefined) return computedOf(term, names);
  return name === null ? termShown(term, names) : markedAs(term, withOrigin(term, name, null));
}

/** Describes a number, or the length of something, and its relation. */
function number(term: Term, bounds: string, names: TermScope): TermWords | null {
  if (term.kind === "length") return lengthOf(term, names, `, ${bounds}`);
  const left = termShown(term, names);
  return left && marked`${left} is ${bounds}`;
}

function lengthInWords(
  term: Term,
  relation: string,
  constant: string,
  names: TermScope,
): TermWords | null {
  const more: Readonly<Record<string, string>> = {
    equal: "",
    not_equal: `, not ${constant}`,
    less: `, less than ${constant}`,
    less_or_equal: `, not more than ${constant}`,
    greater: `, more than ${constant}`,
    greater_or_equal: `, not less than ${constant}`,
  };
  const words = more[relation];
  return words === undefined ? null : lengthOf(term, names, words);
}

const ELEMENT: Noun = ["element", "elements"];
/** What the length of a value counts, by its type. */
const UNITS: Readonly<Record<string, Noun>> = {
  vec: ELEMENT,
  map: ["entry", "entries"],
  bytes: ["byte", "bytes"],
  string: ["character", "characters"],
  symbol: ["character", "characters"],
};

function lengthOf(term: Term, names: TermScope, more: string): TermWords | null {
  const [of] = term.of ?? [];
  const name = of === undefined ? null : termName(of, names);
  if (of === undefined || name === null || term.number === undefined) return null;
  const kind = typeNameOf(of.valueXdr ?? "");
  const [unit, units] = UNITS[kind ?? ""] ?? ELEMENT;
  const counted = `${term.number} ${term.number === "1" ? unit : units}`;
  return marked`${markedAs(of, withOrigin(of, name, null))} has ${counted}${more}`;
}

/** Describes whether an entry exists, or a map has a key. */
function presence(term: Term, is: boolean, names: TermScope): TermWords | null {
  const [of] = term.of ?? [];
  if (term.kind === "entry" && term.keyXdr !== undefined) {
    const from = sourcesInBrackets(term.of ?? [], names);
    // A temporary entry is removed when its TTL has ended.
    const no = term.durability === "temporary" ? "no live" : "no";
    const there = is ? "there is an" : `there is ${no}`;
    const entry = entryInWords(term.keyXdr, names);
    return marked`${there} ${entry} in its ${term.durability ?? ""} storage${from}`;
  }
  if (term.kind !== "key" || of === undefined || term.keyXdr === undefined) return null;
  // The vector or map may be a constant of the code.
  const constant = constantOf(of);
  const [, ...parts] = term.of ?? [];
  const from = sourcesInBrackets(parts, names);
  const noun = term.name === "element" ? "element" : "key";
  const key = showValue(term.keyXdr, SHOWN_VALUE);
  const known = termName(of, names);
  const empty = known === null ? EMPTY[constant ?? ""] : undefined;
  if (empty !== undefined && !is)
    return marked`it looked for the ${noun} ${key}${from} in ${markedAs(of, empty)}`;
  const name = known ?? constant;
  const [part, ...others] = parts;
  const isAlready = is && known === null && part !== undefined && others.length === 0;
  const added = isAlready ? termShown(part, names) : null;
  // The code collects the values itself, and meets one of them again.
  if (added && name)
    return marked`${added} is already ${noun === "key" ? "a key of" : "in"} ${name}`;
  const has = is ? "has the" : "has no";
  return name ? marked`${withOrigin(of, name, null)} ${has} ${noun} ${key}${from}` : null;
}

/** The places that the parts of a key came from; empty if none is known. */
function sourcesInBrackets(parts: readonly Term[], names: TermScope): TermWords {
  const made = parts.flatMap((part) => keyPart(part, names) ?? []);
  return made.length === 0 ? plainWords("") : marked` (${joinedMarked(made, "; ")})`;
}

/** Contracts usually take one of these if nothing is stored. */
const EMPTY: Readonly<Record<string, string>> = { "{}": "an empty map", "[]": "an empty vector" };

/** Describes an entry. A key that is a bare symbol may be any word, and a number says nothing. */
export function entryInWords(keyXdr: string, { spec }: TermScope): string {
  const named = numberedCase(keyXdr, spec);
  const key = named ?? showDataKey(keyXdr, spec);
  if (named === null && typeof plainOf(keyXdr) === "bigint") return `entry with the key ${key}`;
  return typeNameOf(keyXdr) === "symbol" ? `entry "${key}"` : `entry ${key}`;
}

/** The place that a part of a key came from. */
function keyPart(term: Term, names: TermScope): TermWords | null {
  if (term.kind === "computed") return partInWords(term, names);
  const name = termName(term, names);
  const origin = originOfTerm(term);
  return name && markedAs(term, origin === "" ? name : marked`${name}, ${origin}`);
}
