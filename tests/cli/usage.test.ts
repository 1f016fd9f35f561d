// The command line is read strictly: an unknown word is refused with exit code 2, on stderr, with
// the word that was probably meant, and stdout stays empty or is one JSON document.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { svc } from "./run-svc.ts";

const HASH = "8ebd6ecebca316c26da747720af100f590bf5e0ed0464badfab8b10e67a7d528";

const CAPSULE = join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const SIGNER = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ";
const CONTRACT = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";

const WITHOUT_CODES = join(import.meta.dir, "../../LICENSE");

interface Refusal {
  readonly words: readonly string[];
  readonly code?: string;
  readonly says: string;
}

const REFUSALS: readonly Refusal[] = [
  { words: ["debgu", HASH], says: "Did you mean svc debug?" },
  { words: ["trace", HASH], says: "`svc debug <hash>` debugs a transaction" },
  { words: ["debug", HASH, "--mainnet"], says: "Did you mean --network mainnet?" },
  { words: ["debug", HASH, "--html"], says: "Did you mean --format html?" },
  { words: ["debug", HASH, "--rpc", "https://a"], says: "Did you mean --rpc-url?" },
  { words: ["merge"], says: "Did you mean svc verify merge or svc rehearse merge?" },
  { words: ["verify", "plan", "1-10"], says: "--shards is missing." },
  { words: ["--netwrok", "testnet", "debug"], says: "Did you mean --network?" },
  // citty alone would take "foo" as the hash and exit with code 0.
  { words: ["debug", "--netwrk", "foo", HASH], says: "Did you mean --network?" },
  { words: ["debug", HASH, "--jsn"], says: "Did you mean --json?" },
  { words: ["debug", HASH, "--no-json"], says: "Unknown flag --no-json" },
  { words: ["debug", HASH, "-x"], says: "Unknown flag -x" },
  { words: ["debug", HASH, "json"], says: "Did you mean --json?" },
  { words: ["debug", HASH, "-"], says: "cannot be combined with hashes" },
  { words: ["debug", "-"], says: "Standard input has no hash" },
  { words: ["debug", HASH, "0".repeat(64), "--from", "x"], says: "(--from) has one transaction" },
  {
    words: ["debug", HASH, "0".repeat(64), "--save", "x"],
    says: "--save works with one transaction",
  },
  { words: ["debug", HASH, "--json", "--format", "junit"], says: "cannot be used together" },
  { words: ["debug", HASH, "--rpc-header", "A: b"], says: "Add `--rpc-url URL,…`, or remove" },
  {
    words: ["debug", HASH, "--soroban-only"],
    says: "--soroban-only has no effect without --prove",
  },
  { words: ["debug", CAPSULE, "--download"], says: "--download has no effect without --prove" },
  { words: ["debug", CAPSULE, "--ledger-file", "x"], says: "--ledger-file and the capsule" },
  {
    words: ["debug", CAPSULE, "--output", "d"],
    says: "--output has no effect without --save FILE",
  },
  { words: ["debug", CAPSULE, "--full-addresses", "--json"], says: "--full-addresses and --json" },
  { words: ["debug", CAPSULE, "--archive-cache", "x"], says: "Add `--prove`, or remove" },
  { words: ["debug", HASH, "--expect-signer", SIGNER], says: "without --from or a capsule file" },
  { words: ["debug", HASH, "--timing", "--quiet"], says: "Remove `--timing` or `--quiet`." },
  {
    words: ["verify", "merge", "x", "--json", "--format", "text"],
    says: "--json and --format text",
  },
  { words: ["sign", "verify", CAPSULE, "-n", "mainnet"], says: "--network and a signed document" },
  { words: ["explain", "--list", "codes", "--id", CONTRACT], says: "--list and --id cannot" },
  { words: ["fork", "--soroban-only"], says: "--soroban-only has no effect without --archive" },
  { words: ["fork", "warp", "--seconds", "1", "--to-time", "2"], says: "--seconds and --to-time" },
  { words: ["debug", HASH, "--show", "fees,costly"], says: "in full: what-if, cause" },
  { words: ["debug", HASH, "--show", "fees", "--json"], says: "--show and --json cannot" },
  { words: ["debug", HASH, "--show", "fees", "--fix"], says: "--show and --fix cannot" },
  { words: ["debug", HASH, "--format", "juint"], says: 'Did you mean "junit"?' },
  {
    words: ["debug", HASH, "--show", "call,fees"],
    says: "must name sections of the report, such as calls.",
  },
  { words: ["debug"], says: "<hash>" },
  { words: ["debug", HASH, "--network", "testnte"], says: 'Did you mean "testnet"?' },
  { words: ["debug", HASH, "--network"], says: "--network needs a value" },
  { words: ["debug", HASH, "--network="], says: "--network needs a value" },
  { words: ["debug", HASH, "--network", "--json"], says: "looks like a flag" },
  { words: ["debug", HASH, "--json=yes"], says: "--json takes no value" },
  { words: ["debug", HASH, "--json", "--json"], says: "--json cannot be repeated" },
  { words: ["debug", HASH, "-vv", "--verbose"], says: "--verbose cannot be repeated" },
  { words: ["debug", HASH, "--wasm", "none"], code: "FILE_UNREADABLE", says: "--wasm" },
  {
    words: ["debug", HASH, "--wasm", import.meta.path],
    code: "FILE_INVALID",
    says: `${import.meta.path} is not a wasm file: it does not begin like a wasm module.`,
  },
  { words: ["debug", HASH, "--timeout", "soon"], says: "--timeout must be a time" },
  { words: ["debug", HASH, "--rpc-url", "ftp://x"], says: "--rpc-url must be http" },
  { words: ["debug", HASH, "-n", "https://a/key"], says: "--network is the name of a network" },
  { words: ["debug", "txBadSeq"], code: "HASH_INVALID", says: "For a code, run `svc explain`." },
  {
    words: ["debug", `AAAAAg${"A".repeat(90)}`],
    code: "HASH_INVALID",
    says: "it looks like XDR in base64",
  },
  { words: ["debug", "2a748c…892f"], code: "HASH_INVALID", says: "it is shortened" },
  { words: ["debug", HASH.slice(1)], code: "HASH_INVALID", says: "63 characters" },
  { words: ["debug", `G${"A".repeat(55)}`], code: "HASH_INVALID", says: "pass the hash of one" },
  { words: ["debug", `g${HASH.slice(1)}`], code: "HASH_INVALID", says: "64 hexadecimal" },
  { words: ["version", "now"], says: "Unexpected argument" },
  { words: ["explain", "TRANSACTION_NOT_FUOND"], says: "Did you mean TRANSACTION_NOT_FOUND?" },
  { words: ["explain", "txBadSeqq"], says: "Did you mean txBadSeq?" },
  { words: ["explain", "--list"], says: "Use one of causes, codes," },
  { words: ["explain", "no such file"], says: 'svc does not know "no such file"' },
  { words: ["explain", WITHOUT_CODES], says: `${WITHOUT_CODES} has no code, XDR or answer` },
  { words: ["verify", "-5"], says: "Unknown flag -5" },
  ...["1e3", "999999999999", "5-", "1.5", "0", "9-3"].map((word) => ({
    words: ["verify", word],
    says: `"${word}" is not a ledger, and not a range of ledgers.`,
  })),
  ...[
    {
      words: ["call", "stellar contract deploy --wasm a.wasm --source alice"],
      says: "call a.wasm F",
    },
    { words: ["call", "stellar contract upload --wasm 'a b.wasm'"], says: "svc call 'a b.wasm' F" },
    {
      words: ["call", "stellar", "contract", "install", "--wasm", "a.wasm"],
      says: "call a.wasm F",
    },
    { words: ["debug", "stellar contract extend --id C1"], says: "svc state C" },
    { words: ["debug", "$ stellar contract \\\n  restore --id C1"], says: "svc state C" },
    { words: ["debug", "stellar", "contract", "read", "--id", "C1"], says: "svc state C" },
    { words: ["explain", "soroban contract bindings rust --wasm a.wasm"], says: "svc call C" },
    { words: ["explain", "/bin/stellar", "contract", "fetch", "--id", "C1"], says: "svc call C" },
    { words: ["simulate", "stellar contract invoke --id C1 -- f"], says: "whole line in quotes" },
    { words: ["state", "stellar tx decode"], says: "with the XDR" },
    { words: ["stellar", "contract", "build"], says: "Run it in your shell." },
  ].flatMap(({ words, says }) => [
    { words, says },
    { words, says: "is a command of stellar-cli, not of svc." },
  ]),
  { words: ["explain"], says: "<what>" },
  { words: ["completion"], says: "Use one of bash, zsh, fish, powershell." },
  { words: ["completion", "zhs"], says: 'Did you mean "zsh"?' },
  { words: ["completion", "tcsh", "-v"], says: '<shell> cannot be "tcsh"' },
  { words: ["simulate"], says: "<envelope>" },
  { words: ["simulate", "AAAA", "--auth-mode", "recrod"], says: 'Did you mean "record"?' },
  {
    words: ["simulate", "A".repeat(400)],
    code: "FILE_INVALID",
    says: "the command line is not a TransactionEnvelope",
  },
  { words: ["simulate", "none.txt"], code: "FILE_UNREADABLE", says: "none.txt" },
  {
    words: ["simulate", "x", "--instruction-leeway", "1k"],
    says: "is not a number of instructions",
  },
  { words: ["simulate", "x", "--fail-on", "diverged"], says: "tx-failed" },
  { words: ["daemon", "--port", "65536"], says: '--port "65536" must be a whole number' },
  { words: ["daemon", "--prot", "1"], says: "Did you mean --port?" },
  { words: ["hsm", "lst"], code: "USAGE", says: "Did you mean svc hsm list?" },
  { words: ["sign", "x", "y"], code: "USAGE", says: 'Unexpected argument "y"' },
  { words: ["debug", HASH, "-i"], code: "INTERACTIVE_IMPOSSIBLE", says: "without `-i`" },
  { words: ["debug", HASH, "--profile-format", "pprf"], says: 'Did you mean "pprof"?' },
  { words: ["debug", HASH, "--fail-on", "tx-fialed"], says: 'Did you mean "tx-failed"?' },
  { words: ["debug", HASH, "--fail-on", "cpu"], says: "'cpu>N' in quotes" },
  { words: ["debug", HASH, "--expect", "none.json"], code: "FILE_UNREADABLE", says: "--expect" },
];

