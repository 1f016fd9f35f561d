// Finds other values for those that a condition names, if these are not numbers with a boundary: a
// name or an address that would have passed, a value of another type or length, or an entry, a key
// or an element that exists or does not.

import { NO_OVERRIDES } from "../../model/overrides.ts";
import type { OtherValue, Term, WhyCondition, WhyProof } from "../../model/why.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import { dataKeyOf } from "../../xdr/contract/key-typed.ts";
import { structsLike, valueOfType } from "../../xdr/contract/value-of-type.ts";
import { ownCall } from "../../xdr/envelope/created-contracts.ts";
import { authorizedBalance } from "../../xdr/ledger/frozen-balance.ts";
import { scAddressOf } from "../../xdr/reader/from-json.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";
import {
  elementsOf,
  holderOfMuxed,
  integerValue,
  mapOf,
  plainOf,
  typeNameOf,
} from "../../xdr/values/value-parts.ts";
import type { Replayable } from "../run/run-variant.ts";
import { boundariesOf, rootOfTerm } from "./boundaries.ts";
import { type Change, changeOfEntry, changeOfValue, changesOfKey } from "./changed-value.ts";

export interface Exchange {
  readonly change: Change;
  readonly proven: Pick<WhyProof, "other" | "entry">;
  /** One of the values of the condition, of which each is tried. */
  readonly member?: string;
  /**
   * The value is only of a usual type, or has only the right length: the code may stop at it.
   * Otherwise it is one that the code compares with, or that of another entry of the same kind.
   */
  readonly isGuess: boolean;
}

type Within = Parameters<typeof changeOfValue>[3];

/** The largest number of values that are tried for an entry. */
const MOST_ENTRIES = 8;
const BOOL: Value<"ScVal"> = { type: SCV.bool, b: true };
const VOID = encode("ScVal", { type: SCV.void });
/** 32 bytes, because a contract can want the hash of a code. */
const HASH = encode("ScVal", { type: SCV.bytes, bytes: new Uint8Array(32) });

/** None: the condition is about numbers, or nothing at hand can take a value's place. */
export function exchangesOf(
  condition: WhyCondition,
  replayed: Replayable,
  within: Within,
): Exchange[] {
  const { relation, terms, type, values = [] } = condition;
  const [term, other] = terms;
  if (term === undefined) return [];
  if (terms.some(({ kind }) => kind === "length")) return ofLengths(condition, replayed, within);
  const { contract } = within;
  const valued = (
    of: Term,
    valueXdr: string,
    { member, isGuess = false }: Partial<Pick<Exchange, "member" | "isGuess">> = {},
  ): Exchange[] => {
    const change = changeOfValue(of, { valueXdr }, replayed, within);
    if (change === null) return [];
    const proven = { other: otherValueOf(valueXdr) };
    return [{ change, proven, ...(member !== undefined && { member }), isGuess }];
  };
  switch (relation) {
    case "not_one_of": {
      const type = typeNameOf(term.valueXdr ?? "") ?? "";
      return values.flatMap((value) => {
        const valueXdr = valueNamed(type, value);
        return valueXdr === null ? [] : valued(term, valueXdr, { member: value });
      });
    }
    case "not_equal": {
      if (other === undefined || isNumber(term) || isNumber(other)) return [];
      return [
        ...(other.valueXdr === undefined ? [] : valued(term, other.valueXdr)),
        ...(term.valueXdr === undefined ? [] : valued(other, term.valueXdr)),
      ];
    }
    case "frozen": {
      const { snapshot, record } = replayed;
      const { contract: asset = "" } = other ?? {};
      return snapshot.entries.flatMap(({ keyXdr, entryXdr }): Exchange[] => {
        const holder = term.valueXdr ?? "";
        const changed =
          entryXdr && authorizedBalance(entryXdr, asset, holder, record.networkPassphrase);
        if (!changed) return [];
        const change = { kind: "entry", entryXdr: changed } as const;
        const override = { field: "entry", keyXdr, change, liveUntilLedger: null, archived: null };
        const overrides = { ...NO_OVERRIDES, entries: [override] };
        const proven = { other: { kind: "authorized" } } as const;
        return [{ change: { overrides, named: { term } }, proven, isGuess: false }];
      });
    }
    case "equal": {
      if (other === undefined || isNumber(term) || isNumber(other)) return [];
      const isOther = (valueXdr: string) => valueXdr !== term.valueXdr;
      return argumentsFirst(terms).flatMap((each) =>
        othersLike(each.valueXdr ?? "", replayed)
          .filter(isOther)
          .flatMap((valueXdr) => valued(each, valueXdr, { isGuess: true })),
      );
    }
    case "not_type": {
      const guess = [...usualValues(replayed), VOID].find((each) => typeNameOf(each) === type);
      return guess === undefined ? [] : valued(term, guess, { isGuess: true });
    }
    case "present": {
      if (term.kind === "key") return ofKey(term, false, replayed, within);
      const change = term.kind === "entry" ? changeOfEntry(term, null, replayed, contract) : null;
      const proven = { other: NOTHING_SHOWN, entry: "removed" } as const;
      return change === null ? [] : [{ change, proven, isGuess: false }];
    }
    case "absent": {
      if (term.kind === "key") return ofKey(term, true, replayed, within);
      if (term.kind !== "entry") return [];
      const alike = valuesAlike(term, replayed, contract);
      const usual = new Set([...usualValues(replayed), ...addressesOf(replayed)]);
      const made = valuesOfStructs(term, replayed, contract);
      const guesses = [...usual, ...made].filter((value) => !alike.includes(value));
      // Entries whose keys are bare words have nothing in common.
      const isWord = ["symbol", "string"].includes(typeNameOf(term.keyXdr ?? "") ?? "");
      const isGuess = (valueXdr: string) => isWord || !alike.includes(valueXdr);
      const all = [...alike.slice(0, MOST_ENTRIES), ...guesses];
      return all.flatMap((valueXdr): Exchange[] => {
        const change = changeOfEntry(term, valueXdr, replayed, contract);
        const proven = { other: otherValueOf(valueXdr), entry: "added" } as const;
        return change === null ? [] : [{ change, proven, isGuess: isGuess(valueXdr) }];
      });
    }
    default:
      return [];
  }
}

