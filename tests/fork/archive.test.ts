// A fork of a ledger that no node has any more, from what validators published: the state of a
// checkpoint, and the ledgers after it, whose results the archive has too.

import { afterAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Address, Asset, Contract, nativeToScVal } from "@stellar/stellar-sdk";
import { openArchiveBase } from "../../src/fork/base/archive-base.ts";
import { unsupportedOperation } from "../../src/fork/ledger/known-operations.ts";
import { openChain } from "../../src/fork/ledger/open-chain.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { ARCHIVE, configuredArchive, ofArchive } from "../support/archived-records.ts";
import { deployment, expectReplayed, transfer } from "../support/exact-on-fork.ts";
import { openFork } from "../support/fork.ts";
import { CONTEXT } from "../support/made-fork.ts";
import { openTestSimulator } from "../support/simulator.ts";

const { test } = ofArchive;
const simulator = openTestSimulator();
const cache = mkdtempSync(join(tmpdir(), "svc-fork-archive-"));
afterAll(() => rmSync(cache, { recursive: true }));

const CHECKPOINT = 5887;
const LEDGERS = 64;
const { passphrase } = NETWORKS.testnet;
const network = { name: "testnet", passphrase };
const archiveOf = () => configuredArchive([ARCHIVE], cache);

test("the transactions after a checkpoint end as validators signed that they did", async () => {
  const archive = await archiveOf();
  const { base } = await openArchiveBase(archive, network, CHECKPOINT, CONTEXT);
  const chain = openChain(base, simulator);
  const different: string[] = [];
  let count = 0;
  for (let sequence = CHECKPOINT + 1; sequence <= CHECKPOINT + LEDGERS; sequence += 1) {
    const header = await archive.ask((place) => place.chain.header(sequence));
    const all = await archive.ask((place) => place.chain.transactions(sequence));
    const transactions = all.filter(
      ({ envelope }) =>
        unsupportedOperation(openEnvelope(envelope.toBase64(), passphrase)) === null,
    );
    const { transactionSetHash, closeTimeUnixSeconds } = header;
    const ledger = await chain.close(
      transactions.map(({ envelope, stage, cluster, baseFeeStroops }) => ({
        ...{ envelopeXdr: envelope.toBase64(), baseFeeStroops },
        ...(stage !== null && cluster !== null && { stage, cluster }),
      })),
      { ...CONTEXT, transactionSetHash, closeTimeUnixSeconds: BigInt(closeTimeUnixSeconds) },
    );
    for (const { hash, result } of transactions) {
      count += 1;
      const closed = ledger.transactions.find((each) => each.hash === hash);
      if (closed?.resultXdr !== result.toBase64()) different.push(`${sequence} ${hash}`);
    }
  }
  expect(different).toEqual([]);
  expect(count).toBe(19);
}, 60_000);

test("a fork of a checkpoint is a network to send to, and its file reads on in the archive", async () => {
  const archive = async (ledger: number | null) => {
    const opened = await archiveOf();
    return { archive: opened, ledger: ledger ?? opened.latestLedger };
  };
  const options = { networkPassphrase: passphrase, archive };
  await using fork = await openFork({ ...options, choice: { ledger: CHECKPOINT } });
  const [from, to] = [fork.keypair(0), fork.keypair(1)];
  const lumens = new Contract(Asset.native().contractId(passphrase));
  const parties = [from, to].map((each) => new Address(each.publicKey()).toScVal());
  const amount = nativeToScVal(5n, { type: "i128" });
  const call = lumens.call("transfer", ...parties, amount);
  const { hash } = await fork.node.sendTransaction(await fork.signed(from, call));
  expect((await fork.node.getTransaction(hash)).status).toBe("SUCCESS" as never);
  const text = await fork.call<string>("fork_dump");
  const saved = JSON.parse(text);
  expect(saved.followed.sequence).toBe(CHECKPOINT);
  saved.base.entries = [];
  saved.overlay.entries = [];
  const file = { name: "fork.json", text: JSON.stringify(saved) };
  await using again = await openFork({ ...options, choice: { file } });
  const instance = lumens.getFootprint();
  expect((await again.node.getLedgerEntries(instance)).entries).toHaveLength(1);
  saved.base.ledgerHash = "0".repeat(64);
  const other = { name: "fork.json", text: JSON.stringify(saved) };
  await expect(openFork({ ...options, choice: { file: other } })).rejects.toMatchObject({
    code: "FORK_OTHER_NETWORK",
    message: expect.stringContaining(`Ledger ${CHECKPOINT} has another hash at `),
  });
});

test("a ledger between two checkpoints is not forked", async () => {
  const archive = await archiveOf();
  const opening = openArchiveBase(archive, network, CHECKPOINT + 1, CONTEXT);
  await expect(opening).rejects.toMatchObject({
    code: "USAGE",
    message: `Ledger ${CHECKPOINT + 1} is not a checkpoint: a history archive has the state of ledgers ${CHECKPOINT} and ${CHECKPOINT + 64}.`,
  });
});

test.each([CHECKPOINT, 5951])(
  "the transactions of a fork of ledger %d are replayed exactly",
  async (ledger) => {
    const archive = async () => ({ archive: await archiveOf(), ledger });
    const options = { networkPassphrase: passphrase, archive, choice: { ledger } };
    await using fork = await openFork(options);
    await expectReplayed(fork, transfer(fork));
    await expectReplayed(fork, deployment(fork, "USD"));
    await fork.call("fork_impersonate", { accounts: "all" });
    await expectReplayed(fork, transfer(fork), { kind: "equivalent", isSigned: false });
  },
  60_000,
);
