// Ten minutes of somebody who does not know svc: an installation by install.sh, and there every
// command of the README, the tutorial and the pages whose commands need no more than a node, as it is
// written, in the order of the page, against the recorded network. What cannot run here is named. And
// the pictures show what the program prints.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readDocuments } from "../scripts/release/documents.ts";
import { sha256 } from "../scripts/release/provenance.ts";
import { targetOfThisMachine } from "../scripts/release/targets.ts";
import { writeTarGz } from "../scripts/release/write-archive.ts";
import { inTemporaryDirectory, shellLine, svcBinary } from "./cli/run-svc.ts";
import { codesIn } from "./support/archived-code.ts";
import { type Loopback, openLoopback } from "./support/loopback-server.ts";
import { badges, PICTURES, TERMINALS, THEMES } from "./support/make-pictures.ts";
import { needs } from "./support/needs.ts";
import { terminalSvg } from "./support/terminal-svg.ts";
import { TMUX } from "./support/tmux.ts";

const ROOT = resolve(import.meta.dir, "..");
const MOST_BYTES = 200_000;
const WRITES = "2a748ca28a978895daec9197a372dbc35de35800d6debdc89132fb65d017892f";
const OVERFLOW = "bb9cd617c83fafb9bd6d88e3d113f160ce38cb7f0335ebf66e55c3e9c284364e";

/** Page → the transaction that its reader has. */
const PAGES = {
  "README.md": WRITES,
  "docs/install.md": WRITES,
  "docs/tutorial.md": WRITES,
  "docs/ci.md": OVERFLOW,
  "docs/daemon.md": WRITES,
  "docs/explain.md": WRITES,
  "docs/faq.md": WRITES,
  "docs/fix.md": WRITES,
  "docs/fork.md": WRITES,
  "docs/profile.md": WRITES,
  "docs/settings.md": WRITES,
  "docs/tracing.md": WRITES,
  "docs/what-if.md": WRITES,
};
/** The URL of a fork that nobody gave a port. */
const FORK_URL = "http://127.0.0.1:8000";

/** What these tests do not run, and what does. */
const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/^curl /, "no public release; tests/release/install.test.ts runs install.sh"],
  [/^docker /, "no container engine; tests/release/image.test.ts runs the image"],
  [/^stellar /, "no stellar-cli"],
  [/^svc call C…/, "no contract of the reader's; tests/cli/call.test.ts"],
  [/ --id C…/, "no contract of the reader's; tests/tools/printed-errors.test.ts"],
  [/--override-wasm CONTRACT=/, "no build of the reader's; tests/cli/what-if.test.ts"],
  [/^svc daemon /, "a server; tests/cli/daemon.test.ts"],
  [/^svc fork (?:-n|follow) /, "no mainnet; tests/cli/fork.test.ts and tests/fork/follow.test.ts"],
  [/ -i$/, "no terminal; tests/cli/interactive.test.ts"],
];
/** Of a pipe or a list, the part before these runs. */
const ELSEWHERE = / \| (?:stellar|jq) .*| && svc sign .*/;

const HOME = mkdtempSync(join(tmpdir(), "svc-tutorial-"));
/** As the tutorial says. */
const INSTALLED = join(HOME, ".local/share/doc/svc");

let loopback: Loopback;
beforeAll(async () => {
  loopback = openLoopback();
  await install();
});
afterAll(async () => {
  await loopback[Symbol.asyncDispose]();
  rmSync(HOME, { recursive: true });
});

/** A release whose program starts the one that was built here. */
async function install(): Promise<void> {
  const folder = `svc-9.8.7-${targetOfThisMachine()?.name}`;
  const program = (path: string, text: string) => ({
    path,
    bytes: Buffer.from(`#!/bin/sh\n${text}\n`),
    executable: true,
  });
  const others = ["svc-sim", "svc-sim-recording", "pkcs11.node", "man/svc.1"];
  const completions = ["svc.bash", "_svc", "svc.fish"].map((name) => `completions/${name}`);
  const files = [
    program("svc", `exec "${svcBinary()}" "$@"`),
    ...[...others, ...completions].map((path) => program(path, "")),
    ...readDocuments(),
  ];
  const archive = writeTarGz(
    files.map((file) => ({ ...file, path: `${folder}/${file.path}` })),
    0,
  );
  const release = join(HOME, "release");
  mkdirSync(release);
  writeFileSync(join(release, `${folder}.tar.gz`), archive);
  writeFileSync(join(release, "SHA256SUMS"), `${sha256(archive)}  ${folder}.tar.gz\n`);
  const script = join(ROOT, "release/install.sh");
  const line = `curl -fsSLO "file://${script}" && sh install.sh --from "${release}"`;
  const environment = { HOME };
  expect(await shellLine(line, { directory: HOME, environment })).toMatchObject({ exitCode: 0 });
}

