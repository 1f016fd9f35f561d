// What people hold and type: pasted URLs, 0x hashes, files in the place of a hash, other names of
// networks, the settings of stellar-cli, and flags where other tools take them.

import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { PUBLIC_COMMANDS } from "../../src/cli/commands.ts";
import { type CommandLineValues, readArguments } from "../../src/command/command.ts";
import { NETWORK } from "../../src/command/common-settings.ts";
import { readTransaction } from "../../src/command/read-hashes.ts";
import { transactionOfUrl } from "../../src/model/transaction-url.ts";
import { configOf } from "../../src/sources/network-settings.ts";
import { ofNetworkNamed, onNetwork } from "../../src/sources/resolve-network.ts";
import { savedLabels } from "../../src/sources/stellar-cli.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { inTemporaryDirectory, svc, svcBinary } from "./run-svc.ts";

const HASH = "8ebd6ecebca316c26da747720af100f590bf5e0ed0464badfab8b10e67a7d528";
const OTHER = `${"0".repeat(63)}a`;
const CAPSULE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const README = resolve(import.meta.dir, "../../README.md");
const PACKAGE = resolve(import.meta.dir, "../../package.json");
const LAB = (network: string) =>
  `https://lab.stellar.org/transaction/dashboard?$=network$id=${network}&label=X&horizonUrl=` +
  `https:////horizon-${network}.stellar.org&passphrase=Test%20SDF%20Network%20/;%20September%202015` +
  `;&txDashboard$transactionHash=${HASH};;`;

const URLS: Readonly<Record<string, ReturnType<typeof transactionOfUrl>>> = {
  [`https://stellar.expert/explorer/public/tx/${HASH}`]: { hash: HASH, network: "mainnet" },
  [`stellar.expert/explorer/testnet/tx/${HASH}?order=desc#x`]: { hash: HASH, network: "testnet" },
  [`https://stellar.expert/explorer/futurenet/tx/${HASH}`]: { hash: HASH, network: "futurenet" },
  [`https://stellarchain.io/transactions/${HASH}`]: { hash: HASH, network: "mainnet" },
  [`https://testnet.stellarchain.io/tx/${HASH}`]: { hash: HASH, network: "testnet" },
  [`https://futurenet.stellarchain.io/transactions/${HASH}`]: { hash: HASH, network: "futurenet" },
  [`https://steexp.com/tx/${HASH}`]: { hash: HASH, network: "mainnet" },
  [`https://testnet.steexp.com/tx/${HASH.toUpperCase()}`]: { hash: HASH, network: "testnet" },
  [`https://lumenscan.io/txns/${HASH}`]: { hash: HASH, network: "mainnet" },
  [`https://testnet.lumenscan.io/txns/${HASH}`]: { hash: HASH, network: "testnet" },
  [`https://lab.stellar.org/r/testnet/tx/${HASH}`]: { hash: HASH, network: "testnet" },
  [`https://blockchair.com/stellar/transaction/${HASH}`]: { hash: HASH, network: "mainnet" },
  [`https://horizon.stellar.org/transactions/${HASH}/effects`]: { hash: HASH, network: "mainnet" },
  [`https://horizon-testnet.stellar.org/transactions/${HASH}`]: { hash: HASH, network: "testnet" },
  [`https://horizon.example.org/transactions/${HASH}`]: { hash: HASH, network: null },
  [`http://localhost:8000/transactions/${HASH}`]: { hash: HASH, network: "local" },
  [`http://localhost:8000/lab/transaction/dashboard?$=network$id=testnet&txDashboard$transactionHash=${HASH};;`]:
    { hash: HASH, network: "testnet" },
  [LAB("testnet")]: { hash: HASH, network: "testnet" },
  [LAB("futurenet")]: { hash: HASH, network: "futurenet" },
  // A host that only begins like one of mainnet.
  [`https://horizon.stellar.org.example.com/transactions/${HASH}`]: { hash: HASH, network: null },
  [`https://example.com/testnet/public/tx/${HASH}`]: { hash: HASH, network: null },
  [`https://stellar.expert/explorer/public/wasm/${HASH}`]: null,
  "https://stellar.expert/explorer/public/tx/123456789012": null,
  [`https://stellar.expert/explorer/public/tx/${HASH}ab`]: null,
};

