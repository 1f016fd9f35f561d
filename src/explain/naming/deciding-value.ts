// The condition under which a contract's code failed, as a sentence. Null where a part of it has no
// name: nothing is said that a reader could not check.

import { neutralise } from "../../base/text/neutralise.ts";
import type { Condition, Term, Why, WhyProof } from "../../model/why.ts";
import type { ContractSpec } from "../../xdr/contract/contract-spec.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { showDataKey } from "../../xdr/contract/key-typed.ts";
import { showValue } from "../../xdr/values/value.ts";

const SHOWN_VALUE = 60;

interface Names {
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
): string | null {
  const names = { spec: lookup(why.contract)?.spec ?? null, function: why.function };
  const subject = `\`${why.function}\``;
  const ended = why.end === "stopped" ? "stopped" : "failed";
  if (why.always) {
    const ends = why.end === "stopped" ? "stops there" : "fails with this error";
    return neutralise(`Likely, ${subject} ${ends} for all arguments that it accepts.`);
  }
  const conditions = inWords(why.conditions, names);
  if (conditions === null) return null;
  const reason = why.because && inWords(why.because, names);
  const because = reason ? `; it is a default, because ${reason}` : "";
  const isSure = stateIsSure || !why.conditions.some(({ terms }) => terms.some(restsOnState));
  const likely = proof === null || !isSure ? "Likely, " : "";
  const proven = proof === null ? "" : ` ${proofInWords(proof, names)}`;
  return neutralise(`${likely}${subject} ${ended} because ${conditions}${because}.${proven}`);
}

function restsOnState({ kind, of = [] }: Term): boolean {
  return kind === "storage" || kind === "entry" || kind === "result" || of.some(restsOnState);
}

function proofInWords({ term, number, error, isSameError }: WhyProof, names: Names): string {
  const name = nameOf(term, names) ?? "it";
  const next = error === "" ? "it gets past this" : `it fails with ${error}`;
  const on = error === null ? "it succeeds" : next;
  const again =
    error !== null && error !== "" ? (isSameError ? " again, elsewhere" : " instead") : "";
  return `Run with ${name} ${number}, ${on}${again}.`;
}

function inWords(conditions: readonly Condition[], names: Names): string | null {
  const each = conditions.map((condition) => conditionInWords(condition, names));
  const known = [...new Set(each.flatMap((words) => words ?? []))];
  return each.length === 0 || each.includes(null) ? null : known.join(" and ");
}

const RELATIONS: Readonly<Record<string, readonly [ofTerms: string, ofConstant: string]>> = {
  equal: ["equals", "is"],
  not_equal: ["is not", "is not"],
  less: ["is less than", "is less than"],
  less_or_equal: ["is not greater than", "is not greater than"],
  greater: ["is greater than", "is greater than"],
  greater_or_equal: ["is not less than", "is not less than"],
};

function conditionInWords(condition: Condition, names: Names): string | null {
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
      const actual = typeOf(first.valueXdr);
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
  const exact = relation === "equal";
  const left = exact && name !== null ? placed(first, name, null) : shown(first, names);
  return left && `${left} ${words[1]} ${constant}`;
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
  const kind = typeOf(of.valueXdr);
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
    const key = showDataKey(term.keyXdr, names.spec);
    const made = (term.of ?? []).flatMap((part) => keyPart(part, names) ?? []);
    const from = made.length === 0 ? "" : ` (${made.join(", ")})`;
    const there = is ? "there is an" : "there is no";
    return `${there} entry ${key} in its ${term.durability} storage${from}`;
  }
  if (term.kind !== "key" || of === undefined || term.keyXdr === undefined) return null;
  const name = nameOf(of, names);
  const [, ...parts] = term.of ?? [];
  const made = parts.flatMap((part) => keyPart(part, names) ?? []);
  const from = made.length === 0 ? "" : ` (${made.join(", ")})`;
  const has = is ? "has the" : "has no";
  return (
    name && `${placed(of, name, null)} ${has} key ${showValue(term.keyXdr, SHOWN_VALUE)}${from}`
  );
}

