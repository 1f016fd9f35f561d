// Random chains whose state is known from their own making, kept as an archive that validators
// signed. Whatever is read from it of any ledger is true, or is not claimed. Nodes and a lake of the
// same network have the same ledgers, and the same entries.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { openArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import { StateReader } from "../../src/history-archive/state-at.ts";
import { isProven, type StateReport } from "../../src/model/state/proven-state.ts";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { openLedgerLake } from "../../src/sources/nodes/ledger-lake.ts";
import { openRpc } from "../../src/sources/nodes/rpc.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { isSorobanKey, isTemporaryKey } from "../../src/xdr/reader/keys.ts";
import { decode, encode } from "../../src/xdr/reader/value.ts";
import { archivedChain } from "../support/archived-chain.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { VALIDATOR } from "../support/made-archive.ts";
import { MADE_PASSPHRASE } from "../support/made-ledgers.ts";
import { serveNetwork } from "../support/made-network.ts";
import { makeChain, type TrueState } from "../support/model-chain.ts";
import { StreamNetwork } from "../support/stream-network.ts";

/** Each property has some hundred ledgers. */
setDefaultTimeout(120_000);

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "svc-model-archive-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const chains = fc
  .record({
    // From ledger 2 to the second, third or fourth checkpoint.
    ledgers: fc.constantFrom(14, 22, 30),
    decisions: fc.uint8Array({ minLength: 900, maxLength: 900 }),
  })
  .map((options) => ({
    ...makeChain({ ...options, protocol: 28 }),
    // Bytes of ledgers say less than what made them.
    [fc.toStringMethod]: () => JSON.stringify({ ...options, decisions: options.decisions.toHex() }),
  }));

const RUNS = { numRuns: 40, includeErrorInReport: true };