for (const { words, code = "USAGE", says } of REFUSALS)
  test(`svc ${words.join(" ").replaceAll(HASH, "<hash>")} is refused`, async () => {
    const { exitCode, stdout, stderr } = await svc(words);
    expect(stderr).toContain(says);
    expect(stderr).toContain(`[${code}]`);
    expect(stderr).toContain("what to do: ");
    expect(exitCode).toBe(2);
    if (words.includes("--json")) expect(JSON.parse(stdout).error.code).toBe(code);
    else expect(stdout).toBe("");
  });

// Scripts give the same nodes to every command, so these are named, and not refused.
const NAMED: readonly (readonly [words: readonly string[], says: string])[] = [
  [
    ["debug", CAPSULE, "--rpc-url", "https://a", "--horizon-url", "https://a"],
    `--horizon-url and --rpc-url had no effect with the capsule ${CAPSULE}.`,
  ],
  [["debug", "--from", CAPSULE, "--rpc-url", "https://a"], "--rpc-url had no effect with --from."],
  [["debug", CAPSULE, "--network-passphrase", "x"], "had no effect: the capsule is of local"],
  [["debug", CAPSULE, "--trusted-header", `5:${HASH}`], "the capsule carries no proof."],
  [["debug", CAPSULE, "--code", "/"], "--code had no effect on"],
  [["verify", CAPSULE, "--rpc-url", "https://a"], "--rpc-url had no effect with ledger files."],
  [["simulate", "AAAA", "--horizon-url", "https://a"], "--horizon-url had no effect: only Stellar"],
  [["state", CONTRACT, "--rpc-url", "https://a"], "--rpc-url had no effect without --before."],
  [["daemon", "--check", "--port", "9", "--workers", "2"], "--workers had no effect with --check."],
];

