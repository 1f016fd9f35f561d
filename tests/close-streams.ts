// bun tests/close-streams.ts FILE… : ledgers that stellar-core's own tests wrote, closed again by a
// fork of the ledger before. The exit code is 0 when every transaction ends as it was recorded.

import { existsSync } from "node:fs";
import { SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { openPool } from "../src/simulator/pool.ts";
import { readLedgerFile } from "../src/sources/files/ledger-file.ts";
import { closeStream, nothingClosed } from "./support/closed-stream.ts";
import { CORE_TEST_BINARY } from "./support/core-streams.ts";
import { CORE_TESTS_PASSPHRASE } from "./support/folded-stream.ts";

const count = nothingClosed();
const paths = [SIMULATOR_BINARY, CORE_TEST_BINARY].filter((path) => existsSync(path));
const simulators = paths.map((path) => openPool({ path, size: 1 }));
const { signal } = new AbortController();
for (const path of Bun.argv.slice(2)) {
  const before = count.differences.length;
  try {
    await closeStream(readLedgerFile(path, { signal }), CORE_TESTS_PASSPHRASE, simulators, count);
  } catch (error) {
    await Bun.write(Bun.stdout, `${path}: ${error instanceof Error ? error.stack : error}\n`);
  }
  for (const each of count.differences.slice(before))
    await Bun.write(Bun.stdout, `${path}: ${Bun.inspect(each, { depth: 8 })}\n`);
}
const { ledgers, closed, equal, takenOver } = count;
const summary = { ledgers, closed, equal, takenOver: Object.fromEntries(takenOver) };
await Bun.write(Bun.stdout, `${JSON.stringify(summary, null, 2)}\n`);
await Promise.all(simulators.map((each) => each[Symbol.asyncDispose]()));
process.exitCode = closed === equal ? 0 : 1;
