// A capsule of a fee-bump transaction answers to both hashes, and remembers which one was asked for.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCapsule } from "../../src/debugger/open-capsule.ts";
import { encodeCapsule } from "../../src/sources/capsule.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

test("the hash that was asked for is the recording's, outer or inner", async () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-capsule-"));
  try {
    const { recording, snapshot } = walkOf("fee-bump-failing");
    const path = join(directory, "capsule.json");
    writeFileSync(path, encodeCapsule(recording, snapshot));
    const requested = async (hash: string | null) =>
      (await openCapsule(path, hash)).recording.requestedHash;
    expect(recording.innerHash).not.toBeNull();
    expect(await requested(null)).toBe(recording.requestedHash);
    expect(await requested(recording.hash)).toBe(recording.hash);
    expect(await requested(recording.innerHash)).toBe(recording.innerHash ?? "");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
