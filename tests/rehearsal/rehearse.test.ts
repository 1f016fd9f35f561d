// svc rehearse on the compiled binary: builds whose truth is known on calls in capsules, and the
// oracle of the corpus from its history archive.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reasonInWords } from "../../src/rehearsal/difference-words.ts";
import type { ListedRehearsal } from "../../src/rehearsal/rehearsal.ts";
import { svc } from "../cli/run-svc.ts";
import { codesIn } from "../support/archived-code.ts";
import { ARCHIVE, ofArchive } from "../support/archived-records.ts";
import { ENDLESS, withBodies } from "../support/changed-module.ts";

const CONTRACTS = join(import.meta.dir, "../contracts");
const directory = mkdtempSync(join(tmpdir(), "svc-rehearse-"));
let contract = "";

beforeAll(async () => {
  for (const name of ["token", "pool"])
    copyFileSync(join(CONTRACTS, `${name}.wasm`), join(directory, `${name}.wasm`));
  copyFileSync(join(CONTRACTS, "token-debug.wasm"), join(directory, "token-debug.wasm"));
  const calls = [
    ["balance", "--of", "@0"],
    ["transfer", "--from", "@0", "--to", "@1", "--amount", "5"],
  ];
  for (const [index, words] of calls.entries()) {
    const save = ["--save", `${index}.capsule.json`, "--json"];
    const { stdout } = await svc(["call", "token.wasm", ...words, ...save], { directory });
    contract = JSON.parse(stdout).invocation.contract;
  }
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const wasmOf = (name: string) => Bun.file(join(CONTRACTS, `${name}.wasm`)).bytes();

const CAPSULES = ["0.capsule.json", "1.capsule.json"];

async function rehearsed(file: string, ...words: string[]) {
  const build = `${contract}=${file}`;
  const { stdout, stderr, exitCode } = await svc(["rehearse", build, "--json", ...words], {
    directory,
  });
  if (stdout === "") throw new Error(stderr);
  const report = JSON.parse(stdout);
  const groups = report.calls?.map(({ group }: { readonly group: string }) => group);
  return { report, groups, exitCode, stderr };
}

test("the same code, also with debug information, is the same in all", async () => {
  for (const file of ["token.wasm", "token-debug.wasm"]) {
    const { groups, exitCode, report } = await rehearsed(file, ...CAPSULES);
    expect(groups).toEqual(["same", "same"]);
    // The state is what the capsules say.
    for (const { unconfirmed } of report.calls) expect(unconfirmed).toBe(true);
    expect(exitCode).toBe(0);
  }
});

test("code without the functions is told from code that fails, and --fail-on sees it", async () => {
  const { groups, exitCode, stderr, report } = await rehearsed(
    ...(["pool.wasm", ...CAPSULES, "--fail-on", "function-gone", "--save", "kept"] as const),
  );
  // One of the calls failed before, and has lost its function as well.
  expect(groups).toEqual(["function-gone", "function-gone"]);
  expect(exitCode).toBe(7);
  expect(stderr).toContain("--fail-on function-gone: 2 calls.");
  expect(report.contracts[0].differences).toContainEqual({
    ...{ kind: "function", name: "balance", change: "gone" },
    ...{ before: null, after: null },
  });
  const kept = [...new Bun.Glob("function-gone-*.capsule.json").scanSync(join(directory, "kept"))];
  expect(kept).toHaveLength(1);
});

test("a call that declared too little for its own code is the same with that code", async () => {
  const stream = join(import.meta.dir, "../fixtures/streams/318b008d239ea9d8.xdr.zst");
  const bytes = Buffer.from(Bun.zstdDecompressSync(await Bun.file(stream).bytes()));
  const codes = codesIn(bytes);
  const other = "CAA3QKIP2SNVXUJTB4HKOGF55JTSSMQGED3FZYNHMNSXYV3DRRMAWA3Y";
  const rehearse = async (code: Uint8Array) => {
    await Bun.write(join(directory, "own.wasm"), code);
    const words = ["rehearse", `${other}=own.wasm`, stream, "--json"];
    return JSON.parse((await svc(words, { directory })).stdout);
  };
  const [first] = codes.values();
  const { contracts } = await rehearse(first ?? new Uint8Array());
  const own = codes.get(contracts[0].oldHash) ?? new Uint8Array();
  const { calls } = await rehearse(own);
  expect(calls.length).toBeGreaterThan(0);
  for (const { group } of calls) expect(group).toBe("same");
  // The ledgers of the file show the whole state.
  expect(calls.some(({ unconfirmed }: { readonly unconfirmed: boolean }) => unconfirmed)).toBe(
    false,
  );
});

test("code that never ends is stopped at the network's limit", async () => {
  await Bun.write(join(directory, "endless.wasm"), withBodies(await wasmOf("token"), ENDLESS));
  const { groups, report } = await rehearsed("endless.wasm", ...CAPSULES);
  expect(groups.toSorted()).toEqual(["newly-failing", "other-failure"]);
  expect(JSON.stringify(report)).toContain("CPU limit exceeded");
});

test("the report is text and Markdown too, with the command for each example", async () => {
  const words = [`${contract}=pool.wasm`, ...CAPSULES];
  const { stdout } = await svc(["rehearse", ...words], { directory });
  expect(stdout).toContain("Rehearsed 2 calls: 0 the same.");
  expect(stdout.replace(/\s+/g, " ")).toContain("svc debug --from 0.capsule.json --override-wasm");
  const markdown = await svc(["rehearse", ...words, "--format", "markdown"], { directory });
  expect(markdown.stdout).toContain("| function-gone: a function is gone | 2 |");
});

test("words that cannot be used are refused", async () => {
  for (const [words, message] of [
    [[], "There is no new build."],
    [["0.capsule.json"], "There is no new build."],
    [["C=token.wasm", "0.capsule.json"], "is not the address of a contract"],
    [[`${contract}=token.wasm`], "There are no calls to run it on."],
    [[`${contract}=token.wasm`, "0.capsule.json", "--archive"], "--archive needs a range"],
    [
      [`${contract}=token.wasm`, "0.capsule.json", "--function", "f", "--in-sequence"],
      "and --in-sequence cannot be used together",
    ],
    [[`${contract}=token.wasm`, "9-5"], "is not a range of ledgers"],
    [[`${contract}=token.wasm`, "0.capsule.json", "--fail-on", "x"], "is not a condition"],
    [
      [`${contract}=token.wasm`, "0.capsule.json", "--fail-on", "newly-failng"],
      'Did you mean "newly-failing"?',
    ],
    [[`${contract}=token.wasm`, ...CAPSULES, "--save", "0.capsule.json"], "is not a directory."],
    [
      [`${contract}=token.wasm`, "0.capsule.json", "--report", "json=a", "--report", "html=./a"],
      "Two reports go to ./a.",
    ],
  ] as const) {
    const { stderr, exitCode } = await svc(["rehearse", ...words], { directory });
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  }
});

test("a node that no call needs is named", async () => {
  const { stderr, exitCode } = await rehearsed(
    ...["token.wasm", "0.capsule.json", "--rpc-url", "http://127.0.0.1:9"],
  );
  expect(stderr).toContain("--rpc-url had no effect with capsules alone.");
  expect(exitCode).toBe(0);
});

test("a function that no new build has is named, because its name may be mistyped", async () => {
  const mistyped = await rehearsed("token.wasm", ...CAPSULES, "--function", "balanc");
  expect(mistyped.stderr).toContain("no new build has this function. Did you mean balance?");
  const { groups, stderr } = await rehearsed("token.wasm", ...CAPSULES, "--function", "balance");
  expect([groups, stderr]).toEqual([["same"], ""]);
});

test("a network has no effect on capsules, which name theirs", async () => {
  const named = await rehearsed("token.wasm", "0.capsule.json", "--network", "mainnet");
  expect(named.stderr).toContain("--network had no effect with capsules alone.");
  const { report } = await rehearsed("token.wasm", "0.capsule.json");
  expect(named.report).toEqual(report);
});

test("calls of other contracts are counted, and nothing is judged", async () => {
  const other = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";
  const words = ["rehearse", `${other}=token.wasm`, "--json", ...CAPSULES];
  const { stdout, exitCode } = await svc(words, { directory });
  expect(JSON.parse(stdout).notJudged).toEqual([{ kind: "other-contract", calls: 2 }]);
  expect(exitCode).toBe(6);
});

ofArchive.test(
  "the oracle's 27 calls, on state that validators signed",
  async () => {
    const oracle = "CCJS5G6RXTAEELZR53VZTJH6QVDPMW7SCOASEGG43AXT6DDUANXCMDAA";
    const { codeOf } = await import("../support/archived-code.ts");
    const archive = ["3062-3088", "--archive", "--history-archive", ARCHIVE, "--json"];
    const decided: string[][] = [];
    const groups = async (hash: string) => {
      await Bun.write(join(directory, `${hash}.wasm`), await codeOf(hash));
      const junit = ["--report", `junit=${hash}.xml`];
      const words = ["rehearse", `${oracle}=${hash}.wasm`, ...archive, ...junit];
      const { stdout } = await svc(words, { directory });
      const { calls, reasons } = JSON.parse(stdout) as ListedRehearsal;
      decided.push(reasons.map((reason) => `${reason.calls}: ${reasonInWords(reason)}`));
      return Object.fromEntries(
        [...Map.groupBy(calls, ({ group }) => group)].map(([group, all]) => [group, all.length]),
      );
    };
    const [installed, later, older, oldest] = ["188da28f", "da679878", "94ba1e47", "72352338"];
    expect(await groups(installed ?? "")).toEqual({ same: 27 });
    expect(await groups(later ?? "")).toEqual({ same: 26, "other-state": 1 });
    expect(await groups(older ?? "")).toEqual({
      "function-gone": 16,
      "newly-failing": 8,
      "other-result": 3,
    });
    expect(await groups(oldest ?? "")).toEqual({
      "function-gone": 17,
      "newly-failing": 6,
      "other-result": 3,
      "declared-too-little": 1,
    });
    // The contract of the native asset is no wasm, so no code of it can be replaced.
    const asset = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";
    const onAsset = await svc(["rehearse", `${asset}=${installed}.wasm`, ...archive], {
      directory,
    });
    expect(JSON.parse(onAsset.stdout)).toMatchObject({
      calls: { length: 0 },
      notJudged: [{ kind: "no-code", calls: 1 }],
    });
    expect(onAsset.exitCode).toBe(6);
    // The older code looks for values that the contract's storage does not have.
    for (const [at, [calls, name, entry]] of [
      [2, "set_price", "admin"],
      [2, "price", "res"],
      [1, "prices", "res"],
      [1, "base", "base"],
      [1, "decimals", "decimals"],
      [1, "resolution", "res"],
    ].entries())
      expect(decided[2]?.[at]).toMatch(
        new RegExp(`^${calls}: .*\`${name}\` stopped because there is no entry "${entry}" in`),
      );
  },
  300_000,
);
