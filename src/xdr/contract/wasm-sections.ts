// Reads custom sections and imports of a wasm module.
// Invariant: no read leaves the bytes. An invalid module only has fewer sections.

import { readUnsigned, wasmSections } from "../../base/files/wasm-file.ts";
import { XdrCursor } from "../reader/cursor.ts";
import type { TypeName } from "../reader/schema.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { decodeBytes, type Value } from "../reader/value.ts";

const CUSTOM_SECTION = 0;
const IMPORT_SECTION = 2;
const FUNCTION = 0;

/**
 * Returns the contents of all custom sections of that name, in order, up to the first broken
 * section.
 */
export function customSections(wasm: Uint8Array, name: string): Uint8Array[] {
  return sectionsOf(wasm, CUSTOM_SECTION).flatMap((section) => contentOf(section, name) ?? []);
}

/** Why values of custom sections were not read: they were more than allowed, or invalid. */
export type UnreadReason = "limit" | "invalid";

/**
 * Yields the values in all custom sections of that name. Each section ends at its first invalid
 * value. Returns why the others were not read; null if there are no others.
 */
export function* valuesIn<Name extends TypeName>(
  wasm: Uint8Array,
  section: string,
  type: Name,
  most: number,
): Generator<Value<Name>, UnreadReason | null> {
  const shape = shapeOf(type);
  let left = most;
  let unread: UnreadReason | null = null;
  for (const bytes of customSections(wasm, section)) {
    const cursor = new XdrCursor(xdrSource(bytes));
    for (; cursor.at < bytes.length; left -= 1) {
      if (left === 0) return "limit";
      const start = cursor.at;
      try {
        cursor.skip(shape);
      } catch {
        unread = "invalid";
        break;
      }
      yield decodeBytes(type, bytes.subarray(start, cursor.at));
    }
  }
  return unread;
}

/** Returns the imported host functions as `module.name`, or null if they cannot be read. */
export function importedFunctions(wasm: Uint8Array): ReadonlySet<string> | null {
  const functions = new Set<string>();
  for (const section of sectionsOf(wasm, IMPORT_SECTION)) {
    const count = readUnsigned(section, 0);
    let at = count?.next ?? 0;
    for (let i = 0; i < (count?.value ?? 0); i += 1) {
      const module = readName(section, at);
      const name = module === null ? null : readName(section, module.next);
      const type = name === null ? null : readUnsigned(section, name.next + 1);
      // Contracts import only functions.
      if (module === null || name === null || type === null || section[name.next] !== FUNCTION)
        return null;
      functions.add(`${module.text}.${name.text}`);
      at = type.next;
    }
  }
  return functions;
}

function sectionsOf(wasm: Uint8Array, sectionId: number): Uint8Array[] {
  return wasmSections(wasm).sections.flatMap(({ id, content }) =>
    id === sectionId ? content : [],
  );
}

function contentOf(section: Uint8Array, name: string): Uint8Array | null {
  const sectionName = readName(section, 0);
  return sectionName?.text === name ? section.subarray(sectionName.next) : null;
}

function readName(bytes: Uint8Array, start: number): { text: string; next: number } | null {
  const length = readUnsigned(bytes, start);
  const end = length === null ? 0 : length.next + length.value;
  if (length === null || end > bytes.length) return null;
  return { text: new TextDecoder().decode(bytes.subarray(length.next, end)), next: end };
}
