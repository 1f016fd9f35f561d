// The README's example: the compiled svc debugs the bundled transaction. `npm run docs` writes the
// output to the README; a test fails when it differs from what svc prints.

import { join, resolve } from "node:path";
import { ensureBuilt, SVC_BINARY } from "./ensure-built.ts";

const ROOT = resolve(import.meta.dir, "..");
const README = join(ROOT, "README.md");
const CAPSULE = "examples/overflow-in-callee.capsule.json";
const BLOCK = /(?<=<!-- first-run output: begin -->\n)[\s\S]*?(?=<!-- first-run output: end -->)/;

/** The README as it is, and as it should be. */
export async function readmeWithExample(): Promise<{ current: string; wanted: string }> {
  ensureBuilt();
  const run = Bun.spawnSync([SVC_BINARY, "debug", "--from", CAPSULE], { cwd: ROOT });
  if (run.exitCode !== 0) throw new Error(`svc debug ended with ${run.exitCode}: ${run.stderr}`);
  const lines = [`$ dist/svc debug --from ${CAPSULE}`, "", ...run.stdout.toString().split("\n")];
  const block = lines.map((line) => (line === "" ? "" : `    ${line}`)).join("\n");
  const current = await Bun.file(README).text();
  return { current, wanted: current.replace(BLOCK, () => `\n${block}\n`) };
}

export async function writeReadmeExample(): Promise<void> {
  await Bun.write(README, (await readmeWithExample()).wanted);
}
