// Sends the recorded requests of the tests to an svc-sim of another platform, and compares its
// answers with the recorded ones, except for the time: metering is the same on every processor.
//
//   bun scripts/check-answers.ts COMMAND…        the program, behind qemu or wine
//
// Prints the number of equal answers; exits with code 1 at the first different one.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ROOT } from "./release/paths.ts";

const EXCHANGES = join(ROOT, "tests", "fixtures", "protocol");
const command = process.argv.slice(2);

const names = readdirSync(EXCHANGES);
for (const name of names) {
  const { request, response } = JSON.parse(readFileSync(join(EXCHANGES, name), "utf8"));
  const run = Bun.spawnSync(command, {
    stdin: Buffer.from(JSON.stringify(request)),
    stderr: "inherit",
  });
  const { host_nanoseconds: _, ...answer } = JSON.parse(run.stdout.toString());
  if (isDeepStrictEqual(answer, response)) continue;
  process.stderr.write(`${name}: ${JSON.stringify(answer)}\n`);
  process.exit(1);
}
process.stdout.write(`${names.length}\n`);