for (const [url, expected] of Object.entries(URLS))
  test(`${url.replace(HASH, "<hash>")} is read`, () =>
    expect(transactionOfUrl(url)).toEqual(expected));

describe("a hash as it is pasted", () => {
  test.each([
    `"${HASH}"`,
    `'${HASH}',`,
    `${HASH},`,
    `tx: ${HASH}`,
    `hash=${HASH}`,
    `"hash": "${HASH}",`,
    `(${HASH})`,
    `0x${HASH}`,
    `Transaction hash is ${HASH}`,
    `{"hash":"${HASH}","status":"FAILED"}`,
    `🔗 sent ${HASH} at 12:00, it failed`,
    `${HASH} FAILED (${HASH})`,
  ])("%s", async (text) => {
    expect(await readTransaction(text)).toEqual({ hash: HASH, network: null });
  });

  test("more than a hash is none", async () => {
    const other = "cd".repeat(32);
    for (const text of [
      `${HASH}ab`,
      `tx ${HASH} ${other}`,
      `wasm: ${HASH}`,
      `Using wasm hash ${HASH}`,
      `ledger hash: ${HASH}`,
    ])
      await expect(readTransaction(text)).rejects.toThrow(/HASH_INVALID|is not a transaction hash/);
  });

  test("another text says where it belongs", async () => {
    const remedies = {
      "contract-error": "`svc demo contract-error`",
      "HostError: Error(Contract, #10)": "`svc explain`",
      txBadSeq: "`svc explain`",
    };
    for (const [text, remedy] of Object.entries(remedies))
      await expect(readTransaction(text)).rejects.toMatchObject({
        remedy: expect.stringContaining(remedy),
      });
  });

  test("an envelope has the hash of the network that its signatures prove", async () => {
    const capsule = await Bun.file(CAPSULE).json();
    const { hash, envelopeXdr } = capsule.record;
    expect(await readTransaction(envelopeXdr)).toEqual({ hash, network: "local" });
  });

  test("an envelope without a signature has a hash for each network", async () => {
    const unsigned =
      "AAAAAgAAAACKiOPddAnxlf1S2y08ul1yymcJvx2UEhvzdIgBtA9vXAAAAGQAAAAAAAAAZQAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAACBOXcOqH0XX1ajVGbDTH7My42KkbTuN6Jd9g9bj8mzlAAAAAAAAAAAAJiWgAAAAAAAAAAA";
    await expect(readTransaction(unsigned)).rejects.toThrow(
      /testnet: [0-9a-f]{64}\n {2}mainnet: [0-9a-f]{64}/,
    );
  });
});

const TESTNET = "Test SDF Network ; September 2015";
const MAINNET = "Public Global Stellar Network ; September 2015";
const STANDALONE = "Standalone Network ; February 2017";
const PROVIDER = "https://rpc.provider.example/v1";
const SAVED = {
  "network/mine.toml": `rpc_url = "${PROVIDER}"\nrpc_headers = [["X-Api-Key", "s3cret-of-mine"]]\nnetwork_passphrase = "My Network"\n`,
  "network/paid.toml": `rpc_url = "${PROVIDER}"\nnetwork_passphrase = "${MAINNET}"\n`,
  "network/broken.toml": `rpc_url = 7\n`,
};

interface Resolution {
  readonly given?: CommandLineValues;
  readonly environment?: Readonly<Record<string, string>>;
  readonly file?: Readonly<Record<string, unknown>>;
  readonly url?: Parameters<typeof onNetwork>[1];
  readonly is: Readonly<Record<string, unknown>> | string;
}

const local = {
  networkName: "local",
  networkPassphrase: STANDALONE,
  horizonUrls: ["http://localhost:8000"],
  rpcUrls: ["http://localhost:8000/rpc"],
  publicLake: null,
};
const bearer = (value: string) => [{ name: "Authorization", value }];
const shared = { STELLAR_RPC_URL: PROVIDER, STELLAR_NETWORK_PASSPHRASE: MAINNET };

