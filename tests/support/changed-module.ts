// A contract's module with other function bodies or with another specification, so that tests can
// make builds that lie or take what they can get.

const [CUSTOM, CODE] = [0, 10];
const SPECIFICATION = "contractspecv0";

/** The code of an endless loop. */
export const ENDLESS = [0, 3, 0x40, 12, 0, 11, 0, 11];
/** The code of a loop that takes one page of memory after the other. */
export const GREEDY = [0, 3, 0x40, 0x41, 1, 0x40, 0, 0x1a, 12, 0, 11, 0, 11];

/** The module with this code in the place of the body of each function. */
export function withBodies(wasm: Uint8Array, body: readonly number[]): Uint8Array {
  return withSections(wasm, (id, content) => {
    if (id !== CODE) return content;
    const [functions] = readLeb(content, 0);
    const bodies = Array.from({ length: functions }, () => [...leb(body.length), ...body]);
    return Uint8Array.from([...leb(functions), ...bodies.flat()]);
  });
}

/** The module with these entries as its specification, which need not be entries at all. */
export function withSpecification(wasm: Uint8Array, entries: Uint8Array): Uint8Array {
  return withSections(wasm, (id, content) => {
    const [length, begin] = id === CUSTOM ? readLeb(content, 0) : [0, 0];
    const name = Buffer.from(content.subarray(begin, begin + length)).toString();
    if (name !== SPECIFICATION) return content;
    return Buffer.concat([content.subarray(0, begin + length), entries]);
  });
}

function withSections(
  wasm: Uint8Array,
  change: (id: number, content: Uint8Array) => Uint8Array,
): Uint8Array {
  const parts: Uint8Array[] = [wasm.subarray(0, 8)];
  for (let at = 8; at < wasm.length; ) {
    const id = wasm[at] ?? 0;
    const [size, begin] = readLeb(wasm, at + 1);
    const content = change(id, wasm.subarray(begin, begin + size));
    parts.push(Uint8Array.from([id, ...leb(content.length)]), content);
    at = begin + size;
  }
  return Buffer.concat(parts);
}

function readLeb(bytes: Uint8Array, start: number): [value: number, end: number] {
  let value = 0;
  for (let at = start, shift = 0; ; at += 1, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value, at + 1];
  }
}

function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}