for (const [words, says] of NAMED)
  test(`svc ${words.join(" ").replaceAll(CAPSULE, "<capsule>")} names what has no effect`, async () => {
    const { stderr } = await svc(words, { environment: { SVC_HISTORY_ARCHIVE: "none" } });
    expect(stderr).toContain("warning: ");
    expect(stderr).toContain(says);
    expect(stderr).not.toContain("[USAGE]");
  });

test("a usage error is one JSON document with --json, and the text stays on stderr", async () => {
  const { exitCode, stdout, stderr } = await svc(["debug", "--json", "--netwrok", "x", HASH]);
  expect(JSON.parse(stdout)).toEqual({
    error: {
      code: "USAGE",
      message: "Unknown flag --netwrok.",
      remedy: "Did you mean --network?",
      exitCode: 2,
      details: {},
    },
  });
  expect(stderr).toContain("Unknown flag --netwrok.");
  expect(exitCode).toBe(2);
});

test("svc explain takes a code, a file or standard input, and answers with JSON on request", async () => {
  const answer = JSON.stringify({ status: "TRY_AGAIN_LATER", hash: HASH, latestLedger: 5 });
  const word = await svc(["explain", "txBadSeq"]);
  expect([word.exitCode, word.stdout.split("\n")[0]]).toEqual([0, "txBadSeq (transaction result)"]);
  const piped = await svc(["explain", "-"], { stdin: answer });
  expect((await svc(["explain"], { stdin: answer })).stdout).toBe(piped.stdout);
  expect(piped.exitCode).toBe(0);
  expect(piped.stdout).toStartWith("The node did not accept the transaction.\n");
  expect(piped.stdout).toContain("\nRemedy\n  Wait for the next ledger");
  const directory = mkdtempSync(join(tmpdir(), "svc-explain-"));
  await Bun.write(join(directory, "answer.json"), answer);
  const file = await svc(["explain", "answer.json", "--json"], { directory });
  const { answers } = JSON.parse(file.stdout);
  expect(answers).toMatchObject([{ kind: "sendTransaction", hash: HASH, resultCodes: [] }]);
  const code = await svc(["explain", "Error(Auth, InvalidAction)", "--json"]);
  expect(JSON.parse(code.stdout)).toMatchObject({ format: 1, kind: "host error" });
  const broken = await svc(["explain", '{"status":'], { directory });
  expect([broken.exitCode, broken.stderr.includes("[FILE_INVALID]")]).toEqual([2, true]);
  rmSync(directory, { recursive: true });
});

