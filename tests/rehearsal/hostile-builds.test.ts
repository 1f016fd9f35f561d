// New builds that take what they can get, or end svc-sim: each ends within limits, and is said.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAXIMUM_ENTRIES } from "../../src/xdr/contract/contract-spec.ts";
import { customSections } from "../../src/xdr/contract/wasm-sections.ts";
import { contractCodeKey } from "../../src/xdr/ledger/patch-entry.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { ENDLESS, GREEDY, withBodies, withSpecification } from "../support/changed-module.ts";
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
  const { calls, contracts } = JSON.parse(stdout);
  return { calls, contracts, bytes: stdout.length, stderr, exitCode };
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
    [1 << 30, "no-result", "as contract code. Linear memory limit exceeded."],
  ] as const) {
    const { calls, bytes } = await rehearsed(await returning(size));
    expect(calls).toMatchObject([{ group }]);
    expect(calls[0].detail).toContain(why);
    expect(bytes).toBeLessThan(8_000);
  }
});

async function changed(name: string, wasm: Uint8Array): Promise<string> {
  await Bun.write(join(directory, name), wasm);
  return name;
}

test("code that takes all the memory, or never ends, fails at a limit", async () => {
  const own = new Uint8Array(readFileSync(UPGRADE));
  for (const [name, body, why] of [
    ["greedy.wasm", GREEDY, "Linear memory limit exceeded in inc("],
    ["endless.wasm", ENDLESS, "CPU limit exceeded in inc("],
  ] as const) {
    const { calls } = await rehearsed(await changed(name, withBodies(own, body)));
    expect(calls).toMatchObject([{ group: "newly-failing" }]);
    expect(calls[0].detail).toStartWith(why);
  }
});

test("what is not a module is refused before any call", async () => {
  const own = new Uint8Array(readFileSync(UPGRADE));
  for (const [bytes, why] of [
    [new Uint8Array(), "it is empty"],
    [Buffer.from("hello"), "it does not begin like a wasm module"],
    [own.subarray(0, 900), "it is cut off in the section that begins at byte"],
    [own.subarray(0, 8), "it has no sections"],
  ] as const) {
    const build = await changed("none.wasm", bytes);
    const words = ["rehearse", `${contract}=${build}`, CAPSULE];
    const { stderr, exitCode } = await svc(words, { directory });
    expect(stderr).toContain(`none.wasm is not a wasm file: ${why}`);
    expect(exitCode).toBe(2);
  }
});

/** A function that takes a value of this type, as an entry of a specification. */
function functionOf(name: string, type: string): Uint8Array {
  const text = (value: string) => Buffer.from(value);
  const udt = { type: 2000, udt: { name: text(type) } };
  const inputs = [{ doc: text(""), name: text("key"), type: udt }];
  const functionV0 = { doc: text(""), name: text(name), inputs, outputs: [] };
  return Uint8Array.fromBase64(encode("ScSpecEntry", { kind: 0, functionV0 } as never));
}

function smallFunction(name: string): Uint8Array {
  const [doc, named] = [Buffer.alloc(0), Buffer.from(name)];
  const functionV0 = { doc, name: named, inputs: [], outputs: [] };
  return Uint8Array.fromBase64(encode("ScSpecEntry", { kind: 0, functionV0 } as never));
}

function recursiveType(name: string): Uint8Array {
  const text = (value: string) => Buffer.from(value);
  const udt = { type: 2000, udt: { name: text(name) } };
  const fields = [{ doc: text(""), name: text("a"), type: udt }];
  const udtStructV0 = { doc: text(""), lib: text(""), name: text(name), fields };
  return Uint8Array.fromBase64(encode("ScSpecEntry", { kind: 1, udtStructV0 } as never));
}

test("a specification that lies changes the interface, and no call", async () => {
  const own = new Uint8Array(readFileSync(UPGRADE));
  for (const [name, entries, difference] of [
    ["noise.wasm", Buffer.alloc(3_000, 7), { kind: "specification", only: "before" }],
    ["gone.wasm", functionOf("inc", "Nowhere"), { name: "inc", after: "(key: Nowhere)" }],
    [
      "recursive.wasm",
      Buffer.concat([functionOf("inc", "A"), recursiveType("A")]),
      { kind: "type", name: "A", change: "new" },
    ],
  ] as const) {
    const build = await changed(name, withSpecification(own, entries));
    const { calls, contracts } = await rehearsed(build);
    // The code is the same, and its size may be another.
    expect(["same", "declared-too-little"]).toContain(calls[0].group);
    expect(contracts[0].differences).toContainEqual(expect.objectContaining(difference));
  }
});

