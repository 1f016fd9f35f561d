// A capsule with a proof, at every door that opens one: what is forged is refused or replaced alike,
// and each says how sure its answer is. And the daemon, which proves a transaction for its clients.

import { afterAll, beforeAll, describe, expect } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTimeLimits } from "../../src/base/time-limits.ts";
import type { ProofOptions } from "../../src/debugger/setup/open-proofs.ts";
import { proveSnapshot } from "../../src/history-archive/prove-snapshot.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { encodeCapsule } from "../../src/sources/files/capsule.ts";
import { stateByReplays } from "../../src/verify/state-by-replays.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import { ENTRY_TYPE, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { Session } from "../dap/debug-client.ts";
import {
  ARCHIVE,
  ARCHIVE_DEFAULTS,
  archivedRecords,
  configuredArchive,
  HAS_ARCHIVE,
  ignorantSnapshot,
  ofArchive,
} from "../support/archived-records.ts";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { connectHttp, connectStdio, type McpClient } from "../support/mcp-client.ts";
import { opened } from "../support/opened.ts";
import { svc } from "./run-svc.ts";

const { test } = ofArchive;
const directory = mkdtempSync(join(tmpdir(), "svc-doors-"));
const kept = join(directory, "kept");
const empty = join(directory, "empty");

const proofWith = (archiveCache: string, historyArchive: readonly string[] = []): ProofOptions => ({
  settings: { ...ARCHIVE_DEFAULTS, archiveCache, historyArchive },
  ...{
    byReplays: stateByReplays,
    confirm: undefined,
    say: () => {},
    time: openTimeLimits(),
    environment: {},
  },
});

let record: ChainRecord;
let proven: Snapshot;
let loopback: Loopback;
const open: AsyncDisposable[] = [];

