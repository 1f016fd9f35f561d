// A range of ledgers whose state nodes show, one of which lies: no transaction is said to differ
// from the chain while another node is honest.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { openSources } from "../../src/sources/open-source.ts";
import { verifyRange } from "../../src/verify/verify-ledgers.ts";
import { LIES } from "../support/lies.ts";
import { type LongChain, openLongChain } from "../support/long-chain.ts";
import { NEVER_ABORTED as signal } from "../support/loopback-walk.ts";

const LEDGERS = 4;

let chain: LongChain;
const servers: Bun.Server<undefined>[] = [];
beforeAll(() => {
  ensureBuilt();
  chain = openLongChain({ successes: 3, failures: 1 });
  chain.tip = chain.first + LEDGERS + 1;
}, 900_000);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop(true)));
  await chain[Symbol.asyncDispose]();
});

/** A node of the same chain; `lie`: of its ledger entries. */
function openNode(lie: string | null): string {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const call = (await request.json()) as { readonly method: string };
      const answer = await fetch(chain.url, { method: "POST", body: JSON.stringify(call) });
      const body = (await answer.json()) as { readonly result?: Record<string, unknown> };
      if (lie !== null && body.result !== undefined) LIES[lie]?.(body.result, call.method, "");
      return Response.json(body);
    },
  });
  servers.push(server);
  return server.url.href;
}

async function verified(lies: readonly (string | null)[]) {
  const networkPassphrase = chain.passphrase;
  const http = openHttp({ clock: systemClock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
  const rpcUrls = lies.map(openNode);
  const { sources } = openSources(
    { http, clock: systemClock },
    { network: "custom", networkPassphrase, horizonUrls: [], rpcUrls, origins: {} as never },
  );
  const found = await verifyRange(
    {
      ...{ program: { path: SIMULATOR_BINARY }, networkPassphrase, sources, jobs: 1 },
      ...{ rehearseProtocol: null, keepNotExact: 1_000, progress: () => {} },
    },
    { first: chain.first + 1, last: chain.first + LEDGERS },
    { signal },
  );
  return { ...found.verdicts, transactions: found.transactions };
}

const LIE = "other-instance";

test("a node that lies alone makes replays differ", async () => {
  expect((await verified([LIE])).diverged).toBeGreaterThan(0);
});

test.each([[[LIE, null]], [[null, LIE]], [[LIE, LIE, null]], [[LIE, null, LIE]]])(
  "beside an honest node no replay differs: %j",
  async (lies) => {
    const { diverged, exact } = await verified(lies);
    expect([diverged, exact >= 3 * LEDGERS]).toEqual([0, true]);
  },
);
