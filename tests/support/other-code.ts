// A recorded request with other contract code under the hash of the recorded code: what would
// happen if the contract had that code.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { withResources } from "../../src/xdr/envelope/patch-envelope.ts";
import { openAnywhere } from "./opened.ts";

const TESTS = join(import.meta.dir, "..");
/** The recorded code was in the module cache; this one is parsed. */
const DECLARED = 10_000_000;
const WASM_MAGIC = Buffer.from([0, 0x61, 0x73, 0x6d]);

export function ownContract(file: string): Buffer {
  return readFileSync(join(TESTS, "contracts", file));
}

/** `contract-error` calls `fail(1)` of its only contract. */
export function requestWithCode(wasm: Buffer, protocol?: number): ReplayRequest {
  const file = join(TESTS, "fixtures", "protocol", "contract-error.json");
  const { request } = JSON.parse(readFileSync(file, "utf8")) as { request: ReplayRequest };
  const entries = Object.entries(request.ledger_entries).map(([key, entry]) => {
    if (entry === null || typeof entry === "string") throw new Error("an entry with its TTL");
    const bytes = withCode(Buffer.from(entry.entry_xdr, "base64"), wasm);
    return [key, { ...entry, entry_xdr: bytes.toString("base64"), code_cached: false }];
  });
  const ledger = { ...request.ledger, ...(protocol && { protocol_version: protocol }) };
  const envelope_xdr = withResources(openAnywhere(request.envelope_xdr), {
    instructions: DECLARED,
  }).xdr;
  return { ...request, envelope_xdr, ledger, ledger_entries: Object.fromEntries(entries) };
}

/** The opaque after the hash: its length, its bytes, padding to four. */
export function withCode(entry: Buffer, wasm: Buffer): Buffer {
  const start = entry.indexOf(WASM_MAGIC);
  if (start === -1) return entry;
  const old = entry.readUInt32BE(start - 4);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(wasm.length);
  const padding = Buffer.alloc((4 - (wasm.length % 4)) % 4);
  const rest = entry.subarray(start + old + ((4 - (old % 4)) % 4));
  return Buffer.concat([entry.subarray(0, start - 4), length, wasm, padding, rest]);
}

/** The module with one more custom section, which no code refers to. */
export function withCustomSection(wasm: Buffer, name: string, content: Buffer): Buffer {
  const length = (size: number): Buffer =>
    size < 0x80
      ? Buffer.from([size])
      : Buffer.concat([Buffer.from([(size & 0x7f) | 0x80]), length(size >>> 7)]);
  const inside = Buffer.concat([length(name.length), Buffer.from(name), content]);
  return Buffer.concat([wasm, Buffer.from([0]), length(inside.length), inside]);
}
