// Another transaction that came first is named where it is what made one fail, and nowhere else: all
// failing transactions of a recorded network.

import { afterAll, describe, expect, test } from "bun:test";
import { phraseFor, SHELL } from "../../src/base/phrase.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { findConflict } from "../../src/debugger/walk/find-conflict.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { ledgersOfFile } from "../support/follow-run.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { opened } from "../support/opened.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { StreamNetwork } from "../support/stream-network.ts";

/** Name of the transaction → name of the one before it, and what that one changed. */
const INTERFERENCES: Readonly<Record<string, readonly [other: string, changed: RegExp]>> = {
  "same ledger race: get #1": ["same ledger race: del", /removed persistent data Count\(race\) of/],
  "auth entry replayed (nonce exists)": [
    "auth entry used once",
    /created nonce \d+ of account G\w+ first/,
  ],
  "deploy from contract, same salt (exists)": ["deploy from contract #2", /created instance of/],
};

describe("failures of a recorded network", () => {
  const loopback = openLoopback();
  const simulator = openTestSimulator();
  afterAll(() => loopback[Symbol.asyncDispose]());

  for (const transaction of loopback.network.transactions) {
    if (transaction.status === "SUCCESS" || !transaction.soroban) continue;
    const expected = INTERFERENCES[transaction.name];
    const what = expected === undefined ? "no other transaction" : expected[0];
    test(`${transaction.name}: ${what}`, async () => {
      const { network } = loopback;
      const before = network.file(transaction).preEntries?.result?.latestLedger;
      const walk = openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
      const deps = { ...walk, simulator, progress: () => {} };
      const found = await debugTransaction(deps, transaction.hash, { signal: NEVER_ABORTED });
      const { conflict } = found;
      if (expected === undefined) {
        expect(conflict).toBeUndefined();
        return;
      }
      expect(conflict?.summary).toMatch(expected[1]);
      expect(conflict?.entries.length).toBe(1);
      const other = network.find(conflict?.transactionHash ?? "");
      expect(other?.name).toBe(expected[0]);
    });
  }

  test("what the same call has done is not to be sent again, and a removed entry has its key", async () => {
    const remedies = [
      "auth entry replayed (nonce exists)",
      "deploy from contract, same salt (exists)",
    ];
    for (const name of [...remedies, "same ledger race: get #1"]) {
      const { network } = loopback;
      const transaction = network.named(name);
      const before = network.file(transaction).preEntries?.result?.latestLedger;
      const walk = openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
      const deps = { ...walk, simulator, progress: () => {} };
      const found = await debugTransaction(deps, transaction.hash, { signal: NEVER_ABORTED });
      const { transactionHash, ledger, repeats } = found.conflict ?? {};
      const remedy = phraseFor(found.remedy ?? "", SHELL);
      if (remedies.includes(name)) {
        expect([name, repeats]).toEqual([name, "call"]);
        expect(remedy).toStartWith(
          `Do not send this call again: it already succeeded in transaction ${transactionHash} (ledger ${ledger}). `,
        );
      } else
        expect(remedy).toBe(
          "If the entry should exist, first send the transaction that creates it.",
        );
    }
  });

  test("who used a nonce first is named where no replay is what the chain ran, too", async () => {
    const { hash } = loopback.network.named("auth entry replayed (nonce exists)");
    for (const switches of ["omit=0", "omit=1", "no-entries"]) {
      const walk = openWalk(loopback, { rpc: [switches] });
      const dependencies = { ...walk, simulator, progress: () => {} };
      const found = await debugTransaction(dependencies, hash, { signal: NEVER_ABORTED });
      expect([switches, found.verdict?.kind]).toEqual([switches, "inconclusive"]);
      const { transactionHash = "", summary } = found.conflict ?? {};
      expect(loopback.network.find(transactionHash)?.name).toBe("auth entry used once");
      expect(summary).toMatch(/created nonce 788559350583908603 of account GCXG\w+ first\.$/);
    }
  });

  test.skipIf(!hasCorpus("core-streams"))(
    "who created an entry is not in the way of its extension, which does nothing without it",
    async () => {
      const path = corpusPath("core-streams/InvokeHostFunctionTests/04530f6112a41176.xdr.zst");
      const networkPassphrase = "(V) (;,,;) (V)";
      const network = new StreamNetwork(await ledgersOfFile(path), networkPassphrase);
      await using nodes = network.serve();
      const horizonUrls = [nodes.horizonUrl(network.last)];
      const rpcUrls = [nodes.rpcUrl(network.last, true)];
      const walk = openWalk(loopback, { more: { networkPassphrase, horizonUrls, rpcUrls } });
      const dependencies = { ...walk, simulator, progress: () => {} };
      const hash = "86960e2e24698432c56eb1bedff26b37e6fb67b97769552c00f9127941212247";
      const found = await debugTransaction(dependencies, hash, { signal: NEVER_ABORTED });
      expect(found.explanation.cause?.summary).toStartWith(
        "Entry size limit exceeded: contract code",
      );
      expect(found.conflict).toBeUndefined();
    },
  );

  test("no more earlier transactions are looked at than the limit allows", async () => {
    const { hash, ledger } = loopback.network.named("same ledger race: get #1");
    const walk = openWalk(loopback, { rpc: [`entries-at=${ledger - 1}`] });
    const dependencies = { ...walk, simulator, progress: () => {} };
    const found = await debugTransaction(dependencies, hash, { signal: NEVER_ABORTED });
    const { record, snapshot, verdict, conflict, explanation } = found;
    const { cause } = explanation;
    if (snapshot === null || verdict === null || cause === null) throw new Error("nothing ran");
    const failed = opened({ record, snapshot, verdict, cause });
    const looked = (maximumTransactions: number) =>
      findConflict({ ...dependencies, maximumTransactions }, failed, {
        signal: NEVER_ABORTED,
        caveats: [],
      });
    expect(await looked(0)).toBeNull();
    expect(await looked(1)).toEqual(conflict ?? null);
    expect(conflict).toBeDefined();
  });
});
