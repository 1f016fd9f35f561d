// Copies the transactions and ledgers of tests/fixtures/network from the complete recorded network,
// without data that no test reads: bun tests/support/cut-network.ts

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readCorpusJson } from "./corpus.ts";
import type { LedgerFile, RecordedTransaction, TransactionFile } from "./recorded-network.ts";

const TARGET = join(import.meta.dir, "../fixtures/network");
/** By number in the manifest: one for each way in which its state is known. */
const CHOSEN = [
  9, 46, 48, 57, 92, 98, 106, 121, 122, 125, 129, 131, 143, 144, 148, 153, 156, 157, 158, 159, 161,
  162,
];

interface Manifest {
  readonly passphrase: string;
  readonly transactions: readonly RecordedTransaction[];
}

function cut(): void {
  rmSync(TARGET, { recursive: true, force: true });
  const manifest = readCorpusJson("network", "manifest.json") as Manifest;
  const transactions = manifest.transactions.filter(({ n }) => CHOSEN.includes(n));
  for (const { file } of transactions) {
    const whole = readCorpusJson("network", `${file}.zst`) as TransactionFile;
    const { rpcGetTransaction, horizonTransaction, preEntries, postEntries, ...sent } = whole;
    const { simulation, sendTransaction } = sent;
    write(`${file}.zst`, {
      rpcGetTransaction,
      horizonTransaction,
      preEntries,
      postEntries,
      simulation,
      sendTransaction,
    });
  }
  const sequences = new Set(transactions.flatMap(({ ledger }) => [ledger - 1, ledger]));
  for (const sequence of sequences) {
    const path = `ledgers/${sequence}.json.zst`;
    const { rpc, horizon } = readCorpusJson("network", path) as LedgerFile;
    write(path, { sequence, rpc, horizon });
  }
  write("config-settings.json", readCorpusJson("network", "config-settings.json"));
  const fields = transactions.map(
    ({ n, name, hash, innerHash, status, ledger, applicationOrder, result, soroban, file }) => ({
      n,
      name,
      hash,
      innerHash,
      status,
      ledger,
      applicationOrder,
      result,
      soroban,
      file,
    }),
  );
  write("manifest.json", { passphrase: manifest.passphrase, transactions: fields });
}

function write(path: string, document: unknown): void {
  const target = join(TARGET, path);
  mkdirSync(dirname(target), { recursive: true });
  const text = `${JSON.stringify(document)}\n`;
  writeFileSync(target, path.endsWith(".zst") ? Bun.zstdCompressSync(text, { level: 19 }) : text);
}

cut();