test("words that every object of JavaScript has are words", async () => {
  for (const word of ["constructor", "toString", "__proto__"]) {
    const { stderr } = await svc(["explain", word]);
    expect(stderr).toContain(word);
    expect(stderr).not.toContain("is missing");
  }
});

test("hostile words on the command line are shown, not obeyed", async () => {
  const { stderr } = await svc(["debug", "\u001b[2J\u202e"]);
  expect(stderr).toContain("\\u{1b}[2J\\u{202e}");
  expect(stderr).not.toContain("\u001b");
});

test("the kinds of cause are a list of their own, which the help of watch names", async () => {
  const help = (await svc(["watch", "--help"])).stdout.replace(/\s+/g, " ");
  expect(help).toContain("failures with this kind of cause (`svc explain --list causes`).");
  const list = (await svc(["explain", "--list", "causes"])).stdout;
  expect(list).toStartWith("account-missing");
  const { codes } = JSON.parse((await svc(["explain", "--list", "causes", "--json"])).stdout);
  for (const { code } of codes) expect(list).toContain(`\n${code}`.trimStart());
});

test("a hint is no list of values, a default is shown, and --verbose says what it shows", async () => {
  const help = async (name: string) => (await svc([name, "--help"])).stdout.replace(/\s+/g, " ");
  expect(await help("verify")).toContain("s3://bucket/prefix for the result. Only with --shard.");
  expect(await help("daemon")).toContain(
    "Replace a worker that uses more memory than this (default: 1024 MiB).",
  );
  expect(await help("version")).not.toContain("comparison");
  expect(await help("debug")).toContain(
    "-v, --verbose Show progress, every section, and the trace: ",
  );
});

test("help is on stdout, ends with 0 and fits 80 columns", async () => {
  const pages = [["--help"], ["-h"]];
  for (const command of [
    "debug",
    "capture",
    "verify",
    "doctor",
    "explain",
    "version",
    "completion",
    "daemon",
    "sign",
  ])
    pages.push([command, "--help"], [command, "not-read", "--nor-this", "-h"]);
  for (const words of ["sign auth", "sign document", "sign verify", "hsm list", "hsm test"])
    pages.push([...words.split(" "), "--help"]);
  for (const words of pages) {
    const { exitCode, stdout, stderr } = await svc(words);
    expect([words, exitCode, stderr]).toEqual([words, 0, ""]);
    expect(stdout).toStartWith("usage: svc ");
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  }
});

test("svc debug has every flag that the design names", async () => {
  const { stdout } = await svc(["debug", "--help"]);
  const flags = [
    "--network --sim-path --debug --verbose --interactive --profile --profile-format --tracing",
    "--strict-validation --json --from --save --horizon-url --rpc-url --timeout --output --fail-on --timing",
  ];
  for (const flag of flags.join(" ").split(" ")) expect(stdout).toContain(`${flag}`);
});
