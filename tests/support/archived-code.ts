// Contract code in the transactions of the corpus's history archive, by the beginning of its hash.

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
    const bytes = Buffer.from(gunzipSync(readFileSync(join(directory, name))));
    for (let at = bytes.indexOf(MAGIC); at !== -1; at = bytes.indexOf(MAGIC, at + 1)) {
      // The length of the code is before it.
      const code = bytes.subarray(at, at + bytes.readUInt32BE(at - 4));
      if (sha256(code).toHex().startsWith(prefix)) return code;
    }
  }
  throw new Error(`The archive has no code ${prefix}.`);
}
