// svc demo: each failure that svc carries is debugged without a network, and is what the list says.

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { DEMOS } from "../../src/command/demo-capsules.ts";
import { inTemporaryDirectory, svc } from "./run-svc.ts";

const ROOT = resolve(import.meta.dir, "../..");
/** Nothing listens there. */
const NO_NODES = { SVC_RPC_URL: "http://127.0.0.1:9", SVC_HORIZON_URL: "http://127.0.0.1:9" };

/** Demo → the kind of its cause, and whether a change of the transaction makes it succeed. */
const CAUSES: Readonly<Record<string, readonly [kind: string, finding: string]>> = {
  "contract-error": ["contract-error", "elsewhere"],
  "wrong-signer": ["authorization-wrong-signer", "changes"],
  "missing-trustline": ["trustline-missing", "elsewhere"],
  "stale-footprint": ["footprint-miss", "changes"],
  "overflow-in-callee": ["contract-panic", "elsewhere"],
  "cpu-limit-too-low": ["cpu-exceeded", "changes"],
  "write-bytes-too-low": ["write-bytes-exceeded", "changes"],
  "archived-entry": ["entry-archived", "changes"],
};

test("a flag that the list does not have is refused, and its own ones are not", async () => {
  for (const words of [["--fix"], ["--fast"], ["--save", "x.json"], ["--show", "cause"]]) {
    const { exitCode, stderr } = await svc(["demo", ...words]);
    expect([words, exitCode]).toEqual([words, 2]);
    expect(stderr).toContain(`${words[0]} has no effect without the name of a demo.`);
  }
  for (const words of [["--json"], ["--quiet"], ["--color", "never"]])
    expect((await svc(["demo", ...words])).exitCode).toBe(0);
});

test("the list has every demo, and fits a terminal", async () => {
  const { exitCode, stdout } = await svc(["demo"]);
  expect(exitCode).toBe(0);
  for (const { name, summary } of DEMOS)
    expect(stdout).toMatch(new RegExp(`^  ${name} +${RegExp.escape(summary)}$`, "m"));
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  const json = JSON.parse((await svc(["demo", "--json"])).stdout);
  expect(json.demos).toEqual(DEMOS.map(({ name, summary }) => ({ name, summary })));
});

test("the demos are the files of examples/, which its page describes", async () => {
  const folder = join(ROOT, "examples");
  const files = readdirSync(folder).filter((name) => name.endsWith(".capsule.json"));
  const names = files.map((file) => file.replace(".capsule.json", ""));
  expect(names.sort()).toEqual(DEMOS.map(({ name }) => name).sort());
  const page = await Bun.file(join(folder, "README.md")).text();
  for (const name of names) expect(page).toContain(`\`${name}\``);
});

for (const { name } of DEMOS)
  test(`svc demo ${name} is exact without nodes, and has its cause`, async () => {
    const { exitCode, stdout, stderr } = await svc(["demo", name, "--json"], {
      environment: NO_NODES,
    });
    expect([exitCode, stderr]).toEqual([0, ""]);
    const { verdict, outcome, fix } = JSON.parse(stdout);
    expect(verdict.kind).toBe("exact");
    expect([outcome.cause.kind, fix.finding]).toEqual([...(CAUSES[name] ?? [])]);
  });

test("the flags of svc debug work, and commands that it prints can be run", async () => {
  const fix = await svc(["demo", "stale-footprint", "--fix"]);
  expect(fix.stdout).toContain("svc debug --from demo:stale-footprint --fix --format xdr");
  const envelope = await svc(["debug", "--from", "demo:stale-footprint", "--fix", "--format=xdr"]);
  expect(envelope.stdout).toMatch(/^AAAA[\w+/=]+\n$/);
  const whatIf = await svc(["demo", "contract-error", "--override-argument", "amount=5000"]);
  expect(whatIf.stdout).toContain("Result: failed -> 7000");
  expect((await svc(["debug", "demo:contract-error"])).stdout).toContain(
    "VaultError::Insufficient",
  );
});

test("the capsule of a demo can be saved", async () => {
  await inTemporaryDirectory(async (directory) => {
    const file = join(directory, "saved.json");
    expect((await svc(["demo", "wrong-signer", "--save", file])).exitCode).toBe(0);
    const [saved, shown] = await Promise.all(
      [file, "demo:wrong-signer"].map((from) => svc(["debug", "--from", from])),
    );
    expect(saved?.stdout).toBe(shown?.stdout ?? "");
  });
});

test("an unknown demo is refused, with the one that was meant", async () => {
  const near = await svc(["demo", "wrong-singer"]);
  expect([near.exitCode, near.stdout]).toEqual([2, ""]);
  expect(near.stderr).toContain("Did you mean wrong-signer?");
  const far = await svc(["debug", "demo:nothing-like-it"]);
  expect(far.exitCode).toBe(2);
  expect(far.stderr).toContain("`svc demo` lists all demos.");
});

test("a demo can be written as a test with soroban-sdk, without a network", async () => {
  await inTemporaryDirectory(async (directory) => {
    const words = ["capture", "demo:overflow-in-callee", "--output", "tests"];
    const { exitCode, stdout } = await svc([...words, "--format", "rust-test"], { directory });
    expect(exitCode).toBe(0);
    const files = readdirSync(join(directory, "tests")).sort();
    expect(files).toEqual(["transaction_bb9cd617.rs", "transaction_bb9cd617.snapshot.json"]);
    for (const file of files) expect(stdout).toContain(file);
    // Without a format, it writes the capsule that svc carries.
    const copied = await svc(words, { directory });
    expect(copied.exitCode).toBe(0);
    const debugged = await svc(["debug", copied.stdout.trim()], { directory });
    expect(debugged.stdout).toContain(
      "bb9cd617c83fafb9bd6d88e3d113f160ce38cb7f0335ebf66e55c3e9c284364e",
    );
    const proven = await svc([...words, "--format", "rust-test", "--prove"], { directory });
    expect(proven.stderr).toContain("svc debug --from FILE --prove --save FILE");
  });
});
