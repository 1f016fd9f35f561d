// A range that is rehearsed in pieces has the document of one run, in whatever order the pieces are
// done. A piece that is there is not done again, and what is not a whole run is not merged.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { openLongChain } from "../support/long-chain.ts";
import { pieceJob } from "../support/piece-job.ts";
import { KITCHEN, recordedCode } from "../support/recorded-code.ts";

setDefaultTimeout(120_000);

const directory = mkdtempSync(join(tmpdir(), "svc-rehearsal-pieces-"));
const chain = openLongChain({ successes: 15, failures: 10, varied: true });
const first = chain.first + 1;
const LEDGERS = 5;
chain.tip = first + LEDGERS;
const nodes = ["--rpc-url", chain.url, "--network-passphrase", chain.passphrase];
const range = `${first}-${first + LEDGERS - 1}`;

beforeAll(async () => {
  svcBinary();
  for (const name of ["kitchen", "err"] as const)
    await Bun.write(join(directory, `${name}.wasm`), recordedCode(name));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await chain[Symbol.asyncDispose]();
});

function piece(build: string, shard: number, result: string) {
  const words = ["rehearse", `${KITCHEN}=${build}.wasm`, range, ...nodes];
  return svc([...words, "--shard", `${shard}/3`, "--result", result], { directory });
}

test.each(["kitchen", "err"])("three pieces have the document of one run (%s)", async (build) => {
  const result = `results-${build}`;
  const rehearse = ["rehearse", `${KITCHEN}=${build}.wasm`, range, ...nodes, "--json"];
  const one = await svc(rehearse, { directory });
  for (const shard of [3, 1, 2]) {
    const { stdout, stderr, exitCode } = await piece(build, shard, result);
    expect([stdout, exitCode]).toEqual(["", 0]);
    expect(stderr).toContain(`Stored rehearsal-${shard}-of-3.json`);
  }
  expect((await piece(build, 2, result)).stderr).toContain("is already in");
  const merged = await svc(["rehearse", "merge", result, "--json"], { directory });
  expect(merged.stdout).toBe(one.stdout);
  expect(JSON.parse(one.stdout).calls.length).toBeGreaterThan(10 * LEDGERS);
  const failing = ["rehearse", "merge", result, "--fail-on", "function-gone"];
  const failed = await svc([...failing, "--json"], { directory });
  expect(failed.exitCode).toBe(build === "err" ? 7 : 0);
  const conditions = JSON.parse(failed.stdout).failedConditions;
  expect(conditions.map(({ condition }: { readonly condition: string }) => condition)).toEqual(
    build === "err" ? ["function-gone"] : [],
  );
});

test("the result of a piece is the same in every run", async () => {
  const results = ["once", "twice"].map((name) => join(directory, name));
  for (const result of results) await piece("err", 2, result);
  const [once, twice] = results.map((each) => Bun.file(join(each, "rehearsal-2-of-3.json")).text());
  expect(await once).toBe(await twice);
});

test("the command line of the Job in release/kubernetes rehearses the piece of its index", async () => {
  const variables = new Map([
    ["SVC_CONTRACT", KITCHEN],
    ["SVC_RANGE", range],
    ["SVC_RESULT", "job"],
    ["SVC_WARM_UP", "1"],
  ]);
  const words = pieceJob("rehearse").args.map((word) =>
    word
      .replaceAll(/\$\((\w+)\)/g, (_, name) => variables.get(name) ?? "")
      .replace("/builds/new.wasm", "kitchen.wasm"),
  );
  const environment = {
    SVC_RPC_URL: chain.url,
    SVC_NETWORK_PASSPHRASE: chain.passphrase,
    SVC_SHARDS: "3",
    JOB_COMPLETION_INDEX: "1",
  };
  const { stderr, exitCode } = await svc(words, { directory, environment });
  expect(stderr).toContain("Stored rehearsal-2-of-3.json in ");
  expect(exitCode).toBe(0);
});

test("what is not a whole run is named, and not merged", async () => {
  await piece("kitchen", 1, "some");
  const { stderr, exitCode } = await svc(["rehearse", "merge", "some"], { directory });
  expect(exitCode).toBe(6);
  expect(stderr).toContain("missing: piece 2 of 3");
  // Another build is another run.
  const other = await piece("err", 1, "some");
  expect(other.stderr).toContain("is a piece of another run");
  await piece("err", 1, "others");
  const foreign = await svc(["rehearse", "merge", "some", "others"], { directory });
  expect(foreign.stderr).toContain("foreign: rehearsal-1-of-3.json");
  await Bun.write(join(directory, "some/rehearsal-2-of-3.json"), "{");
  const damaged = await svc(["rehearse", "merge", "some"], { directory });
  expect(damaged.stderr).toContain("damaged: rehearsal-2-of-3.json");
});

test("capsules are not divided, and --warm-up all is not for a range", async () => {
  const words = ["rehearse", `${KITCHEN}=kitchen.wasm`, "demo:contract-error"];
  const shard = ["--shard", "1/3", "--result", "none"];
  const { stderr, exitCode } = await svc([...words, ...shard], { directory });
  expect(stderr).toContain("demo:contract-error is another input.");
  expect(exitCode).toBe(2);
  const all = ["rehearse", `${KITCHEN}=kitchen.wasm`, range, ...shard, "--warm-up", "all"];
  const refused = await svc(all, { directory });
  expect(refused.stderr).toContain("--warm-up all is for ledger files");
  expect(refused.exitCode).toBe(2);
});
