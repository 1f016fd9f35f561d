// The condition under which a contract's code failed, as a sentence and as data. Null where a part
// of it has no name: nothing is said that a reader could not check.

import { utf8Bytes } from "../../base/bytes.ts";
import { listed } from "../../base/text/listed.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { DecidedBy, DecidingCondition, DecidingTerm } from "../../model/explanation.ts";
import { type Overrides, overrideFlag, type StatedOverride } from "../../model/overrides.ts";
import type { Origin, Refused, Term, Why, WhyCondition, WhyProof } from "../../model/why.ts";
import type { ContractSpec } from "../../xdr/contract/contract-spec.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { showDataKey } from "../../xdr/contract/key-typed.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import { showValue } from "../../xdr/values/value.ts";
import { holderOfMuxed, typeNameOf } from "../../xdr/values/value-parts.ts";

const SHOWN_VALUE = 60;
/** A command is for a shell, and names are of the author. */
export const PLAIN_NAME = /^[A-Za-z_]\w{0,31}$/;

/** Those of the contract and the function that a value is of. */
interface Names {
  readonly lookup: ContractLookup;
  readonly spec: ContractSpec | null;
  readonly function: string;
}

/**
 * Such as: `least` stopped because `amount` (5, argument 1) is less than `least` (6, argument 2).
 * Likely, unless it is proven, on a state of which ledgers show all that it rests on.
 */
export function decidingValue(
  why: Why,
  lookup: ContractLookup,
  proof: WhyProof | null = null,
  stateIsSure = true,
): DecidedBy | null {
  const names = namesOf(lookup, (why.refused && proof?.reason) ?? why);
  const { always, end, frame, code, address, count, taken, refused } = why;
  const chosen = proof?.reason;
  const conditions = (refused && chosen?.conditions) ?? why.conditions;
  const given = refused?.arguments ?? [];
  const parts = given.flatMap((term) => (term.kind === "entry" ? (term.of ?? []) : [term]));
  const all = [...conditions, ...(chosen?.conditions ?? []), ...(why.because ?? [])];
  const rests = [...all.flatMap(({ terms }) => terms), ...parts];
  const isSure = stateIsSure || !rests.some(restsOnState);
  const isKnown = (proof !== null || refused !== undefined) && isSure && !always;
  const reason = reasonInWords(conditions, why.because, names);
  const asked = refused && askedInWords(refused, namesOf(lookup, why), reason !== null);
  if (refused === undefined ? reason === null && !always : !asked) return null;
  const place = why.line === undefined ? "" : ` at ${why.line.file}:${why.line.line}`;
  const [ended, ends] =
    end === "stopped" ? ["stopped", "stops there"] : ["failed", "fails with this error"];
  const there = chosen ? namesOf(lookup, chosen) : names;
  const key = refused || !chosen ? null : inWords(chosen.conditions, there);
  const proven = proof === null ? "" : ` ${proofInWords(proof, there)}`;
  const asks = key === null ? "" : `; it asked for that entry because ${key}`;
  const because = reason === null ? "" : `${refused ? "," : ""} because ${reason}${asks}`;
  const does = always
    ? `${ends} for all arguments that it accepts.`
    : `${asked ?? `${ended}${place}`}${because}.${proven}`;
  // The words of a condition in another call lead to no value of this one.
  const isHere = !refused || (chosen?.frame ?? frame) === frame;
  const named = (condition: WhyCondition) =>
    namedCondition(condition, isHere ? summary : "", names);
  const summary = neutralise(`${isKnown ? "" : "Likely, "}\`${why.function}\` ${does}`);
  return {
    summary,
    confidence: isKnown ? "known" : "likely",
    contract: why.contract,
    function: neutralise(why.function),
    end,
    always,
    conditions: conditions.map(named),
    because: (why.because ?? []).map(named),
    refused: refused
      ? {
          function: neutralise(refused.function),
          arguments: given.map((term) => namedTerm(term, summary, namesOf(lookup, why))),
          restsOn: refused.values,
          decidedOn: refused.control,
          complete: refused.complete,
        }
      : null,
    proof: proof && {
      ...namedProof(proof, chosen ?? why, there),
      text: neutralise(proofInWords(proof, there)),
    },
    branch: { frame, code, address, count, taken },
  };
}

