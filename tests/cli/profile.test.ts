// svc debug --profile on the compiled binary: the path of the file, the messages, and an unchanged
// report.

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { changedCapsule } from "../support/changed-capsule.ts";
import { inTemporaryDirectory, svc } from "./run-svc.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const HASH = "bb9cd617c83fafb9bd6d88e3d113f160ce38cb7f0335ebf66e55c3e9c284364e";

test("--profile: a page in the current directory; report and exit code as without it", async () => {
  await inTemporaryDirectory(async (directory) => {
    const plain = await svc(["debug", "--from", EXAMPLE], { directory });
    const profiled = await svc(["debug", "--from", EXAMPLE, "--profile"], { directory });
    const name = `${HASH}.flamegraph.html`;
    expect(readdirSync(directory)).toEqual([name]);
    expect([profiled.exitCode, profiled.stdout]).toEqual([plain.exitCode, plain.stdout]);
    expect(profiled.stderr).toContain(name);
    expect(readFileSync(join(directory, name), "utf8")).toContain(`Profile of ${HASH}`);
  });
});

test("--json: stdout is one document, its metering is the profile's", async () => {
  await inTemporaryDirectory(async (directory) => {
    const words = ["debug", "--from", EXAMPLE, "--json", "--profile", "--quiet"];
    const folded = [...words, "--profile-format", "folded", "--output", "out/deep"];
    const { exitCode, stdout, stderr } = await svc(folded, { directory });
    const { execution } = JSON.parse(stdout);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const lines = readFileSync(join(directory, "out", "deep", `${HASH}.folded`), "utf8").trim();
    const counts = lines.split("\n").map((line) => BigInt(line.slice(line.lastIndexOf(" ") + 1)));
    const total = counts.reduce((sum, count) => sum + count, 0n);
    expect(String(total)).toBe(execution.metrics.cpu_insn);
  });
});

test("--profile-format asks for a profile by itself", async () => {
  await inTemporaryDirectory(async (directory) => {
    for (const format of ["speedscope", "pprof"])
      await svc(["debug", "--from", EXAMPLE, "--profile-format", format], { directory });
    const names = [`${HASH}.pprof.pb.gz`, `${HASH}.speedscope.json`];
    expect(readdirSync(directory).sort()).toEqual(names);
  });
});

test("a profile that cannot be written: OUTPUT_UNWRITABLE, and no report", async () => {
  await inTemporaryDirectory(async (directory) => {
    mkdirSync(join(directory, `${HASH}.flamegraph.html`));
    const finished = await svc(["debug", "--from", EXAMPLE, "--profile"], { directory });
    expect([finished.exitCode, finished.stdout]).toEqual([3, ""]);
    expect(finished.stderr).toContain("[OUTPUT_UNWRITABLE]");
  });
});

test("an unused --wasm is reported; one of other code is refused", async () => {
  await inTemporaryDirectory(async (directory) => {
    const examples = resolve(import.meta.dir, "../../examples");
    const wasm = resolve(import.meta.dir, "../contracts/panics-debug.wasm");
    const capsule = join(examples, "write-bytes-too-low.capsule.json");
    const unused = await svc(["debug", "--from", capsule, "--wasm", wasm], { directory });
    expect(unused.stderr).toContain("--wasm had no effect on");
    const words = ["debug", "--from", capsule, "--wasm", wasm, "--profile"];
    const refused = await svc(words, { directory });
    expect(refused.stderr).toContain("[WASM_DIFFERS]");
  });
});

test("a transaction that never ran in the contract host has no profile, with a warning", async () => {
  await inTemporaryDirectory(async (directory) => {
    const capsule = changedCapsule(await Bun.file(EXAMPLE).text(), ({ snapshot }) => {
      for (const entry of snapshot.entries) entry.liveUntilLedger = entry.liveUntilLedger && 1;
    });
    const path = join(directory, "expired.json");
    writeFileSync(path, capsule);
    const { stderr } = await svc(["debug", "--from", path, "--profile"], { directory });
    expect(stderr).toContain(`svc wrote no profile of ${HASH}: nothing of this transaction ran`);
    expect(readdirSync(directory)).toEqual(["expired.json"]);
  });
});