const RESOLUTIONS: Readonly<Record<string, Resolution>> = {
  pubnet: { given: { network: "pubnet" }, is: { network: "mainnet", networkPassphrase: MAINNET } },
  Public: { given: { network: "Public" }, is: { network: "mainnet", networkName: "mainnet" } },
  local: { given: { network: "local" }, is: { ...local, network: "custom" } },
  standalone: { environment: { SVC_NETWORK: "standalone" }, is: local },
  "local on another port": {
    given: { network: "local", rpcUrl: "http://localhost:9000/rpc" },
    is: { ...local, rpcUrls: ["http://localhost:9000/rpc"] },
  },
  "a typo": { given: { network: "testnte" }, is: 'Did you mean "testnet"?' },
  "an unknown name": { given: { network: "nowhere" }, is: "`stellar network ls`" },
  "no way out of the directory": { given: { network: "../network/mine" }, is: "cannot be" },
  "a network of stellar-cli": {
    given: { network: "mine" },
    is: {
      network: "custom",
      networkName: "mine",
      networkPassphrase: "My Network",
      horizonUrls: [],
      rpcUrls: [PROVIDER],
      rpcHeaders: [{ name: "X-Api-Key", value: "s3cret-of-mine" }],
    },
  },
  "its headers stay with its node": {
    given: { network: "mine", rpcUrl: "https://other.example" },
    is: { networkPassphrase: "My Network", rpcUrls: ["https://other.example"], rpcHeaders: [] },
  },
  "a header of a flag goes to it, instead of its own": {
    given: { network: "mine", rpcHeader: ["A: b"] },
    is: { rpcUrls: [PROVIDER], rpcHeaders: [{ name: "A", value: "b" }] },
  },
  "a header of a variable does not": {
    given: { network: "mine" },
    environment: { SVC_RPC_URL: "https://other.example", SVC_RPC_HEADER: "A: b" },
    is: { rpcUrls: [PROVIDER], rpcHeaders: [{ name: "X-Api-Key", value: "s3cret-of-mine" }] },
  },
  "one with the passphrase of mainnet": {
    given: { network: "paid" },
    is: {
      network: "mainnet",
      rpcUrls: [PROVIDER],
      horizonUrls: ["https://horizon.stellar.org"],
    },
  },
  "a broken file of stellar-cli": { given: { network: "broken" }, is: "broken.toml" },
  "a name and another passphrase": {
    given: { network: "mine", networkPassphrase: "Other" },
    is: "contradict each other",
  },
  STELLAR_NETWORK: {
    environment: { STELLAR_NETWORK: "futurenet" },
    is: { network: "futurenet", origin: { kind: "shared-variable", name: "STELLAR_NETWORK" } },
  },
  "SVC_NETWORK is above STELLAR_NETWORK": {
    environment: { STELLAR_NETWORK: "futurenet", SVC_NETWORK: "mainnet" },
    is: { network: "mainnet" },
  },
  "a file is above STELLAR_NETWORK": {
    environment: { STELLAR_NETWORK: "futurenet" },
    file: { network: "mainnet" },
    is: { network: "mainnet" },
  },
  "STELLAR_RPC_URL and passphrase": {
    environment: shared,
    is: { network: "mainnet", rpcUrls: [PROVIDER] },
  },
  "a passphrase is above STELLAR_NETWORK, as in stellar-cli": {
    environment: { ...shared, STELLAR_NETWORK: "no-such" },
    is: { network: "mainnet", rpcUrls: [PROVIDER] },
  },
  "a flag leaves out STELLAR_RPC_URL of another network": {
    given: { network: "testnet" },
    environment: { ...shared, STELLAR_RPC_HEADERS: "A: s3cret" },
    is: {
      networkPassphrase: TESTNET,
      rpcUrls: ["https://soroban-testnet.stellar.org"],
      rpcHeaders: [],
    },
  },
  "a flag of the same network keeps it": {
    given: { network: "mainnet" },
    environment: shared,
    is: { rpcUrls: [PROVIDER] },
  },
  "a passphrase of a flag takes STELLAR_RPC_URL of the same network, or of one that is not said": {
    given: { networkPassphrase: "My Network" },
    environment: { STELLAR_RPC_URL: PROVIDER },
    is: { network: "custom", rpcUrls: [PROVIDER] },
  },
  "a passphrase of a flag leaves out STELLAR_RPC_URL of another": {
    given: { networkPassphrase: "My Network" },
    environment: shared,
    is: { network: "custom", rpcUrls: [] },
  },
  "a name of a flag leaves out STELLAR_RPC_URL of a network that is not said": {
    given: { network: "mainnet" },
    environment: { STELLAR_RPC_URL: PROVIDER },
    is: { rpcUrls: ["https://mainnet.sorobanrpc.com"] },
  },
  "STELLAR_RPC_URL alone": {
    environment: { STELLAR_RPC_URL: PROVIDER },
    is: { network: "testnet", rpcUrls: [PROVIDER] },
  },
  "STELLAR_RPC_HEADERS, one on each line": {
    environment: { ...shared, STELLAR_RPC_HEADERS: "A: @b\nC: d" },
    is: {
      rpcHeaders: [
        { name: "A", value: "@b" },
        { name: "C", value: "d" },
      ],
    },
  },
  "a header": {
    given: { rpcUrl: PROVIDER, rpcHeader: ["Authorization: Bearer abc"] },
    is: { rpcHeaders: bearer("Bearer abc") },
  },
  "a header with a secret in a file": {
    given: { rpcUrl: PROVIDER, rpcHeader: ["Authorization: Bearer @token"] },
    is: { rpcHeaders: bearer("Bearer s3cret") },
  },
  "a header that is only a file": {
    environment: { SVC_RPC_URL: PROVIDER, SVC_RPC_HEADER: "Authorization:@token" },
    is: { rpcHeaders: bearer("s3cret") },
  },
  "an address with @ is no file": {
    given: { rpcUrl: PROVIDER, rpcHeader: ["From: me@example.org"] },
    is: { rpcHeaders: [{ name: "From", value: "me@example.org" }] },
  },
  "a variable without a node is not sent": {
    environment: { SVC_RPC_HEADER: "A: b" },
    is: { rpcHeaders: [] },
  },
  "a header that is none": { given: { rpcHeader: ["s3cret"] }, is: "must be a header" },
  "a file that svc found sets the node": {
    environment: { SVC_RPC_HEADER: "A: s3cret" },
    file: { rpcUrl: "https://evil.example" },
    is: "SVC_RPC_HEADER is not sent to them",
  },
  "a file that svc found sets a header": {
    file: { rpcUrl: "https://evil.example", rpcHeader: ["A: @token"] },
    is: "sets headers for RPC nodes",
  },
  "a URL of another network": {
    environment: { SVC_NETWORK: "mainnet", SVC_RPC_URL: PROVIDER, SVC_RPC_HEADER: "A: s3cret" },
    url: "testnet",
    is: {
      networkPassphrase: TESTNET,
      rpcUrls: ["https://soroban-testnet.stellar.org"],
      rpcHeaders: [],
    },
  },
  "a URL of the same network": {
    environment: { SVC_NETWORK: "mainnet", SVC_RPC_URL: PROVIDER, SVC_RPC_HEADER: "A: s3cret" },
    url: "mainnet",
    is: { rpcUrls: [PROVIDER], rpcHeaders: [{ name: "A", value: "s3cret" }] },
  },
  "a URL of a local network": { url: "local", is: local },
  "a URL of this machine is of the network that is chosen": {
    given: { networkPassphrase: "My Network", rpcUrl: "http://localhost:8000/rpc" },
    url: "local",
    is: { networkPassphrase: "My Network", rpcUrls: ["http://localhost:8000/rpc"] },
  },
  "a URL keeps the nodes of flags": {
    given: { rpcUrl: PROVIDER },
    url: "mainnet",
    is: { network: "mainnet", rpcUrls: [PROVIDER] },
  },
  "a URL and a flag": {
    given: { network: "mainnet" },
    url: "testnet",
    is: "The URL is of testnet, but the flags choose mainnet.",
  },
};

