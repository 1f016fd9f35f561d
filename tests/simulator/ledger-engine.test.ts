// The process of the ledger engine, where it does not do what it should.

import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LedgerEngine } from "../../src/simulator/ledger-engine.ts";

test("one that does not answer is ended, and is what failed", async () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-engine-"));
  const path = join(directory, "svc-sim");
  writeFileSync(path, "#!/bin/sh\nexec sleep 600\n");
  chmodSync(path, 0o755);
  try {
    await using engine = new LedgerEngine(path, 1, [], 50);
    const late = { code: "SIMULATOR_TIMEOUT" };
    // More than a pipe holds: it is still being written when the engine is given up.
    await expect(engine.read(new Uint8Array(1 << 20))).rejects.toMatchObject(late);
    await expect(engine.fold({ run: false, want: false })).rejects.toMatchObject(late);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
