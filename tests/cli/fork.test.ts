// svc fork on the compiled binary: a fork, the commands that change it, and svc's own tools on it.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  Asset,
  BASE_FEE,
  Keypair,
  Operation,
  rpc,
  StrKey,
  TransactionBuilder,
} from "@stellar/stellar-sdk";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { LOCAL_NETWORK } from "../../src/model/networks.ts";
import { NEWEST_PROTOCOL } from "../../src/model/protocols.ts";
import { Session } from "../dap/debug-client.ts";
import { connectHttp, connectStdio } from "../support/mcp-client.ts";
import { svc, svcBinary } from "./run-svc.ts";

interface Started {
  readonly url: string;
  readonly networkPassphrase: string;
  readonly accounts: readonly { readonly address: string; readonly secret: string }[];
}

const BUILD_MILLISECONDS = 120_000;
const directory = mkdtempSync(join(tmpdir(), "svc-fork-"));
const stateFile = join(directory, "state.json");
let running: Bun.Subprocess<"ignore", "pipe", "inherit">;
let fork: Started;

function start(...words: string[]) {
  return startPlain("--json", ...words);
}

function startPlain(...words: string[]) {
  return Bun.spawn([svcBinary(), "fork", "--port", "0", ...words], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env.PATH, HOME: directory, SVC_SIM_PATH: SIMULATOR_BINARY },
  });
}

