import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Snapshot, SnapshotEntry, SnapshotSetting } from "../../src/model/snapshot.ts";
import { takeSnapshot } from "../../src/snapshot/gather/take-snapshot.ts";
import { isTemporaryKey } from "../../src/xdr/reader/keys.ts";
import { failureOf } from "../support/failure.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk, recordOf, type WalkNodes } from "../support/loopback-walk.ts";
import type { RecordedNetwork, RecordedTransaction } from "../support/recorded-network.ts";

/** Each property, and each transaction, has a process or a long chain of ledgers. */
setDefaultTimeout(120_000);

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());
const soroban = ({ transactions }: RecordedNetwork) => transactions.filter((each) => each.soroban);

const named = (name: string) => loopback.network.named(name);

interface Taken {
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
}

async function take(
  { hash }: RecordedTransaction,
  nodes: WalkNodes,
  server = loopback,
): Promise<Taken> {
  const walk = openWalk(server, nodes);
  const fetched = await recordOf(walk, hash);
  const snapshot = await takeSnapshot(walk, fetched, { signal: NEVER_ABORTED });
  return { record: fetched.record, snapshot };
}

/** Entries as a node had them before the transaction was sent, and the ledgers since. */
function before(network: RecordedNetwork, transaction: RecordedTransaction): WalkNodes {
  const ledger = network.file(transaction).preEntries?.result?.latestLedger;
  return { rpc: [`entries-at=${ledger}`] };
}

const at = (ledger: number, more = ""): WalkNodes => ({ rpc: [`entries-at=${ledger}${more}`] });

describe("each way of knowing", () => {
  const ways: readonly {
    readonly what: string;
    readonly name: string;
    readonly nodes: (transaction: RecordedTransaction) => WalkNodes;
    /** Provenances of entries, then of times to live, in footprint order. */
    readonly entries: readonly string[];
    readonly ttls: readonly (string | null)[];
  }[] = [
    {
      what: "a node's entries, last modified before",
      name: "panic -> unreachable trap",
      nodes: ({ ledger }) => at(ledger + 20),
      entries: ["rpc-unchanged", "rpc-unchanged"],
      ttls: ["rpc-unchanged", "rpc-unchanged"],
    },
    {
      what: "every ledger up to the node's: times to live are exact",
      name: "panic -> unreachable trap",
      nodes: ({ ledger }) => at(ledger),
      entries: ["rpc-unchanged", "rpc-unchanged"],
      ttls: ["rpc-unchanged", "rpc-unchanged"],
    },
    {
      what: "an earlier node's entries and the ledgers since",
      name: "panic -> unreachable trap",
      nodes: (transaction) => before(loopback.network, transaction),
      entries: ["rpc-unchanged", "rpc-unchanged"],
      ttls: ["rpc-unchanged", "rpc-unchanged"],
    },
    {
      what: "the transaction's own meta",
      name: "same ledger: inc main #1",
      nodes: ({ ledger }) => at(ledger + 20, ",no-ledgers"),
      entries: ["rpc-unchanged", "rpc-unchanged", "meta"],
      // Another transaction of the ledger wrote it too.
      ttls: ["rpc-unchanged", "rpc-unchanged", "deduced"],
    },
    {
      what: "an earlier transaction of the ledger",
      name: "same ledger race: get #1",
      nodes: ({ ledger }) => at(ledger),
      entries: ["same-ledger", "rpc-unchanged", "rpc-unchanged"],
      ttls: [null, "rpc-unchanged", "rpc-unchanged"],
    },
    {
      what: "the archive",
      name: "read of archived entry, not restored",
      nodes: ({ ledger }) => at(ledger),
      entries: ["rpc-unchanged", "rpc-unchanged", "rpc-unchanged"],
      ttls: ["rpc-unchanged", "rpc-unchanged", "rpc-unchanged"],
    },
  ];
  for (const { what, name, nodes, entries, ttls } of ways) {
    test(`${what}: ${name}`, async () => {
      const transaction = named(name);
      const { snapshot } = await take(transaction, nodes(transaction));
      expect(snapshot.unknown).toEqual([]);
      expect(snapshot.entries.map(({ provenance }) => provenance.kind)).toEqual([
        ...entries,
      ] as never);
      expect(snapshot.entries.map(({ ttlProvenance }) => ttlProvenance?.kind ?? null)).toEqual([
        ...ttls,
      ] as never);
    });
  }

  test("an entry that an earlier transaction removed is absent, before that it is there", async () => {
    const [first, last] = [named("same ledger race: get #2"), named("same ledger race: get #1")];
    const isThere = async (transaction: RecordedTransaction) =>
      (await take(transaction, at(transaction.ledger))).snapshot.entries[0]?.entryXdr !== null;
    expect([await isThere(first), await isThere(last)]).toEqual([true, false]);
  });

  test("restored entries were archived, or had expired where they were", async () => {
    const byInvocation = await take(named("auto-restore by invocation (p2)"), {});
    const byOperation = await take(named("restore footprint op (p4)"), {});
    expect(byInvocation.snapshot.entries[2]).toMatchObject({
      archived: true,
      liveUntilLedger: null,
    });
    const { ledger } = byOperation.record;
    expect(byOperation.snapshot.entries[0]).toMatchObject({
      archived: false,
      liveUntilLedger: ledger.sequence - 1,
    });
  });

  test("settings that changed later, in a ledger nobody has, are assumed", async () => {
    const { snapshot } = await take(named("put_temporary t1 (will expire)"), {});
    expect(new Set(snapshot.settings.map(({ provenance }) => provenance.kind))).toEqual(
      new Set(["assumed", "ledger-scan"]),
    );
    expect(snapshot.rentFeePer1KbStroops).toBe("1000");
  });
});

