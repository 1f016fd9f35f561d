// The tools through the official client, over both transports: on every recorded failure the first
// answer names the cause, and no answer is larger than an agent can afford.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hasCorpus } from "../support/corpus.ts";
import { openDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { connectHttp, connectStdio, type McpClient, nodeFlags } from "../support/mcp-client.ts";
import { needs } from "../support/needs.ts";
import { recordedSessions } from "../support/recorded-network.ts";

const WALKS_MILLISECONDS = 300_000;
const MOST_TOOLS = 10;
/** 4,100 tokens of four characters. */
const MOST_LIST_CHARACTERS = 16_400;
const TESTNET = "Test SDF Network ; September 2015";
const MAINNET = "Public Global Stellar Network ; September 2015";
const SESSION_CAUSES = [
  ["mainnet-wild-trapped-1", "stale-simulation"],
  ["onchain-auth-expired", "authorization-expired"],
  ["onchain-budget-exceeded", "cpu-exceeded"],
  ["onchain-contract-error-1", "contract-error"],
  ["onchain-footprint-miss", "footprint-miss"],
  ["onchain-payment-underfunded", "result-code"],
  ["onchain-wasm-panic", "contract-panic"],
];
const CAPSULES = join(import.meta.dir, "..", "..", "examples");

let loopback: Loopback;
let daemon: TestDaemon;
let overHttp: McpClient;
let overStdio: McpClient;
beforeAll(async () => {
  loopback = openLoopback();
  daemon = await openDaemon(loopback);
  overHttp = await connectHttp(daemon.url);
  overStdio = await connectStdio([...nodeFlags(loopback), "--allow-directory", CAPSULES]);
});
afterAll(async () => {
  await overStdio[Symbol.asyncDispose]();
  await overHttp[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

const failures = () => loopback.network.transactions.filter(({ status }) => status === "FAILED");

interface Report {
  readonly outcome: Readonly<Record<"cause" | "headline" | "remedy", unknown>>;
  readonly verdict: { readonly kind: string } | null;
}

describe("the list of tools", () => {
  test("is small, and all tools only read but for the new file of a capture", async () => {
    const environment = { SVC_DAEMON_ALLOW_DIRECTORY: CAPSULES };
    await using withFiles = await openDaemon(loopback, { environment });
    await using filesOverHttp = await connectHttp(withFiles.url);
    // With a history archive a tool takes more.
    await using proving = await connectStdio(["-n", "testnet", "--allow-directory", CAPSULES]);
    for (const [mcp, count] of [
      [overHttp, MOST_TOOLS - 1],
      [filesOverHttp, MOST_TOOLS],
      [overStdio, MOST_TOOLS],
      [proving, MOST_TOOLS],
    ] as const) {
      const { tools } = await mcp.client.listTools();
      expect(tools.length).toBe(count);
      const provers = tools.filter(({ inputSchema }) => inputSchema.properties?.prove);
      expect(provers.length).toBe(mcp === proving ? 1 : 0);
      expect(JSON.stringify({ tools }).length).toBeLessThan(MOST_LIST_CHARACTERS);
      const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
      expect(writing.map(({ name }) => name)).toEqual(
        count >= MOST_TOOLS ? ["capture_transaction"] : [],
      );
      expect(tools.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);
    }
  });
});

const corpus = needs("../shared/corpus", hasCorpus("rpc-recordings"));

describe("the first answer", () => {
  test(
    "of every recorded failure names the cause that the report names, over both transports",
    async () => {
      expect(failures().length).toBeGreaterThan(20);
      for (const { hash, name } of failures()) {
        const report = (await (await daemon.post("/v1/debug", { hash })).json()) as Report;
        const { cause, headline, remedy } = report.outcome;
        expect([name, cause]).not.toEqual([name, null]);
        for (const mcp of [overHttp, overStdio]) {
          const answer = await mcp.call("debug_transaction", { hash });
          expect([name, answer.cause]).toEqual([name, cause]);
          expect(answer).toMatchObject({ headline, remedy, verdict: report.verdict?.kind ?? null });
          // What matters most is first, also for a reader that stops early.
          expect(Object.keys(answer).slice(0, 6)).toEqual([
            ...["verdict", "success", "headline", "cause", "evidence", "remedy"],
          ]);
        }
      }
    },
    WALKS_MILLISECONDS,
  );

  test.each(["overflow-in-callee", "write-bytes-too-low"])(
    "of the capsule %s names it",
    async (name) => {
      const answer = await overStdio.call("debug_transaction", { capsule: `${name}.capsule.json` });
      expect(answer).toMatchObject({ verdict: "exact", cause: { confidence: "known" } });
      expect((answer.caveats as string[])[0]).toMatch(/^Not confirmed by a ledger: /);
    },
  );

  corpus.test(
    "of every recorded session names the cause",
    async () => {
      const found: string[][] = [];
      for (const { name, input } of recordedSessions()) {
        const { hash } = input;
        await using mcp = await connectStdio([
          ...["--network-passphrase", name.startsWith("mainnet") ? MAINNET : TESTNET],
          ...["--rpc-url", loopback.url("rpc", `session=${name}`)],
        ]);
        const { cause } = await mcp.call("debug_transaction", { hash });
        const { kind } = cause as { kind: string };
        found.push([name, kind]);
      }
      expect(found).toEqual(SESSION_CAUSES);
    },
    WALKS_MILLISECONDS,
  );
});
