// stellar-cli against a fork: what a contract developer does with it, from an account to a restored
// contract.
//
//   bun acceptance/stellar-cli.ts DIRECTORY     stellar-cli is built there, and kept for the next time
//
// Needs cargo, and the network for the crates. The first build takes a quarter of an hour.

import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type RunningFork, startFork } from "../bench/running-daemon.ts";
import { report } from "./checks.ts";

const VERSION = "28.1.0";
const WASM = resolve(import.meta.dir, "../tests/contracts/token.wasm");
const directory = resolve(Bun.argv[2] ?? "dist/stellar-cli");
const program = join(directory, "bin", "stellar");

if (existsSync(program) || build()) {
  await using fork = await startFork("--empty");
  await run(fork);
} else process.stdout.write("skipped  stellar-cli cannot be built on this machine\n");

/** Builds stellar-cli without the parts for hardware wallets and desktop key stores. */
function build(): boolean {
  const words = ["--version", VERSION, "--locked", "--debug", "--no-default-features"];
  const built = Bun.spawnSync(["cargo", "install", "stellar-cli", ...words, "--root", directory], {
    env: { ...Bun.env, CARGO_TARGET_DIR: join(directory, "target"), CARGO_PROFILE_DEV_DEBUG: "0" },
    stderr: "inherit",
  });
  return built.success;
}

/** `does` checks one command and returns its output. `has`: the part that shows that it worked. */
function openCli(fork: RunningFork) {
  const config = mkdtempSync(join(tmpdir(), "svc-stellar-cli-"));
  const env = { PATH: Bun.env.PATH, HOME: config, XDG_CONFIG_HOME: config };
  const network = ["--rpc-url", fork.url, "--network-passphrase", fork.networkPassphrase];
  Bun.spawnSync([program, "network", "add", "fork", ...network], { env });
  const does = async (words: string, has = /^.*/, isDone = true) => {
    const child = Bun.spawn([program, ...words.split(" ")], {
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, messages] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    const text = `${out}${messages}`;
    const found = has.exec(text);
    const holds = ((await child.exited) === 0) === isDone && found !== null;
    const name = words.replace(/ (--|AAAA|\d).*/, "");
    report(`stellar ${name}`, holds, found?.[0] ?? `${words}\n${text}`);
    return out.trim();
  };
  return { does, config };
}

async function run(fork: RunningFork): Promise<void> {
  const { does, config } = openCli(fork);
  await does("network use fork");
  await does("network health", /Healthy/);
  await does("network info", /Friendbot/);
  await does("network settings", /state_archival/);
  await does("fees stats", /Max Inclusion Fee/);
  await does("keys generate alice --fund");
  await does("keys generate bob");
  await does("keys fund bob", /funded/);
  const alice = await does("keys public-key alice", /^G/);

  const lumens = await does("contract asset deploy --asset native --source alice", /Deployed/);
  const pay = "-- transfer --from alice --to bob --amount 12345";
  await does(`contract invoke --id ${lumens} --source alice ${pay}`, /amount: "12345"/);
  await does(`token balance --id ${lumens} --account bob`, /^100000012345/);

  const hash = await does(`contract upload --wasm ${WASM} --source alice`, /^[0-9a-f]{64}/);
  const deploy = `contract deploy --wasm-hash ${hash} --source alice --alias token`;
  const token = await does(deploy, /Deployed/);
  const balance = "contract invoke --id token --source alice";
  await does(`${balance} -- balance --of alice`, /"0"/);
  await does(`${balance} --send yes -- balance --of alice`, /submitted successfully/);
  const tooMuch = "-- transfer --from alice --to bob --amount 1";
  await does(`${balance} ${tooMuch}`, /Error\(Contract, #7\)/, false);

  await does("contract info interface --id token", /fn transfer/);
  await does("contract info meta --id token", /rssdkver/);
  await does("contract info env-meta --id token", /Protocol: v20/);
  await does("contract info hash --id token", new RegExp(hash));
  const fetched = join(config, "fetched.wasm");
  await does(`contract fetch --id token --out-file ${fetched}`);
  const isSame = Bun.deepEquals(await Bun.file(fetched).bytes(), await Bun.file(WASM).bytes());
  report("the wasm that it fetched is the one that was uploaded", isSame, "");
  await does(`contract read --id ${lumens}`, /LedgerKeyContractInstance/);
  const extend = "--source alice --ledgers-to-extend 200000";
  await does(`contract extend --id token ${extend}`, /New ttl ledger: 2000/);
  await does(`contract extend --wasm-hash ${hash} ${extend}`, /New ttl ledger: 2000/);

  await does(`events --start-ledger 2 --id ${lumens} --output json`, /12345/);
  await does("tx new manage-data --source alice --data-name k --data-value 6869");
  await does(`tx new change-trust --source bob --line USDC:${alice}`);
  const payment = "tx new payment --source alice --destination bob --amount 100";
  const unsigned = await does(`${payment} --build-only`, /^AAAA/);
  const signed = await does(`tx sign --sign-with-key alice ${unsigned}`, /AAAA/);
  await does(`tx send ${signed}`, /"status": "SUCCESS"/);
  const id = await does(`tx hash ${signed}`, /^[0-9a-f]{64}/);
  for (const [part, has] of [
    ["", /payment/],
    [" result", /tx_success/],
    [" meta", /"v4"/],
    [" fee", /SUCCESS/],
    [" events", /transaction_events/],
  ] as const)
    await does(`tx fetch${part} --hash ${id}`, has);
  await does(`ledger fetch ${(await fork.call("getLatestLedger")).sequence}`, /Ledger Sequence/);
  await does("ledger entry fetch account --account alice", /seq_num/);
  const offer = `--selling native --buying USDC:${alice} --amount 10 --price 1:1`;
  await does(`tx new manage-sell-offer --source bob ${offer}`, /manageSellOffer/, false);

  const { sequence } = await fork.call("getLatestLedger");
  await fork.call("fork_warp", { toLedger: sequence + 300_000 });
  await does("contract restore --id token --source alice", /^(?!.*no-op).*New ttl ledger/s);
  await does(
    `contract restore --wasm-hash ${hash} --source alice`,
    /^(?!.*no-op).*New ttl ledger/s,
  );
  await does(`${balance} -- balance --of alice`, /"0"/);
  // The asset's instance has expired too, and a call restores the entries that it needs.
  await does(`contract invoke --id ${lumens} --source alice ${pay}`, /amount: "12345"/);
  const { entries } = await fork.call("getLedgerEntries", {
    keys: [await instanceKey(token)],
  });
  report("the restored contract is live", entries[0]?.liveUntilLedgerSeq > sequence + 300_000, "");
}

async function instanceKey(contract: string): Promise<string> {
  const { Contract } = await import("@stellar/stellar-sdk");
  return new Contract(contract).getFootprint().toXdr("base64");
}
