// Contract code in XDR: in a stream, or in the transactions of the corpus's history archive.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { ARCHIVE } from "./archived-records.ts";

const MAGIC = Buffer.from("0061736d01000000", "hex");

/** Reads the files until one has the code. */
export function codeOf(prefix: string): Uint8Array {
  const directory = join(ARCHIVE, "transactions");
  const names = readdirSync(directory, { recursive: true }).map(String).sort();
  for (const name of names.filter((each) => each.endsWith(".gz"))) {
    const codes = codesIn(Buffer.from(gunzipSync(readFileSync(join(directory, name)))));
    const found = [...codes].find(([hash]) => hash.startsWith(prefix));
    if (found !== undefined) return found[1];
  }
  throw new Error(`The archive has no code ${prefix}.`);
}

/** The code in XDR by its hash. The length of each code is before it. */
export function codesIn(xdr: Buffer): Map<string, Uint8Array> {
  const codes = new Map<string, Uint8Array>();
  for (let at = xdr.indexOf(MAGIC); at !== -1; at = xdr.indexOf(MAGIC, at + 1)) {
    const code = xdr.subarray(at, at + xdr.readUInt32BE(at - 4));
    codes.set(sha256(code).toHex(), code);
  }
  return codes;
}
