// A saved fork of an empty network that has read a lot: contract code, up to that many bytes.

import { sha256 } from "../../src/xdr/reader/hash.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { openFork } from "./fork.ts";

const CODE_BYTES = 60_000;

export async function largeSavedFork(bytes: number): Promise<string> {
  await using fork = await openFork();
  const saved = JSON.parse(await fork.call<string>("fork_dump"));
  for (let made = 0, index = 0; made < bytes; index += 1) {
    const code = new Uint8Array(CODE_BYTES).fill(index % 251);
    code.set(Buffer.from(String(index)));
    const hash = sha256(code);
    const entryXdr = encode("LedgerEntry", {
      lastModifiedLedgerSeq: 1,
      data: { type: 7, contractCode: { ext: { v: 0 }, hash, code } },
      ext: { v: 0 },
    });
    const keyXdr = encode("LedgerKey", { type: 7, contractCode: { hash } });
    const kept = { keyXdr, entryXdr, liveUntilLedger: 4_000_000, archived: false };
    saved.base.entries.push({ ...kept, provenance: null });
    made += entryXdr.length;
  }
  return `${JSON.stringify(saved)}\n`;
}
