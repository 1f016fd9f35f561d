// Writes the capsules that the repository holds, from the recorded network:
//   bun tests/support/make-capsules.ts

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { encodeCapsule } from "../../src/sources/files/capsule.ts";
import { openLoopback } from "./loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "./loopback-walk.ts";

const ROOT = join(import.meta.dir, "../..");
/** The provenance in a capsule names the node. */
const PORT = 8000;
const CAPSULES: Readonly<Record<string, string>> = {
  "bench/increment.capsule.json":
    "ae9093c712a1b5e4a4a7a6f442b8ccd368742ace8a7a9fd477a26dc4a3b2d243",
  "examples/overflow-in-callee.capsule.json":
    "bb9cd617c83fafb9bd6d88e3d113f160ce38cb7f0335ebf66e55c3e9c284364e",
  "tests/fixtures/capsules/too-many-events.capsule.json":
    "7f722cfebf556a7c334c46941ce5a0b74a16c8bfbdd168cd8e823f3120618922",
  "examples/write-bytes-too-low.capsule.json":
    "2a748ca28a978895daec9197a372dbc35de35800d6debdc89132fb65d017892f",
};

await using loopback = openLoopback({ port: PORT });
for (const [path, hash] of Object.entries(CAPSULES)) {
  const ledger = loopback.network.find(hash)?.ledger;
  const walk = openWalk(loopback, { rpc: [`entries-at=${ledger}`] });
  const dependencies = { ...walk, progress: () => {} };
  const { record, snapshot } = await captureTransaction(dependencies, hash, {
    signal: NEVER_ABORTED,
  });
  writeFileSync(join(ROOT, path), encodeCapsule(record, snapshot));
}
