// A network that was upgraded to protocol 30: recorded ledgers with its headers (support/protocol-30.ts),
// through every command. What the chain decided is the same as under the recorded protocol; only what
// the contract host of another protocol meters, and what it writes of an upload, is not.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt } from "../scripts/ensure-built.ts";
import { debugTransaction } from "../src/debugger/walk/debug-transaction.ts";
import type { FollowedTransaction } from "../src/fork/follow-ledgers.ts";
import type { Comparison } from "../src/model/verdict.ts";
import { readLedgerHeader } from "../src/xdr/ledger/header.ts";
import { sha256 } from "../src/xdr/reader/hash.ts";
import { ENTRY_TYPE, keyBytesOfEntry } from "../src/xdr/reader/keys.ts";
import { toJson } from "../src/xdr/reader/to-json.ts";
import { decode, encode, encodeBytes } from "../src/xdr/reader/value.ts";
import { svc } from "./cli/run-svc.ts";
import { Session } from "./dap/debug-client.ts";
import { openDaemon } from "./support/daemon.ts";
import { openFork } from "./support/fork.ts";
import { openLongChain } from "./support/long-chain.ts";
import { type Loopback, openLoopback } from "./support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "./support/loopback-walk.ts";
import { framed, madeArchive, PASSPHRASE, VALIDATOR } from "./support/made-archive.ts";
import { connectStdio, nodeFlags } from "./support/mcp-client.ts";
import { headerInProtocol30, Network30 } from "./support/protocol-30.ts";
import type { RecordedTransaction } from "./support/recorded-network.ts";
import { openTestSimulator } from "./support/simulator.ts";

beforeAll(ensureBuilt, 900_000);

