// A follow that ends and goes on in another process knows what the one before it folded: an entry
// that comes back other than it was evicted is alarmed, whatever lies between.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { openFollowStore } from "../../src/follow/follow-store.ts";
import type { ReplayEngines } from "../../src/verify/replay-transaction.ts";
import { chained } from "../support/chained-ledgers.ts";
import { hasCorpus } from "../support/corpus.ts";
import { follow, testEngines } from "../support/follow-run.ts";
import { MADE_PASSPHRASE, makeLedgers } from "../support/made-ledgers.ts";
import { needs } from "../support/needs.ts";
import { readStaleEntries, restoredIn, staleLedgers } from "../support/stale-entries.ts";
import { StreamNetwork } from "../support/stream-network.ts";

let engines: ReplayEngines;
beforeAll(async () => {
  await ensureBuilt();
  engines = testEngines();
}, 900_000);
afterAll(() => engines[Symbol.asyncDispose]());

/** Ledgers from one restart to the next. */
const STEP = 9;

const corpus = needs("../shared/corpus", hasCorpus("cap-0076"));

corpus.describe("the stale entries of CAP-76, with a restart every so often", () => {
  const entries = hasCorpus("cap-0076") ? readStaleEntries() : [];
  const { ledgers } = staleLedgers(entries, restoredIn);
  const network = new StreamNetwork(chained(makeLedgers(ledgers)), MADE_PASSPHRASE);
  const open = (directory: string) => openFollowStore(directory, MADE_PASSPHRASE, null);
  const to = async (directory: string, url: string, untilLedger: number) => {
    using store = open(directory);
    const options = { fromLedger: network.first, untilLedger };
    return await follow({
      networkPassphrase: MADE_PASSPHRASE,
      rpcUrls: [url],
      engines,
      options,
      store,
    });
  };

  test("are alarmed as in one run", async () => {
    await using nodes = network.serve({ live: { tip: () => network.last } });
    const alarmsOf = (followed: Awaited<ReturnType<typeof to>>) =>
      followed.events.flatMap(({ kind, id }) => (kind === "state-mismatch" ? [id] : []));
    const url = nodes.liveUrl();
    const whole = await to(mkdtempSync(join(tmpdir(), "svc-")), url, network.last);
    const directory = mkdtempSync(join(tmpdir(), "svc-"));
    const alarms: string[] = [];
    let restarts = 0;
    for (let until = network.first; until < network.last; restarts += 1) {
      until = Math.min(until + STEP, network.last);
      alarms.push(...alarmsOf(await to(directory, url, until)));
    }
    expect(restarts).toBeGreaterThan(10);
    expect(alarms).toEqual(alarmsOf(whole));
    expect(alarms).toHaveLength(77);
  }, 120_000);
});