for (const [page, hash] of Object.entries(PAGES))
  test(`every command of ${page} works as it is written`, async () => {
    const commands = commandsOf(await Bun.file(join(ROOT, page)).text());
    expect(commands.length).toBeGreaterThan(1);
    await inTemporaryDirectory(async (scratch) => {
      const directory = join(scratch, "svc");
      cpSync(INSTALLED, directory, { recursive: true });
      mkdirSync(join(directory, "ci"));
      const expected = { format: 1, transactions: { [OVERFLOW]: { outcome: "failed" } } };
      writeFileSync(join(directory, "ci/expected.json"), JSON.stringify(expected));
      for (const [name, text] of filesOfReader()) writeFileSync(join(directory, name), text);
      writeFileSync(join(directory, "hashes.txt"), `# nightly\n${hash}\n`);
      await using fork = openForkOf(directory);
      const environment = nodes();
      const envelope = `svc debug ${WRITES} --fix --format xdr > envelope`;
      await shellLine(envelope, { directory, environment });
      cpSync(join(directory, "envelope"), join(directory, "authorized"));
      for (const command of commands) {
        if (NOT_RUN.some(([pattern]) => pattern.test(command))) continue;
        if (/^svc fork --from/.test(command)) {
          await fork.start(command);
          continue;
        }
        const isOfFork = command.includes("svc fork ") || command.includes(FORK_URL);
        const line = (isOfFork ? fork.fill(command) : command)
          .replace(ELSEWHERE, "")
          .replace("<hash> <hash> …", `${hash} ${loopback.network.named(TRANSFER).hash}`)
          .replace("<new hash>", loopback.network.named(TRANSFER).hash)
          .replace(/https:\S*\/tx\/(?=<hash>)/, `${loopback.url("horizon")}/transactions/`)
          .replaceAll("<hash>", hash)
          .replace("svc rehearse C…=", `svc rehearse ${KITCHEN}=`)
          .replace(/ --network \w+|SVC_NETWORK=mainnet /, "")
          .replaceAll("https://rpc.example", loopback.url("rpc"));
        const variables = isOfFork ? fork.environment() : environment;
        const ran = await shellLine(line, { directory, environment: variables });
        if (command.includes("svc fork send")) fork.sent(ran.stdout);
        const { exitCode, stderr } = ran;
        expect([command, exitCode, stderr]).toEqual([command, exitCodeOf(command), stderr]);
      }
    });
  }, 120_000);

test("what is not run is in one of the pages", async () => {
  const pages = Object.keys(PAGES).map((page) => Bun.file(join(ROOT, page)).text());
  const commands = (await Promise.all(pages)).flatMap(commandsOf);
  for (const [pattern, why] of NOT_RUN)
    expect([why, commands.some((command) => pattern.test(command))]).toEqual([why, true]);
});

/** The fork that a page starts in a second terminal, on a free port. */
function openForkOf(directory: string) {
  let process: Bun.Subprocess<"ignore", "pipe", "inherit"> | null = null;
  let url = "";
  let hash = "";
  return {
    environment: () => ({ HOME, PATH: nodes().PATH ?? "", SVC_FORK_URL: url }),
    fill: (command: string) => command.replaceAll(FORK_URL, url).replace("<new hash>", hash),
    sent(printed: string) {
      hash = printed.slice(0, WRITES.length);
    },
    async start(command: string) {
      const [, ...words] = command.split(" ");
      process = Bun.spawn([svcBinary(), ...words, "--port", "0", "--json"], {
        cwd: directory,
        env: { HOME, PATH: nodes().PATH },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const reader = process.stdout.getReader();
      let text = "";
      while (!text.includes("\n")) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`${command} has ended`);
        text += new TextDecoder().decode(value);
      }
      url = JSON.parse(text).url;
    },
    async [Symbol.asyncDispose]() {
      process?.kill("SIGKILL");
      await process?.exited;
    },
  };
}

