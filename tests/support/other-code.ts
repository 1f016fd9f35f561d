// A recorded request with other contract code under the hash of the recorded code: what would
// happen if the contract had that code.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LedgerEntry } from "@stellar/stellar-sdk/xdr";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { withFootprint, withResources } from "../../src/xdr/envelope/patch-envelope.ts";
import { keyOfEntry } from "../../src/xdr/reader/keys.ts";
import { changedXdr, madeXdr } from "./changed-xdr.ts";
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

export const OWNER = encodeStrkey("contract", new Uint8Array(32).fill(7));
const TAG = "fleet";

/** What the executable of `withReference` is read from: LedgerEntry.data. */
export function referenceTo(hash: string) {
  const key = { executable_tag: TAG };
  const data = { ext: "v0", contract: OWNER, key, durability: "persistent", val: { bytes: hash } };
  return { contract_data: data };
}

export const REFERENCE = { external_ref: { executable_owner: OWNER, tag: TAG } };

/** The same request, where the contract's executable is an entry of another contract (CAP-85). */
export function withReference(request: ReplayRequest): ReplayRequest {
  const entries = { ...request.ledger_entries };
  let reference = "";
  for (const [key, entry] of Object.entries(entries)) {
    if (!entry || typeof entry === "string") continue;
    const entry_xdr = changedXdr(LedgerEntry, entry.entry_xdr, ({ data }) => {
      const { executable } = data.contract_data?.val.contract_instance ?? {};
      if (executable === undefined) return;
      reference = executable.wasm;
      data.contract_data.val.contract_instance.executable = REFERENCE;
    });
    entries[key] = { ...entry, entry_xdr };
  }
  const data = referenceTo(reference);
  const made = { last_modified_ledger_seq: 1, data, ext: "v0" };
  const entry_xdr = madeXdr(LedgerEntry, made);
  const key = keyOfEntry(entry_xdr);
  const envelope = openAnywhere(request.envelope_xdr);
  const { readOnly, readWrite } = envelope.soroban?.footprint ?? { readOnly: [], readWrite: [] };
  const footprint = { readOnly: [...readOnly, key], readWrite, archivedEntryIndexes: [] };
  const live_until_ledger = 1_000_000;
  return {
    ...request,
    envelope_xdr: withFootprint(envelope, footprint).xdr,
    ledger_entries: { ...entries, [key]: { entry_xdr, live_until_ledger } },
  };
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
