// Finds the sections of a wasm module without a wasm parser: a module is a header of eight bytes,
// then sections of id, size and content (WebAssembly core specification, 5.5).
// Invariant: no read leaves the bytes.

import { concatBytes } from "../bytes.ts";
import { fileInvalid } from "../errors/errors.ts";

export interface WasmSection {
  readonly id: number;
  readonly content: Uint8Array;
}

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** A u32 takes at most five groups of seven bits. */
const MAXIMUM_GROUPS = 5;

/**
 * Returns the sections up to the first broken one. `flaw` is a predicate, or null if the sections
 * fill the module.
 */
export function wasmSections(wasm: Uint8Array): {
  readonly sections: readonly WasmSection[];
  readonly flaw: string | null;
} {
  const sections: WasmSection[] = [];
  if (wasm.length === 0) return { sections, flaw: "is empty" };
  if (HEADER.some((byte, position) => wasm[position] !== byte))
    return { sections, flaw: "does not begin like a wasm module" };
  let at = HEADER.length;
  while (at < wasm.length) {
    const size = readUnsigned(wasm, at + 1);
    if (size === null || size.next + size.value > wasm.length)
      return { sections, flaw: `is cut off in the section that begins at byte ${at}` };
    const content = wasm.subarray(size.next, size.next + size.value);
    sections.push({ id: wasm[at] ?? 0, content });
    at = size.next + size.value;
  }
  return { sections, flaw: null };
}

/** `name` is the file's name for people. Throws FILE_INVALID. */
export function checkWasm(wasm: Uint8Array, name: string): void {
  const { sections, flaw } = wasmSections(wasm);
  const problem = flaw ?? (sections.length === 0 ? "has no sections" : null);
  if (problem === null) return;
  const remedy = "Pass the .wasm file that the build of the contract wrote.";
  throw fileInvalid(name, `${name} is not a wasm file: it ${problem}.`, remedy);
}

const CUSTOM = 0;
const OF_DEBUGGERS = /^(\.debug_.*|name|producers)$/;

/**
 * Returns the module as a release would have it, without the custom sections that only debuggers
 * read.
 */
export function withoutDebugSections(wasm: Uint8Array): Uint8Array {
  const kept = wasmSections(wasm).sections.filter(({ id, content }) => {
    const length = id === CUSTOM ? readUnsigned(content, 0) : null;
    if (length === null) return true;
    const name = content.subarray(length.next, length.next + length.value);
    return !OF_DEBUGGERS.test(new TextDecoder().decode(name));
  });
  const sections = kept.flatMap(({ id, content }) => [
    Uint8Array.of(id, ...unsigned(content.length)),
    content,
  ]);
  return concatBytes([Uint8Array.from(HEADER), ...sections]);
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Reads an unsigned LEB128 number of 32 bits. Null means that the bytes end within it. */
export function readUnsigned(
  bytes: Uint8Array,
  start: number,
): { value: number; next: number } | null {
  let value = 0;
  for (let group = 0; group < MAXIMUM_GROUPS; group += 1) {
    const byte = bytes[start + group];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 2 ** (7 * group);
    if (byte < 0x80) return { value, next: start + group + 1 };
  }
  return null;
}
