// svc call on the compiled binary: on the nodes of the recorded network, on a capsule, and of wasm
// files on an empty network.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { ARCHIVE, ofArchive } from "../support/archived-records.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { svc } from "./run-svc.ts";

const ROOT = join(import.meta.dir, "../..");
const TOKEN = join(ROOT, "tests/contracts/token.wasm");
const SHAPES = join(ROOT, "tests/contracts/shapes-z.wasm");
const UPGRADE = join(ROOT, "tests/contracts/upgrade.wasm");
const CAPSULE = join(ROOT, "examples/overflow-in-callee.capsule.json");
const ADDER = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";
const LUMENS = "CDMLFMKMMD7MWZP3FKUBZPVHTUEDLSX4BYGYKH4GCESXYHS3IHQ4EIG4";
/** No ledger has this account. */
const UNKNOWN = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ";

/** The account @0 of the forks of a local network. */
const FORK_ACCOUNT = "GBQF4YFU6PI5KAMSBY6WLGPJNW7XOYJQHERPF5PXKLOB4OWZJI7RYAZX";

const loopback = openLoopback();
const directory = mkdtempSync(join(tmpdir(), "svc-call-"));
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await loopback[Symbol.asyncDispose]();
});

const nodes = ["--rpc-url", loopback.url("rpc"), "-n", "local"];
const { contract: KITCHEN, source: SOURCE } = recordedCall();

function recordedCall() {
  const recorded = loopback.network.named("same ledger: inc main #3");
  const { envelopeXdr = "" } = loopback.network.file(recorded).rpcGetTransaction.result;
  const { hostFunction, terms } = openEnvelope(String(envelopeXdr), loopback.network.passphrase);
  if (hostFunction?.kind !== "invoke") throw new Error("the recorded call calls no contract");
  return { contract: hostFunction.contract, source: terms.source };
}

/** The report of a call as JSON. */
async function called(...words: string[]) {
  const { stdout, stderr } = await svc(["call", "--json", ...words], { directory });
  if (stdout === "") throw new Error(stderr);
  const report = JSON.parse(stdout);
  if (report.error !== undefined) throw new Error(`${report.error.message} ${report.error.remedy}`);
  return report;
}

interface Frame {
  readonly function: string | null;
  readonly result: string | null;
  readonly calls: readonly Frame[];
}

/** The result of the outermost function. */
function resultOf({ calls }: { readonly calls: Frame }): string | null {
  let frame: Frame | undefined = calls;
  while (frame !== undefined && frame.function === null) frame = frame.calls[0];
  return frame?.result ?? null;
}