/** The same for failures of the same code that one condition decided, whatever its values are. */
export function conditionId({ end, code, address, taken, always, conditions }: Why): string {
  const shape = ({ kind, operator, name, index, of = [] }: Term): unknown => {
    const own = kind === "argument" ? index : kind === "ledger" ? name : operator;
    return [kind, own ?? null, of.map(shape)];
  };
  const shapes = conditions.map(({ relation, terms, type }) => [relation, type, terms.map(shape)]);
  const id = JSON.stringify([end, code, address, taken, always, shapes]);
  return sha256(utf8Bytes(id)).toHex().slice(0, 16);
}

function namesOf(
  lookup: ContractLookup,
  { contract, function: called }: Pick<Why, "contract" | "function">,
): Names {
  return { lookup, spec: lookup(contract)?.spec ?? null, function: called };
}

function reasonInWords(
  conditions: readonly WhyCondition[],
  because: readonly WhyCondition[] | undefined,
  names: Names,
): string | null {
  const held = inWords(conditions, names);
  if (held === null) return null;
  const reason = because && inWords(because, names);
  const origins = originsInWords(
    conditions.flatMap(({ terms }) => terms),
    names,
  );
  return `${held}${reason ? `; a default was used, because ${reason}` : ""}${origins}`;
}

/** What other contracts made these values of: `; \`a\` is \`x\` (argument 1) of \`add_with\``. */
function originsInWords(terms: readonly Term[], names: Names): string {
  return [...new Set(terms.flatMap((term) => originClauses(term, names)))]
    .map((clause) => `; ${clause}`)
    .join("");
}

function originClauses(term: Term, names: Names): string[] {
  const { origin: given, kind } = term;
  const name = kind === "result" ? `\`${term.name}\`` : nameOf(term, names);
  const elsewhere = given && elsewhereInWords(given, kind, names);
  if (!elsewhere || name === null)
    return inOrder(term.of ?? []).flatMap((part) => originClauses(part, names));
  const verbs: Readonly<Record<string, string>> = { result: "returned", written: "was written as" };
  return [`${name} ${verbs[kind] ?? "is"} ${elsewhere}`];
}

/** Of an argument, in the outermost call in which it has a name. */
function elsewhereInWords(
  { term, ...given }: Origin,
  kind: Term["kind"],
  names: Names,
  depth = 0,
): string | null {
  const further = depth < 8 && term.kind === "argument" ? term.origin : undefined;
  const outer = further && elsewhereInWords(further, kind, names, depth + 1);
  if (outer) return outer;
  const there = namesOf(names.lookup, given);
  const words = partInWords(term, there) ?? null;
  if (words === null || kind !== "argument") return words;
  return `${words} ${isOfArgument(term) ? "of" : "in"} \`${given.function}\``;
}

const STORAGE_CALLS: Readonly<Record<string, string>> = {
  get_contract_data: "asked for",
  has_contract_data: "asked for",
  put_contract_data: "asked to write",
  del_contract_data: "asked to delete",
  extend_contract_data_ttl: "asked to extend the TTL of",
};

