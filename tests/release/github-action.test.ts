// The GitHub Action, step by step as a runner does it: the scripts of action.yml in bash, with the
// values that the runner fills in, a release on a loopback server, and the recorded network. `gh`
// alone is played, by a script that keeps its arguments.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { makeKey, sign } from "../../acceptance/signed-release.ts";
import packageFile from "../../package.json";
import { sha256 } from "../../scripts/release/provenance.ts";
import { targetOfThisMachine } from "../../scripts/release/targets.ts";
import { writeTarGz } from "../../scripts/release/write-archive.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { parseXml } from "../report/parse-xml.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { needs } from "../support/needs.ts";

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const FILE = resolve(import.meta.dir, "../../release/github-action/action.yml");
const ACTION = Bun.YAML.parse(readFileSync(FILE, "utf8")) as Action;
const SCRATCH = mkdtempSync(join(tmpdir(), "svc-action-"));
const { version } = packageFile;
const TARGET = targetOfThisMachine();
const FOLDER = `svc-${version}-${TARGET?.name}`;

const loopback = openLoopback();
const hashNamed = (name: string) => loopback.network.named(name).hash;
const TRAP = hashNamed("panic -> unreachable trap");
const TRANSFER = hashNamed("SAC transfer alice -> bob");

let archive: Buffer;
let server: ReturnType<typeof Bun.serve>;

/** The signature of the release; empty for most tests. */
const SIGNED = join(SCRATCH, "signed");

beforeAll(() => {
  mkdirSync(SIGNED);
  const program = `#!/bin/sh\nexec "${svcBinary()}" "$@"\n`;
  const file = { path: `${FOLDER}/svc`, bytes: Buffer.from(program), executable: true };
  archive = writeTarGz([file], 0);
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      if (url.endsWith(`/r/${FOLDER}.tar.gz`)) return new Response(archive);
      const path = join(SIGNED, basename(new URL(url).pathname));
      return existsSync(path) ? new Response(Bun.file(path)) : new Response(null, { status: 404 });
    },
  });
});

afterAll(async () => {
  await server.stop(true);
  await loopback[Symbol.asyncDispose]();
  rmSync(SCRATCH, { recursive: true });
});

test("a run: annotations, a summary, a comment, reports for other steps, and the exit code", async () => {
  const run = await runAction({ transactions: `${TRANSFER}\n${TRAP}`, "fail-on": "tx-failed" });
  expect(run.log).toContain(`::error title=svc%3A --fail-on tx-failed::`);
  expect(run.summary).toStartWith("### svc debug\n\n2 transactions: 1 succeeded, 1 failed");
  const { junit = "", sarif = "", html = "" } = run.outputs;
  const [suite] = parseXml(readFileSync(junit, "utf8")).children;
  expect([suite?.attributes.tests, suite?.attributes.failures]).toEqual(["2", "1"]);
  const [{ results }] = JSON.parse(readFileSync(sarif, "utf8")).runs;
  expect(results[0].locations[0].physicalLocation.artifactLocation.uri).toBe("flow.yml");
  expect(readFileSync(html, "utf8")).toContain(TRAP);
  expect(run.gh).toBe(
    `pr comment 12 --repo o/r --body-file ${junit.replace(".xml", ".md")} --edit-last --create-if-none token`,
  );
  expect([run.outputs["exit-code"], run.exitCode]).toEqual(["7", 7]);
});

test("without a condition a failed transaction passes; no pull request, no comment", async () => {
  const run = await runAction({ transactions: TRAP }, { pullRequest: "" });
  expect([run.exitCode, run.gh]).toEqual([0, ""]);
});

test("the file of expectations names the transactions, and the lines of their results", async () => {
  const expected = { format: 1, transactions: { [TRAP]: { outcome: "success" } } };
  const file = JSON.stringify(expected, null, 2);
  const run = await runAction({ expect: "expected.json" }, { file });
  expect([run.exitCode, run.summary.includes("**not as expected**")]).toEqual([7, true]);
  const [{ results }] = JSON.parse(readFileSync(run.outputs.sarif ?? "", "utf8")).runs;
  expect(results[0].locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: "expected.json" },
    region: { startLine: 4 },
  });
});