const simulator = openTestSimulator();
const recorded = openLoopback();
const upgraded = openLoopback({ network: new Network30() });
const directory = mkdtempSync(join(tmpdir(), "svc-protocol-30-"));
afterAll(async () => {
  await recorded[Symbol.asyncDispose]();
  await upgraded[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const { transactions } = recorded.network;
const named = (name: string) => recorded.network.named(name);
const FAILED = named("contract error Err(NotFound)");
/** Of the network, in the middle of what was recorded. */
const UPGRADE = 425;

function debug(loopback: Loopback, transaction: RecordedTransaction) {
  const { hash, ledger } = transaction;
  const before = recorded.network.file(transaction).preEntries?.result?.latestLedger ?? ledger;
  const walk = openWalk(loopback, { rpc: [`entries-at=${before}`] });
  const given = { ...walk, simulator, progress: () => {} };
  return debugTransaction(given, hash, { signal: NEVER_ABORTED });
}

/** Parts of the ledger that the replay has otherwise; metering and a node's diagnostics are not. */
const differences = (comparisons: readonly Comparison[] = []) =>
  comparisons.filter(
    ({ result, subject }) => result === "different" && !NOT_IN_LEDGER.has(subject),
  );
const NOT_IN_LEDGER: ReadonlySet<string> = new Set([
  "core-metric",
  "diagnostic-events",
  "diagnostic-error",
]);

/**
 * From protocol 29 on a host counts the custom sections of uploaded code as data segments, and the
 * targets of its branch tables as instructions (parsed_module.rs). Its rent depends on both.
 */
function withoutCounts(entryXdr: string | null): string {
  const entry = decode("LedgerEntry", entryXdr ?? "");
  const { data } = entry;
  if (data.type !== ENTRY_TYPE.contractCode) return JSON.stringify(toJson("LedgerEntry", entry));
  const contractCode = { ...data.contractCode, ext: { v: 0 as const } };
  return encode("LedgerEntry", { ...entry, data: { ...data, contractCode } });
}

/** A contract that stores the protocol stores another one. */
const inProtocol28 = (text: string) => text.replaceAll('{"u32":30}', '{"u32":28}');

test("every recorded transaction ends as it did, and has its cause", async () => {
  const found: Record<string, number> = {};
  for (const transaction of transactions) {
    const before = await debug(recorded, transaction);
    const after = await debug(upgraded, transaction);
    const { name, ledger } = transaction;
    const { closeTimeUnixSeconds } = before.record.ledger;
    expect(after.record.ledger).toMatchObject({
      ...{ protocolVersion: 30, closeTimeUnixSeconds },
      closeTimeUnixMilliseconds: `${closeTimeUnixSeconds}${String(ledger).padStart(3, "0")}`,
    });
    const ended = ({ classic, explanation: { success, cause, headline } }: typeof before) => {
      return { name, classic, success, kind: cause?.kind, headline };
    };
    expect(ended(after)).toEqual(ended(before));
    const kinds = [before.verdict?.kind ?? "classic", after.verdict?.kind ?? "classic"];
    found[kinds.join()] = (found[kinds.join()] ?? 0) + 1;
    if (before.verdict?.kind !== "exact") continue;
    const others = differences(after.verdict?.comparisons);
    const changes = others.filter(({ subject }) => subject === "ledger-change");
    for (const { chain, replay } of changes)
      expect(inProtocol28(withoutCounts(replay))).toBe(withoutCounts(chain));
    if (changes.length === 0) expect([name, others]).toEqual([name, []]);
  }
  expect(Object.keys(found).sort()).toEqual([
    ...["classic,classic", "equivalent,equivalent", "exact,diverged", "exact,equivalent"],
    ...["exact,exact", "exact,inconclusive", "inconclusive,inconclusive"],
  ]);
  // Uploads, and the contract that stores the protocol.
  expect([found["exact,diverged"], found["exact,inconclusive"]]).toEqual([11, 1]);
}, 240_000);

describe("as a command", () => {
  const nodes = (loopback: Loopback) => nodeFlags(loopback);
  const json = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await svc([...words, "--json"], { directory });
    expect([words[0], stderr]).toEqual([words[0], expect.any(String)]);
    return { exitCode, document: JSON.parse(stdout) };
  };

  test("debug has the cause and the milliseconds, in text, JSON and the page", async () => {
    const of = (loopback: Loopback) => json("debug", FAILED.hash, ...nodes(loopback));
    const [before, after] = [await of(recorded), await of(upgraded)];
    expect(after.exitCode).toBe(before.exitCode);
    expect(after.document.outcome).toEqual(before.document.outcome);
    const { ledger } = after.document;
    expect(ledger.protocolVersion).toBe(30);
    const milliseconds = `${ledger.closeTimeUnixSeconds}${String(FAILED.ledger).padStart(3, "0")}`;
    expect(ledger.closeTimeUnixMilliseconds).toBe(milliseconds);
    expect(before.document.ledger).not.toHaveProperty("closeTimeUnixMilliseconds");
    const shown = new Date(Number(milliseconds))
      .toISOString()
      .replace("T", " ")
      .replace("Z", " UTC");
    const text = await svc(["debug", FAILED.hash, ...nodes(upgraded), "-vv"], { directory });
    expect(text.stdout).toContain(shown);
    const words = ["debug", FAILED.hash, ...nodes(upgraded), "--format", "html"];
    const page = await svc(words, { directory });
    expect(page.stdout).toContain(shown);
  }, 60_000);

  test("capture, and what is made of the capsule", async () => {
    const capsule = join(directory, "failed.capsule.json");
    const captured = await svc(["capture", FAILED.hash, ...nodes(upgraded), "--save", capsule]);
    expect([captured.exitCode, captured.stderr]).toEqual([0, expect.any(String)]);
    const { record } = JSON.parse(await Bun.file(capsule).text());
    const header = readLedgerHeader(record.ledgerHeaderXdr);
    expect(record.ledger.closeTimeUnixMilliseconds).toBe(header.closeTimeUnixMilliseconds);
    const offline = await json("debug", "--from", capsule);
    const online = await json("debug", FAILED.hash, ...nodes(upgraded));
    const { next: _, ...outcome } = online.document.outcome;
    expect(offline.document.outcome).toMatchObject(outcome);
    const later = await json(
      "debug",
      "--from",
      capsule,
      "--override-close-time",
      "2027-01-01T00:00:00Z",
    );
    expect(later.exitCode).toBe(0);
    await using fork = await openFork({
      choice: {
        file: { name: "failed.json", mayBeCapsule: true, text: await Bun.file(capsule).text() },
      },
      ...{ offline: true, networkPassphrase: recorded.network.passphrase },
    });
    await fork.call("sendTransaction", { transaction: record.envelopeXdr });
    const { headerXdr } = await fork.call<{ headerXdr: string }>("getLatestLedger");
    expect(readLedgerHeader(headerXdr)).toMatchObject({
      ...{ sequence: FAILED.ledger, transactionSetHash: record.ledger.transactionSetHash },
      closeTimeUnixMilliseconds: record.ledger.closeTimeUnixMilliseconds,
    });
  }, 60_000);

  test("explain and simulate", async () => {
    const { envelopeXdr } = (await debug(upgraded, FAILED)).record;
    for (const command of ["explain", "simulate"]) {
      const of = (loopback: Loopback) => json(command, envelopeXdr, ...nodes(loopback));
      const [before, after] = [await of(recorded), await of(upgraded)];
      expect(after.exitCode).toBe(before.exitCode);
      const { error, cause, kind } = after.document;
      expect({ error, cause, kind }).toEqual({
        ...{ error: before.document.error, cause: before.document.cause },
        kind: before.document.kind,
      });
    }
  }, 60_000);

  for (const headerAs of [
    undefined,
    headerInProtocol30,
    (header: Parameters<typeof headerInProtocol30>[0]) =>
      headerInProtocol30(header, { upgradeAt: 1003 }),
  ])
    test(`verify and watch, ${headerAs === undefined ? "before" : headerAs === headerInProtocol30 ? "since" : "across"} the upgrade`, async () => {
      await using chain = openLongChain({
        ...{ successes: 2, failures: 1, secondsPerLedger: headerAs === headerInProtocol30 ? 0 : 5 },
        ...(headerAs && { headerAs }),
      });
      chain.votedAway = 1004;
      chain.tip = 1005;
      const node = ["--rpc-url", chain.url, "--network-passphrase", chain.passphrase];
      const verified = await json("verify", "1001-1005", ...node, "--ledger-lake-url", "none");
      expect(verified.document.transactions).toBe(12);
      expect(verified.document.verdicts).toMatchObject({ diverged: 0, inconclusive: 0 });
      const watched = await svc([
        ...["watch", ...node, "--from-ledger", "1001", "--until-ledger", "1005", "--json"],
      ]);
      expect(watched.exitCode).toBe(0);
      const events = watched.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(events.filter(({ kind }) => kind === "failure").length).toBeGreaterThan(0);
      expect(events.at(-1)).toMatchObject({ kind: "end", totals: { ledgers: 5 } });
    }, 60_000);

  test("recorded calls of protocol 28 are run by the host of 30 as a rehearsal and an override", async () => {
    const node = ["--rpc-url", recorded.url("rpc"), "--ledger-lake-url", "none"];
    const network = ["--network-passphrase", recorded.network.passphrase];
    const range = ["408-416", ...node, ...network];
    const { document } = await json("verify", ...range, "--rehearse-protocol", "30");
    expect([document.transactions, document.rehearsal]).toMatchObject([
      ...[23, { protocolVersion: 30, transactions: 23, different: 0 }],
    ] as never);
    const overridden = await json(
      "debug",
      FAILED.hash,
      ...nodes(recorded),
      "--override-protocol",
      "30",
    );
    expect(overridden.document.whatIf).toMatchObject({
      changed: [{ what: "protocol", before: "28", after: "30" }],
      outcome: { success: false, cause: { kind: "contract-error" } },
    });
  }, 60_000);

  test("dap, mcp and the daemon", async () => {
    await using session = new Session();
    await session.launch({
      ...{ hash: FAILED.hash, stopAt: "entry", rpcUrl: upgraded.url("rpc") },
      ...{ horizonUrl: upgraded.url("horizon") },
      networkPassphrase: upgraded.network.passphrase,
    });
    const stop = await session.until("configurationDone", {});
    expect(stop.reason).toBe("entry");
    await using agent = await connectStdio(nodeFlags(upgraded));
    const told = await agent.call("debug_transaction", { hash: FAILED.hash });
    expect(JSON.stringify(told)).toContain("NotFound");
    await using daemon = await openDaemon(upgraded);
    const answer = await daemon.post("/v1/debug", { hash: FAILED.hash });
    const { ledger, outcome } = (await answer.json()) as never as Record<string, never>;
    expect([answer.status, ledger, outcome]).toMatchObject([
      200,
      { protocolVersion: 30, closeTimeUnixMilliseconds: expect.any(String) },
      { cause: { kind: "contract-error" } },
    ]);
  }, 60_000);
});

test("a ledger whose milliseconds are of another second is refused from files and nodes", async () => {
  const wrong: typeof headerInProtocol30 = (header, rewriting) => {
    const changed = headerInProtocol30(header, rewriting);
    return { ...changed, scpValue: { ...changed.scpValue, closeTime: 1n } };
  };
  await using chain = openLongChain({ successes: 1, failures: 0, headerAs: wrong });
  chain.tip = 1001;
  const passphrase = ["--network-passphrase", chain.passphrase];
  const file = join(directory, "another-second.xdr");
  await Bun.write(file, framed([chain.bytes(1000)]));
  for (const [code, told, ...words] of [
    [2, "closeTimeMs 1700000000000 is not in 1 s. [FILE_INVALID]", file, ...passphrase],
    [
      4,
      "[NETWORK_BAD_ANSWER]",
      "1001",
      "--rpc-url",
      chain.url,
      ...passphrase,
      "--ledger-lake-url",
      "none",
    ],
  ] as const) {
    const { exitCode, stderr, stdout } = await svc(["verify", ...words, "--timeout", "5s"]);
    expect([exitCode, stdout, stderr]).toEqual([code, "", expect.stringContaining(told)]);
  }
}, 60_000);

test("state of a made archive is proven on both sides of the upgrade", async () => {
  const entry = (value: number) =>
    encodeBytes("LedgerEntry", {
      lastModifiedLedgerSeq: 3,
      data: {
        type: ENTRY_TYPE.contractData,
        contractData: {
          ...{ ext: { v: 0 }, contract: { type: 1, contractId: new Uint8Array(32) } },
          ...{ key: { type: 4, i32: 7 }, durability: 1, val: { type: 4, i32: value } },
        },
      },
      ext: { v: 0 },
    });
  const key = keyBytesOfEntry(entry(1));
  const ttl = encodeBytes("LedgerEntry", {
    lastModifiedLedgerSeq: 3,
    data: { type: ENTRY_TYPE.ttl, ttl: { keyHash: sha256(key), liveUntilLedgerSeq: 1000 } },
    ext: { v: 0 },
  });
  const live = [entry(1), ttl];
  const made = madeArchive({
    states: { 7: { live }, 15: { live }, 23: { live } },
    protocolVersion: (ledger) => (ledger < 11 ? 29 : 30),
  });
  const root = join(directory, "archive");
  for (const name of made.names) await Bun.write(join(root, name), made.read(name));
  const run = async (ledger: number) => {
    const words = ["--history-archive", root, "--validators", VALIDATOR, "--ledger", `${ledger}`];
    const network = [
      "--network-passphrase",
      PASSPHRASE,
      "--archive-cache",
      join(directory, "kept"),
    ];
    return svc(["state", key.toBase64(), ...words, ...network, "--json"], { directory });
  };
  for (const ledger of [7, 9, 11, 12, 15]) {
    const { exitCode, stdout } = await run(ledger);
    const { signatures } = JSON.parse(stdout).entry.proof;
    expect([ledger, exitCode, signatures.organisations]).toEqual([ledger, 0, 1]);
  }
}, 60_000);

test("fields that a later Horizon adds change nothing", async () => {
  await using later = openLoopback({ network: new LaterHorizon() });
  const [plain, more] = [await debug(upgraded, FAILED), await debug(later, FAILED)];
  const { origins: _, ...record } = more.record;
  expect(plain.record).toMatchObject(record);
  expect(more.verdict?.kind).toBe(plain.verdict?.kind as never);
});

/** As Horizon 30 adds fields to its effects. */
class LaterHorizon extends Network30 {
  override file(transaction: RecordedTransaction) {
    const known = super.file(transaction);
    const { body } = known.horizonTransaction;
    return { ...known, horizonTransaction: { body: { ...body, contract_muxed_id: "7" } } };
  }

  override ledger(sequence: number) {
    const known = super.ledger(sequence);
    if (known === null) return null;
    return { ...known, horizon: { body: { ...known.horizon.body, contract_muxed: "W" } } };
  }
}

for (const upgradeAt of [0, UPGRADE])
  test(`a fork follows the network${upgradeAt === 0 ? "" : " up to its upgrade"}, in its form`, async () => {
    await using loopback = openLoopback({ network: new Network30({ upgradeAt }) });
    await using fork = await openFork({
      ...{ networkPassphrase: loopback.network.passphrase, rpcUrl: loopback.url("rpc") },
      ...{ mining: "never", choice: { ledger: 408 } },
    });
    const metaOf = (sequence: number) => loopback.network.ledgerBytes(sequence)?.toBase64() ?? "";
    const { transactions: followed } = await fork.call<{
      readonly transactions: readonly FollowedTransaction[];
    }>("fork_followLedgers", { ledgers: [409, 410, 411, 412].map(metaOf) });
    expect(followed.length).toBeGreaterThan(5);
    expect(followed.map(({ outcome }) => outcome)).toEqual(followed.map(() => "same"));
    const { headerXdr } = await fork.call<{ headerXdr: string }>("getLatestLedger");
    const facts = readLedgerHeader(headerXdr);
    const own = loopback.network.view(412)?.facts;
    expect(facts.closeTimeUnixMilliseconds).toBe(own?.closeTimeUnixMilliseconds as string);
    expect(facts.closeTimeUnixMilliseconds === undefined).toBe(upgradeAt !== 0);
    expect(facts.protocolVersion).toBe(own?.protocolVersion as number);
  }, 60_000);
