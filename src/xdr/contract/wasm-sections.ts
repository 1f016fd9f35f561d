// Custom sections and imports of a wasm module, found without a wasm parser: a module is a header
// of eight bytes and sections of id, size and content (WebAssembly core specification, 5.5).
// Invariant: nothing outside the bytes is read. An invalid module only has fewer sections.

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const CUSTOM_SECTION = 0;
const IMPORT_SECTION = 2;
const FUNCTION = 0;
/** A u32 takes at most five groups of seven bits. */
const MAXIMUM_GROUPS = 5;

/** The contents of all custom sections of that name, in order, up to the first broken section. */
export function customSections(wasm: Uint8Array, name: string): Uint8Array[] {
  return sectionsOf(wasm, CUSTOM_SECTION).flatMap((section) => contentOf(section, name) ?? []);
}

/** The imported host functions as `module.name`; null when they cannot be read. */
export function importedFunctions(wasm: Uint8Array): ReadonlySet<string> | null {
  const found = new Set<string>();
  for (const section of sectionsOf(wasm, IMPORT_SECTION)) {
    const count = readUnsigned(section, 0);
    let at = count?.next ?? 0;
    for (let i = 0; i < (count?.value ?? 0); i += 1) {
      const module = readName(section, at);
      const name = module === null ? null : readName(section, module.next);
      const type = name === null ? null : readUnsigned(section, name.next + 1);
      // Contracts import nothing but functions.
      if (module === null || name === null || type === null || section[name.next] !== FUNCTION)
        return null;
      found.add(`${module.text}.${name.text}`);
      at = type.next;
    }
  }
  return found;
}

/** Stops at the first broken section. */
function sectionsOf(wasm: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  if (HEADER.some((byte, position) => wasm[position] !== byte)) return found;
  let at = HEADER.length;
  while (at < wasm.length) {
    const size = readUnsigned(wasm, at + 1);
    if (size === null || size.next + size.value > wasm.length) return found;
    if (wasm[at] === wanted) found.push(wasm.subarray(size.next, size.next + size.value));
    at = size.next + size.value;
  }
  return found;
}

function contentOf(section: Uint8Array, name: string): Uint8Array | null {
  const found = readName(section, 0);
  return found?.text === name ? section.subarray(found.next) : null;
}

function readName(bytes: Uint8Array, start: number): { text: string; next: number } | null {
  const length = readUnsigned(bytes, start);
  const end = length === null ? 0 : length.next + length.value;
  if (length === null || end > bytes.length) return null;
  return { text: new TextDecoder().decode(bytes.subarray(length.next, end)), next: end };
}

/** LEB128, 32 bits. */
function readUnsigned(bytes: Uint8Array, start: number): { value: number; next: number } | null {
  let value = 0;
  for (let group = 0; group < MAXIMUM_GROUPS; group += 1) {
    const byte = bytes[start + group];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 2 ** (7 * group);
    if (byte < 0x80) return { value, next: start + group + 1 };
  }
  return null;
}