for (const [name, { given = {}, environment = {}, file, url = null, is }] of Object.entries(
  RESOLUTIONS,
))
  test(`settings of the network: ${name}`, () =>
    inTemporaryDirectory(async (directory) => {
      writeAll(join(directory, ".config/stellar"), SAVED);
      writeAll(directory, { token: "s3cret\n" });
      if (file !== undefined) writeAll(directory, { "svc.json": JSON.stringify(file) });
      const facts = {
        environment: { HOME: directory, ...environment },
        workingDirectory: directory,
      };
      const resolved = () => {
        const args = readArguments({ facts } as never, NETWORK, given);
        const config = configOf(onNetwork(args, url));
        return { ...config, origin: config.origins.network };
      };
      if (typeof is !== "string") return expect(resolved()).toMatchObject(is);
      const error = thrownBy(resolved);
      expect(`${error.message} ${error.remedy}`).toContain(is);
      expect(`${error.message} ${error.remedy}`).not.toContain("s3cret");
    }));

const ACCOUNT = "GAIH3ULLFQ4DGSECF2AR555KZ4KNDGEKN4AFI4SU2M7B43MGK3QJZNSR";

test("names of keys and contracts in stellar-cli label a report, and no secret is read", () =>
  inTemporaryDirectory(async (directory) => {
    const { record } = JSON.parse(readFileSync(CAPSULE, "utf8"));
    const plain = (await svc(["debug", CAPSULE, "--json"])).stdout;
    const [contract = ""] = /\bC[A-Z2-7]{55}\b/.exec(plain) ?? [];
    const key = (name: string, text: string) => ({ [`identity/${name}.toml`]: text });
    const ids = JSON.stringify({ ids: { [record.networkPassphrase]: contract } });
    // A contract with several names has the last one of them, in whatever order a directory is read.
    const names = ["adder", "zero", "a-9", "add_er"];
    const files = {
      ...Object.fromEntries(names.map((name) => [`contract-ids/${name}.json`, ids])),
      ...key("alice", `public_key = "${ACCOUNT}"\n`),
      ...key("bob", `seed_phrase = "a b c"\npublic_key = "${ACCOUNT.replace("GAIH", "GBIH")}"\n`),
      ...key("carol", `secret_key = "S${"A".repeat(55)}"\n`),
      ...key("no name", `public_key = "${ACCOUNT.replace("GAIH", "GCIH")}"\n`),
      "contract-ids/broken.json": "{",
    };
    writeAll(directory, files);
    const environment = { STELLAR_CONFIG_HOME: directory };
    expect([...savedLabels(environment)]).toEqual([
      [ACCOUNT, { name: "alice", isSaved: true }],
      [contract, { name: "zero", isSaved: true }],
    ]);
    expect(savedLabels({ XDG_CONFIG_HOME: directory }).size).toBe(0);
    const named = async (...words: string[]) =>
      (await svc(["debug", CAPSULE, ...words], { environment })).stdout;
    expect(await named()).toContain(`@zero (${contract.slice(0, 4)}…${contract.slice(-4)})`);
    expect(await named("--label", `${contract}=mine`)).not.toContain("@zero");
    for (const format of ["json", "html", "markdown"])
      expect(await named("--format", format)).not.toContain("@zero");
  }));

