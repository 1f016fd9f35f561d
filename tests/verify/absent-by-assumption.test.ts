// What is only assumed to be absent, the ledger engine proves by what the chain metered, and a node
// that leaves an entry out gains nothing: each verdict is the one that whole executions give.

import { beforeAll, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { openSources } from "../../src/sources/open-source.ts";
import { verifyRange } from "../../src/verify/verify-ledgers.ts";
import { isSettingKey } from "../../src/xdr/reader/keys.ts";
import { openLongChain } from "../support/long-chain.ts";
import { NEVER_ABORTED as signal } from "../support/loopback-walk.ts";

const LEDGERS = 24;
/** Later than the chain's: what is run under it as well is always run in full. */
const REHEARSED_PROTOCOL = 30;

beforeAll(ensureBuilt, 900_000);

async function verified(omitted: number, rehearseProtocol: number | null) {
  await using chain = openLongChain({ successes: 6, failures: 6, varied: true });
  chain.leavesOut = (key) =>
    omitted > 0 && !isSettingKey(key) && Bun.hash.crc32(key) % omitted === 0;
  chain.tip = chain.first + LEDGERS + 1;
  const networkPassphrase = chain.passphrase;
  const clock = systemClock;
  const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
  const { sources } = openSources(
    { http, clock },
    {
      ...{ network: "custom", networkPassphrase, horizonUrls: [], rpcUrls: [chain.url] },
      origins: {} as never,
    },
  );
  const found = await verifyRange(
    {
      ...{ program: { path: SIMULATOR_BINARY }, networkPassphrase, sources, rehearseProtocol },
      ...{ jobs: 1, keepNotExact: 10_000, progress: () => {} },
    },
    { first: chain.first + 1, last: chain.first + LEDGERS },
    { signal },
  );
  const { transactions, verdicts, exactUnconfirmed, mismatches } = found;
  const notExact = JSON.stringify(found.notExact).replaceAll(chain.url, "the node");
  return { transactions, verdicts, exactUnconfirmed, mismatches, notExact: JSON.parse(notExact) };
}

test.each([0, 2, 3, 5, 7])(
  "is what whole executions find, where the node leaves out one entry of %d",
  async (omitted) => {
    const fast = await verified(omitted, null);
    expect(fast).toEqual(await verified(omitted, REHEARSED_PROTOCOL));
    if (omitted === 0) expect(fast.verdicts.exact).toBe(12 * LEDGERS);
  },
  300_000,
);
