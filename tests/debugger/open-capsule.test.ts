// A capsule of a fee-bump transaction answers to both hashes, and remembers which one was asked for.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCapsule } from "../../src/debugger/walk/open-capsule.ts";
import { encodeCapsule } from "../../src/sources/files/capsule.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

test("the hash that was asked for is the recording's, outer or inner", async () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-capsule-"));
  try {
    const { record: recorded, snapshot } = walkOf("fee-bump-failing");
    const record = { ...recorded, assumedFacts: ["the ledger's close time"] };
    const path = join(directory, "capsule.json");
    writeFileSync(path, encodeCapsule(record, snapshot));
    const requested = async (hash: string | null) =>
      (await openCapsule(path, hash)).record.requestedHash;
    expect(record.innerHash).not.toBeNull();
    expect(await requested(null)).toBe(record.requestedHash);
    expect(await requested(record.hash)).toBe(record.hash);
    expect(await requested(record.innerHash)).toBe(record.innerHash ?? "");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
