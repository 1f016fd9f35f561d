// What installs a release, on every platform that has one: which archive install.sh, the Action and
// install.ps1 choose among the files of a release. A machine is played by the programs that the scripts
// ask (`uname`, `ldd`) and by the variables of a runner. install.ps1 is not run: its own rule for names is
// read from it and applied to SHA256SUMS.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { archiveNames } from "../scripts/release/file-names.ts";
import { TARGETS, type Target } from "../scripts/release/targets.ts";

/** The installers of a release, as texts. */
export interface Installers {
  readonly script: string;
  readonly action: string;
  readonly windows: string;
}

/** A release on a server of this process, which says what was asked of it. */
export interface ServedRelease {
  readonly directory: string;
  readonly url: string;
  readonly version: string;
  /** The names that were asked for since the last call. */
  readonly takeAsked: () => readonly string[];
}

export interface Choice {
  readonly title: string;
  /** The archive for the platform. */
  readonly expected: string;
  /** The archives that the installer asked for; what it said, if that is none. */
  readonly chosen: readonly string[];
}

/** Returns the choices of all installers on all platforms. `scratch` is an empty directory. */
export async function chooseArchives(
  installers: Installers,
  release: ServedRelease,
  scratch: string,
): Promise<Choice[]> {
  const choices: Choice[] = [];
  for (const target of TARGETS) {
    const expected = archiveNames(release.version, target).archive;
    const at = join(scratch, target.name);
    mkdirSync(at, { recursive: true });
    if (target.platform !== "win32") {
      const chosen = await runScript(installers.script, release, target, at);
      choices.push({ title: `install.sh on ${target.name}`, expected, chosen });
    }
    // GitHub has no runner with musl.
    if (target.libc !== "musl") {
      const chosen = await runAction(installers.action, release, target, at);
      choices.push({ title: `the Action on ${target.name}`, expected, chosen });
    }
    if (target.platform === "win32") {
      const chosen = namesForWindows(installers.windows, release.directory);
      choices.push({ title: "the rule of install.ps1", expected, chosen });
    }
  }
  return choices;
}

/** install.sh beside a `uname` and an `ldd` of that platform. */
async function runScript(script: string, release: ServedRelease, target: Target, at: string) {
  const programs = join(at, "programs");
  mkdirSync(programs);
  const system = target.platform === "darwin" ? "Darwin" : "Linux";
  const machine = target.architecture === "x64" ? "x86_64" : "aarch64";
  const libraries = { glibc: "ldd (Debian GLIBC 2.41-12) 2.41", musl: "musl libc (x86_64)" };
  const put = (name: string, text: string) => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  put("uname", `if [ "$1" = -s ]; then echo ${system}; else echo ${machine}; fi`);
  put("ldd", target.libc === null ? "exit 127" : `echo '${libraries[target.libc]}'`);
  const path = join(at, "install.sh");
  writeFileSync(path, script);
  return archivesOf(release, ["sh", path, "--from", release.url], {
    PATH: `${programs}:${process.env.PATH}`,
    HOME: at,
  });
}

/** The step of the Action that installs, as a runner of that platform runs it. */
async function runAction(action: string, release: ServedRelease, target: Target, at: string) {
  const systems: Readonly<Record<string, string>> = {
    linux: "Linux",
    darwin: "macOS",
    win32: "Windows",
  };
  const { run, env } = installingStep(action);
  return archivesOf(release, ["bash", "-e", "-o", "pipefail", "-c", run], {
    PATH: process.env.PATH,
    RUNNER_OS: systems[target.platform],
    RUNNER_ARCH: target.architecture.toUpperCase(),
    RUNNER_TEMP: at,
    GITHUB_PATH: join(at, "path"),
    RELEASE: release.url,
    VERSION: release.version,
    SHA256: "",
    KEYS: env.KEYS,
  });
}

/** Returns the step of an action.yml that installs svc. */
export function installingStep(action: string) {
  const { runs } = Bun.YAML.parse(action) as {
    readonly runs: {
      readonly steps: readonly { readonly run: string; readonly env: { readonly KEYS: string } }[];
    };
  };
  const [step] = runs.steps;
  if (step === undefined) throw new Error("action.yml has no step");
  return step;
}

/** Applies the condition that install.ps1 has for the lines of SHA256SUMS. `-match` ignores case. */
function namesForWindows(script: string, directory: string): string[] {
  const [, rule] = /\$_ -match '([^']*)'/.exec(script) ?? [];
  if (rule === undefined) throw new Error("install.ps1 has no rule for the lines of SHA256SUMS");
  const lines = readFileSync(join(directory, "SHA256SUMS"), "utf8").split("\n");
  const found = lines.filter((line) => new RegExp(rule, "i").test(line));
  return found.map((line) => line.split("  ", 2)[1] ?? "");
}

/** Not synchronously: the server answers from this process. */
async function archivesOf(
  { takeAsked }: ServedRelease,
  command: string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  takeAsked();
  const child = Bun.spawn(command, { env, stdio: ["ignore", "pipe", "pipe"] });
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  const said = (await Promise.all(texts)).join("");
  await child.exited;
  const archives = takeAsked()
    .map((path) => basename(path))
    .filter((name) => !name.startsWith("SHA256SUMS"));
  return archives.length > 0 ? archives : [said.trim()];
}