test("a capsule's path in the place of the hash, with flags before the command", async () => {
  const named = await svc(["debug", "--from", CAPSULE]);
  expect(named.exitCode).toBe(0);
  for (const words of [
    ["debug", CAPSULE],
    ["-q", "debug", CAPSULE],
    ["--network", "pubnet", "--color", "never", "debug", CAPSULE],
    ["--from", CAPSULE, "debug"],
    ["--color=never", "-n", "local", "debug", CAPSULE, `0x${hashOfCapsule()}`],
  ]) {
    const { stdout, stderr, exitCode } = await svc(words);
    const unused = words.includes("pubnet")
      ? "warning: --network mainnet had no effect: the capsule is of local.\n"
      : "";
    expect([words, stderr, exitCode]).toEqual([words, unused, 0]);
    expect(stdout).toBe(named.stdout);
  }
  const both = await svc(["debug", CAPSULE, "--from", CAPSULE]);
  expect(both.stderr).toContain("Pass one of the two.");
});

test("a page in the place of the hash, and a hash that chooses", () =>
  inTemporaryDirectory(async (directory) => {
    const page = (await svc(["debug", CAPSULE, "--format", "html"])).stdout;
    writeAll(directory, { "tx.html": page });
    const { stdout } = await svc(["debug", "tx.html", hashOfCapsule()], { directory });
    expect(stdout).toStartWith((await svc(["debug", CAPSULE])).stdout.split("\n")[0] ?? "?");
    const other = await svc(["debug", "tx.html", OTHER], { directory });
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining(OTHER)]);
  }));