test("of 10,000 functions, which the network does not take, the first ones are listed", async () => {
  const own = new Uint8Array(readFileSync(UPGRADE));
  const many = Array.from({ length: 10_000 }, (_, at) => functionOf(`f${at}`, "T"));
  const build = await changed("many.wasm", withSpecification(own, Buffer.concat(many)));
  const { calls, bytes } = await rehearsed(build);
  expect(calls).toMatchObject([{ group: "no-result" }]);
  expect(calls[0].detail).toContain("the host does not accept many.wasm as contract code");
  expect(bytes).toBeLessThan(4_000_000);
  const { stdout } = await svc(["call", build], { directory });
  expect(stdout.match(/^ {2}f\d+\(key: T\)$/gm)?.length).toBe(MAXIMUM_ENTRIES);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "svc reads 4,096 entries of a specification, and this one has more.",
  );
  // What is not listed may be in the rest, so svc does not say that it is not there.
  const asked = await svc(["call", build, "f9999", "--help"], { directory });
  expect(asked.stderr).toContain("The specification does not have f9999. svc reads 4,096 entries");
});

test.each([
  [
    "limit",
    MAXIMUM_ENTRIES,
    0,
    "svc reads 4,096 entries of a specification, and this one has more.",
  ],
  ["invalid", 20, 7, "svc read 20 entries of the specification, and the next one is not valid."],
] as const)(
  "what was not read of a specification is said, and not called gone: %s",
  async (reason, count, noise, sentence) => {
    const own = new Uint8Array(readFileSync(UPGRADE));
    const [specification = new Uint8Array()] = customSections(own, "contractspecv0");
    const before = Array.from({ length: count }, (_, at) => smallFunction(`f${at}`));
    const entries = Buffer.concat([...before, Buffer.alloc(noise * 4, noise), specification]);
    const build = await changed(`${reason}.wasm`, withSpecification(own, entries));
    const { calls, contracts } = await rehearsed(build);
    expect(["same", "declared-too-little"]).toContain(calls[0].group);
    const unread = { reason, readEntries: count };
    expect(contracts[0].differences).toContainEqual({ kind: "unread", of: "after", unread });
    const changes = contracts[0].differences.flatMap(({ change = null }) => change ?? []);
    expect(new Set(changes)).toEqual(new Set(["new"]));
    expect(contracts[0].stored).toEqual([]);
    const text = await svc(["rehearse", `${contract}=${build}`, CAPSULE], { directory });
    const shown = text.stdout.replaceAll(/\s+/g, " ");
    expect(shown).toContain(`Not all of the new build's interface is compared: ${sentence}`);
    const first = await svc(
      ["rehearse", `${contract}=${build}`, CAPSULE, "--first", "inc('a', 5)"],
      {
        directory,
      },
    );
    expect(first.stderr).toContain(
      `--first calls inc, which is not in the specification. ${sentence}`,
    );
  },
);

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

test("a build that the host refuses has no answer, and no gate passes for it", async () => {
  // Another name of the section with the protocol, which the host then does not find.
  const bytes = readFileSync(UPGRADE);
  bytes.write("contractenvmetav9", bytes.indexOf("contractenvmetav0"));
  await Bun.write(join(directory, "refused.wasm"), bytes);
  const words = ["rehearse", `${contract}=refused.wasm`, CAPSULE, "--fail-on", "newly-failing"];
  const [junit, kept] = ["refused.xml", "refused-kept"];
  const more = ["--report", `junit=${junit}`, "--save", kept];
  const { stdout, stderr, exitCode } = await svc([...words, ...more], { directory });
  const said = stdout.replace(/\s+/g, " ");
  expect(said).toContain("1 of 1 call did not run to an end with the new code, so what");
  expect(said).not.toContain("would do something else");
  const gate = "--fail-on no-result: 1 call. no-result is always a condition of --fail-on.";
  expect(said).toContain(`Conditions of --fail-on ${gate}`);
  expect(stderr).toContain(gate);
  expect(exitCode).toBe(7);
  expect(readFileSync(join(directory, junit), "utf8")).toContain(
    '<error message="no result (no-result)"',
  );
  const files = [...new Bun.Glob("*.capsule.json").scanSync(join(directory, kept))];
  expect(files).toHaveLength(1);
  const json = JSON.parse((await svc([...words, "--json"], { directory })).stdout);
  const condition = { condition: "no-result", calls: 1, isNamed: false };
  expect(json.failedConditions).toEqual([condition]);
  // Without a gate, the exit code only says that no call ran to an end.
  const ungated = await svc([...words.slice(0, 3), "--json"], { directory });
  expect(JSON.parse(ungated.stdout).failedConditions).toBeUndefined();
  expect(ungated.exitCode).toBe(6);
});
