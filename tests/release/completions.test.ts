// Completions in the shells themselves, and the manual page in the programs that show it. The
// completion for PowerShell is only parsed: Debian has no package with that shell.

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { renderManualPage } from "../../scripts/release/manual-page.ts";
import { readCommandPages } from "../../src/cli/commands.ts";
import {
  COMPLETED_SHELLS,
  renderCompletion,
  renderCompletions,
} from "../../src/cli/present/completions.ts";
import { flagsOf } from "../../src/command/command.ts";
import { svc } from "../cli/run-svc.ts";
import { grammarOf } from "../support/grammar.ts";
import { needs } from "../support/needs.ts";
import { findTool, runTool } from "../support/tools.ts";

const SCRATCH = mkdtempSync(join(tmpdir(), "svc-completions-"));
const BASH_CAPTURE = resolve(import.meta.dir, "../support/complete-bash.sh");
const ZSH_CAPTURE = resolve(import.meta.dir, "../support/complete-zsh.zsh");
const ZSH = findTool("zsh") ?? "";
const FISH = findTool("fish") ?? "";
const MANDOC = findTool("mandoc") ?? "";
const COMMANDS = await readCommandPages();
const FILES = renderCompletions(COMMANDS);
const DEBUG_FLAGS = flagsOf(COMMANDS.find(({ name }) => name === "debug")?.settings ?? {});
const PAGE = renderManualPage(COMMANDS, "2026-01-02");

// Each test starts a third-party program.
setDefaultTimeout(60_000);

for (const [name, text] of FILES) writeFileSync(join(SCRATCH, name), text);
writeFileSync(join(SCRATCH, "svc.1"), PAGE);
writeFileSync(join(SCRATCH, "some capsule.json"), "{}");

afterAll(() => rmSync(SCRATCH, { recursive: true }));

interface CompletingShell {
  readonly name: string;
  readonly skip: boolean;
  /** The completions at the end of the line; for words with `=`, only the values. */
  complete(line: string): string[];
}

const SHELLS: readonly CompletingShell[] = [
  { name: "bash", skip: false, complete: completeBash },
  { name: "zsh", skip: ZSH === "", complete: completeZsh },
  { name: "fish", skip: FISH === "", complete: completeFish },
];

for (const { name, skip, complete } of SHELLS)
  needs(name, !skip).describe(name, () => {
    test.each([
      ["svc de", ["debug", "demo"]],
      ["svc debug --net", ["--network", "--network-passphrase"]],
      ["svc debug --network ", ["futurenet", "local", "mainnet", "testnet"]],
      ["svc debug --network m", ["mainnet"]],
      ["svc debug --network=m", ["mainnet"]],
      ["svc debug --json --format sa", ["sarif"]],
      ["svc explain --ver", ["--verbose"]],
      ["svc explain --net", ["--network", "--network-passphrase"]],
      ["svc hs", ["hsm"]],
      ["svc hsm ", ["list", "test"]],
      ["svc hsm list --tok", ["--token-label"]],
      ["svc sign --expect", ["--expect-signer"]],
      ["svc debug --horizon-url ", []],
      ["svc comp", ["completion"]],
      ["svc help ver", ["verify", "version"]],
      ["svc completion p", ["powershell"]],
      ["svc completion --js", ["--json"]],
    ])("%s", (line, offered) => {
      expect(complete(line)).toEqual(offered);
    });

    test("every flag of debug", () => {
      const wanted = DEBUG_FLAGS.map(({ flag }) => flag).sort();
      expect(complete("svc debug --")).toEqual(wanted);
    });

    test("files where a file is meant", () => {
      expect(complete("svc debug --from some").join()).toMatch(/^some( |\\ )capsule\.json$/);
    });
  });

test.each(COMPLETED_SHELLS)("svc completion %s prints the file of the archive", async (shell) => {
  const script = renderCompletion(shell, COMMANDS);
  expect([...FILES.values()]).toContain(script);
  expect(await svc(["completion", shell])).toEqual({ exitCode: 0, stdout: script, stderr: "" });
  const json = await svc(["completion", shell, "--json"]);
  expect(JSON.parse(json.stdout)).toEqual({ format: 1, shell, script });
});

test("PowerShell's completion names every command and flag", () => {
  const text = FILES.get("svc.ps1") ?? "";
  for (const { name, settings } of COMMANDS) {
    expect(text).toContain(`'${name}' = @{`);
    for (const { flag } of flagsOf(settings)) expect(text).toContain(`'${flag}' = @{`);
  }
});

const powershell = grammarOf("powershell");

powershell.test("PowerShell's completion and install.ps1 are PowerShell", () => {
  const installer = resolve(import.meta.dir, "../../release/install.ps1");
  for (const file of [join(SCRATCH, "svc.ps1"), installer])
    expect([file, powershell.faultsIn(file)]).toEqual([file, []]);
});

const mandoc = needs("mandoc", MANDOC !== "");

describe("the manual page", () => {
  test("has every command and flag", () => {
    for (const { name, settings } of COMMANDS) {
      expect(PAGE).toContain(`\n.SS svc ${name.replaceAll("-", "\\-")}\n`);
      for (const { flag } of flagsOf(settings)) expect(PAGE).toContain(flag.replaceAll("-", "\\-"));
    }
    expect(PAGE).toContain("One of bash, zsh, fish, powershell.");
  });

  mandoc.test("is without a fault", () => {
    const lint = runTool([MANDOC, "-T", "lint", "-W", "warning", join(SCRATCH, "svc.1")]);
    expect(lint).toEqual({ exitCode: 0, text: "" });
  });
});

function completeBash(line: string): string[] {
  const words = line.split(/ |(=)/).filter((word) => word !== undefined);
  return long(lines(["bash", "--norc", BASH_CAPTURE, ...words]));
}

function completeZsh(line: string): string[] {
  return long(lines([ZSH, "-f", ZSH_CAPTURE, SCRATCH, line]));
}

function completeFish(line: string): string[] {
  const script = "source ./svc.fish; complete -C $argv[1]";
  const offered = lines([FISH, "--no-config", "-c", script, line]);
  return long(offered.map((row) => (row.split("\t")[0] ?? "").replace(/^--network=/, "")));
}

/** Without one-letter flags, which only some shells offer. */
function long(words: readonly string[]): string[] {
  return words.filter((word) => /^(--|[^-])/.test(word));
}

function lines(command: readonly string[]): string[] {
  const { exitCode, text } = runTool(command, SCRATCH);
  expect({ exitCode, text }).toMatchObject({ exitCode: 0 });
  return text
    .split("\n")
    .filter((line) => line !== "")
    .sort();
}
