// Custom sections of a wasm module, found without a wasm parser: a module is a header of eight
// bytes and sections of id, size and content (WebAssembly core specification, 5.5).
// Invariant: nothing outside the bytes is read; what is no module simply has fewer sections.

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const CUSTOM_SECTION = 0;
/** A u32 takes at most five groups of seven bits. */
const MAXIMUM_GROUPS = 5;

/** The contents of every custom section of that name, in order; up to the first broken section. */
export function customSections(wasm: Uint8Array, name: string): Uint8Array[] {
  const found: Uint8Array[] = [];
  if (HEADER.some((byte, position) => wasm[position] !== byte)) return found;
  let at = HEADER.length;
  while (at < wasm.length) {
    const id = wasm[at];
    const size = readUnsigned(wasm, at + 1);
    if (size === null || size.next + size.value > wasm.length) return found;
    const section = wasm.subarray(size.next, size.next + size.value);
    at = size.next + size.value;
    const content = id === CUSTOM_SECTION ? contentOf(section, name) : null;
    if (content !== null) found.push(content);
  }
  return found;
}

function contentOf(section: Uint8Array, name: string): Uint8Array | null {
  const length = readUnsigned(section, 0);
  if (length === null || length.value !== name.length) return null;
  const end = length.next + length.value;
  const text = new TextDecoder().decode(section.subarray(length.next, end));
  return text === name ? section.subarray(end) : null;
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