/** Where a part of a key came from. */
function keyPart(term: Term, names: Names): string | null {
  const name = nameOf(term, names);
  return name === null ? null : [name, origin(term)].filter(Boolean).join(", ");
}

/** A value with its name, where it came from and what it is; null: it has no name. */
function shown(term: Term, names: Names): string | null {
  if (term.kind === "computed" && term.operator === undefined) {
    const parts = (term.of ?? []).map((part) => nameOf(part, names));
    if (parts.includes(null) || parts.length === 0) return null;
    return `${term.number} (computed from ${parts.join(", ")})`;
  }
  if (term.kind === "computed") {
    const computed = computedOf(term, names);
    return computed && `${computed} = ${term.number}`;
  }
  if (term.kind === "constant") return term.number ?? constantOf(term);
  if (term.kind === "length") {
    const [of] = term.of ?? [];
    const name = of === undefined ? null : nameOf(of, names);
    if (of === undefined || name === null) return null;
    return `the length of ${placed(of, name, null)}, ${term.number},`;
  }
  const name = nameOf(term, names);
  return name && placed(term, name, term.number ?? constantOf(term));
}

function computedOf(term: Term, names: Names, depth = 0): string | null {
  const { operator, of = [] } = term;
  if (depth > 3) return null;
  const commutes = operator === "+" || operator === "*";
  const inOrder = commutes ? [...of].sort((a, b) => (a.index ?? 0) - (b.index ?? 0)) : of;
  const each = inOrder.map((part) => {
    if (part.kind !== "computed") return shown(part, names);
    const inner = computedOf(part, names, depth + 1);
    return inner && `(${inner})`;
  });
  if (each.includes(null) || each.length === 0) return null;
  const signs: Readonly<Record<string, string>> = { "-": "−", "*": "×" };
  if (operator !== undefined) return each.join(` ${signs[operator] ?? operator} `);
  return null;
}

function placed(term: Term, name: string, value: string | null): string {
  const known = [value ?? "", origin(term)].filter((part) => part !== "");
  return known.length === 0 ? name : `${name} (${known.join(", ")})`;
}

/** Where a value came from, besides its name. */
function origin(term: Term): string {
  switch (term.kind) {
    case "argument":
      return `argument ${(term.index ?? 0) + 1}`;
    case "storage":
      return `${term.durability} storage`;
    case "written":
      return "written earlier in this transaction";
    case "field":
    case "element": {
      const [of] = term.of ?? [];
      return of === undefined ? "" : origin(of);
    }
    default:
      return "";
  }
}

function nameOf(term: Term, names: Names): string | null {
  switch (term.kind) {
    case "argument": {
      const inputs = names.spec?.functions.get(names.function)?.inputs;
      const name = inputs?.[term.index ?? -1]?.name;
      return name === undefined ? "its argument" : `\`${name}\``;
    }
    case "storage":
    case "written":
      return term.keyXdr === undefined ? null : showDataKey(term.keyXdr, names.spec);
    case "ledger":
      return LEDGER[term.name ?? ""] ?? null;
    case "contract":
      return "the contract itself";
    case "result":
      return term.name === undefined || term.contract === undefined
        ? null
        : `the result of \`${term.name}\` of ${term.contract}`;
    case "field":
    case "element":
      return partName(term, names);
    default:
      return null;
  }
}

const LEDGER: Readonly<Record<string, string>> = {
  time: "the ledger's time",
  sequence: "the ledger's number",
  protocol: "the ledger's protocol",
};

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

/** Of the host's, by the ScValType. */
const TYPES = [
  "bool",
  "void",
  "error",
  "u32",
  "i32",
  "u64",
  "i64",
  "timepoint",
  "duration",
  "u128",
  "i128",
  "u256",
  "i256",
  "bytes",
  "string",
  "symbol",
  "vec",
  "map",
  "address",
];

function typeOf(valueXdr: string | undefined): string | null {
  if (valueXdr === undefined) return null;
  return TYPES[Buffer.from(valueXdr, "base64").readInt32BE(0)] ?? null;
}

/** `a u32`, `an i128`, `void`. */
function article(type: string): string {
  if (type === "void" || type === "bytes") return type;
  return `${/^[aei]/.test(type) ? "an" : "a"} ${type}`;
}