/** What the host was asked for and refused; null: nothing of it has a name. */
function askedInWords(
  { function: called, arguments: given, values: sources }: Refused,
  names: Names,
  hasReason: boolean,
): string | null {
  const [first, second, ...others] = given;
  if (first === undefined) return null;
  const of = first.of ?? [];
  if (first.kind === "entry" && first.keyXdr !== undefined) {
    const parts = of.map((part) => partInWords(part, names));
    const known = [...new Set(parts.flatMap((part) => part ?? []))];
    const entry = entryInWords(first.keyXdr, names);
    const asked = STORAGE_CALLS[called] ?? "asked for";
    const what = `${asked} the ${entry} in its ${first.durability} storage`;
    // The ledger chose among them.
    const unsaid = sources.filter((kind) => LEDGER[kind] !== undefined && !of.some(mentions(kind)));
    known.push(...unsaid.flatMap((kind) => LEDGER[kind] ?? []));
    if (known.length === 0) return hasReason ? what : null;
    const made = parts.includes(null) && unsaid.length === 0 ? [...known, "other values"] : known;
    return `${what}, made of ${listed(made, "and")}${originsInWords(of, names)}`;
  }
  const isAuth = called.startsWith("require_auth");
  const isCall = called === "call" || called === "try_call";
  const rest = isCall ? others : second === undefined ? [] : [second, ...others];
  const values = (isAuth || isCall ? rest : given).flatMap((value) =>
    value.kind === "unnamed" ? (value.of ?? []) : [value],
  );
  const named = values.flatMap((value) => givenInWords(value, names) ?? []);
  const subject = givenInWords(first, names);
  const origins = originsInWords(
    isAuth ? [first] : given.flatMap((x) => [x, ...(x.of ?? [])]),
    names,
  );
  if (isAuth) return subject && `required the authorization of ${subject}${origins}`;
  const withThem = named.length === 0 ? "" : ` with ${listed(named, "and")}`;
  if (isCall) {
    const contract = subject ?? constantOf(first);
    const name = second === undefined ? null : constantOf(second);
    if (contract === null || name === null || (subject === null && named.length === 0)) return null;
    return `called \`${name}\` of ${contract}${withThem}${origins}`;
  }
  return named.length === 0 ? null : `called the host's \`${called}\`${withThem}${origins}`;
}

/** Whether a value comes from the ledger's time or number, or is a random one. */
function mentions(kind: string): (term: Term) => boolean {
  return function isOne({ kind: own, name, of = [], origin: given }: Term): boolean {
    const isIt = own === "ledger" ? name === kind : own === kind;
    return isIt || of.some(isOne) || (given !== undefined && isOne(given.term));
  };
}

/** Its value stands elsewhere in the sentence. */
function partInWords(term: Term, names: Names): string | null {
  if (term.kind === "computed" && term.operator !== undefined) return computedOf(term, names);
  const { shown: own } = TERMS[term.kind];
  const name = nameOf(term, names);
  return own ? own(term, names) : name && placed(term, name, null);
}

const LONG: ReadonlySet<string> = new Set(["vec", "map", "bytes", "string"]);

function givenInWords(term: Term, names: Names): string | null {
  if (term.kind === "constant") return null;
  const isLong = LONG.has(typeNameOf(term.valueXdr ?? "") ?? "");
  return isLong ? partInWords(term, names) : shown(term, names);
}

function namedCondition(condition: WhyCondition, within: string, names: Names): DecidingCondition {
  const text = neutralise(conditionInWords(condition, names) ?? "");
  const { relation, terms, type, values } = condition;
  return {
    text,
    relation,
    ...(type !== undefined && { type }),
    ...(values !== undefined && { values }),
    terms: terms.map((term) => namedTerm(term, within, names)),
  };
}

/** `within`: the summary, of which some words stand for it. */
function namedTerm(term: Term, within: string, names: Names): DecidingTerm {
  const { name: part, of = [], contract, origin: given, ...facts } = term;
  const known = nameOf(term, names);
  const name = known === null ? null : neutralise(known);
  const from = origin(term);
  const value = term.number ?? constantOf(term);
  const key = term.keyXdr === undefined ? {} : { key: neutralise(keyOf(term, names)) };
  const forms = [placed(term, name ?? "", value), placed(term, name ?? "", null)];
  const text = [...forms, `${name}, ${from}`, name].find((form) => form && within.includes(form));
  return {
    ...facts,
    ...(part !== undefined && { part: neutralise(part) }),
    ...(contract !== undefined && { contract: neutralise(contract) }),
    ...key,
    name,
    origin: from,
    value: value === null ? null : neutralise(value),
    text: name === null ? null : (text ?? null),
    of: of.map((each) => namedTerm(each, within, names)),
    ...(given !== undefined && {
      givenBy: {
        contract: given.contract,
        function: neutralise(given.function),
        outermost: given.outermost,
        term: namedTerm(given.term, within, namesOf(names.lookup, given)),
      },
    }),
  };
}