const HTTP = openHttp({ clock: systemClock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
const CONTEXT = { signal: NEVER_ABORTED };

type Facts = Pick<StateReport, "entry" | "liveUntil">;

async function chainOf({ files }: ReturnType<typeof archivedChain>) {
  return openArchivedChain(await openArchiveFiles(files), [[VALIDATOR]], MADE_PASSPHRASE);
}

async function readerOf(archived: ReturnType<typeof archivedChain>): Promise<StateReader> {
  return new StateReader({
    chain: await chainOf(archived),
    store: openBucketStore(directory),
    networkPassphrase: MADE_PASSPHRASE,
    allow: async () => {},
  });
}

/** The facts that contradict the state; empty if all of them are true. */
function falsehoods({ entry, liveUntil }: Facts, state: TrueState): string[] {
  const { entryXdr, archivedXdr, liveUntilLedger } = state;
  const wrong: string[] = [];
  const values = [entryXdr ?? archivedXdr, archivedXdr !== null];
  if (entry.kind === "absent" && values[0] !== null) wrong.push("an entry is called absent");
  if (entry.kind === "known" && entry.value.entryXdr !== values[0])
    wrong.push("an entry has another value");
  if (entry.kind === "known" && entry.value.archived !== values[1])
    wrong.push("an entry is called archived, or is not");
  if (liveUntil?.kind === "absent" && liveUntilLedger !== null)
    wrong.push("a TTL is called absent");
  if (liveUntil?.kind === "known" && liveUntil.value !== liveUntilLedger)
    wrong.push(`a TTL is called ${liveUntil.value}, and is ${liveUntilLedger}`);
  return wrong;
}

/** The ways in which facts are proven by signatures, such as "known checkpoint". */
function waysOf({ entry, liveUntil }: Facts): string[] {
  return [entry, liveUntil].flatMap((fact) =>
    fact !== null && fact.kind !== "unknown" && isProven(fact.proof)
      ? [`${fact.kind} ${fact.proof.step}`]
      : [],
  );
}

const WAYS = [
  "absent checkpoint",
  "absent untouched-since",
  "known checkpoint",
  "known unchanged-until",
  "known untouched-since",
];

test("an entry that an archive proves after a ledger is the one that was there", async () => {
  const ways = new Set<string>();
  await fc.assert(
    fc.asyncProperty(chains, async (chain) => {
      const reader = await readerOf(archivedChain(chain));
      const wrong: string[] = [];
      for (const [ledger, states] of chain.after)
        for (const [key, state] of states) {
          const facts = await reader.at(Uint8Array.fromBase64(key), ledger);
          for (const way of waysOf(facts)) ways.add(way);
          for (const each of falsehoods(facts, state))
            wrong.push(`${each} after ledger ${ledger}: ${key}`);
        }
      expect(wrong).toEqual([]);
    }),
    RUNS,
  );
  expect([...ways].sort()).toEqual(WAYS);
});

test("an entry that an archive proves before a transaction is the one that it ran on", async () => {
  const ways = new Set<string>();
  await fc.assert(
    fc.asyncProperty(chains, async (chain) => {
      const archived = archivedChain(chain);
      const reader = await readerOf(archived);
      const wrong: string[] = [];
      for (const { ledger, order, footprint } of chain.transactions)
        for (const [key, state] of footprint) {
          const hash = archived.hashes.get(ledger)?.[order - 1] ?? "";
          const facts = await reader.before(Uint8Array.fromBase64(key), ledger, hash);
          for (const way of waysOf(facts)) ways.add(way);
          for (const each of falsehoods(facts, state))
            wrong.push(`${each} before transaction ${order} of ledger ${ledger}: ${key}`);
        }
      expect(wrong).toEqual([]);
    }),
    RUNS,
  );
  expect([...ways].sort()).toEqual(WAYS);
});

test("nodes, a lake and an archive of one network have the same ledgers", async () => {
  await fc.assert(
    fc.asyncProperty(chains, async (chain) => {
      const archived = archivedChain(chain);
      const network = new StreamNetwork(archived.ledgers, MADE_PASSPHRASE);
      await using served = serveNetwork(network, {
        nodes: () => ({ tip: () => network.last }),
        lake: { ledgersPerBatch: 4, last: network.last },
      });
      const networkPassphrase = MADE_PASSPHRASE;
      const node = openRpc({ http: HTTP, url: served.rpcUrl("") });
      const lake = openLedgerLake({ http: HTTP, url: `${served.lakeUrl}/`, networkPassphrase });
      const ofArchive = await chainOf(archived);
      for (const source of [node, lake]) {
        const ledgers: LedgerBytes[] = [];
        const run = source.fetchLedgerCloseMetas?.(network.first, network.last, CONTEXT);
        for await (const each of run ?? []) ledgers.push(each);
        expect(ledgers.map(({ sequence }) => sequence)).toEqual([...chain.after.keys()]);
        for (const { sequence, ledgerCloseMeta } of ledgers) {
          const { facts } = readLedgerCloseMeta(ledgerCloseMeta, MADE_PASSPHRASE);
          expect(facts.hash).toBe((await ofArchive.header(sequence)).hash);
        }
      }
    }),
    RUNS,
  );
});

/** The data and the TTL that a node has of an entry; null if it has none. */
function atNode(key: string, state: TrueState, tip: number) {
  const { entryXdr, archivedXdr, liveUntilLedger } = state;
  const xdr = entryXdr ?? archivedXdr;
  if (xdr === null) return null;
  const liveUntil = isSorobanKey(key) ? (liveUntilLedger ?? 0) : null;
  const isExpired = liveUntil !== null && liveUntil < tip;
  if (isExpired && isTemporaryKey(key)) return null;
  const data = encode("LedgerEntryData", decode("LedgerEntry", xdr).data);
  return { data, liveUntil: isExpired ? 0 : liveUntil };
}

test("a node of the made network has the entries of the model at each ledger", async () => {
  const kinds = new Set<string>();
  await fc.assert(
    fc.asyncProperty(chains, async (chain) => {
      const network = new StreamNetwork(archivedChain(chain).ledgers, MADE_PASSPHRASE);
      for (const [ledger, states] of chain.after)
        for (const [key, state] of states) {
          const shown = network.entry(key, ledger);
          const held = shown && { data: shown.xdr, liveUntil: shown.liveUntilLedgerSeq ?? null };
          expect([ledger, key, held]).toEqual([ledger, key, atNode(key, state, ledger)]);
          kinds.add(held === null ? "absent" : held.liveUntil === 0 ? "archived" : "live");
        }
    }),
    RUNS,
  );
  expect([...kinds].sort()).toEqual(["absent", "archived", "live"]);
});
