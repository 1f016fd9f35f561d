// New builds that take what they can get, or end svc-sim: each ends within limits, and is said.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contractCodeKey } from "../../src/xdr/ledger/patch-entry.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { openDyingSimulator } from "../support/dying-simulator.ts";
import { hostCallContract } from "../support/host-call-contract.ts";

setDefaultTimeout(60_000);

const directory = mkdtempSync(join(tmpdir(), "svc-hostile-"));
const UPGRADE = join(import.meta.dir, "../contracts/upgrade.wasm");
const CAPSULE = "inc.capsule.json";
const PAGE_BYTES = 65_536;
let contract = "";

beforeAll(async () => {
  svcBinary();
  const constructed = ["--constructor-args", '{"admin": "@1", "limit": 6}'];
  const words = ["call", UPGRADE, "inc", "--key", "a", "--by", "5", ...constructed];
  const { stdout } = await svc([...words, "--save", CAPSULE, "--json"], { directory });
  contract = JSON.parse(stdout).invocation.contract;
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function rehearsed(build: string, ...words: string[]) {
  const all = ["rehearse", `${contract}=${build}`, CAPSULE, "--json", ...words];
  const { stdout, stderr, exitCode } = await svc(all, { directory });
  if (stdout === "") throw new Error(stderr);
  return { calls: JSON.parse(stdout).calls, bytes: stdout.length, stderr, exitCode };
}

/** A build whose function `inc` returns this number of bytes, all zero. */
async function returning(bytes: number): Promise<string> {
  const [position, length] = [0, bytes].map((value) => (BigInt(value) << 32n) | 4n);
  const raw = [position ?? 0n, length ?? 0n];
  const inc = { name: "inc", host: ["b", "3"], parameters: 0, ignored: 2, raw } as const;
  const file = `${bytes}.wasm`;
  const pages = Math.ceil(bytes / PAGE_BYTES);
  await Bun.write(join(directory, file), hostCallContract([inc], 22, pages));
  return file;
}

test("a large result is another result, of which the report shows the beginning", async () => {
  const { calls, bytes } = await rehearsed(await returning(8_000));
  // The call of this build costs a higher fee than the sender declared.
  expect(calls).toMatchObject([{ group: "other-result", redeclared: ["resources"] }]);
  expect(calls[0].detail).toStartWith("The call returned 5 before, and returns 0x0000");
  expect(bytes).toBeLessThan(8_000);
});

test("a huge result, or the memory for it, fails at a limit of the network", async () => {
  for (const [size, group, why] of [
    [1 << 20, "newly-failing", "Event and result size limit exceeded: 1,048,584 bytes used"],
    [16 << 20, "newly-failing", "Memory limit exceeded: "],
    // The host refuses the code itself.
    [1 << 30, "no-result", "as contract code: Linear memory limit exceeded."],
  ] as const) {
    const { calls, bytes } = await rehearsed(await returning(size));
    expect(calls).toMatchObject([{ group }]);
    expect(calls[0].detail).toContain(why);
    expect(bytes).toBeLessThan(8_000);
  }
});

test("a build that ends svc-sim has no result, and the call is an error of the report", async () => {
  const simulator = await openDyingSimulator();
  const at = ["--sim-path", simulator.path];
  const build = await returning(8);
  expect((await rehearsed(build, ...at)).calls).toMatchObject([{ group: "other-result" }]);
  await simulator.endAt(contractCodeKey(sha256(readFileSync(join(directory, build))).toHex()));
  const junit = ["--report", "junit=svc.xml", "--fail-on", "no-result"];
  const { calls, stderr, exitCode } = await rehearsed(build, ...at, ...junit);
  expect(calls).toMatchObject([{ group: "no-result", costs: null }]);
  expect(calls[0].detail).toContain("ended with exit code 0 before it answered");
  expect(stderr).toContain("--fail-on no-result: 1 call.");
  expect(exitCode).toBe(7);
  expect(readFileSync(join(directory, "svc.xml"), "utf8")).toContain("<error ");
  // Other code runs as before.
  expect((await rehearsed(UPGRADE, ...at)).calls).toMatchObject([{ group: "same" }]);
});