async function readStarted(process: typeof running): Promise<Started> {
  const reader = process.stdout.getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the fork has ended: ${text}`);
    text += new TextDecoder().decode(value);
  }
  return JSON.parse(text);
}

beforeAll(async () => {
  // The newest protocol that the SDK's own reader of ledger headers knows.
  running = start("--empty", "--protocol", "28", "--state", stateFile);
  fork = await readStarted(running);
}, BUILD_MILLISECONDS);
afterAll(async () => {
  running.kill("SIGKILL");
  await running.exited;
  rmSync(directory, { recursive: true });
});

const cheat = (...words: string[]) => svc(["fork", ...words, "--url", fork.url]);
const server = () => new rpc.Server(fork.url, { allowHttp: true });

async function pay(amount: string): Promise<string> {
  const keypair = Keypair.fromSecret(fork.accounts[0]?.secret ?? "");
  const account = await server().getAccount(keypair.publicKey());
  const { networkPassphrase } = fork;
  const asset = Asset.native();
  const destination = fork.accounts[1]?.address ?? "";
  const transaction = new TransactionBuilder(account, { fee: BASE_FEE, networkPassphrase })
    .addOperation(Operation.payment({ destination, asset, amount }))
    .setTimeout(0)
    .build();
  transaction.sign(keypair);
  return (await server().sendTransaction(transaction)).hash;
}

async function deploy(asset: Asset, isSigned = true): Promise<string> {
  const keypair = Keypair.fromSecret(fork.accounts[0]?.secret ?? "");
  const account = await server().getAccount(keypair.publicKey());
  const { networkPassphrase } = fork;
  const built = new TransactionBuilder(account, { fee: BASE_FEE, networkPassphrase })
    .addOperation(Operation.createStellarAssetContract({ asset }))
    .setTimeout(0)
    .build();
  const prepared = await server().prepareTransaction(built);
  if (isSigned) prepared.sign(keypair);
  return (await server().sendTransaction(prepared)).hash;
}

test("its transactions are debugged like any network's, and exactly", async () => {
  const hash = await deploy(Asset.native());
  const { exitCode, stdout } = await svc(["debug", hash, "--rpc-url", fork.url, "--json"]);
  const { verdict, origins } = JSON.parse(stdout);
  expect([exitCode, verdict.kind]).toEqual([0, "exact"]);
  expect(origins.envelope).toBe(`fork ${fork.url}`);
});

test("a report of its transactions, and of their capsules, says that they are a fork's", async () => {
  const { transactions } = await server().getTransactions({ startLedger: 2 });
  const hash = transactions.at(-1)?.txHash ?? "";
  const capsule = join(directory, "deploy.capsule.json");
  await svc(["capture", hash, "--rpc-url", fork.url, "--save", capsule]);
  const online = await svc(["debug", hash, "--rpc-url", fork.url]);
  const offline = await svc(["debug", "--from", capsule]);
  const words = ["debug", hash, "--rpc-url", fork.url, "--network-passphrase"];
  const named = await svc([...words, LOCAL_NETWORK.passphrase]);
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ hash });
  const own = await fetch(`${fork.url}/v1/debug`, { method: "POST", headers, body });
  expect((await own.json()) as object).toMatchObject({ ledger: { isFork: true } });
  for (const { stdout } of [online, offline, named])
    expect(stdout).toContain(`${hash} (fork of local)`);
});

test("agents debug its transactions: over its own /mcp, and with `svc mcp`", async () => {
  const { transactions } = await server().getTransactions({ startLedger: 2 });
  const hash = transactions.at(-1)?.txHash;
  for (const connect of [
    () => connectHttp(fork.url),
    () => connectStdio(["--rpc-url", fork.url]),
  ]) {
    await using agent = await connect();
    const answer = await agent.call("debug_transaction", { hash });
    expect(JSON.stringify(answer)).toContain('"exact"');
  }
});

test("an editor steps through them", async () => {
  const { transactions } = await server().getTransactions({ startLedger: 2 });
  const hash = transactions.at(-1)?.txHash;
  await using session = new Session();
  await session.launch({ hash, rpcUrl: fork.url, stopAt: "entry" });
  expect(session.output.find((line) => line.includes("…"))).toContain("exact");
});

test("of a transaction without its signatures, svc says who was impersonated", async () => {
  const account = fork.accounts[0]?.address ?? "";
  await cheat("impersonate", account);
  const hash = await deploy(new Asset("USD", account), false);
  await cheat("impersonate", account, "--stop");
  const { stdout } = await svc(["debug", hash, "--rpc-url", fork.url, "--json"]);
  const { verdict } = JSON.parse(stdout);
  const detail = `The fork did not ask for signatures of ${account}. A network would have refused the transaction.`;
  expect([verdict.kind, verdict.caveats]).toEqual([
    "equivalent",
    [{ kind: "not-compared", keyXdr: null, detail }],
  ]);
}, 60_000);

test("the commands inside it change the running fork", async () => {
  const account = Keypair.random().publicKey();
  expect((await cheat("fund", account, "--amount", "12.5")).exitCode).toBe(0);
  expect((await server().getAccountEntry(account)).balance).toBe(125_000_000n);
  const mark = (await cheat("mark")).stdout.trim();
  const { sequence } = await server().getLatestLedger();
  expect((await cheat("close", "3")).stdout).toBe(`ledger ${sequence + 3}\n`);
  expect((await cheat("warp", "--to-ledger", String(sequence + 500))).exitCode).toBe(0);
  expect((await cheat("revert", mark)).stdout).toBe(`ledger ${sequence}\n`);
  const file = join(directory, "snapshot.json");
  expect((await cheat("snapshot", "--output", file)).exitCode).toBe(0);
  const snapshot = await Bun.file(file).json();
  expect(snapshot.sequence_number).toBe(sequence);
  const keys = snapshot.ledger_entries.map(([key]: [object]) => key);
  expect(keys).toContainEqual({ account: { account_id: account } });
});

test("a port that is taken, and a contract from a file", async () => {
  const { port } = new URL(fork.url);
  const taken = await svc(["fork", "--empty", "--port", port, "--block-time", "5s"]);
  expect([taken.exitCode, taken.stderr]).toEqual([
    3,
    expect.stringContaining("ADDRESS_UNAVAILABLE"),
  ]);
  const wasm = join(import.meta.dir, "../contracts/token.wasm");
  const { stdout } = await cheat("set-code", "--wasm", wasm);
  const installed = await server().getContractWasmByHash(Buffer.from(stdout.trim(), "hex"));
  expect(installed.length).toBe(Bun.file(wasm).size);
  const contract = StrKey.encodeContract(new Uint8Array(32).fill(0xaa));
  expect((await cheat("etch", contract, "--wasm", wasm)).exitCode).toBe(0);
  expect((await server().getContractWasmByContractId(contract)).length).toBe(installed.length);
});

test("its ledgers agree with each other, what a cheat writes included", async () => {
  const account = fork.accounts[0]?.address ?? "";
  await cheat("fund", account, "--amount", "777");
  await pay("5");
  const { sequence } = await server().getLatestLedger();
  const verified = await svc(["verify", `2..${sequence}`, "--rpc-url", fork.url, "--json"]);
  expect(verified.exitCode).toBe(0);
  const watched = await svc([
    "watch",
    "--from-ledger",
    "3",
    "--until-ledger",
    String(sequence),
    "--rpc-url",
    fork.url,
  ]);
  expect([watched.exitCode, watched.stdout]).toEqual([
    0,
    expect.stringContaining("0 state mismatches"),
  ]);
});

test("a saved fork is loaded into the running one, and what is none is refused", async () => {
  const saved = join(directory, "saved.json");
  expect((await cheat("save", "--output", saved)).exitCode).toBe(0);
  const { sequence } = await server().getLatestLedger();
  await cheat("close", "2");
  const loaded = await cheat("load", saved);
  expect([loaded.stdout, loaded.stderr]).toEqual([`ledger ${sequence}\n`, ""]);
  const refused = await cheat("load", join(import.meta.dir, "../contracts/token.wasm"));
  expect(refused.stderr).toContain(
    "token.wasm is not a saved fork: it is not JSON. [FILE_INVALID]",
  );
});

test("a fork that is not there, and one that refuses", async () => {
  const nobody = await svc(["fork", "close", "--url", "http://127.0.0.1:9"]);
  expect([nobody.exitCode, nobody.stderr]).toEqual([
    4,
    expect.stringContaining("FORK_UNREACHABLE"),
  ]);
  const refused = await cheat("revert", "77");
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("FORK_REFUSED")]);
  expect(refused.stderr).not.toContain("--cheats");
  expect(refused.stderr).toContain("Correct the parameters.");
  const later = { code: -32000, message: "It upgrades.", data: { remedy: "Fork ledger 9." } };
  await using upgraded = Bun.serve({ port: 0, fetch: () => Response.json({ error: later }) });
  const left = await svc(["fork", "close", "--url", upgraded.url.href]);
  expect(left.stderr).toContain("Fork ledger 9.");
  const error = { code: -32601, message: "method not found" };
  await using node = Bun.serve({ port: 0, fetch: () => Response.json({ error }) });
  const without = await svc(["fork", "mark", "--url", node.url.href]);
  expect(without.stderr).toContain("needs `--cheats`");
});

test("a warp needs to know where to, and who is impersonated is said", async () => {
  const nowhere = await cheat("warp");
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([
    2,
    expect.stringContaining("Pass `--seconds`, `--to-time` or `--to-ledger`."),
  ]);
  for (const words of [[], ["all"]]) {
    const all = (await cheat("impersonate", ...words)).stdout;
    expect(all).toBe("transactions of all accounts need no signature\n");
  }
  const both = await cheat("impersonate", "all", fork.accounts[0]?.address ?? "");
  expect([both.exitCode, both.stderr]).toEqual([
    2,
    expect.stringContaining("Pass either `all` or the accounts"),
  ]);
  const none = (await cheat("impersonate", "--stop")).stdout;
  expect(none).toBe("transactions of all accounts need their signatures again\n");
});

test("two forks cannot keep their state in one file", async () => {
  const other = await svc(["fork", "--port", "0", "--state", stateFile, "--offline"]);
  expect([other.exitCode, other.stderr]).toEqual([3, expect.stringContaining("FORK_STATE_IN_USE")]);
  expect(other.stderr).toContain(stateFile);
});

test("a fork that is killed while ledgers close is whole in its file", async () => {
  for (let round = 0; round < 3; round += 1) {
    const sends = [pay("1"), cheat("close", "15")];
    await Promise.race(sends);
    running.kill("SIGKILL");
    await Promise.allSettled([...sends, running.exited]);
    const left = new Bun.Glob("*journal*").scanSync({ cwd: dirname(stateFile), dot: true });
    expect([...left]).toEqual([]);
    running = start("--state", stateFile, "--offline");
    fork = await readStarted(running);
    expect((await server().getHealth()).status).toBe("healthy");
    expect(
      (await server().getAccountEntry(fork.accounts[0]?.address ?? "")).balance,
    ).toBeGreaterThan(0n);
  }
});

test("an empty network runs the newest protocol, or the one that is named", async () => {
  for (const [words, protocol] of [
    [[], NEWEST_PROTOCOL],
    [["--protocol", "28"], 28],
  ] as const) {
    const process = start("--empty", ...words);
    expect(await readStarted(process)).toMatchObject({ protocolVersion: protocol });
    process.kill("SIGKILL");
    await process.exited;
  }
});

test("the fork warns where an envelope for it is valid elsewhere", async () => {
  const banner = async (...words: string[]) => {
    const process = startPlain(...words);
    const chunks = process.stdout.getReader();
    let text = "";
    while (!text.includes("svc debug <hash>"))
      text += new TextDecoder().decode((await chunks.read()).value);
    process.kill("SIGKILL");
    await process.exited;
    return text;
  };
  const warning = "is valid on the real network too";
  const mainnet = "Public Global Stellar Network ; September 2015";
  expect(await banner("--empty")).not.toContain(warning);
  expect(await banner("--from", stateFile, "--offline")).not.toContain(warning);
  expect(await banner("--empty", "--network-passphrase", mainnet)).toContain(warning);
});

test("what cannot be meant is refused", async () => {
  const both = await svc(["fork", "--empty", "--ledger", "5"]);
  expect([both.exitCode, both.stderr]).toEqual([
    2,
    expect.stringContaining("--ledger and --empty"),
  ]);
  const mining = await svc(["fork", "--empty", "--no-mining", "--block-time", "5s"]);
  expect(mining.exitCode).toBe(2);
  const archive = await svc(["fork", "--archive", "--empty"]);
  expect([archive.exitCode, archive.stderr]).toEqual([
    2,
    expect.stringContaining("--archive and --empty"),
  ]);
  const offline = await svc(["fork", "--offline"]);
  expect([offline.exitCode, offline.stderr]).toEqual([2, expect.stringContaining("--from FILE")]);
});
