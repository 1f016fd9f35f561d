// Shows ScVals with the names from a contract's specification for fields, cases and errors.
// Invariant: the specification only adds names. A value that does not fit its type is shown without
// them, so a contract cannot make a value look like another one.

import { SCV } from "../reader/scval-type.ts";
import { utf8, type Value } from "../reader/value.ts";
import type { TextBudget } from "../values/text-budget.ts";
import { showXdr, textOfXdr, type ValueText } from "../values/value.ts";
import { readError, showError, writeList, writeScVal } from "../values/value-text.ts";
import {
  type ContractSpec,
  errorCase,
  type SpecDefinition,
  type SpecType,
} from "./contract-spec.ts";

type ScVal = Value<"ScVal">;

const DEFAULT_CHARACTERS = 160;
const MAXIMUM_DEPTH = 12;

/** Shows a value as showValue() does. A `type` that is null or does not fit changes nothing. */
export function showTyped(
  scValXdr: string,
  type: SpecType | null,
  spec: ContractSpec | null,
  limitCharacters = DEFAULT_CHARACTERS,
): string {
  return typedText(scValXdr, type, spec, limitCharacters).text;
}

/** Returns the same text, and whether it leaves out a part of the value. */
export function typedText(
  scValXdr: string,
  type: SpecType | null,
  spec: ContractSpec | null,
  limitCharacters: number,
): ValueText {
  return textOfXdr("ScVal", scValXdr, limitCharacters, (value, text) =>
    new TypedWriter(spec, text).write(value, type, 0),
  );
}

/** Shows a value with the names of its type. Returns null if the value does not fit the type. */
export function showFitting(
  scValXdr: string,
  type: SpecType,
  spec: ContractSpec | null,
  limitCharacters = DEFAULT_CHARACTERS,
): string | null {
  let fits = false;
  const shown = showXdr("ScVal", scValXdr, limitCharacters, (value, text) => {
    fits = new TypedWriter(spec, text).fits(value, type, 0);
  });
  return fits ? shown : null;
}

class TypedWriter {
  constructor(
    private readonly spec: ContractSpec | null,
    private readonly text: TextBudget,
  ) {}

  write(value: ScVal, type: SpecType | null, depth: number): void {
    if (this.text.full) return;
    if (type !== null && depth < MAXIMUM_DEPTH && this.fits(value, type, depth)) return;
    writeScVal(value, this.text, depth);
  }

  /** Returns false if it wrote nothing. */
  fits(value: ScVal, type: SpecType, depth: number): boolean {
    switch (type.kind) {
      case "option":
        if (value.type !== SCV.void) return this.fits(value, type.element, depth);
        this.text.add("none");
        return true;
      case "result":
        return this.fits(value, value.type === SCV.error ? type.error : type.ok, depth);
      case "vec":
        return this.sequence(elementsOf(value), () => type.element, ["[", "]"], depth);
      case "tuple":
        return this.tuple(value, type.elements, depth);
      case "map":
        return this.map(value, type.key, () => type.value, depth);
      case "named": {
        const definition = this.spec?.types.get(type.name);
        return definition !== undefined && this.defined(value, definition, depth);
      }
      case "plain":
        return type.name === "error" && this.error(value);
      default:
        return false;
    }
  }

  private defined(value: ScVal, definition: SpecDefinition, depth: number): boolean {
    switch (definition.kind) {
      case "error":
        return this.error(value);
      case "enum": {
        const number = value.type === SCV.u32 ? value.u32 : null;
        const specCase = definition.cases.find((each) => each.value === number);
        if (specCase !== undefined) this.text.add(`${specCase.name} (${number})`);
        return specCase !== undefined;
      }
      case "union": {
        const [first, ...held] = elementsOf(value) ?? [];
        const name = symbolOf(first);
        const types = definition.cases.get(name);
        if (types === undefined || held.length !== types.length) return false;
        this.text.add(name);
        // The name without brackets would be a symbol, which is another value: an exact text keeps
        // them.
        const bare = types.length === 0 && !this.text.exact;
        return this.sequence(held, (i) => types[i], bare ? ["", ""] : ["(", ")"], depth);
      }
      case "struct": {
        const { fields } = definition;
        if (value.type === SCV.vec)
          return this.tuple(
            value,
            fields.map((field) => field.type),
            depth,
          );
        const types = new Map(fields.map((field) => [field.name, field.type]));
        return this.map(value, null, (key) => types.get(symbolOf(key)), depth);
      }
    }
  }

  private error(value: ScVal): boolean {
    if (value.type !== SCV.error) return false;
    const error = readError(value.error);
    const { contractCode } = error;
    const named = contractCode === null ? null : errorCase(this.spec, contractCode);
    this.text.add(named === null ? showError(error) : `${named.name} (#${contractCode})`);
    return true;
  }

  private tuple(value: ScVal, types: readonly SpecType[], depth: number): boolean {
    const elements = elementsOf(value);
    if (elements?.length !== types.length) return false;
    return this.sequence(elements, (i) => types[i], ["(", ")"], depth);
  }

  private sequence(
    elements: readonly ScVal[] | null,
    typeAt: (position: number) => SpecType | undefined,
    brackets: readonly [string, string],
    depth: number,
  ): boolean {
    if (elements === null) return false;
    writeList(elements, brackets, this.text, (element, i) =>
      this.write(element, typeAt(i) ?? null, depth + 1),
    );
    return true;
  }

  private map(
    value: ScVal,
    keyType: SpecType | null,
    valueType: (key: ScVal) => SpecType | undefined,
    depth: number,
  ): boolean {
    if (value.type !== SCV.map || value.map === null) return false;
    writeList(value.map, ["{", "}"], this.text, ({ key, val }) => {
      this.write(key, keyType, depth + 1);
      this.text.add(": ");
      this.write(val, valueType(key) ?? null, depth + 1);
    });
    return true;
  }
}

function elementsOf(value: ScVal): readonly ScVal[] | null {
  return value.type === SCV.vec ? value.vec : null;
}

/** Returns an empty text for other values, and for a symbol that is not a word. */
function symbolOf(value: ScVal | undefined): string {
  const text = value?.type === SCV.symbol ? utf8(value.sym) : "";
  return /^\w+$/.test(text) ? text : "";
}
