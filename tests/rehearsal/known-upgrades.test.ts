// Upgrades whose truth is known: next builds of one contract that differ in one thing each
// (tests/contracts/upgrade). Every group occurs, and none is taken for another.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { differencesInWords } from "../../src/rehearsal/difference-words.ts";
import { GROUPS, type ListedRehearsal } from "../../src/rehearsal/rehearsal.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";

setDefaultTimeout(60_000);

const CONTRACTS = join(import.meta.dir, "../contracts");
const directory = mkdtempSync(join(tmpdir(), "svc-upgrades-"));
const CALLS = ["5", "9"].map((by) => ({ by, file: `${by}.capsule.json` }));
const ALL = CALLS.map(({ file }) => file);
let contract = "";

const buildOf = (name: string) => join(CONTRACTS, `upgrade${name === "" ? "" : `-${name}`}.wasm`);

beforeAll(async () => {
  svcBinary();
  for (const { by, file } of CALLS) {
    const constructor_ = ["--constructor-args", '{"admin": "@1", "limit": 6}'];
    const words = ["call", buildOf(""), "inc", "--key", "a", "--by", by, ...constructor_];
    const { stdout } = await svc([...words, "--save", file, "--json"], { directory });
    contract = JSON.parse(stdout).invocation.contract;
  }
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function rehearsed(name: string, ...words: string[]): Promise<ListedRehearsal> {
  const all = ["rehearse", `${contract}=${buildOf(name)}`, "--json", ...words];
  const { stdout, stderr } = await svc(all, { directory });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The groups of the call that succeeded and of the one that failed, by the next build. */
const TRUTH = {
  "": ["same", "same"],
  debug: ["same", "same"],
  result: ["other-result", "same"],
  state: ["other-state", "same"],
  events: ["other-events", "same"],
  strict: ["newly-failing", "same"],
  code: ["same", "other-failure"],
  auth: ["needs-signatures", "other-failure"],
  gone: ["function-gone", "function-gone"],
  misfit: ["arguments-misfit", "arguments-misfit"],
  dearer: ["declared-too-little", "same"],
  // This build and `lenient`, in the second call, read an entry that the capsule does not have.
  reads: ["state-unknown", "same"],
  lenient: ["same", "state-unknown"],
  types: ["newly-failing", "other-failure"],
} as const;

for (const [name, groups] of Object.entries(TRUTH))
  test(`a build that differs in ${name || "nothing"}`, async () => {
    const rehearsals = await Promise.all(ALL.map((file) => rehearsed(name, file)));
    expect(rehearsals.flatMap(({ calls }) => calls.map(({ group }) => group))).toEqual([...groups]);
  });

test("every group of two runs occurs, here or with known state", () => {
  const occurring = new Set<string>(Object.values(TRUTH).flat());
  // newly-succeeding needs the state that a network knows (histories.test.ts), and code that ends
  // svc-sim is hostile (hostile-builds.test.ts).
  const others = Object.keys(GROUPS).filter((kind) => !occurring.has(kind));
  expect(others.sort()).toEqual(["first-fails", "newly-succeeding", "no-result"]);
});

test("who has to sign is named, and what a build costs", async () => {
  const { calls } = await rehearsed("auth", ALL[0] ?? "");
  expect(calls[0]?.signers).toHaveLength(1);
  const dearer = await rehearsed("dearer", ALL[0] ?? "");
  const [before = 0, after = 0] = dearer.calls[0]?.costs?.instructions ?? [];
  expect(after).toBeGreaterThan(before);
});

test("stored types that no longer decode are named, and a migration mends them", async () => {
  const { contracts } = await rehearsed("types", ...ALL);
  const [config, ...others] = contracts[0]?.stored ?? [];
  expect(config).toMatchObject({ type: "Config", misfits: 1, entries: 1 });
  expect(config?.misfit?.fault).toEqual({ kind: "field-missing", type: "Config", field: "step" });
  expect(others.every(({ misfits }) => misfits === 0)).toBe(true);
  const first = `migrate(${contract}, 6, step=2)`;
  const migrated = await rehearsed("types", ...ALL, "--first", first);
  expect(migrated.calls.map(({ group }) => group)).toEqual(["same", "same"]);
  // Another limit is what the migration stores, and so what the call meets.
  const strict = await rehearsed("types", ...ALL, "--first", `migrate(${contract}, 4, 2)`);
  expect(strict.calls.map(({ group }) => group).sort()).toEqual(["newly-failing", "same"]);
});

test("a first call that fails or is not one is said, not its consequences", async () => {
  // The build without `types` has no such function.
  for (const [build, first, message] of [
    ["", "migrate()", "which the new build does not have"],
    ["types", "migrate", "is not a call"],
    ["types", "migrate(1)", "takes 3 arguments, not 1"],
    ["types", "migrate(x, 6, 2)", "must be an address"],
  ] as const) {
    const words = ["rehearse", `${contract}=${buildOf(build)}`, ...ALL, "--first", first];
    const { stderr, exitCode } = await svc(words, { directory });
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  }
  // `config` reads the stored value as the new type.
  const { calls } = await rehearsed("types", ...ALL, "--first", "config()");
  for (const { group, differences } of calls) {
    expect(group).toBe("first-fails");
    expect(differencesInWords({ differences })).toStartWith("config fails before the call: ");
  }
});

test("a report is not lost if its examples cannot be saved", async () => {
  await Bun.write(join(directory, "occupied"), "");
  const words = ["rehearse", `${contract}=${buildOf("result")}`, "--json", ...ALL];
  const plain = await svc(words, { directory });
  const { stdout, stderr, exitCode } = await svc([...words, "--save", "occupied/kept"], {
    directory,
  });
  expect(stdout).toBe(plain.stdout);
  expect(stderr).toContain("The capsules are not saved.");
  expect([plain.exitCode, exitCode]).toEqual([0, 3]);
});

test("the saved examples are named in the order of the groups", async () => {
  // The call that fails is the first one, and its group is a later one.
  const words = [`${contract}=${buildOf("auth")}`, ...ALL.toReversed(), "--save", "ordered"];
  const { stderr } = await svc(["rehearse", ...words, "--json"], { directory });
  const saved = [...stderr.matchAll(/Saved ordered\/([a-z-]+)-[0-9a-f]{8}\./g)];
  expect(saved.map(([, group]) => group)).toEqual(["other-failure", "needs-signatures"]);
});

test("a saved example holds with svc debug --expect", async () => {
  await rehearsed("result", ...ALL, "--save", "kept");
  const [file = ""] = new Bun.Glob("kept/other-result-*.json").scanSync({ cwd: directory });
  const { record } = JSON.parse(readFileSync(join(directory, file), "utf8"));
  const exitCodeFor = async (outcome: string) => {
    const expected = { format: 1, transactions: { [record.hash]: { outcome } } };
    await Bun.write(join(directory, "expected.json"), JSON.stringify(expected));
    const words = ["debug", "--from", file, "--expect", "expected.json"];
    return (await svc(words, { directory })).exitCode;
  };
  expect(await exitCodeFor("success")).toBe(0);
  expect(await exitCodeFor("failed")).toBe(7);
});