test("an upgrade is rehearsed, alone or beside transactions, and one comment has both", async () => {
  const build = join(import.meta.dir, "../contracts/pool.wasm");
  const token = join(import.meta.dir, "../contracts/token.wasm");
  const capsule = join(SCRATCH, "balance.capsule.json");
  const called = ["call", token, "balance", "--of", "@0", "--save", capsule, "--json"];
  const { stdout } = await svc(called, { directory: SCRATCH });
  const { contract } = JSON.parse(stdout).invocation;
  const rehearse = `${contract}=${build}\n${SCRATCH}/balance*.json`;
  const alone = await runAction({ rehearse, "rehearse-fail-on": "function-gone" });
  expect(alone.summary).toStartWith("## svc rehearse");
  expect(alone.summary).toContain("| function-gone: a function is gone | 1 |");
  const [suite] = parseXml(readFileSync(alone.outputs["rehearsal-junit"] ?? "", "utf8")).children;
  expect([suite?.attributes.tests, suite?.attributes.failures]).toEqual(["1", "1"]);
  expect(alone.gh).toContain("rehearsal.md");
  expect([alone.outputs["rehearsal-exit-code"], alone.exitCode]).toEqual(["7", 7]);
  // A build that the host refuses passes no gate, whichever conditions it has.
  const refused = join(SCRATCH, "refused.wasm");
  const bytes = readFileSync(token);
  bytes.write("contractenvmetav9", bytes.indexOf("contractenvmetav0"));
  writeFileSync(refused, bytes);
  const gate = { rehearse: `${contract}=${refused} ${capsule}`, "rehearse-fail-on": "other-state" };
  const gated = await runAction(gate);
  expect(gated.summary).toContain("no-result is always a condition of --fail-on.");
  expect(gated.exitCode).toBe(7);
  const both = await runAction({ rehearse, transactions: TRANSFER });
  expect(both.exitCode).toBe(0);
  const [, file = ""] = /--body-file (\S+)/.exec(both.gh) ?? [];
  const comment = readFileSync(file, "utf8");
  expect(comment).toContain("### svc debug");
  expect(comment).toContain("## svc rehearse");
});

test("a comment that is refused is a warning", async () => {
  const run = await runAction({ transactions: TRAP }, { ghExitCode: 1 });
  expect(run.exitCode).toBe(0);
  expect(run.log).toContain("::warning::svc could not comment");
});

test("an archive with another checksum is not unpacked", async () => {
  const run = await runAction({ transactions: TRAP, sha256: "0".repeat(64) });
  expect([run.exitCode, run.path]).toEqual([1, ""]);
  expect(run.log).toContain("does not have the checksum of the input sha256.");
});

test("inputs are values, not words of a shell or flags of svc", async () => {
  const run = await runAction({ transactions: `--version $(touch ${SCRATCH}/x) *` });
  expect([run.exitCode, await Bun.file(join(SCRATCH, "x")).exists()]).toEqual([2, false]);
  expect(run.log).toContain('"--version" is not a transaction hash');
});

test("a release that is not on https is refused", async () => {
  const run = await runAction({ transactions: TRAP, release: "http://example.org/r" });
  expect([run.exitCode, run.path]).toEqual([1, ""]);
});

const signs = needs("ssh-keygen", Bun.which("ssh-keygen") !== null);

signs.test("an action that carries keys needs a signed release, and no checksum", async () => {
  const key = join(SCRATCH, "key");
  const keys = `${makeKey(join(SCRATCH, "next"))} ${makeKey(key)}`;
  writeFileSync(join(SIGNED, "SHA256SUMS"), `${sha256(archive)}  ${FOLDER}.tar.gz\n`);
  const unsigned = await runAction({ transactions: TRAP, sha256: "" }, { keys });
  expect([unsigned.exitCode, unsigned.path]).toEqual([1, ""]);
  expect(unsigned.log).toContain("The release has no signature (SHA256SUMS.sig).");
  sign(SIGNED, key);
  expect(await runAction({ transactions: TRAP, sha256: "" }, { keys })).toMatchObject({
    exitCode: 0,
  });
  const pinned = await runAction({ transactions: TRAP, sha256: "0".repeat(64) }, { keys });
  expect(pinned.log).toContain("does not have the checksum of the input sha256.");
  writeFileSync(join(SIGNED, "SHA256SUMS"), `${"0".repeat(64)}  ${FOLDER}.tar.gz\n`);
  const changed = await runAction({ transactions: TRAP, sha256: "" }, { keys });
  expect([changed.exitCode, changed.path]).toEqual([1, ""]);
  expect(changed.log).toContain("SHA256SUMS is not signed with a key that this action carries.");
});