test("a call on the latest ledger answers as svc debug does, and nothing is sent", async () => {
  const { stdout, exitCode } = await svc(["call", KITCHEN, "inc", "--key", "main", ...nodes]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("sent to no network");
  expect(stdout).toContain("Count(main)");
  expect(stdout).toContain("called on  ledger 453 of local (as a node has it)");
  expect(loopback.requests).not.toContain("sendTransaction");
});

test("an account signs without its key, and the report says who has to sign", async () => {
  const words = ["transfer", "--from", SOURCE, "--to", "@1", "--amount", "5", ...nodes];
  const own = await called(LUMENS, ...words);
  expect(own.call).toMatchObject({ source: SOURCE, sourceIs: "authorizer", preparations: [] });
  expect(own.call.authorizations).toEqual([{ address: SOURCE, signed: "source" }]);
  const other = await called(LUMENS, ...words, "--as", UNKNOWN);
  expect(other.outcome.success).toBeTrue();
  expect(other.call).toMatchObject({ source: UNKNOWN, sourceIs: "given" });
  expect(other.call.authorizations).toEqual([{ address: SOURCE, signed: "fork" }]);
  expect(other.call.preparations).toMatchObject([{ kind: "account-created", address: UNKNOWN }]);
});

test("as Markdown a call is none of a chain, and its failure has the cause", async () => {
  const markdown = ["--format", "markdown", ...nodes];
  const done = await svc(["call", KITCHEN, "inc", "main", ...markdown]);
  expect(done.stdout).toStartWith("### svc call\n\n`inc()` succeeded in ledger 454.\n");
  expect(done.stdout).toContain(
    "A call on a fork, sent to no network. State: ledger 453 of local.",
  );
  const failed = await svc(["call", KITCHEN, "fail", "418", "--fail-on", "tx-failed", ...markdown]);
  expect(failed.stdout).toContain("Run with `code` 419, it succeeds.");
  expect(failed.stdout).toContain("--fail-on tx-failed");
  for (const { stdout } of [done, failed]) expect(stdout).not.toMatch(/on chain|replayed|exact/);
});

test("--format xdr prints the simulated envelope of the account, without a signature", async () => {
  const words = ["transfer", "--from", SOURCE, "--to", "@1", "--amount", "5", ...nodes];
  const flags = ["--as", SOURCE, "--format", "xdr"];
  const { stdout, exitCode } = await svc(["call", LUMENS, ...words, ...flags]);
  expect(exitCode).toBe(0);
  const envelope = openEnvelope(stdout.trim(), loopback.network.passphrase);
  expect(envelope.terms.source).toBe(SOURCE);
  expect(envelope.terms.signatures).toEqual([]);
  expect(envelope.soroban?.footprint.readWrite.length).toBeGreaterThan(0);
  // What the fork did beside the network's state, the network would not have.
  const unknown = ["--as", UNKNOWN, "--format", "xdr"];
  const other = await svc(["call", LUMENS, ...words, ...unknown]);
  expect([other.exitCode, other.stdout.length > 100]).toEqual([0, true]);
  expect(other.stderr).toContain(`The state has no account ${UNKNOWN}, so the network refuses`);
  expect(other.stderr).toContain("make the call again for its sequence number.");
  expect(other.stderr).toContain(`has the authorization of ${SOURCE} without its signature.`);
  const failing = await svc(["call", KITCHEN, "fail", "418", ...nodes, ...flags]);
  expect(failing.exitCode).toBe(7);
  expect(failing.stdout).toBe("");
  expect(failing.stderr).toContain("no envelope to sign");
});

test("--format xdr says that a network does not know an account that every fork has", async () => {
  const words = ["call", KITCHEN, "noop", ...nodes, "--as", FORK_ACCOUNT];
  const { stderr, exitCode } = await svc([...words, "--format", "xdr"]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`The state has no account ${FORK_ACCOUNT}, so the network refuses`);
  const { call } = JSON.parse((await svc([...words, "--json"])).stdout);
  expect(call.preparations).toMatchObject([{ kind: "account-created", address: FORK_ACCOUNT }]);
});

test("for a key that an argument lacks, no value is proposed", async () => {
  const report = await called(SHAPES, "has", "{}", "a");
  expect(report.outcome.remedy).toBe("Pass a value for key a in `map`.");
});

test("--format xdr is refused for what only the fork of the call has", async () => {
  const wasm = join(import.meta.dir, "../contracts/vault-z.wasm");
  for (const [words, message] of [
    [[wasm, "locked", "--as", SOURCE], "No network has the contract of a wasm file"],
    [[KITCHEN, "noop", "--as", "@0", ...nodes], "@0 is an account of the fork"],
  ] as const) {
    const { stdout, stderr, exitCode } = await svc(["call", ...words, "--format", "xdr"]);
    expect([stdout, exitCode]).toEqual(["", 2]);
    expect(stderr).toContain(message);
  }
});

test("a secret key is in no error", async () => {
  const secret = "SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4";
  for (const words of [
    ["call", KITCHEN, "noop", "--as", secret],
    ["call", secret, "noop"],
    ["debug", secret],
    ["debug", secret, "--json"],
  ]) {
    const { stdout, stderr, exitCode } = await svc(words);
    expect(exitCode).toBe(2);
    expect(`${stdout}${stderr}`).not.toContain(secret.slice(0, 20));
    expect(`${stdout}${stderr}`).toContain("S… (a secret key)");
  }
});

test("a failure has its cause and what would make it succeed, and overrides run beside it", async () => {
  const report = await called(KITCHEN, "fail", "--code", "418", ...nodes);
  expect(report.outcome.success).toBeFalse();
  expect(report.outcome.decidedBy.proof.override).toMatchObject({ name: "code", value: "419" });
  const commands = report.outcome.next.map(({ command }: { readonly command: string }) => command);
  expect(commands[0]).toStartWith(`svc call --network local ${KITCHEN} fail --code 418 --override`);
  const changed = await called(
    ...[KITCHEN, "add", "4294967295", "1", "--override-argument", "a=1", ...nodes],
  );
  expect(changed.whatIf.outcome.success).toBeTrue();
  const onFailure = ["--fail-on", "tx-failed"];
  expect((await svc(["call", KITCHEN, "trap", ...nodes, ...onFailure])).exitCode).toBe(7);
});

test("an entry that the capsule does not have counts as absent, and the report says so", async () => {
  const on = ["--on", "demo:contract-error"];
  const vault = "CD3TNLAWOENGE7M47X2RVLHUYCP63JVRQQFNGSKVRWDAKFV7B3IBKH4D";
  const lacking = await called(vault, "release", "--id", "1", "--least", "5", ...on);
  expect(lacking.call.countedAbsent).toHaveLength(1);
  expect(lacking.outcome.cause.confidence).toBe("likely");
  const { stdout } = await svc(["call", vault, "release", "1", "5", ...on]);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "not in the file persistent data Escrow(1) of contract CD3T…KH4D (counted as absent; the chain may have it)",
  );
  // The code adds to a number that it takes for 0, so that no value of the state is compared.
  const counted = await svc(["call", vault, "nonce", "@4", "5", ...on]);
  expect(counted.stdout).toContain("Cause (likely)");
  const complete = await called(vault, "withdraw", "--of", "@0", "--amount", "5", ...on);
  expect(complete.call.countedAbsent).toEqual([]);
});

