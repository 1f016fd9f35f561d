// Writes the capsules that the repository holds, from the recorded network and from a fork:
//   bun tests/support/make-capsules.ts [PATH …]

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  Address,
  Contract,
  nativeToScVal,
  Operation,
  type Transaction,
  TransactionBuilder,
  xdr,
} from "@stellar/stellar-sdk";
import { SVC_BINARY } from "../../scripts/ensure-built.ts";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { encodeCapsule } from "../../src/sources/files/capsule.ts";
import { openFork } from "./fork.ts";
import { openLoopback } from "./loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "./loopback-walk.ts";

const ROOT = join(import.meta.dir, "../..");
/** The provenance in a capsule names the node. */
const PORT = 8000;
const RECORDED: Readonly<Record<string, string>> = {
  "bench/increment.capsule.json":
    "ae9093c712a1b5e4a4a7a6f442b8ccd368742ace8a7a9fd477a26dc4a3b2d243",
  "examples/archived-entry.capsule.json":
    "c06a4179f23bbfa3cf9b916e94cf251a096824a885df5dc00ab2ca5df679d74f",
  "examples/cpu-limit-too-low.capsule.json":
    "c2234dc50e555ca4c7964452a55d59cc84340731406cd3c45cbd1d4e0adbf5e7",
  "examples/missing-trustline.capsule.json":
    "59cbcad6be24b7d731223d816bfde43274d3d077a983b3f41c9909e4a2e651db",
  "examples/overflow-in-callee.capsule.json":
    "bb9cd617c83fafb9bd6d88e3d113f160ce38cb7f0335ebf66e55c3e9c284364e",
  "examples/stale-footprint.capsule.json":
    "ff93c6f8e2c41dd7fcf9076d8c71259a9eab6065f95c5bb34fc016bdd07e0c6b",
  "examples/write-bytes-too-low.capsule.json":
    "2a748ca28a978895daec9197a372dbc35de35800d6debdc89132fb65d017892f",
  "examples/wrong-signer.capsule.json":
    "727b40366ee8597720d3e0def3a2f0b3f9540568cb4d5dc259d06dddeb8e2634",
  "tests/fixtures/capsules/too-many-events.capsule.json":
    "7f722cfebf556a7c334c46941ce5a0b74a16c8bfbdd168cd8e823f3120618922",
};
const CONTRACT_ERROR = "examples/contract-error.capsule.json";
const LOCAL_PASSPHRASE = "Standalone Network ; February 2017";

const wanted = process.argv.slice(2);
const isWanted = (path: string) => wanted.length === 0 || wanted.includes(path);
await makeRecorded();
if (isWanted(CONTRACT_ERROR)) await makeContractError();

async function makeRecorded(): Promise<void> {
  await using loopback = openLoopback({ port: PORT });
  for (const [path, hash] of Object.entries(RECORDED)) {
    if (!isWanted(path)) continue;
    const ledger = loopback.network.find(hash)?.ledger;
    const walk = openWalk(loopback, { rpc: [`entries-at=${ledger}`] });
    const dependencies = { ...walk, progress: () => {} };
    const { record, snapshot } = await captureTransaction(dependencies, hash, {
      signal: NEVER_ABORTED,
    });
    writeFileSync(join(ROOT, path), encodeCapsule(record, snapshot));
  }
}

/** A vault refuses to pay out more than the caller has in it. The resources are those of less. */
async function makeContractError(): Promise<void> {
  await using fork = await openFork({ networkPassphrase: LOCAL_PASSPHRASE });
  const { node, networkPassphrase } = fork;
  const alice = fork.keypair(0);
  const owner = Address.fromString(alice.publicKey());
  const send = async (transaction: Transaction) => {
    const { hash } = await node.sendTransaction(transaction);
    await node.pollTransaction(hash);
    return hash;
  };
  const wasm = await Bun.file(join(ROOT, "tests/contracts/vault-z.wasm")).bytes();
  await send(await fork.signed(alice, Operation.uploadContractWasm({ wasm })));
  const wasmHash = new Bun.CryptoHasher("sha256").update(wasm).digest();
  const salt = new Uint8Array(32).fill(1);
  const creation = Operation.createCustomContract({ address: owner, wasmHash, salt });
  const created = await node.getTransaction(await send(await fork.signed(alice, creation)));
  if (created.status !== "SUCCESS" || created.returnValue === undefined)
    throw new Error("the vault was not created");
  const vault = Address.fromScVal(created.returnValue).toString();
  const i128 = (value: bigint) => nativeToScVal(value, { type: "i128" });
  const key = xdr.ScVal.scvVec([xdr.ScVal.scvSymbol("Balance"), owner.toScVal()]);
  await fork.call("fork_setStorage", {
    contract: vault,
    key: key.toXDR("base64"),
    value: i128(12_000n).toXDR("base64"),
    durability: "persistent",
  });
  const withdraw = (amount: bigint) =>
    new Contract(vault).call("withdraw", owner.toScVal(), i128(amount));
  const simulated = await node.simulateTransaction(
    await fork.build(alice.publicKey(), withdraw(5000n)),
  );
  if (!("transactionData" in simulated)) throw new Error("the withdrawal was not simulated");
  const fee = String(100 + Number(simulated.minResourceFee));
  const account = await node.getAccount(alice.publicKey());
  const transaction = new TransactionBuilder(account, { fee, networkPassphrase })
    .addOperation(withdraw(50_000n))
    .setSorobanData(simulated.transactionData.build())
    .setTimeout(0)
    .build();
  transaction.sign(alice);
  const words = ["capture", await send(transaction), "--rpc-url", fork.url];
  const save = ["--save", join(ROOT, CONTRACT_ERROR)];
  const { exited } = Bun.spawn([SVC_BINARY, ...words, ...save], { stdio: [null, null, "inherit"] });
  if ((await exited) !== 0) throw new Error("svc capture failed");
}
