// Overrides on the compiled binary: flags and a file lead to one run, the exit code stays that of
// the replay, and an error names the flag or the field of the file.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readOverrides } from "../../src/overrides/read-overrides.ts";
import debugSchema from "../../src/report/schema/debug-report.schema.json";
import { schemaProblems, undescribedFields } from "../report/check-schema.ts";
import { type Finished, inTemporaryDirectory, svc } from "./run-svc.ts";

const ROOT = resolve(import.meta.dir, "../..");
const EXAMPLE = join(ROOT, "examples/overflow-in-callee.capsule.json");
const ADDER = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";

function debug(...words: readonly string[]): Promise<Finished> {
  return svc(["debug", "--from", EXAMPLE, ...words]);
}

async function usageOf(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await debug(...words);
  expect([exitCode, stdout]).toEqual([2, ""]);
  return stderr.replace(/\s+/g, " ");
}

test("a flag: both runs in the report, the verdict and the exit code of the first", async () => {
  const { exitCode, stdout, stderr } = await debug("--override-argument", "x=5");
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Verdict without the overrides: exact.");
  expect(stdout).toContain("argument x of add_with: 2147483647 -> 5");
  expect(stdout).toContain("No verdict: this run did not happen on the chain.");
  expect(stdout).toContain("~ add(a: 5, b: 4) -> 9");
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(81);
});

test("--fail-on and --json are about the first run, and whatIf follows the schema", async () => {
  const failing = await debug("--override-argument", "x=5", "--fail-on", "tx-failed", "--json");
  const report = JSON.parse(failing.stdout);
  expect([failing.exitCode, report.failedExpectations.length]).toEqual([7, 1]);
  expect([report.outcome.success, report.whatIf.outcome.success]).toEqual([false, true]);
  expect("verdict" in report.whatIf).toBe(false);
  expect(schemaProblems(debugSchema, report)).toEqual([]);
  expect(undescribedFields(debugSchema, report)).toEqual([]);
  const without = JSON.parse((await debug("--json")).stdout);
  expect("whatIf" in without).toBe(false);
});

test("a file, flags that override it, and its code next to it", async () => {
  await inTemporaryDirectory(async (directory) => {
    const file = join(directory, "what-if.json");
    const document = { format: 1, arguments: { x: 1, y: 2 }, wasm: { [ADDER]: "code.wasm" } };
    writeFileSync(file, JSON.stringify(document));
    const { snapshot } = JSON.parse(readFileSync(EXAMPLE, "utf8"));
    for (const { entryXdr } of snapshot.entries) {
      const bytes = Buffer.from(entryXdr, "base64");
      const at = bytes.indexOf(Buffer.from("\0asm"));
      if (at < 4) continue;
      writeFileSync(
        join(directory, "code.wasm"),
        bytes.subarray(at, at + bytes.readUInt32BE(at - 4)),
      );
    }
    const words = ["--override", file, "--override-argument", "y=40", "--json"];
    const { stdout } = await debug(...words, "--override-instructions", "2000000");
    const { whatIf } = JSON.parse(stdout);
    expect(whatIf.difference.returnValue.after).toBe("41");
    expect(whatIf.changed.map(({ what }: { what: string }) => what)).toEqual([
      "CPU instructions declared",
      `code of contract ${ADDER}`,
      "argument x of add_with",
      "argument y of add_with",
    ]);
  });
});

test("every format shows the outcome with the overrides", async () => {
  for (const format of ["markdown", "junit", "sarif", "github"]) {
    const { stdout } = await debug("--override-argument", "x=5", "--format", format);
    expect([format, stdout.includes("succeeds with the overrides")]).toEqual([format, true]);
  }
});

test("an invalid value is reported with its flag", async () => {
  expect(await usageOf("--override-instructions", "many")).toContain(
    "--override-instructions: must be a whole number.",
  );
  expect(await usageOf("--override-close-time", "soon", "--override-ledger", "0")).toContain(
    "--override-ledger: must not be 0; --override-close-time: must be a time such as",
  );
  expect(await usageOf("--override-argument", "5")).toContain(
    '--override-argument "5" is not valid. [USAGE] what to do: Write `--override-argument NAME=VALUE`.',
  );
  expect(await usageOf("--override-balance", "GABC=5")).toContain(
    "--override-balance: must be an account's address, G…",
  );
  const account = `GA${"A".repeat(51)}WHF`;
  const twice = [`${account}=5`, `${account}=6`].flatMap((each) => ["--override-balance", each]);
  expect(await usageOf(...twice)).toContain(
    "--override-balance has the same ledger key as --override-balance. [USAGE] what to do: Write " +
      "`--override-balance ACCOUNT=STROOPS`.",
  );
  expect(await usageOf("--override-entry", "AAAA:removed")).toContain(
    "--override-entry: ledgerKey is not base64 of a LedgerKey",
  );
  expect(await usageOf("--override-wasm", "GABC=x.wasm")).toContain(
    "--override-wasm GABC: must be a contract's address",
  );
  expect(await usageOf("--override-argument", "z=5")).toContain("`z`. [OVERRIDE_IMPOSSIBLE] ");
  expect(await usageOf("--overide-argument", "z=5")).toContain("--override-argument");
  expect(await usageOf("-i", "--override-argument", "x=5")).toContain(
    "--interactive and --override-argument cannot be used together",
  );
  expect(await usageOf("--fix", "--override-argument", "x=5")).toContain(
    "--fix and --override-argument cannot be used together",
  );
});

test("an invalid file is reported with its field", async () => {
  await inTemporaryDirectory(async (directory) => {
    const says = async (content: string) => {
      const file = join(directory, "what-if.json");
      writeFileSync(file, content);
      return usageOf("--override", file);
    };
    expect(await says("{")).toContain(
      "is not a valid overrides file: it is not JSON. [FILE_INVALID]",
    );
    expect(await says('{"format":1,"limits":{"cpu":1,"writeBytes":"5"}}')).toContain(
      "limits.writeBytes: must be a whole number; limits.cpu is not a known field",
    );
    expect(await says(`{"format":1,"wasm":{"${ADDER}":"gone.wasm"}}`)).toContain(
      "The contract code file gone.wasm cannot be read (there is no such file).",
    );
    expect(await usageOf("--override", join(directory, "none.json"))).toContain(
      "[FILE_UNREADABLE]",
    );
  });
});

test("the example of docs/what-if.md is a file that svc reads", () => {
  const text = readFileSync(join(ROOT, "docs/what-if.md"), "utf8");
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
  expect("problems" in readOverrides(JSON.parse(example))).toBe(false);
});