test("a network is refused if the capsule's is one that svc does not know", async () => {
  const on = ["--on", "demo:contract-error", "--network", "testnet"];
  const vault = "CD3TNLAWOENGE7M47X2RVLHUYCP63JVRQQFNGSKVRWDAKFV7B3IBKH4D";
  for (const words of [
    ["call", vault],
    ["call", vault, "withdraw"],
    ["call", TOKEN, "decimals"],
  ]) {
    const { stderr, exitCode } = await svc([...words, ...on]);
    expect(stderr).toContain("a network that svc does not know, but the nodes belong to testnet");
    expect(stderr).toContain("Remove `--network` to use the file alone.");
    expect(exitCode).toBe(2);
  }
});

test("a line of stellar-cli is understood, whole or in words", async () => {
  const line = `stellar contract invoke --id ${ADDER} --source-account ${UNKNOWN} --network local --send=no -- add --a 2 --b=-7`;
  for (const words of [[line], [`$ ${line.replace(" -- ", " \\\n -- ")}`], line.split(" ")]) {
    const report = await called("--on", CAPSULE, ...words);
    expect(resultOf(report)).toBe("-5");
    expect(report.call.source).toBe(UNKNOWN);
  }
  const before = await called(line, "--on", CAPSULE);
  expect(resultOf(before)).toBe("-5");
  const short = line.replace("--network local ", "");
  for (const written of [
    `me@here:~/app$ ${short} | jq .`,
    `STELLAR_X=1 ${short.replace("stellar", "stellar -q --config-dir /x")} 2>&1 > out`,
  ])
    expect(resultOf(await called("--on", CAPSULE, written))).toBe("-5");
  // Without a function, the contract is listed.
  const [whole = ""] = short.split(" --send");
  const list = await svc(["call", whole, "--on", CAPSULE]);
  expect(list.stderr).toContain("--as has no effect without a function.");
  const bare = await svc(["call", `stellar contract invoke --id ${ADDER}`, "--on", CAPSULE]);
  expect(bare.stdout).toContain("add(a: i32, b: i32)");
  const early = await svc(["call", short.replace(" -- ", " "), "--on", CAPSULE]);
  expect(early.stderr).toContain("has its function after `--`, and add is before it.");
  const secret = `SDJHRQF4GCMIIKAAAQ6IHY42X73FQFLHUULAPSKKD4DFDM7UXWWCRHBE`;
  const refused = await svc(["call", line.replace(UNKNOWN, secret)]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("secret key");
  expect(refused.stderr).not.toContain(secret);
});

test("arguments by name, with =, by position, from a file and from saved names", async () => {
  const add = async (...words: string[]) =>
    resultOf(await called(ADDER, "add", ...words, "--on", CAPSULE));
  expect(await add("--a", "2", "--b", "3")).toBe("5");
  expect(await add("--b=3", "--a=2")).toBe("5");
  expect(await add("2", "-3")).toBe("-1");
  expect(await add("--b", "3", "2")).toBe("5");
  // An empty word is a value like others: the wrong one here, and no flag of svc.
  const empty = await svc(["call", ADDER, "add", "--a", "", "--b", "3", "--on", CAPSULE]);
  expect(empty.stderr).toContain("Argument `a` has type i32");
  writeFileSync(join(directory, "two"), "2\n");
  expect(await add("--a-file-path", "two", "--b", "3")).toBe("5");
  const home = join(directory, "stellar");
  mkdirSync(join(home, "contract-ids"), { recursive: true });
  mkdirSync(join(home, "identity"), { recursive: true });
  const ids = JSON.stringify({ ids: { "Standalone Network ; February 2017": ADDER } });
  writeFileSync(join(home, "contract-ids", "adder.json"), ids);
  writeFileSync(join(home, "identity", "alice.toml"), `public_key = "${UNKNOWN}"\n`);
  const saved = await svc(
    ["call", "--json", "--on", CAPSULE, "adder", "add", "1", "1", "--as", "alice"],
    {
      directory,
      environment: { STELLAR_CONFIG_HOME: home },
    },
  );
  const report = JSON.parse(saved.stdout);
  expect(resultOf(report)).toBe("2");
  expect(report.call.source).toBe(UNKNOWN);
});

test("mistakes are named with the place and what would be right", async () => {
  for (const [words, expected] of [
    [[], "<contract> is missing"],
    [["nothing"], "neither a contract (C…)"],
    [[ADDER, "ad", "1", "2"], "Did you mean `add`?"],
    [[ADDER, "add", "1"], "add needs the argument `b` of type i32."],
    [[ADDER, "add", "1", "2", "3"], "add takes 2 arguments, not 3."],
    [[ADDER, "add", "1", "x"], "Argument `b` has type i32 and must be a whole number"],
    [[ADDER, "add", "1", "4294967295"], "Argument `b` has type i32; 4294967295 is too large."],
    [[ADDER, "add", "--a", "1", "--c", "2"], "add has no argument `c`."],
    [[ADDER, "add", "--a", "1", "--a", "2"], "`a` is given twice."],
    [[ADDER, "add", "--a", "--b", "2"], "`a` has no value."],
    [["--netwrok", "x", ADDER], "Did you mean --network?"],
    [[ADDER, "add", "1", "2", "--as", "nobody"], "stellar keys address NAME"],
    [[ADDER, "add", "1", "2", "--constructor-args", "[]"], "is already deployed"],
    [[TOKEN, "--constructor-args", "{", "decimals"], "is not valid JSON"],
    [
      [UPGRADE, "--constructor-args", '{"admin": "@0"}', "config"],
      "__constructor needs the argument `limit` of type u32.",
    ],
    [[UPGRADE, "--constructor-args", '["@0", 6]', "config", "5"], "config takes no arguments."],
    [[SHAPES, "any_of", "1", "2", "TRUE"], "Argument `c` has type bool and must be true or false."],
    [[SHAPES, "matrix", "x"], "Argument `rows` has type Vec<Vec<u32>> and must be valid JSON."],
  ] as const) {
    const isOn = !words[0]?.endsWith(".wasm") && words.length > 1;
    const on = isOn ? ["--on", CAPSULE] : [];
    const { stderr, exitCode } = await svc(["call", ...on, ...words]);
    expect(stderr).toContain(expected);
    expect(exitCode).toBe(2);
  }
});

test("functions are listed with their types, and one is shown with what it takes", async () => {
  const list = await svc(["call", TOKEN]);
  expect(list.stdout).toContain("balance(of: address) -> i128");
  const one = await svc(["call", TOKEN, "transfer", "--help"]);
  expect(one.stdout).toContain("--from <address> --to <address> --amount <i128>");
  const { functions } = JSON.parse((await svc(["call", ADDER, "--on", CAPSULE, "--json"])).stdout);
  expect(functions.map(({ name }: { readonly name: string }) => name)).toContain("add_with_try");
});

test("a flag of a call has no effect on a list of functions, and is refused", async () => {
  for (const words of [["--as", "@0"], ["--save", "x.json"], ["--fast"], ["--show", "cause"]]) {
    const { exitCode, stderr } = await svc(["call", TOKEN, ...words], { directory });
    expect([words, exitCode]).toEqual([words, 2]);
    expect(stderr).toContain(`${words[0]} has no effect without a function.`);
  }
  for (const words of [["--json"], ["-v"], ["--on", CAPSULE]])
    expect((await svc(["call", TOKEN, ...words], { directory })).exitCode).toBe(0);
});

test("a wasm file is called on an empty network, and after -- every word is the function's", async () => {
  expect(resultOf(await called(TOKEN, "balance", "--of", "@0"))).toBe("0");
  expect(resultOf(await called(TOKEN, "balance", "--", "--of", "@contract"))).toBe("0");
});

test("the call is kept as a capsule, which svc debug reads", async () => {
  const words = ["call", ADDER, "add", "20", "3", "--on", CAPSULE, "--save", "kept.json"];
  expect((await svc(words, { directory })).stderr).toContain("kept.json");
  const { stdout } = await svc(["debug", "--from", "kept.json"], { directory });
  expect(stdout).toContain("add(a: 20, b: 3)");
});

ofArchive.test("a call on a ledger of an earlier protocol, which validators signed", async () => {
  const oracle = "CCJS5G6RXTAEELZR53VZTJH6QVDPMW7SCOASEGG43AXT6DDUANXCMDAA";
  const proven = ["--prove", "--ledger", "3071", "--history-archive", ARCHIVE, "-n", "testnet"];
  const { outcome, call } = await called(oracle, "version", ...proven);
  expect(outcome.success).toBeTrue();
  expect(call).toMatchObject({ shownBy: "archive" });
});

test("a contract cannot be the account of a transaction, and the error says what it can be", async () => {
  const words = ["call", KITCHEN, "noop", "--as", KITCHEN, ...nodes];
  const { stderr, exitCode } = await svc(words, { directory });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("is a contract. A transaction comes from an account");
});

test("the help names what is called, and not the setting that has the words", async () => {
  const { stdout } = await svc(["call", "--help"]);
  expect(stdout).toStartWith("usage: svc call CONTRACT [FUNCTION] [arguments…] [flags]\n");
});

test("a deployment that fails is debugged instead of the call", async () => {
  const advice = join(ROOT, "tests/contracts/advice-z.wasm");
  const constructorArgs = JSON.stringify({ admin: "@0", fee: 1001 });
  const report = await called(advice, "flagged", "5", "--constructor-args", constructorArgs);
  expect(report.call).toMatchObject({ step: "contract-deployment", envelopeXdr: null });
  expect(report.outcome.cause.summary).toContain("AdviceError::FeeTooHigh");
  const { stdout } = await svc([
    "call",
    advice,
    "flagged",
    "5",
    "--constructor-args",
    constructorArgs,
  ]);
  expect(stdout).toContain("not called  this is the deployment of its contract, which fails");
});

test("code that the host does not accept is named by the feature that it uses", async () => {
  const file = join(directory, "reference-types.wasm");
  writeFileSync(file, codeWithWideTableIndex());
  const report = await called(file, "f");
  expect(report.call).toMatchObject({ step: "code-upload" });
  expect(report.outcome.cause).toMatchObject({ kind: "wasm-invalid", confidence: "known" });
  expect(report.outcome.cause.summary).toContain("does not accept: reference-types");
});

/**
 * A module in which an indirect call names its table with five bytes, as compilers with reference
 * types write it. MVP code has one zero byte there.
 */
function codeWithWideTableIndex(): Uint8Array {
  const section = (id: number, bytes: readonly number[]) => [id, bytes.length, ...bytes];
  const named = (name: string, bytes: readonly number[]) =>
    section(0, [name.length, ...Buffer.from(name), ...bytes]);
  const returnsI64 = [1, 0x60, 0, 1, 0x7e];
  const call = [0x41, 0, 0x11, 0, 0x80, 0x80, 0x80, 0x80, 0];
  const body = [0, ...call, 0x0b];
  const protocol22 = [0, 0, 0, 0, 0, 0, 0, 22, 0, 0, 0, 0];
  const functionF = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x66, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, returnsI64),
    ...section(3, [1, 0]),
    ...section(4, [1, 0x70, 0, 1]),
    ...section(7, [1, 1, 0x66, 0, 0]),
    ...section(10, [1, body.length, ...body]),
    ...named("contractenvmetav0", protocol22),
    ...named("contractspecv0", functionF),
  ]);
}