test("an action that carries no key needs the checksum", async () => {
  const run = await runAction({ transactions: TRAP, sha256: "" }, { keys: "" });
  expect([run.exitCode, run.path]).toEqual([1, ""]);
  expect(run.log).toContain("The input sha256 is needed: this action carries no key.");
});

test("the version is that of svc", () => {
  expect([ACTION.inputs.version?.default, ACTION.runs.using]).toEqual([version, "composite"]);
});

/** The scripts in order, until one fails. */
async function runAction(
  given: Readonly<Record<string, string>>,
  { pullRequest = "12", ghExitCode = 0, file = "", keys = "" } = {},
) {
  const home = mkdtempSync(join(SCRATCH, "run-"));
  const programs = join(home, "programs");
  mkdirSync(programs);
  const gh = `#!/bin/sh\nprintf '%s' "$* $GH_TOKEN" > ${home}/gh\nexit ${ghExitCode}\n`;
  writeFileSync(join(programs, "gh"), gh);
  chmodSync(join(programs, "gh"), 0o755);
  writeFileSync(join(home, "expected.json"), file);
  const files = ["GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "gh"];
  for (const name of files) writeFileSync(join(home, name), "");
  const read = (name: string) => readFileSync(join(home, name), "utf8");
  const values: Record<string, string> = {
    "github.token": "token",
    "github.event.pull_request.number": pullRequest,
  };
  const filled = (text: string) =>
    text.replace(/\$\{\{ (.*?) \}\}/g, (_, name: string) => values[name] ?? `no ${name}`);
  const inputs: Readonly<Record<string, string>> = {
    release: `${server.url.origin}/r`,
    sha256: sha256(archive),
    ...given,
  };
  for (const [name, { default: fallback }] of Object.entries(ACTION.inputs))
    values[`inputs.${name}`] = inputs[name] ?? filled(fallback ?? "");
  const result = { exitCode: 0, log: "" };
  for (const { id, env, run } of ACTION.runs.steps) {
    writeFileSync(join(home, "GITHUB_OUTPUT"), "");
    writeFileSync(join(home, "step.sh"), run);
    const path = [...read("GITHUB_PATH").trim().split("\n"), programs, process.env.PATH];
    const child = Bun.spawn(
      ["bash", "--noprofile", "--norc", "-eo", "pipefail", join(home, "step.sh")],
      {
        cwd: home,
        env: {
          PATH: path.filter((each) => each !== "").join(":"),
          HOME: home,
          RUNNER_TEMP: home,
          RUNNER_OS: TARGET?.platform === "darwin" ? "macOS" : "Linux",
          RUNNER_ARCH: TARGET?.name.includes("arm64") ? "ARM64" : "X64",
          GITHUB_REPOSITORY: "o/r",
          GITHUB_WORKFLOW_REF: "o/r/flow.yml@refs/heads/main",
          ...Object.fromEntries(files.slice(0, 3).map((name) => [name, join(home, name)])),
          SVC_RPC_URL: loopback.url("rpc"),
          SVC_HORIZON_URL: loopback.url("horizon"),
          SVC_NETWORK_PASSPHRASE: loopback.network.passphrase,
          ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text)])),
          ...("KEYS" in env && { KEYS: keys }),
        },
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
    result.log += (await Promise.all(texts)).join("");
    result.exitCode = await child.exited;
    for (const line of read("GITHUB_OUTPUT").split("\n")) {
      const [name = "", ...value] = line.split("=");
      values[`steps.${id}.outputs.${name}`] = value.join("=");
    }
    if (result.exitCode !== 0) break;
  }
  const outputs = Object.fromEntries(
    Object.entries(ACTION.outputs).map(([name, { value }]) => [name, filled(value)]),
  );
  const summary = read("GITHUB_STEP_SUMMARY");
  return { ...result, outputs, summary, path: read("GITHUB_PATH"), gh: read("gh") };
}
