// The least that a compiled program can take for `svc debug --from`: the capsule is read, one
// svc-sim runs a request of it, and its answer is parsed. Nothing is checked, compared or explained.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { replayRequest } from "../src/simulator/requests.ts";
import { decodeCapsule } from "../src/sources/files/capsule.ts";

const PROGRAM = `
run(...process.argv.slice(2));
async function run(capsule, request, simulator) {
  JSON.parse(await Bun.file(capsule).text());
  const { stdout } = Bun.spawn([simulator], { stdin: Bun.file(request), stdout: "pipe" });
  JSON.parse(await new Response(stdout).text());
}
`;

export interface LeastDebug extends Disposable {
  readonly command: readonly string[];
}

export async function buildLeastDebug(capsule: string): Promise<LeastDebug> {
  const scratch = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const [source, program, request] = ["program.ts", "program", "request.json"].map((name) =>
    join(scratch, name),
  ) as [string, string, string];
  const { record, snapshot } = decodeCapsule(readFileSync(capsule, "utf8"));
  if (snapshot === null) throw new Error("the capsule has nothing to replay");
  const options = { trace: true, diagnostics: true, feeTakenStroops: null };
  writeFileSync(request, JSON.stringify(replayRequest(record, snapshot, options)));
  writeFileSync(source, PROGRAM);
  const compile = { outfile: program };
  await Bun.build({ entrypoints: [source], compile, bytecode: true, minify: true });
  return {
    command: [program, capsule, request, SIMULATOR_BINARY],
    [Symbol.dispose]: () => rmSync(scratch, { recursive: true }),
  };
}