test("a URL, a 0x hash and a hash are the same transaction, on the command line and on stdin", async () => {
  await using loopback = openLoopback();
  const { hash } = loopback.network.named("SAC transfer alice -> bob");
  const nodes = ["--horizon-url", loopback.url("horizon"), "--rpc-url", loopback.url("rpc")];
  const url = `http://localhost:8000/transactions/${hash}`;
  const plain = await svc(["debug", hash, "--network", "local", ...nodes, "--json"]);
  expect(JSON.parse(plain.stdout).verdict.kind).toBe("exact");
  for (const words of [
    ["debug", url],
    ["debug", `0x${hash.toUpperCase()}`, "-n", "local"],
    ["--network", "standalone", "debug", url],
  ]) {
    const { stdout, exitCode } = await svc([...words, ...nodes, "--json"]);
    expect([words, exitCode]).toEqual([words, 0]);
    expect(JSON.parse(stdout).hash).toBe(hash);
  }
  const stdin = `${url}#frag # of a page\n0x${hash}\n`;
  const piped = await svc(["debug", "-", ...nodes, "--format", "json"], { stdin });
  expect([piped.exitCode, piped.stderr]).toEqual([0, ""]);
  expect(piped.stdout).toContain(hash);
}, 60_000);

test("where no node can be reached, all are named", async () => {
  const nodes = ["--horizon-url", "http://127.0.0.1:9", "--rpc-url", "http://127.0.0.1:9/rpc"];
  const { stderr } = await svc(["debug", HASH, ...nodes]);
  expect(stderr).toStartWith("error: http://127.0.0.1:9 refused the connection (ECONNREFUSED). ");
  expect(stderr).toContain(" http://127.0.0.1:9/rpc refused");
  expect(stderr).toContain("Is the network running on this machine?");
});

test("more letters v than there are levels are the highest", async () => {
  const [most, more] = await Promise.all(
    ["-vvv", "-vvvvv"].map((flag) => svc(["debug", CAPSULE, flag])),
  );
  expect(more?.stdout).toBe(most?.stdout ?? "");
  expect(more?.exitCode).toBe(0);
});