/** A value with what it was made of. */
interface Made extends Pick<Term, "kind"> {
  readonly of?: readonly Made[];
  readonly origin?: string | { readonly term: Made };
  readonly givenBy?: { readonly term: Made };
}

export function restsOnState({ kind, of = [], origin, givenBy }: Made): boolean {
  const from = givenBy ?? (typeof origin === "string" ? undefined : origin);
  // What was written was often read before.
  const isState = STATE.has(kind) || (kind === "written" && from === undefined);
  return isState || of.some(restsOnState) || (from !== undefined && restsOnState(from.term));
}

const STATE: ReadonlySet<Term["kind"]> = new Set(["storage", "result", "entry"]);

function namedProof(
  { term, number, error, within, range, overrides, recorded }: WhyProof,
  by: Pick<Why, "contract" | "function">,
  names: Names,
): Omit<NonNullable<DecidedBy["proof"]>, "text"> {
  const there = within ? namesOf(names.lookup, within) : names;
  const [entry] = overrides.entries;
  const entryXdr = entry?.change.kind === "entry" ? entry.change.entryXdr : null;
  const override = stated(overrides, term.kind === "argument" ? number : null, there);
  return {
    name: neutralise(nameOf(term, there) ?? ""),
    argument: term.kind === "argument" ? (term.index ?? 0) : null,
    kind: entry ? "storage" : overrides.arguments.size > 0 ? "argument" : "ledger",
    contract: (within ?? by).contract,
    function: neutralise((within ?? by).function),
    was: neutralise(term.number ?? constantOf(term) ?? ""),
    lastWrittenLedger: entryXdr === null ? null : lastModifiedOf(entryXdr),
    value: number,
    range,
    outcome: error === null ? "succeeds" : error === "" ? "gets-past" : "fails",
    error: error || null,
    recorded,
    override,
    flags: overrideFlag(override),
  };
}

/** `number`: of a whole argument. */
function stated(
  { ledger, arguments: given, entries }: Overrides,
  number: string | null,
  { spec, function: called }: Names,
): StatedOverride {
  const { closeTimeUnixSeconds: unixSeconds, sequence } = ledger;
  if (unixSeconds !== undefined) return { kind: "close-time", unixSeconds };
  if (sequence !== undefined) return { kind: "ledger", sequence };
  for (const { keyXdr, change } of entries)
    if (change.kind === "entry") return { kind: "entry", keyXdr, entryXdr: change.entryXdr };
  const [[at, written] = ["", null]] = given;
  const named = spec?.functions.get(called)?.inputs[Number(at)]?.name ?? "";
  const name = PLAIN_NAME.test(named) ? named : at;
  return number === null
    ? { kind: "argument-value", name, json: JSON.stringify(written) }
    : { kind: "argument", name, value: number };
}

function proofInWords(
  { term, number, error, isSameError, within, recorded }: WhyProof,
  names: Names,
): string {
  const own = nameOf(term, within ? namesOf(names.lookup, within) : names) ?? "it";
  const name = within ? `${own} of \`${within.function}\`` : own;
  const next = error === "" ? "it gets past this" : `it fails with ${error}`;
  const on = error === null ? "it succeeds" : next;
  const again =
    error !== null && error !== "" ? (isSameError ? " again, elsewhere" : " instead") : "";
  const anew = recorded ? " and newly recorded authorizations and footprint" : "";
  return `Run with ${name} ${number}${anew}, ${on}${again}.`;
}

function inWords(conditions: readonly WhyCondition[], names: Names): string | null {
  const others = withOneSubject(conditions);
  const each = [
    ...(others.length > 1 ? [noneInWords(others, names)] : []),
    ...conditions
      .filter((condition) => others.length < 2 || !others.includes(condition))
      .map((condition) => conditionInWords(condition, names)),
  ];
  const known = [...new Set(each.flatMap((words) => words ?? []))];
  return each.length === 0 || each.includes(null) ? null : known.join(" and ");
}

/** Those that say of one value that it is not another one. */
function withOneSubject(conditions: readonly WhyCondition[]): readonly WhyCondition[] {
  const differ = conditions.filter(
    ({ relation, terms }) => relation === "not_equal" && terms.length === 2,
  );
  const subjects = new Set(differ.map(({ terms: [subject] }) => JSON.stringify(subject)));
  return subjects.size === 1 ? differ : [];
}