/** A user chooses an argument, and not what is stored. */
function argumentsFirst(terms: readonly Term[]): readonly Term[] {
  const isArgument = (term: Term) => rootOfTerm(term).whole.kind === "argument";
  return [...terms.filter(isArgument), ...terms.filter((term) => !isArgument(term))];
}

/** A map or vector that has the key or element, or not. */
function ofKey(term: Term, isThere: boolean, replayed: Replayable, within: Within): Exchange[] {
  const all = changesOfKey(term, isThere, usualValues(replayed)).slice(0, MOST_ENTRIES);
  const known = term.of?.[0]?.valueXdr ?? "";
  const own = new Set(mapOf(known)?.map(([, value]) => value));
  return all.flatMap(({ whole, wholeXdr, valueXdr }): Exchange[] => {
    const change = changeOfValue(whole, { valueXdr: wholeXdr }, replayed, within);
    if (change === null) return [];
    const other = valueXdr === null ? NOTHING_SHOWN : otherValueOf(valueXdr);
    const proven = { other, entry: isThere ? "added" : "removed" } as const;
    const isGuess = valueXdr !== null && !own.has(valueXdr);
    return [{ change: { ...change, named: { ...change.named, term } }, proven, isGuess }];
  });
}

/** Values of which one length has the nearest number on the other side of the boundary. */
function ofLengths(condition: WhyCondition, replayed: Replayable, within: Within): Exchange[] {
  return boundariesOf(condition).flatMap(({ term, not }): Exchange[] => {
    const [of] = term.of ?? [];
    if (term.kind !== "length" || of?.valueXdr === undefined) return [];
    const sized = withLength(decode("ScVal", of.valueXdr), not);
    const change =
      sized && changeOfValue(of, { valueXdr: encode("ScVal", sized.value) }, replayed, within);
    if (!sized || !change) return [];
    return [{ change, proven: { other: sized.length }, isGuess: true }];
  });
}

/** Bytes and texts are filled up, vectors get their elements again. Null: that is not possible. */
function withLength(
  value: ScVal,
  units: bigint,
): { readonly value: ScVal; readonly length: OtherValue } | null {
  if (units < 0n || units > MOST_LENGTH) return null;
  const count = Number(units);
  const filled = (known: Uint8Array, by: number) => {
    const made = new Uint8Array(count).fill(by);
    made.set(known.subarray(0, count));
    return made;
  };
  switch (value.type) {
    case SCV.bytes:
      return {
        value: { ...value, bytes: filled(value.bytes, 0) },
        length: { kind: "length", count, unit: "byte" },
      };
    case SCV.string:
      return {
        value: { ...value, str: filled(value.str, SPACE) },
        length: { kind: "length", count, unit: "character" },
      };
    case SCV.vec: {
      const known = value.vec ?? [];
      if (known.length === 0 && count > 0) return null;
      const vec = Array.from({ length: count }, (_, at) => known[at % known.length] as ScVal);
      return { value: { ...value, vec }, length: { kind: "length", count, unit: "element" } };
    }
    default:
      return null;
  }
}

