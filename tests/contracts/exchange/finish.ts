// Makes the committed wasm of a build: `pool-debug.wasm` with names and debug information, and `pool.wasm`
// with the same code and without both, as a chain would have it.
//   bun finish.ts BUILT.wasm NAME

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The oldest whose host functions suffice; the SDK writes its own. */
const PROTOCOL = 20;
const NEEDLESS = /^(producers|target_features)$/;
const DEBUG = /^(\.debug_.*|name)$/;

const [built = "", name = ""] = Bun.argv.slice(2);
const wasm = readFileSync(built);
const sections: { readonly custom: string; readonly bytes: Buffer }[] = [];
for (let at = 8; at < wasm.length; ) {
  const [size, start] = number(at + 1);
  const end = start + size;
  const [length, text] = wasm[at] === 0 ? number(start) : [0, start];
  const custom = wasm.toString("latin1", text, text + length);
  const bytes = Buffer.from(wasm.subarray(at, end));
  // The last twelve bytes: a kind, the protocol, and the number of a release before it.
  if (custom === "contractenvmetav0") bytes.writeUInt32BE(PROTOCOL, bytes.length - 8);
  if (!NEEDLESS.test(custom)) sections.push({ custom, bytes });
  at = end;
}
write(`${name}-debug.wasm`, sections);
write(
  `${name}.wasm`,
  sections.filter(({ custom }) => !DEBUG.test(custom)),
);

function write(file: string, of: typeof sections): void {
  const parts = [wasm.subarray(0, 8), ...of.map(({ bytes }) => bytes)];
  writeFileSync(join(import.meta.dir, "..", file), Buffer.concat(parts));
}

/** LEB128: the number, and what follows it. */
function number(at: number): [value: number, end: number] {
  const byte = wasm[at] ?? 0;
  if (byte < 0x80) return [byte, at + 1];
  const [rest, end] = number(at + 1);
  return [(byte & 0x7f) + rest * 128, end];
}
