// svc debug --fix on the compiled binary, offline: only the fix.

import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { decodeCapsule, encodeCapsule } from "../../src/sources/files/capsule.ts";
import { svc } from "./run-svc.ts";

const FIXABLE = join(import.meta.dir, "../../examples/write-bytes-too-low.capsule.json");
const TRAPPED = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");

test("--fix prints the values, the proof and the envelope to sign: exit code 0", async () => {
  const { exitCode, stdout, stderr } = await svc(["debug", "--from", FIXABLE, "--fix"]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("    write bytes  300 -> 8,288\n");
  expect(stdout).not.toContain("Resources");
  const json = await svc(["debug", "--from", FIXABLE, "--fix", "--json"]);
  const { fix, exitCode: judged } = JSON.parse(json.stdout);
  expect([json.exitCode, judged, json.stderr]).toEqual([0, 0, ""]);
  expect([fix.proof.outcome, fix.proof.least]).toEqual(["succeeds", ["write bytes"]]);
  const [envelope, , , command = ""] = stdout.trimEnd().split("\n").slice(-4);
  expect(envelope).toBe(fix.envelopeXdr);
  expect(command.trim()).toBe(
    `svc debug --from ${FIXABLE} --fix --format xdr | ` +
      "stellar tx sign --sign-with-key NAME --network local | stellar tx send --network local",
  );
  const pipe = await svc(["debug", "--from", FIXABLE, "--fix", "--format", "xdr"]);
  expect(pipe).toEqual({ exitCode: 0, stdout: `${fix.envelopeXdr}\n`, stderr: "" });
});

test("a pipe gets nothing where no fix is proven, or nothing failed: exit code 7", async () => {
  const trapped = await svc(["debug", "--from", TRAPPED, "--fix", "--format", "xdr"]);
  expect([trapped.exitCode, trapped.stdout]).toEqual([7, ""]);
  expect(trapped.stderr).toMatch(/^warning: No envelope\. [^\n]*`--fix` alone [^\n]*\n$/);
  const whole = await svc(["debug", "--from", TRAPPED, "--format", "xdr"]);
  expect([whole.exitCode, whole.stdout]).toEqual([2, ""]);
  expect(whole.stderr).toContain("Add `--fix`, or remove `--format xdr`.");
});

test("--fix reports that no fix is proven: exit code 7", async () => {
  const { exitCode, stdout, stderr } = await svc(["debug", "--from", TRAPPED, "--fix"]);
  expect([exitCode, stderr]).toEqual([7, ""]);
  const { fix } = JSON.parse((await svc(["debug", "--from", TRAPPED, "--fix", "--json"])).stdout);
  expect([fix.finding, fix.proof, fix.envelopeXdr]).toEqual(["elsewhere", null, null]);
  expect(stdout.replace(/\s+/g, " ")).toContain(fix.summary);
  const plain = await svc(["debug", "--from", TRAPPED]);
  expect(plain.exitCode).toBe(0);
});

test("--fix on a transaction that svc makes no claim about: exit code 7, as without a fix", async () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-fix-"));
  const { record, snapshot } = decodeCapsule(readFileSync(FIXABLE, "utf8"));
  const [first] = snapshot?.entries ?? [];
  const unknown = [{ keyXdr: first?.keyXdr ?? "", reason: "no node has it" }];
  const capsule = encodeCapsule(record, snapshot && { ...snapshot, unknown });
  writeFileSync(join(directory, "x.json"), capsule);
  const plain = await svc(["debug", "--from", "x.json"], { directory });
  expect([plain.exitCode, plain.stderr]).toEqual([6, ""]);
  const fixed = await svc(["debug", "--from", "x.json", "--fix", "--json"], { directory });
  const { fix } = JSON.parse(fixed.stdout);
  expect([fixed.exitCode, fix.finding]).toEqual([7, "not-tried"]);
  rmSync(directory, { recursive: true });
});

test("--fix has no other formats", async () => {
  const sarif = await svc(["debug", "--from", FIXABLE, "--fix", "--format", "sarif"]);
  expect([sarif.exitCode, sarif.stdout]).toEqual([2, ""]);
  expect(sarif.stderr).toContain("--fix and --format sarif cannot be used together. [USAGE]");
});