/** `\`who\` is neither the first nor the second`. */
function noneInWords(conditions: readonly WhyCondition[], names: Names): string | null {
  const [subject] = conditions[0]?.terms ?? [];
  const left = subject === undefined ? null : shown(subject, names);
  const others = conditions.map(({ terms: [, other] }) => other && shown(other, names));
  const known = others.flatMap((other) => other ?? []);
  if (left === null || known.length < others.length) return null;
  const [first, second, ...more] = known;
  return more.length === 0
    ? `${left} is neither ${first} nor ${second}`
    : `${left} is none of ${listed(known, "and")}`;
}

const RELATIONS: Readonly<Record<string, readonly [ofTerms: string, ofConstant: string]>> = {
  equal: ["equals", "is"],
  not_equal: ["is not", "is not"],
  less: ["is less than", "is less than"],
  less_or_equal: ["is not greater than", "is not greater than"],
  greater: ["is greater than", "is greater than"],
  greater_or_equal: ["is not less than", "is not less than"],
};

function conditionInWords(condition: WhyCondition, names: Names): string | null {
  const { relation, terms, type = "", values = [] } = condition;
  const [first, second] = terms;
  if (first === undefined) return null;
  const name = nameOf(first, names);
  switch (relation) {
    case "absent":
    case "present":
      return presence(first, relation === "present", names);
    case "overflow": {
      const computed = computedOf(first, names);
      return computed && `${computed} does not fit ${article(type)}`;
    }
    case "not_type":
    case "is_type": {
      const actual = typeIn(first.valueXdr ?? "");
      if (name === null || actual === null) return null;
      const place = placed(first, name, null);
      if (relation === "is_type") return `${place} is ${article(type)}`;
      return type === "void"
        ? `${place} is not void`
        : `${place} is ${article(actual)}, not ${article(type)}`;
    }
    case "within":
    case "outside": {
      const [least, most] = values;
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
  if (second.kind !== "constant") {
    const [left, right] = [shown(first, names), shown(second, names)];
    return left && right && `${left} ${words[0]} ${right}`;
  }
  const constant = second.number ?? constantOf(second);
  if (constant === null) return null;
  if (first.kind === "length") return lengthInWords(first, relation, constant, names);
  const left = relation === "equal" ? unvalued(first, name, names) : shown(first, names);
  return left && `${left} ${words[1]} ${constant}`;
}

/** The host has another type for a muxed address than for other addresses. */
function typeIn(valueXdr: string): string | null {
  const name = typeNameOf(valueXdr);
  return name === "address" && holderOfMuxed(valueXdr) !== null ? "muxed address" : name;
}

/** A value that the sentence goes on to say. */
function unvalued(term: Term, name: string | null, names: Names): string | null {
  if (term.kind === "computed" && term.operator !== undefined) return computedOf(term, names);
  return name === null ? shown(term, names) : placed(term, name, null);
}

/** A number, or the length of something, and what it is or is not. */
function number(term: Term, bounds: string, names: Names): string | null {
  if (term.kind === "length") return lengthOf(term, names, `, ${bounds}`);
  const left = shown(term, names);
  return left && `${left} is ${bounds}`;
}

function lengthInWords(
  term: Term,
  relation: string,
  constant: string,
  names: Names,
): string | null {
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

function lengthOf(term: Term, names: Names, more: string): string | null {
  const [of] = term.of ?? [];
  const name = of === undefined ? null : nameOf(of, names);
  if (of === undefined || name === null || term.number === undefined) return null;
  const kind = typeNameOf(of.valueXdr ?? "");
  const units: Readonly<Record<string, string>> = {
    vec: "element",
    map: "entry",
    bytes: "byte",
    string: "character",
    symbol: "character",
  };
  const unit = units[kind ?? ""] ?? "element";
  const plural = unit === "entry" ? "entries" : `${unit}s`;
  const counted = `${term.number} ${term.number === "1" ? unit : plural}`;
  return `${placed(of, name, null)} has ${counted}${more}`;
}

/** Whether there is an entry, or a map has a key. */
function presence(term: Term, is: boolean, names: Names): string | null {
  const [of] = term.of ?? [];
  if (term.kind === "entry" && term.keyXdr !== undefined) {
    const made = (term.of ?? []).flatMap((part) => keyPart(part, names) ?? []);
    const from = made.length === 0 ? "" : ` (${made.join("; ")})`;
    // A temporary entry is gone when its TTL has ended.
    const no = term.durability === "temporary" ? "no live" : "no";
    const there = is ? "there is an" : `there is ${no}`;
    const entry = entryInWords(term.keyXdr, names);
    return `${there} ${entry} in its ${term.durability} storage${from}`;
  }
  if (term.kind !== "key" || of === undefined || term.keyXdr === undefined) return null;
  // The vector or map may be a constant of the code.
  const name = nameOf(of, names) ?? constantOf(of);
  const [, ...parts] = term.of ?? [];
  const made = parts.flatMap((part) => keyPart(part, names) ?? []);
  const from = made.length === 0 ? "" : ` (${made.join("; ")})`;
  const has = is ? "has the" : "has no";
  const what = term.name === "element" ? "element" : "key";
  const key = showValue(term.keyXdr, SHOWN_VALUE);
  return name && `${placed(of, name, null)} ${has} ${what} ${key}${from}`;
}

/** A key that is a bare symbol may be any word. */
function entryInWords(keyXdr: string, { spec }: Names): string {
  const key = showDataKey(keyXdr, spec);
  return typeNameOf(keyXdr) === "symbol" ? `entry "${key}"` : `entry ${key}`;
}

/** Where a part of a key came from. */
function keyPart(term: Term, names: Names): string | null {
  if (term.kind === "computed") return partInWords(term, names);
  const name = nameOf(term, names);
  return name === null ? null : [name, origin(term)].filter(Boolean).join(", ");
}

/** What is said of a kind of value. */
interface TermWords {
  /** Null: it has none, and nothing is said of it. */
  readonly name?: (term: Term, names: Names) => string | null;
  /** Where it came from, besides its name. */
  readonly origin?: (term: Term) => string;
  /** In a sentence, where that is not its name with its value and origin. */
  readonly shown?: (term: Term, names: Names) => string | null;
}

const RANDOM = "a random number";

const TERMS: Readonly<Record<Term["kind"], TermWords>> = {
  argument: { name: argumentName, origin: ({ index = 0 }) => `argument ${index + 1}` },
  storage: { name: storedName, origin: ({ durability }) => `${durability} storage` },
  written: { name: storedName, origin: () => "written earlier in this transaction" },
  ledger: { name: ({ name = "" }) => LEDGER[name] ?? null },
  contract: { name: () => "the contract itself" },
  result: { name: resultName },
  field: { name: partName, origin: originOfWhole },
  element: { name: partName, origin: originOfWhole },
  length: { shown: lengthShown },
  constant: { shown: (term) => term.number ?? constantOf(term) },
  computed: { shown: computedShown },
  entry: {},
  key: {},
  random: { name: () => RANDOM },
  unnamed: {},
};

const LEDGER: Readonly<Record<string, string>> = {
  time: "the ledger's time",
  sequence: "the ledger's number",
  protocol: "the ledger's protocol",
  max_live_until: "the last ledger to which a TTL can be extended",
  random: RANDOM,
};

function nameOf(term: Term, names: Names): string | null {
  return TERMS[term.kind].name?.(term, names) ?? null;
}

function origin(term: Term): string {
  return TERMS[term.kind].origin?.(term) ?? "";
}

/** A value with its name, where it came from and what it is; null: it has no name. */
function shown(term: Term, names: Names): string | null {
  const { shown: own } = TERMS[term.kind];
  if (own !== undefined) return own(term, names);
  const name = nameOf(term, names);
  return name && placed(term, name, term.number ?? constantOf(term));
}

function argumentName({ index = -1 }: Term, { spec, function: name }: Names): string {
  const input = spec?.functions.get(name)?.inputs[index];
  return input === undefined ? "its argument" : `\`${input.name}\``;
}

function storedName(term: Term, names: Names): string | null {
  return term.keyXdr === undefined ? null : keyOf(term, names);
}

function keyOf({ kind, keyXdr = "" }: Term, { spec }: Names): string {
  return kind === "key" || kind === "field"
    ? showValue(keyXdr, SHOWN_VALUE)
    : showDataKey(keyXdr, spec);
}

function resultName({ name, contract }: Term): string | null {
  return name === undefined || contract === undefined
    ? null
    : `the result of \`${name}\` of ${contract}`;
}

/** It is an argument, or a part of one. */
function isOfArgument({ kind, of: [whole] = [] }: Term): boolean {
  if (kind === "argument") return true;
  const isPart = kind === "field" || kind === "element";
  return isPart && whole !== undefined && isOfArgument(whole);
}

function originOfWhole({ of: [whole] = [] }: Term): string {
  return whole === undefined ? "" : origin(whole);
}

function lengthShown({ number, of: [whole] = [] }: Term, names: Names): string | null {
  const name = whole === undefined ? null : nameOf(whole, names);
  if (whole === undefined || name === null) return null;
  return `the length of ${placed(whole, name, null)}, ${number},`;
}

const DIGESTS: Readonly<Record<string, string>> = { sha256: "SHA-256", keccak256: "Keccak-256" };

function computedShown(term: Term, names: Names): string | null {
  const { number, operator, name, of = [] } = term;
  const digest = name && DIGESTS[name];
  if (digest) {
    const [whole] = of;
    const part = whole && nameOf(whole, names);
    return part ? placed(whole, `the ${digest} of ${part}`, constantOf(term)) : null;
  }
  if (operator !== undefined) {
    const computed = computedOf(term, names);
    return computed && `${computed} = ${number}`;
  }
  const parts = of.map((part) => nameOf(part, names));
  if (parts.includes(null) || parts.length === 0) return null;
  return `${number} (computed from ${parts.join(", ")})`;
}

function computedOf(term: Term, names: Names, depth = 0): string | null {
  const { operator, of = [] } = term;
  if (depth > 3) return null;
  const commutes = operator === "+" || operator === "*";
  const each = (commutes ? inOrder(of) : of).map((part) => {
    if (part.kind !== "computed") return shown(part, names);
    const inner = computedOf(part, names, depth + 1);
    return inner && `(${inner})`;
  });
  if (each.includes(null) || each.length === 0) return null;
  const signs: Readonly<Record<string, string>> = { "-": "−", "*": "×" };
  if (operator !== undefined) return each.join(` ${signs[operator] ?? operator} `);
  return null;
}

/** Arguments as they are given, constants last. */
function inOrder(terms: readonly Term[]): Term[] {
  const place = ({ kind, index = 0 }: Term) => (kind === "constant" ? 1e9 : index);
  return [...terms].sort((a, b) => place(a) - place(b));
}

function placed(term: Term, name: string, value: string | null): string {
  const known = [value ?? "", origin(term)].filter((part) => part !== "");
  return known.length === 0 ? name : `${name} (${known.join(", ")})`;
}

/** `order.tokens[0]`. */
function partName(term: Term, names: Names): string | null {
  const [of] = term.of ?? [];
  const whole = of === undefined ? null : nameOf(of, names);
  if (whole === null) return null;
  const part =
    term.kind === "element"
      ? `[${term.index ?? term.name}]`
      : term.name === undefined
        ? `[${term.keyXdr === undefined ? "" : showValue(term.keyXdr, SHOWN_VALUE)}]`
        : `.${term.name}`;
  return whole.endsWith("`") ? `${whole.slice(0, -1)}${part}\`` : `${whole}${part}`;
}

function constantOf({ valueXdr }: Term): string | null {
  return valueXdr === undefined ? null : showValue(valueXdr, SHOWN_VALUE);
}

/** `a u32`, `an i128`, `void`. */
export function article(type: string): string {
  if (type === "void" || type === "bytes") return type;
  return `${/^[aei]/.test(type) ? "an" : "a"} ${type}`;
}
