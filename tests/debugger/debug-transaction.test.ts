// The walk from a hash to a verdict on recorded networks, with the built svc-sim: exact where the
// state is known, less where it is not, and never a divergence that an unknown state explains.

import { afterAll, describe, expect, test } from "bun:test";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { hasCorpus } from "../support/corpus.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk, type WalkNodes } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { type RecordedTransaction, recordedSessions } from "../support/recorded-network.ts";
import { openTestSimulator } from "../support/simulator.ts";

const WALKS_MILLISECONDS = 120_000;

const simulator = openTestSimulator();

function debug(loopback: Loopback, hash: string, nodes: WalkNodes, networkPassphrase?: string) {
  const walk = openWalk(loopback, {
    ...nodes,
    ...(networkPassphrase === undefined ? {} : { more: { networkPassphrase } }),
  });
  return debugTransaction(
    {
      ...walk,
      ...(networkPassphrase === undefined ? {} : { networkPassphrase }),
      simulator,
      progress: () => {},
    },
    hash,
    { signal: NEVER_ABORTED },
  );
}

type View = (loopback: Loopback, transaction: RecordedTransaction) => WalkNodes;

const before: View = ({ network }, transaction) => {
  const ledger = network.file(transaction).preEntries?.result?.latestLedger;
  return { rpc: [`entries-at=${ledger ?? transaction.ledger}`] };
};
const after =
  (switches = "", horizon = "plain"): View =>
  (_, { ledger }) => ({
    horizon: [horizon],
    rpc: [`entries-at=${ledger}${switches}`],
  });

/** Ran under settings that a later, unrecorded ledger changed: nothing can prove them. */
const SETTINGS_CHANGED_IN = 136;

describe("a recorded network", () => {
  const loopback = openLoopback();
  afterAll(() => loopback[Symbol.asyncDispose]());
  const { transactions } = loopback.network;

  const complete: readonly (readonly [string, View])[] = [
    ["entries from before, and the ledgers since", before],
    ["entries from just after", after()],
    ["no meta from Horizon", after("", "no-meta")],
    ["nothing but ledgers past RPC's retention", after(",past-retention", "no-meta")],
  ];
  for (const [what, view] of complete) {
    test(
      `${what}: everything is exact`,
      async () => {
        const wrong: string[] = [];
        for (const transaction of transactions) {
          const found = await debug(loopback, transaction.hash, view(loopback, transaction));
          const kind = found.verdict?.kind ?? (found.classic ? "classic" : "none");
          const known = transaction.ledger > SETTINGS_CHANGED_IN;
          const expected = !transaction.soroban ? "classic" : known ? "exact" : "not exact";
          const told = kind === "equivalent" || kind === "inconclusive" ? "not exact" : kind;
          if (told !== expected) wrong.push(`${transaction.n} ${transaction.name}: ${kind}`);
        }
        expect(wrong).toEqual([]);
      },
      WALKS_MILLISECONDS,
    );
  }

  const partial: readonly (readonly [string, View])[] = [
    ["entries of a later ledger, and the ledgers between", (_, { ledger }) => later(ledger + 5)],
    ["entries of the last ledger", () => later(999)],
    ["entries of the last ledger and no ledgers", () => later(999, ",no-ledgers")],
    ["no entries at all", () => ({ rpc: ["no-entries"] })],
    ["RPC alone, without ledgers", () => ({ horizon: [], rpc: ["no-ledgers,entries-at=999"] })],
  ];
  for (const [what, view] of partial) {
    test(
      `${what}: no divergence, and nothing exact without its proof`,
      async () => {
        const wrong: string[] = [];
        for (const transaction of transactions.filter(({ soroban }) => soroban)) {
          const { verdict, snapshot, record } = await debug(
            loopback,
            transaction.hash,
            view(loopback, transaction),
          );
          const assumed =
            record.assumedFacts !== undefined ||
            snapshot?.unknown.length !== 0 ||
            [...(snapshot?.entries ?? []), ...(snapshot?.settings ?? [])].some(
              ({ provenance }) => provenance.kind === "assumed",
            );
          const bad = verdict?.kind === "diverged" || (verdict?.kind === "exact" && assumed);
          if (bad) wrong.push(`${transaction.n} ${transaction.name}: ${verdict?.kind}`);
        }
        expect(wrong).toEqual([]);
      },
      WALKS_MILLISECONDS,
    );
  }
});

function later(ledger: number, switches = ""): WalkNodes {
  return { rpc: [`entries-at=${ledger}${switches}`] };
}

const corpus = needs("../shared/corpus", hasCorpus("rpc-recordings"));

describe("recorded RPC sessions around failures on public networks", () => {
  const sessions = hasCorpus("rpc-recordings") ? recordedSessions() : [];
  const loopback = openLoopback();
  afterAll(() => loopback[Symbol.asyncDispose]());

  for (const session of sessions) {
    test(`${session.name}: the right outcome and an honest verdict`, async () => {
      const network = session.recorded.find(({ method }) => method === "getNetwork")?.result;
      const { passphrase } = network as { passphrase: string };
      const switches = [`session=${session.name}`];
      const found = await debug(
        loopback,
        session.input.hash,
        { horizon: switches, rpc: switches },
        passphrase,
      );
      expect(found.explanation.success).toBe(false);
      expect(found.explanation.cause).not.toBeNull();
      expect(found.verdict?.kind).toBe(found.classic ? undefined : "inconclusive");
      expect(found.record.assumedFacts).not.toBeUndefined();
      if (found.classic) return;
      const { fees, replayOnly } = found.explanation;
      expect(replayOnly.filter((fact) => fact !== "calls")).toEqual([]);
      const { chargedStroops, inclusionFeeStroops, nonRefundableStroops } = fees;
      const parts = [inclusionFeeStroops, nonRefundableStroops, fees.refundableConsumedStroops];
      expect(parts.reduce((sum, part) => sum + BigInt(part ?? 0), 0n)).toBe(BigInt(chargedStroops));
    });
  }

  corpus.test("an expired authorization costs what it cost", async () => {
    const session = sessions.find(({ name }) => name === "onchain-auth-expired");
    const switches = ["session=onchain-auth-expired"];
    const nodes = { horizon: switches, rpc: switches };
    const hash = session?.input.hash ?? "";
    const passphrase = "Test SDF Network ; September 2015";
    const { explanation } = await debug(loopback, hash, nodes, passphrase);
    expect(explanation.fees).toMatchObject({
      chargedStroops: "9836",
      inclusionFeeStroops: "100",
      nonRefundableStroops: "9736",
      refundStroops: "12604",
    });
    expect(explanation.resources[0]).toMatchObject({ name: "CPU", used: "993755" });
  });
});