test("color is chosen by --color, NO_COLOR and FORCE_COLOR, in this order", async () => {
  const colored = async (words: readonly string[], environment: Record<string, string>) =>
    (await svc(["debug", CAPSULE, ...words], { environment })).stdout.includes("\u001b[");
  expect(await colored([], {})).toBe(false);
  expect(await colored([], { FORCE_COLOR: "1" })).toBe(true);
  expect(await colored([], { FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
  expect(await colored(["--color", "always"], { NO_COLOR: "1" })).toBe(true);
  expect(await colored(["--color=never"], { FORCE_COLOR: "1" })).toBe(false);
});

test("help is where people look for it", async () => {
  const overview = (await svc(["--help"])).stdout;
  const bare = await svc([]);
  expect([bare.stdout, bare.exitCode]).toEqual([overview, 2]);
  expect((await svc(["help"])).stdout).toBe(overview);
  const debug = (await svc(["debug", "--help"])).stdout;
  expect((await svc(["help", "debug"])).stdout).toBe(debug);
  expect((await svc(["--help", "debug"])).stdout).toBe(debug);
  const group = (await svc(["hsm", "--help"])).stdout;
  expect(group).toContain("hsm list");
  expect((await svc(["help", "hsm"])).stdout).toBe(group);
  expect((await svc(["hsm"])).stdout).toBe(group);
  expect((await svc(["help", "hsm", "test"])).stdout).toStartWith("usage: svc hsm test ");
});

test("help has examples first, flags in groups, and two blanks between a label and its text", async () => {
  const { stdout } = await svc(["debug", "--help"]);
  const headings = stdout.split("\n").filter((line) => /^[A-Z][\w ]*(?::|$)/.test(line));
  const groups = ["Input", "Output", "What if", "CI", "Network", "General", "Exit codes"];
  expect(headings.map((line) => groups.find((each) => line.startsWith(each)))).toEqual(groups);
  expect(stdout.indexOf("svc debug <hash> ")).toBeLessThan(stdout.indexOf("Input"));
  expect(stdout).toMatch(/\n {2}--override-close-time TIME {2,}Run at this close/);
  for (const { name } of PUBLIC_COMMANDS) {
    const help = (await svc([...name.split(" "), "--help"])).stdout;
    for (const line of help.split("\n")) {
      expect(line.length).toBeLessThanOrEqual(80);
      const flag = /^ {2}(?:-\w, )?--[\w-]+(?: \S+(?: …)?)?(.*)$/.exec(line);
      if (flag !== null)
        expect([line, flag[1]]).toEqual([line, expect.stringMatching(/^(?: {2,}\S.*)?$/)]);
    }
  }
}, 60_000);

test("stellar-cli runs it as `stellar svc`", () =>
  inTemporaryDirectory(async (directory) => {
    const binary = join(directory, "stellar-svc");
    symlinkSync(svcBinary(), binary);
    expect((await svc(["help"], { binary })).stdout).toStartWith("usage: stellar svc <command>");
    expect((await svc(["help", "debug"], { binary })).stdout).toContain("stellar svc debug <hash>");
    expect((await svc(["debug", CAPSULE], { binary })).exitCode).toBe(0);
  }));

const MISUSES: Readonly<Record<string, readonly [words: readonly string[], says: string]>> = {
  "URLs of two networks": [
    [
      "debug",
      `https://stellar.expert/explorer/public/tx/${HASH}`,
      `https://stellar.expert/explorer/testnet/tx/${OTHER}`,
    ],
    "The URLs are of several networks: mainnet, testnet.",
  ],
  "a URL against a flag": [
    ["--network", "testnet", "debug", `https://stellar.expert/explorer/public/tx/${HASH}`],
    "The URL is of mainnet, but the flags choose testnet.",
  ],
  "a URL without a hash": [
    ["debug", "https://stellar.expert/explorer/public/account/GA"],
    "the URL has no hash of a transaction",
  ],
  "no such file": [["debug", "missing.capsule.json"], "there is no such file"],
  "two capsules": [["debug", CAPSULE, PACKAGE], "The command has several files."],
  "no such capsule": [
    ["debug", "--from", "nofile"],
    `There is no file ${join(tmpdir(), "nofile")}.`,
  ],
  "a directory": [["debug", "--from", "."], "cannot be read (it is a directory)"],
  "a file that is not JSON": [["debug", "--from", README], "is not a capsule: it is not JSON."],
  "JSON of something else": [["debug", PACKAGE], "is not a capsule: it is other JSON."],
  "neither XDR nor a file": [["simulate", "AAAA"], '"AAAA" is neither XDR in base64 nor a file.'],
  "an argument that there is not": [
    ["debug", CAPSULE, "--override-argument", "z=5"],
    "add_with has no argument `z`. [OVERRIDE_IMPOSSIBLE]\n  what to do: Use x, y or contract_id.",
  ],
  "an argument that does not fit": [
    ["debug", CAPSULE, "--override-argument", "y=99999999999"],
    "Argument `y` has type i32; 99999999999 is too large.",
  ],
  "a balance of no account": [
    ["debug", CAPSULE, "--override-balance", "GABC=5"],
    "Write `--override-balance ACCOUNT=STROOPS`. Replace the balance of an",
  ],
  "nothing to debug": [["debug"], "Pass a transaction hash, the URL of a transaction or a capsule"],
  "a word that resembles nothing": [["debug", HASH, "--format", "yaml"], "Use one of text, "],
  "a hash in the place of a command": [[HASH, "-v"], `what to do: Run \`svc debug ${HASH}\`.`],
  "a page in the place of a command": [["tx.html"], "Run `svc debug tx.html`."],
  "a value of a flag": [
    ["debug", HASH, "--timeout", "soon"],
    "Write `--timeout TIME`. Maximum wait",
  ],
  "a value of an argument": [["fork", "close", "0"], "Write `<ledgers>`. Number of ledgers"],
  "a flag without a command": [["--jsno"], "There is no command after --jsno."],
};

for (const [name, [words, says]] of Object.entries(MISUSES))
  test(`refused: ${name}`, async () => {
    const { stderr, exitCode } = await svc(words);
    expect(stderr).toContain(says);
    expect(exitCode).toBe(2);
  });

test("a header for RPC nodes goes to them, and nowhere else", () =>
  inTemporaryDirectory(async (directory) => {
    const seen: string[] = [];
    const server = (name: string, answer: (request: Request) => Response) =>
      Bun.serve({
        port: 0,
        fetch(request) {
          seen.push(`${name} ${request.headers.get("authorization") ?? "-"}`);
          return answer(request);
        },
      });
    using other = server("other", () => new Response("{}", { status: 500 }));
    using rpc = server("rpc", (request) => {
      if (request.url.endsWith("/moved"))
        return new Response(null, { status: 307, headers: { location: `${other.url}` } });
      const message = `no: ${request.headers.get("authorization")}`;
      return Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32603, message } });
    });
    using horizon = server("horizon", () => new Response("", { status: 404 }));
    writeAll(directory, { token: "s3cret-token\n" });
    const words = ["--rpc-url", `${rpc.url}rpc,${rpc.url}moved`, "--horizon-url", `${horizon.url}`];
    const header = ["--rpc-header", "Authorization: Bearer @token"];
    for (const command of [
      ["debug", HASH, "--debug", "--timing"],
      ["doctor", "--json"],
      ["doctor"],
    ]) {
      const { stdout, stderr } = await svc([...command, ...words, ...header], { directory });
      expect(stdout + stderr).not.toContain("s3cret");
    }
    expect(new Set(seen)).toEqual(new Set(["rpc Bearer s3cret-token", "horizon -", "other -"]));
  }));