type ScVal = Value<"ScVal">;
const SPACE = 0x20;
/** The longest value that a run gets. */
const MOST_LENGTH = 4_096n;

/** Other values of the same type. */
function othersLike(valueXdr: string, replayed: Replayable): string[] {
  const known = valueXdr === "" ? null : decode("ScVal", valueXdr);
  if (known?.type === SCV.bytes && known.bytes.length > 0) {
    const bytes = known.bytes.with(-1, (known.bytes.at(-1) ?? 0) ^ 1);
    return [encode("ScVal", { ...known, bytes })];
  }
  if (known?.type !== SCV.address) return [];
  return addressesOf(replayed);
}

/** Addresses that exist: those of the call, and its source account. */
function addressesOf({ envelope }: Replayable): string[] {
  const call = ownCall(envelope);
  const passed = passedTo({ envelope }).filter((each) => typeNameOf(each) === "address");
  const own = [envelope.terms.operationSource, call?.contract ?? ""].flatMap((each) => {
    const address = scAddressOf(each);
    return address === null ? [] : [encode("ScVal", { type: SCV.address, address })];
  });
  return [...new Set([...passed, ...own])];
}

export const NOTHING_SHOWN = { kind: "none" } as const satisfies OtherValue;

/** The value as that of a proof. */
export function otherValueOf(valueXdr: string): OtherValue {
  const plain = plainOf(valueXdr);
  if (typeof plain === "bigint") return { kind: "number", number: `${plain}` };
  return typeof plain === "boolean"
    ? { kind: "truth", isTrue: plain }
    : { kind: "value", valueXdr };
}

function isNumber({ valueXdr = "", number }: Term): boolean {
  return number !== undefined || typeNameOf(valueXdr) === "bool";
}

/** Null: a value of another type. */
function valueNamed(type: string, text: string): string | null {
  if (type === "symbol")
    return encode("ScVal", { type: SCV.symbol, sym: new TextEncoder().encode(text) });
  return /^-?\d+$/.test(text) ? integerValue(type, BigInt(text)) : null;
}

/** The values of the contract's other entries whose keys have the same form. */
function valuesAlike(term: Term, { snapshot }: Replayable, contract: string | null): string[] {
  const form = formOf(term.keyXdr ?? "");
  const valuesXdr = snapshot.entries.flatMap(({ keyXdr, entryXdr }) => {
    if (entryXdr === null || typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) return [];
    const data = dataKeyOf(keyXdr);
    const isAlike = data.contract === contract && data.durability === term.durability;
    if (!isAlike || formOf(data.key) !== form) return [];
    const entry = decode("LedgerEntry", entryXdr);
    if (entry.data.type !== ENTRY_TYPE.contractData) return [];
    return [encode("ScVal", entry.data.contractData.val)];
  });
  return [...new Set(valuesXdr)];
}

/** The name of an enum's variant and the types beside it, or the type of a key. */
function formOf(keyXdr: string): string {
  const [name, ...parts] = elementsOf(keyXdr) ?? [];
  const types = parts.map((part) => typeNameOf(part));
  return name === undefined ? `${typeNameOf(keyXdr)}` : `${name} ${types}`;
}

const MOST_STRUCTS = 6;

/** Values of the structs that the contract's specification has. */
function valuesOfStructs({ keyXdr }: Term, replayed: Replayable, contract: string | null) {
  const entriesXdr = replayed.snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const spec = contractLookup(entriesXdr)(contract)?.spec ?? null;
  if (spec === null || keyXdr === undefined) return [];
  const [addressXdr = ""] = addressesOf(replayed);
  const names = structsLike(keyXdr, spec).slice(0, MOST_STRUCTS);
  return names.flatMap((name) => valueOfType({ kind: "named", name }, spec, addressXdr) ?? []);
}

/** The arguments of the call without muxed addresses: the host has another type for these. */
function passedTo({ envelope }: Pick<Replayable, "envelope">): string[] {
  const argumentsXdr = ownCall(envelope)?.argumentsXdr ?? [];
  return argumentsXdr.filter((each) => holderOfMuxed(each) === null);
}

/** A value of each type that contracts store most. */
function usualValues(replayed: Replayable): string[] {
  const numbers = ["u32", "i128", "u64"].flatMap((type) => integerValue(type, 1n) ?? []);
  const all = [encode("ScVal", BOOL), ...numbers, ...addressesOf(replayed), ...passedTo(replayed)];
  const byType = new Map([HASH, ...all].map((value) => [typeNameOf(value), value]));
  return [...byType.values()];
}
