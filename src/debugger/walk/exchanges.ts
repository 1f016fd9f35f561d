// Other values in the place of those that a condition names, where they are no numbers with a
// boundary: a name or an address that would have passed, an entry that is there or not.

import { NO_OVERRIDES } from "../../model/overrides.ts";
import type { Term, WhyCondition, WhyProof } from "../../model/why.ts";
import { dataKeyOf } from "../../xdr/contract/key-typed.ts";
import { ownCall } from "../../xdr/envelope/created-contracts.ts";
import { authorizedBalance } from "../../xdr/ledger/frozen-balance.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf, integerValue, typeNameOf } from "../../xdr/values/value-parts.ts";
import type { Replayable } from "../run/run-variant.ts";
import { type Change, changeOfEntry, changeOfValue } from "./changed-value.ts";

export interface Exchange {
  readonly change: Change;
  readonly proven: Pick<WhyProof, "number" | "entry">;
  /** One of the values of the condition, of which each is tried. */
  readonly member?: string;
  /**
   * The value of the entry is only of a usual type: the code may stop at it. Otherwise it is that
   * of another entry of the same kind.
   */
  readonly isGuess: boolean;
}

type Within = Parameters<typeof changeOfValue>[3];

/** The largest number of values that are tried for an entry. */
const MOST_ENTRIES = 8;
const BOOL: Value<"ScVal"> = { type: SCV.bool, b: true };

/** None: the condition is about numbers, or nothing at hand can take a value's place. */
export function exchangesOf(
  { relation, terms, values = [] }: WhyCondition,
  replayed: Replayable,
  within: Within,
): Exchange[] {
  const [term, other] = terms;
  if (term === undefined) return [];
  const { contract } = within;
  const valued = (of: Term, valueXdr: string, member?: string): Exchange[] => {
    const change = changeOfValue(of, { valueXdr }, replayed, within);
    const number = showValue(valueXdr);
    if (change === null) return [];
    return [
      { change, proven: { number }, ...(member !== undefined && { member }), isGuess: false },
    ];
  };
  switch (relation) {
    case "not_one_of": {
      const type = typeNameOf(term.valueXdr ?? "") ?? "";
      return values.flatMap((value) => {
        const valueXdr = valueNamed(type, value);
        return valueXdr === null ? [] : valued(term, valueXdr, value);
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
        const proven = { number: "authorized" };
        return [{ change: { overrides, named: { term } }, proven, isGuess: false }];
      });
    }
    case "present": {
      const change = term.kind === "entry" ? changeOfEntry(term, null, replayed, contract) : null;
      const proven = { number: "", entry: "removed" } as const;
      return change === null ? [] : [{ change, proven, isGuess: false }];
    }
    case "absent": {
      if (term.kind !== "entry") return [];
      const alike = valuesAlike(term, replayed, contract);
      const guesses = usualValues(replayed).filter((value) => !alike.includes(value));
      const all = [...alike, ...guesses].slice(0, MOST_ENTRIES);
      return all.flatMap((valueXdr): Exchange[] => {
        const change = changeOfEntry(term, valueXdr, replayed, contract);
        const proven = { number: showValue(valueXdr), entry: "added" } as const;
        return change === null ? [] : [{ change, proven, isGuess: !alike.includes(valueXdr) }];
      });
    }
    default:
      return [];
  }
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

/** A value of each type that contracts store most. */
function usualValues({ envelope }: Replayable): string[] {
  const argumentsXdr = ownCall(envelope)?.argumentsXdr ?? [];
  const numbers = ["u32", "i128", "u64"].flatMap((type) => integerValue(type, 1n) ?? []);
  const all = [encode("ScVal", BOOL), ...numbers, ...argumentsXdr];
  const byType = new Map(all.map((value) => [typeNameOf(value), value]));
  return [...byType.values()];
}
