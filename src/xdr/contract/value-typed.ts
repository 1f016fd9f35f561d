// ScVals with the names from a contract's specification for fields, cases and errors.
// Invariant: the specification only adds names. A value that does not fit its type is shown without
// them, so a contract cannot make a value look like another one.

import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { TextBudget } from "../values/text-budget.ts";
import { readError, showError, writeScVal } from "../values/value-text.ts";
import {
  type ContractSpec,
  errorCase,
  type SpecDefinition,
  type SpecType,
} from "./contract-spec.ts";

const scVal = shapeOf("ScVal");
const DEFAULT_CHARACTERS = 160;
const MAXIMUM_DEPTH = 12;

const SCV_VOID = 1;
const SCV_ERROR = 2;
const SCV_U32 = 3;
const SCV_SYMBOL = 15;
const SCV_VEC = 16;
const SCV_MAP = 17;

/** Like showValue(); `type` changes nothing when it is null or does not fit. */
export function showTyped(
  scValXdr: string,
  type: SpecType | null,
  spec: ContractSpec | null,
  limitCharacters = DEFAULT_CHARACTERS,
): string {
  const text = new TextBudget(limitCharacters);
  try {
    const cursor = new XdrCursor(xdrSource(decodeBase64(scValXdr, "ScVal")));
    cursor.take(scVal);
    cursor.at = 0;
    new TypedWriter(spec, text).write(cursor, type, 0);
  } catch {
    return `(undecodable ScVal, ${scValXdr.length} characters of base64)`;
  }
  return text.toString();
}

class TypedWriter {
  constructor(
    private readonly spec: ContractSpec | null,
    private readonly text: TextBudget,
  ) {}

  write(cursor: XdrCursor, type: SpecType | null, depth: number): void {
    if (this.text.full) return;
    const start = cursor.at;
    if (type !== null && depth < MAXIMUM_DEPTH && this.fits(cursor, type, depth)) return;
    cursor.at = start;
    writeScVal(cursor, this.text, depth);
  }

  /** False when nothing was written. */
  private fits(cursor: XdrCursor, type: SpecType, depth: number): boolean {
    switch (type.kind) {
      case "option":
        if (cursor.peekInt32() !== SCV_VOID) return this.fits(cursor, type.element, depth);
        cursor.int32();
        this.text.add("none");
        return true;
      case "result":
        return this.fits(cursor, cursor.peekInt32() === SCV_ERROR ? type.error : type.ok, depth);
      case "vec":
        return this.sequence(cursor, () => type.element, null, ["[", "]"], depth);
      case "tuple": {
        const { elements } = type;
        return this.sequence(cursor, (i) => elements[i], elements.length, ["(", ")"], depth);
      }
      case "map":
        return this.map(cursor, type.key, type.value, depth);
      case "named": {
        const definition = this.spec?.types.get(type.name);
        return definition !== undefined && this.defined(cursor, definition, depth);
      }
      case "plain":
        return type.name === "error" && this.error(cursor);
      default:
        return false;
    }
  }

  private defined(cursor: XdrCursor, definition: SpecDefinition, depth: number): boolean {
    switch (definition.kind) {
      case "error":
        return this.error(cursor);
      case "enum": {
        if (cursor.int32() !== SCV_U32) return false;
        const value = cursor.uint32();
        const found = definition.cases.find((each) => each.value === value);
        if (found !== undefined) this.text.add(`${found.name} (${value})`);
        return found !== undefined;
      }
      case "union": {
        const name = caseNameAt(cursor);
        const types = name === null ? undefined : definition.cases.get(name);
        if (name === null || types === undefined) return false;
        const count = types.length + 1;
        if (elementsAt(cursor) !== count) return false;
        this.text.add(name);
        // A symbol by itself, which is another value, is written as the name alone.
        const bare = types.length === 0 && !this.text.exact;
        const marks: [string, string] = bare ? ["", ""] : ["(", ")"];
        return this.sequence(cursor, (i) => types[i - 1], count, marks, depth, 1);
      }
      default:
        return this.struct(cursor, definition, depth);
    }
  }

  private struct(
    cursor: XdrCursor,
    { fields }: SpecDefinition & { kind: "struct" },
    depth: number,
  ): boolean {
    if (cursor.peekInt32() === SCV_VEC) {
      return this.sequence(cursor, (i) => fields[i]?.type, fields.length, ["(", ")"], depth);
    }
    const types = new Map(fields.map(({ name, type }) => [name, type]));
    return this.map(cursor, null, (name) => types.get(name) ?? null, depth);
  }

  private error(cursor: XdrCursor): boolean {
    if (cursor.int32() !== SCV_ERROR) return false;
    const error = readError(cursor);
    const { contractCode } = error;
    const named = contractCode === null ? null : errorCase(this.spec, contractCode);
    this.text.add(named === null ? showError(error) : `${named.name} (#${contractCode})`);
    return true;
  }

  /** Skips the first `skipped` elements; there must be `count` of them unless that is null. */
  private sequence(
    cursor: XdrCursor,
    typeOf: (position: number) => SpecType | undefined,
    count: number | null,
    [open, close]: readonly [string, string],
    depth: number,
    skipped = 0,
  ): boolean {
    const found = elementsAt(cursor);
    if (found === null || (count !== null && found !== count)) return false;
    cursor.at += 12;
    this.text.enclosed(open, close, () => {
      for (let i = 0; i < found && !this.text.full; i += 1) {
        if (i < skipped) cursor.skip(scVal);
        else {
          if (i > skipped) this.text.add(", ");
          this.write(cursor, typeOf(i) ?? null, depth + 1);
        }
      }
    });
    return true;
  }

  private map(
    cursor: XdrCursor,
    keyType: SpecType | null,
    valueType: SpecType | ((name: string) => SpecType | null),
    depth: number,
  ): boolean {
    if (cursor.int32() !== SCV_MAP || !cursor.boolean("map")) return false;
    const count = cursor.uint32();
    this.text.enclosed("{", "}", () => {
      for (let i = 0; i < count && !this.text.full; i += 1) {
        if (i > 0) this.text.add(", ");
        const name = typeof valueType === "function" ? symbolAt(cursor) : null;
        this.write(cursor, keyType, depth + 1);
        this.text.add(": ");
        const type = typeof valueType === "function" ? valueType(name ?? "") : valueType;
        this.write(cursor, type, depth + 1);
      }
    });
    return true;
  }
}

/** The elements of the vector at the cursor, which does not move; null for another value. */
function elementsAt(cursor: XdrCursor): number | null {
  const start = cursor.at;
  const isVector = cursor.int32() === SCV_VEC && cursor.boolean("vec");
  const count = isVector ? cursor.uint32() : null;
  cursor.at = start;
  return count;
}

/** The first element of a union's vector. The cursor does not move. */
function caseNameAt(cursor: XdrCursor): string | null {
  const start = cursor.at;
  const count = elementsAt(cursor);
  if (count === null || count === 0) return null;
  cursor.at = start + 12;
  const name = symbolAt(cursor);
  cursor.at = start;
  return name;
}

/** The symbol at the cursor, which does not move. */
function symbolAt(cursor: XdrCursor): string | null {
  const start = cursor.at;
  const isSymbol = cursor.int32() === SCV_SYMBOL;
  const name = isSymbol ? cursor.opaque(cursor.uint32()) : null;
  cursor.at = start;
  const text = name === null ? "" : new TextDecoder().decode(name);
  return /^\w+$/.test(text) ? text : null;
}