function hashOfCapsule(): string {
  return JSON.parse(readFileSync(CAPSULE, "utf8")).record.hash;
}

function writeAll(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
}

function thrownBy(action: () => unknown): { message: string; remedy: string } {
  try {
    action();
  } catch (error) {
    return error as { message: string; remedy: string };
  }
  throw new Error("nothing was thrown");
}

test("a network by its name has none of the nodes and headers of the settings", () =>
  inTemporaryDirectory(async (directory) => {
    mkdirSync(join(directory, "network"));
    const toml = [
      'rpc_url = "https://rpc.example.org"',
      'network_passphrase = "Mine"',
      'rpc_headers = [["X-Key", "saved"]]',
    ];
    writeFileSync(join(directory, "network", "mine.toml"), toml.join("\n"));
    const environment = { STELLAR_CONFIG_HOME: directory };
    const given = {
      rpcUrl: "https://own.example.org",
      rpcHeader: ["X-Key: own"],
      network: "mainnet",
    };
    const shell = { facts: { environment, workingDirectory: directory } } as never;
    const settings = readArguments(shell, NETWORK, given as CommandLineValues);
    expect(configOf(settings)).toMatchObject({ rpcHeaders: [{ name: "X-Key", value: "own" }] });
    const of = (name: string) => configOf(ofNetworkNamed(settings, name, { environment }));
    for (const name of ["testnet", "pubnet", "local"]) {
      const { rpcUrls, rpcHeaders } = of(name);
      expect([name, rpcHeaders, rpcUrls.includes("https://own.example.org")]).toEqual([
        name,
        [],
        false,
      ]);
    }
    expect(of("pubnet").network).toBe("mainnet");
    expect(of("mine")).toMatchObject({
      networkPassphrase: "Mine",
      rpcUrls: ["https://rpc.example.org"],
      rpcHeaders: [{ name: "X-Key", value: "saved" }],
    });
    for (const name of ["moon", "../mine", ""])
      expect(() => of(name)).toThrow(/^--network cannot be/);
  }));