/** The contract of the recorded transactions. */
const KITCHEN = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";

/** The reader's next build is the code that the contract has. */
function nextBuild(): Uint8Array {
  const upload = loopback.network.named("upload kitchen wasm");
  const { envelopeXdr } = loopback.network.file(upload).rpcGetTransaction.result;
  const [code = new Uint8Array()] = codesIn(Buffer.from(String(envelopeXdr), "base64")).values();
  return code;
}

/** The reader's files: a capsule, settings, overrides, a build, a key for nodes, errors. */
function filesOfReader(): readonly (readonly [string, string | Uint8Array])[] {
  const { passphrase } = loopback.network;
  const settings = { networkPassphrase: passphrase, rpcUrl: loopback.url("rpc") };
  return [
    ["failing.json", readFileSync(join(ROOT, "examples/write-bytes-too-low.capsule.json"), "utf8")],
    ["team.json", JSON.stringify(settings)],
    ["what-if.json", JSON.stringify({ format: 1, limits: { writeBytes: 5000 } })],
    ["new.wasm", nextBuild()],
    ["token.txt", "secret"],
    ["error.txt", "HostError: Error(Contract, #10)"],
    ["answer.json", JSON.stringify({ status: "ERROR", errorResultXdr: BAD_SEQUENCE })],
  ];
}

/** A TransactionResult with txBadSeq. */
const BAD_SEQUENCE = "AAAAAAAAAGT////7AAAAAA==";
const TRANSFER = "SAC transfer alice -> bob";
/** A condition that the reader's transaction meets. */
function exitCodeOf(command: string): number {
  return command.startsWith("svc debug") && command.includes("--fail-on tx-failed") ? 7 : 0;
}

function nodes(): Record<string, string> {
  return {
    SVC_HORIZON_URL: loopback.url("horizon"),
    SVC_RPC_URL: loopback.url("rpc"),
    SVC_NETWORK_PASSPHRASE: loopback.network.passphrase,
    SVC_LEDGER_LAKE_URL: "none",
    KEY: "secret",
    HOME,
    PATH: `${join(HOME, ".local/bin")}:${process.env.PATH}`,
  };
}

/** The command lines in code blocks, without comments. */
function commandsOf(page: string): string[] {
  const lines = page.replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((line) => {
    const [, command] =
      /^(?: {4}|\$ )((?:(?:[A-Z_]+=(?:"[^"]*"|\S+) )*svc(?! debug {2})|grep|curl|docker|stellar) .*?)(?: {2,}#.*)?$/.exec(
        line,
      ) ?? [];
    return command === undefined ? [] : [command.replace(/ {2,}/g, " ").trim()];
  });
}

const tmux = needs("tmux", TMUX !== null);

for (const [name, show] of Object.entries(TERMINALS))
  tmux.test(
    `docs/pictures/${name}-*.svg is what a terminal shows; make-pictures.ts makes it`,
    async () => {
      const recording = await show();
      for (const theme of THEMES) {
        const picture = Bun.file(join(PICTURES, `${name}-${theme}.svg`));
        expect(await picture.text()).toBe(terminalSvg({ ...recording, theme }));
      }
    },
  );

test("the badges are current; make-pictures.ts makes them", async () => {
  for (const [name, svg] of badges())
    expect([name, await Bun.file(join(PICTURES, name)).text()]).toEqual([name, svg]);
});

test("the pictures are small, and each is shown", async () => {
  const names = readdirSync(PICTURES);
  const bytes = names.reduce((sum, name) => sum + statSync(join(PICTURES, name)).size, 0);
  expect(bytes).toBeLessThan(MOST_BYTES);
  const pages = await Promise.all(
    ["README.md", "docs/tutorial.md", "docs/editor.md"].map((path) =>
      Bun.file(join(ROOT, path)).text(),
    ),
  );
  for (const name of names) expect(pages.join("\n")).toContain(`pictures/${name}`);
});
