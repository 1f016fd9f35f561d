// The recorded network, ledger by ledger: each failure with its cause, and no alarm.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import type { FailureEvent } from "../../src/model/follow.ts";
import type { ReplayEngines } from "../../src/verify/replay-transaction.ts";
import { type Followed, follow, testEngines, WATCH_ALL } from "../support/follow-run.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";

/** The value that decided, as the sentences about it name it. */
const DIVISOR = "`denominator`";

let engines: ReplayEngines;
let loopback: Loopback;
beforeAll(async () => {
  await ensureBuilt();
  engines = testEngines();
  loopback = openLoopback();
}, 900_000);
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

function followLedger(ledger: number, fix = false): Promise<Followed> {
  return follow({
    networkPassphrase: loopback.network.passphrase,
    rpcUrls: [loopback.url("rpc", `entries-at=${ledger}`)],
    engines,
    watch: WATCH_ALL,
    options: { fromLedger: ledger, untilLedger: ledger },
    with: { fix },
  });
}

const failures = ({ events }: Followed) =>
  events.flatMap((event): FailureEvent[] => (event.kind === "failure" ? [event] : []));

describe("the recorded network", () => {
  test("fails as recorded, and nothing else is reported", async () => {
    const recorded = loopback.network.transactions.filter(({ soroban }) => soroban);
    const ledgers = [...new Set(recorded.map(({ ledger }) => ledger))];
    let seen = 0;
    const decided: string[] = [];
    for (const ledger of ledgers) {
      if (!loopback.network.sequences.includes(ledger - 1)) continue;
      const followed = await followLedger(ledger);
      const failed = recorded.filter((each) => each.ledger === ledger && each.status === "FAILED");
      const hashes = failures(followed).map(({ hash }) => hash);
      for (const { hash } of failed) expect(hashes).toContain(hash);
      expect([ledger, followed.totals.verdicts.diverged]).toEqual([ledger, 0]);
      expect([ledger, followed.totals.stateMismatches]).toEqual([ledger, 0]);
      for (const { summary, cause, condition, decidedBy, remedy } of failures(followed)) {
        expect(summary.length).toBeGreaterThan(20);
        expect(cause).not.toBe("unexplained");
        if (decidedBy === null) continue;
        decided.push(decidedBy);
        expect(condition).toMatch(/^[0-9a-f]{16}$/);
        if (decidedBy.includes(DIVISOR)) expect(remedy).toContain(DIVISOR);
      }
      seen += failed.length;
    }
    expect(seen).toBeGreaterThan(5);
    expect(decided).toContainEqual(expect.stringContaining(DIVISOR));
  }, 120_000);

  test("a failure has its fix, where one is proven", async () => {
    const name = "cpu budget too low in resources";
    const found = loopback.network.transactions.find((each) => each.name === name);
    const [failure] = failures(await followLedger(found?.ledger ?? 0, true));
    expect(failure).toMatchObject({
      hash: found?.hash,
      verdict: "exact",
      fix: { outcome: "succeeds" },
    });
  }, 60_000);
});