beforeAll(async () => {
  if (!HAS_ARCHIVE) return;
  loopback = openLoopback();
  open.push(loopback);
  const archive = await configuredArchive([ARCHIVE], kept, undefined, true);
  for await (record of archivedRecords(10)) {
    const { soroban } = opened({ record }).envelope;
    const keys = [...(soroban?.footprint.readOnly ?? []), ...(soroban?.footprint.readWrite ?? [])];
    const isCode = keys.some((keyXdr) => typeOfKey(keyXdr) === ENTRY_TYPE.contractCode);
    if (!isCode || soroban?.footprint.readOnly.length === 0) continue;
    if (!readTransactionResult(record.resultXdr).success) continue;
    proven = await proveSnapshot(ignorantSnapshot(record), opened({ record }), archive);
    if (proven.unknown.length === 0) return;
  }
  throw new Error("No transaction of the archive fits.");
}, 60_000);
afterAll(async () => {
  for (const each of open.toReversed()) await each[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** What a client shows of the capsule; `cache`: where buckets are kept. */
type Door = (file: string, cache: string) => Promise<string>;

const agents = async (client: McpClient, file: string) => {
  const asking = client.call("debug_transaction", { capsule: file });
  const found = await asking.catch(({ message }: Error) => ({ message }));
  return JSON.stringify({ ...found, id: null });
};

const DOORS: Readonly<Record<string, Door>> = {
  async debug(file, cache) {
    const environment = { SVC_ARCHIVE_CACHE: cache };
    const { stdout, stderr } = await svc(["debug", join(directory, file)], { environment });
    return `${stdout}${stderr}`;
  },
  async dap(file, archiveCache) {
    await using session = new Session();
    const launch = { capsule: join(directory, file), archiveCache };
    const failure = await session.launch(launch).then(
      () => "",
      ({ message }) => message as string,
    );
    return `${session.output.join("")}${failure}`;
  },
  async mcp(file, cache) {
    const environment = { SVC_ARCHIVE_CACHE: cache };
    await using client = await connectStdio(
      ["--allow-directory", directory],
      "legacy",
      environment,
    );
    return await agents(client, file);
  },
  async daemon(file, cache) {
    const daemon = { allowDirectory: directory };
    await using served = await openDaemon(loopback, { daemon, proof: proofWith(cache) });
    await using client = await connectHttp(served.url);
    return await agents(client, file);
  },
};

const named = (name: string, snapshot: Snapshot, of: ChainRecord = record) => {
  writeFileSync(join(directory, name), encodeCapsule(of, snapshot));
  return name;
};

/** With a later TTL of an entry that the transaction only reads: no validator signed it. */
function madeUp(): Snapshot {
  const [key = ""] = opened({ record }).envelope.soroban?.footprint.readOnly ?? [];
  const entries = proven.entries.map((entry) =>
    entry.keyXdr === key && entry.liveUntilLedger !== null
      ? { ...entry, liveUntilLedger: entry.liveUntilLedger + 1000 }
      : entry,
  );
  expect(entries).not.toEqual(proven.entries);
  return { ...proven, entries };
}

/** With a result that no validator signed. */
function forged(): ChainRecord {
  const bytes = Uint8Array.fromBase64(record.resultXdr);
  const last = bytes.length - 8;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
  return { ...record, resultXdr: bytes.toBase64() };
}

for (const [name, door] of Object.entries(DOORS))
  describe(name, () => {
    test("a proof is checked, and the state that validators signed takes the place of another", async () => {
      const honest = named("honest.capsule.json", proven);
      const found = await door(honest, kept);
      expect(found).toContain("equivalent");
      expect(found).not.toContain("Not confirmed");
      expect(await door(named("made-up.capsule.json", madeUp()), kept)).toBe(found);
    }, 60_000);

    test("where the buckets are not kept, the state is the capsule's word", async () => {
      const found = await door(named("made-up.capsule.json", madeUp()), empty);
      expect(found).toMatch(/Not\s+confirmed\s+by\s+a\s+ledger/);
      expect(found).toContain("from the capsule");
      expect(found).not.toMatch(/Proven\s+by\s+a\s+history\s+archive:[^.]*entr/);
    }, 60_000);

    test("a result that validators did not sign is refused", async () => {
      const found = await door(named("result.capsule.json", proven, forged()), empty);
      expect(found).toContain("Validators signed another result");
    }, 60_000);
  });

test("a fork does not begin with a result that validators did not sign", async () => {
  const file = join(directory, named("fork.capsule.json", proven, forged()));
  const words = ["fork", "--from", file, "--offline", "--port", "0"];
  const { exitCode, stderr } = await svc(words, { environment: { SVC_ARCHIVE_CACHE: empty } });
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining("NODE_LIED")]);
}, 60_000);

describe("POST /v1/debug with prove", () => {
  const nobody = () => Response.json({ status: 404 }, { status: 404 });
  /** `horizon`: what the node answers to a GET request. */
  const served = async (
    archive: string,
    horizon: (path: string) => Response = nobody,
  ): Promise<TestDaemon> => {
    const fetch = ({ method, url }: Request) =>
      method === "GET" ? horizon(new URL(url).pathname) : nobody();
    const node = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
    open.push({ [Symbol.asyncDispose]: () => node.stop(true) });
    const url = `http://127.0.0.1:${node.port}`;
    const daemon = await openDaemon(loopback, {
      ...{ horizonUrl: url, rpcUrl: url },
      networkPassphrase: NETWORKS.testnet.passphrase,
      daemon: { allowDirectory: directory },
      proof: proofWith(kept, archive === "none" ? [] : [archive]),
    });
    open.push(daemon);
    return daemon;
  };

  const asked = () => ({ hash: record.hash, prove: true, ledger: record.ledger.sequence });

  test("a transaction that no node has comes from the archive, and is counted", async () => {
    const daemon = await served(ARCHIVE);
    const answer = await daemon.post("/v1/debug", asked());
    expect(answer.status).toBe(200);
    const report = { verdict: { kind: "equivalent", unconfirmed: { entries: 0, settings: 0 } } };
    expect(await answer.json()).toMatchObject(report);
    const rpc = { jsonrpc: "2.0", id: 1, method: "debugTransaction", params: asked() };
    expect(await (await daemon.post("/rpc", rpc)).json()).toMatchObject({ result: report });
    // Without `prove`, no archive is asked.
    expect((await daemon.post("/v1/debug", { hash: record.hash })).ok).toBeFalse();
    expect((await scrape(daemon)).get('svc_proofs_total{status="success"}')).toBe(2);
  }, 60_000);

  test("a ledger is for a proof", async () => {
    const daemon = await served(ARCHIVE);
    const { hash, ledger } = record;
    for (const prove of [{}, { prove: false }]) {
      const asked = { hash, ledger: ledger.sequence, ...prove };
      const answer = await daemon.post("/v1/debug", asked);
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      expect([answer.status, error.code]).toEqual([400, "REQUEST_INVALID"]);
      expect(error.message).toBe("The field ledger is for a proof, and the request asks for none.");
    }
    const wrong = await daemon.post("/v1/debug", { hash: "ab", prove: true });
    expect((await wrong.json()) as object).toMatchObject({ error: { code: "HASH_INVALID" } });
    const { exitCode, stderr } = await svc(["debug", hash, "--ledger", "5"]);
    const says = "--ledger has no effect without --prove";
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says)]);
  }, 60_000);

  test("a result that never was, by which nothing ran, is the node's lie", async () => {
    // TransactionResult: txBAD_SEQ.
    const refused = Buffer.from("0000000000000064fffffffb00000000", "hex").toString("base64");
    const { hash, ledger, envelopeXdr, ledgerHeaderXdr } = record;
    const { sequence } = ledger;
    const lying = (path: string) => {
      if (path === `/ledgers/${sequence}`)
        return Response.json({ sequence, header_xdr: ledgerHeaderXdr });
      if (path !== `/transactions/${hash}`) return nobody();
      return Response.json({
        ...{ hash, ledger: sequence, paging_token: "10913507606659072" },
        ...{ envelope_xdr: envelopeXdr, result_xdr: refused },
        ...{ created_at: "2025-06-18T17:00:00Z", fee_charged: "100", successful: false },
      });
    };
    const daemon = await served(ARCHIVE, lying);
    const answer = await daemon.post("/v1/debug", { hash, prove: true });
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    expect([answer.status, error.code]).toEqual([502, "NODE_LIED"]);
    expect(error.message).toContain("Validators signed another result");
    expect((await scrape(daemon)).get('svc_proofs_total{status="contradicted"}')).toBe(1);
  }, 60_000);

  test("agents ask for it, where there is an archive", async () => {
    const daemon = await served(ARCHIVE);
    await using client = await connectHttp(daemon.url);
    const { hash, ledger } = record;
    const found = await client.call("debug_transaction", {
      ...{ hash, prove: true, ledger: ledger.sequence },
    });
    expect(found).toMatchObject({ hash, verdict: "equivalent" });
    expect(found.proven).toMatch(/^Proven by a history archive: result, ledger header, \d+ entr/);
    const { message } = await client.fail("debug_transaction", { hash, ledger: 5 });
    expect(message).toContain("ledger: only with prove");
    await using without = await connectHttp((await served("none")).url);
    expect((await without.fail("debug_transaction", { hash, prove: true })).code).toBe(
      "REQUEST_INVALID",
    );
    // The list is within what agents can afford, with the archive too.
    const { tools } = await client.client.listTools();
    expect(JSON.stringify({ tools }).length).toBeLessThan(16_500);
  }, 60_000);

  test("a capsule that agents have proven takes the room of a proof, and is no node's lie", async () => {
    const daemon = await served(ARCHIVE);
    await using client = await connectHttp(daemon.url);
    const bytes = Uint8Array.fromBase64(record.resultXdr);
    bytes[bytes.length - 8] = (bytes.at(-8) ?? 0) ^ 1;
    const of = { ...record, resultXdr: bytes.toBase64() };
    const forged = { capsule: named("agent.capsule.json", proven, of), prove: true };
    expect((await client.fail("debug_transaction", forged)).code).toBe("NODE_LIED");
    expect((await scrape(daemon)).get('svc_proofs_total{status="contradicted"}')).toBe(0);
    const honest = { capsule: named("agents.capsule.json", proven), prove: true };
    const all = await Promise.all(
      Array.from({ length: 6 }, () =>
        client.client.callTool({ name: "debug_transaction", arguments: honest }),
      ),
    );
    const refused = all.filter(({ isError }) => isError === true);
    expect(refused.length).toBeGreaterThan(0);
    expect(JSON.stringify(refused)).toContain("proofs of a transaction's state");
  }, 60_000);

  test("an archive that has nothing is an error", async () => {
    const daemon = await served(join(directory, "nowhere"));
    const answer = await daemon.post("/v1/debug", asked());
    const { error } = (await answer.json()) as { error: { code: string } };
    expect([answer.status, error.code]).toEqual([502, "ARCHIVE_LACKS"]);
  }, 60_000);
});