// The truth is what a node had just before, with every change since folded in. Whatever else is at
// hand, a snapshot may know less than that, but never anything else.
describe("what is not called assumed is true", () => {
  const views: readonly [string, (ledger: number) => WalkNodes][] = [
    ["entries of its own ledger", (ledger) => at(ledger)],
    ["entries of the next ledger", (ledger) => at(ledger + 1)],
    ["entries of five ledgers later", (ledger) => at(ledger + 5)],
    ["entries of the last ledger", () => at(999)],
    ["entries of its own ledger and no ledgers", (ledger) => at(ledger, ",no-ledgers")],
    ["entries of the last ledger and no ledgers", () => at(999, ",no-ledgers")],
    ["no meta", (ledger) => ({ horizon: ["no-meta"], rpc: [`entries-at=${ledger},no-ledgers`] })],
  ];
  for (const [what, nodes] of views) {
    test(`for all transactions, from ${what}`, async () => {
      const { network } = loopback;
      for (const transaction of soroban(network)) {
        const truth = await take(transaction, before(network, transaction));
        const told = await take(transaction, nodes(transaction.ledger));
        expectNothingFalse(transaction, truth.snapshot, told.snapshot);
      }
    });
  }
});

function expectNothingFalse(
  { n, ledger }: RecordedTransaction,
  truth: Snapshot,
  told: Snapshot,
): void {
  for (const entry of told.entries) {
    const real = truth.entries.find(({ keyXdr }) => keyXdr === entry.keyXdr) as SnapshotEntry;
    const where = { n, key: entry.keyXdr, provenance: entry.provenance };
    const expired = real.liveUntilLedger !== null && real.liveUntilLedger < ledger;
    const gone = expired && isTemporaryKey(entry.keyXdr);
    if (entry.provenance.kind !== "assumed") {
      const data = gone && entry.entryXdr === null ? null : dataOf(real);
      expect({ ...where, data: dataOf(entry) }).toEqual({ ...where, data });
    }
    if (entry.ttlProvenance === null || entry.ttlProvenance.kind === "assumed") continue;
    const ttl = { ...where, ttl: entry.ttlProvenance };
    if (entry.archived)
      expect({ ...ttl, dead: real.archived || expired }).toEqual({ ...ttl, dead: true });
    else if (entry.provisional === undefined) {
      const live = (each: SnapshotEntry) => Math.max(each.liveUntilLedger ?? 0, ledger - 1);
      expect({ ...ttl, live: live(entry) }).toEqual({ ...ttl, live: live(real) });
    } else {
      expect({ ...ttl, live: !real.archived && !expired }).toEqual({ ...ttl, live: true });
      expect(entry.liveUntilLedger).toBeGreaterThanOrEqual(real.liveUntilLedger ?? 0);
    }
  }
  for (const setting of told.settings) {
    // The window's average is all that counts, and where nothing pays rent not even that.
    if (setting.provenance.kind === "assumed" || setting.name.endsWith("SIZE_WINDOW")) continue;
    const real = truth.settings.find(({ name }) => name === setting.name) as SnapshotSetting;
    if (real.provenance.kind === "assumed") continue;
    const { name } = setting;
    expect({ name, hash: digest(setting.entryXdr) }).toEqual({ name, hash: digest(real.entryXdr) });
  }
}

/** Without the last-modified ledger, which an archived entry loses. */
function dataOf({ entryXdr }: SnapshotEntry): string | null {
  return entryXdr === null
    ? null
    : digest(Buffer.from(entryXdr, "base64").subarray(4).toString("base64"));
}

/** Short, so that a difference can be read. */
function digest(text: string): string {
  return Bun.hash(text).toString(16);
}

describe("nodes that cannot answer", () => {
  test("nobody to give entries: what the meta does not tell is unknown, with the reason", async () => {
    const { snapshot } = await take(named("panic -> unreachable trap"), { rpc: ["no-entries"] });
    expect(snapshot.unknown.length).toBeGreaterThanOrEqual(2);
    expect(snapshot.unknown[0]?.reason).toContain("getLedgerEntries");
  });

  test("a node that may know what is missing, but fails, is an error and not a verdict", async () => {
    const nodes = { rpc: ["status-503"] };
    const error = await failureOf(take(named("panic -> unreachable trap"), nodes));
    expect(error.code).toBe("NETWORK_BAD_STATUS");
  });

  test("another node stands in", async () => {
    const nodes = { rpc: ["html", "no-entries", "entries-at=209"] };
    const { snapshot } = await take(named("panic -> unreachable trap"), nodes);
    expect(snapshot.unknown).toEqual([]);
  });
});
