// Real transactions, run again on the state that the archive alone proves: no node, no meta.

import { afterAll, describe, expect } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openTimeLimits } from "../../src/base/time-limits.ts";
import { replay } from "../../src/debugger/run/replay.ts";
import { checkedProof, openProofs } from "../../src/debugger/setup/open-proofs.ts";
import type { CaptureDependencies } from "../../src/debugger/walk/capture-transaction.ts";
import { readArchivedLedger } from "../../src/history-archive/archived-ledger.ts";
import { proveSnapshot } from "../../src/history-archive/prove-snapshot.ts";
import { withSignedResult } from "../../src/model/chain-record.ts";
import { provenSentence } from "../../src/model/confirmation.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import { decodeCapsule, encodeCapsule } from "../../src/sources/files/capsule.ts";
import { stateByReplays } from "../../src/verify/state-by-replays.ts";
import {
  ARCHIVE,
  ARCHIVE_DEFAULTS,
  archivedRecords,
  configuredArchive,
  firstRecord,
  ignorantSnapshot,
  ofArchive,
} from "../support/archived-records.ts";
import { opened } from "../support/opened.ts";
import { resolveConfig } from "../support/settings.ts";
import { openTestSimulator } from "../support/simulator.ts";

const { test } = ofArchive;
const { validators } = NETWORKS.testnet;
const cache = mkdtempSync(join(tmpdir(), "svc-proven-"));
afterAll(() => rmSync(cache, { recursive: true }));

const configured = (
  known = validators,
  places: readonly string[] = [ARCHIVE],
  keepsExcerpt = false,
) => configuredArchive(places, cache, known, keepsExcerpt);

describe("from the archive alone", () => {
  const simulator = openTestSimulator();

  test("transactions give the return value and the events that the chain has a hash of", async () => {
    const archive = await configured();
    const counts: Record<string, number> = {};
    let all = 0;
    for await (const record of archivedRecords(12)) {
      all += 1;
      const snapshot = await proveSnapshot(ignorantSnapshot(record), opened({ record }), archive);
      const isWhole =
        snapshot.unknown.length === 0 && snapshot.settings.every(({ entryXdr }) => entryXdr !== "");
      let outcome = "not proven whole";
      if (isWhole) {
        const request = replayRequest(record, snapshot, {
          ...{ trace: false, diagnostics: true, feeTakenStroops: null },
        });
        const { signal } = new AbortController();
        const { verdict } = await replay({ simulator }, opened({ record }), snapshot, request, {
          ...{ signal, caveats: [] },
        });
        outcome = verdict.kind;
        expect([record.hash, verdict.firstDifference]).toEqual([record.hash, null]);
        const hashes = verdict.comparisons.filter(({ subject }) => subject === "success-hash");
        outcome += hashes.every(({ result }) => result === "equal") ? ", hash equal" : "";
        expect(verdict.unconfirmed).toEqual({ record: [], entries: 0, settings: 0 });
      }
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    const { "not proven whole": open = 0, ...ran } = counts;
    expect(Object.keys(ran)).toEqual(["equivalent, hash equal"]);
    expect(open / all).toBeLessThan(0.35);
  }, 120_000);
});

test("a node's false value is replaced, and a true one is confirmed", async () => {
  const archive = await configured();
  const record = await firstRecord();
  const subject = opened({ record });
  const right = await proveSnapshot(ignorantSnapshot(record), subject, archive);
  const word = { kind: "rpc-unchanged", detail: "a node says so" } as const;
  const asNode = (entryXdr: (of: string | null) => string | null): Snapshot => ({
    ...right,
    entries: right.entries.map((entry) => ({
      ...entry,
      entryXdr: entryXdr(entry.entryXdr),
      provenance: word,
    })),
  });
  for (const told of [asNode((of) => of), asNode(() => null)])
    expect((await proveSnapshot(told, subject, archive)).entries).toEqual(right.entries);
  const known = { ...right, entries: right.entries.map((each) => ({ ...each, provenance: META })) };
  expect((await proveSnapshot(known, subject, archive)).entries).toEqual(right.entries);
  // A meta is what a node said, too.
  const lies = known.entries.map((each) => ({ ...each, entryXdr: null, liveUntilLedger: null }));
  const corrected = await proveSnapshot({ ...known, entries: lies }, subject, archive);
  expect(corrected.entries.map(({ entryXdr }) => entryXdr)).toEqual(
    right.entries.map(({ entryXdr }) => entryXdr),
  );
});

const META = { kind: "meta", detail: "its own meta" } as const;

test("what unknown validators signed proves nothing, and a later ledger is refused", async () => {
  const record = await firstRecord();
  const strangers = await configured([
    ["GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"],
  ]);
  const asked = ignorantSnapshot(record);
  expect(await proveSnapshot(asked, opened({ record }), strangers)).toEqual(asked);
  const late = { ...record, ledger: { ...record.ledger, sequence: 6_000 } };
  const code = await proveSnapshot(asked, opened({ record: late }), await configured()).then(
    () => "proven",
    (error) => error.code,
  );
  expect(code).toBe("ARCHIVE_BEHIND");
});

test("an archive that is empty, dead, foreign or altered hands over to the next", async () => {
  const record = await firstRecord();
  const asked = ignorantSnapshot(record);
  const right = await proveSnapshot(asked, opened({ record }), await configured());
  const empty = mkdtempSync(join(cache, "empty-"));
  const altered = mkdtempSync(join(cache, "altered-"));
  cpSync(ARCHIVE, altered, { recursive: true, filter: (path) => !path.includes("/bucket/") });
  const hex = (record.ledger.sequence | 63).toString(16).padStart(8, "0");
  const folders = hex.match(/../g)?.slice(0, 3).join("/");
  const state = join(altered, `history/${folders}/history-${hex}.json`);
  writeFileSync(state, readFileSync(state, "utf8").replace(/"curr": ?"[0-9a-f]/, '"curr": "x'));
  await using server = Bun.serve({ port: 0, fetch: () => new Response("", { status: 500 }) });
  for (const bad of [empty, altered, `http://127.0.0.1:${server.port}`, "http://127.0.0.1:9"]) {
    const archive = await configured(validators, [bad, ARCHIVE]);
    expect(await proveSnapshot(asked, opened({ record }), archive)).toEqual(right);
  }
  const code = (error: { code: string }) => error.code;
  expect(await configured(validators, []).catch(code)).toBe("ARCHIVE_NOT_SET");
}, 60_000);

/** A transaction with its proven state, and where the buckets of that are kept. */
async function captured() {
  const record = await firstRecord();
  const prove = async (snapshot: Snapshot, of = record) =>
    proveSnapshot(snapshot, opened({ record: of }), await configured(validators, [ARCHIVE], true));
  return { record, prove, snapshot: await prove(ignorantSnapshot(record)) };
}

test("metas are a node's word: what they show of an entry written since the checkpoint is replayed", async () => {
  const { passphrase } = NETWORKS.testnet;
  const archive = await configured();
  const hash = "5dbc069910bf27fdf23555fcc574054b24db5d403bc9033b54e34d4974f92ccf";
  const { transactions } = await archive.ask(({ chain }) =>
    readArchivedLedger(chain, 546, passphrase),
  );
  const record = transactions.find((each) => each.record.hash === hash)?.record;
  if (record === undefined) throw new Error("the transaction is not there");
  const options = { ...proofWith(cache), byReplays: stateByReplays, time: openTimeLimits() };
  const settings = { ...options.settings, historyArchive: [ARCHIVE] };
  const proofs = openProofs(
    resolveConfig({ flags: { network: "testnet" }, environment: {}, file: null }),
    { ...options, settings },
    { program: () => ({ path: SIMULATOR_BINARY }) },
  );
  const run = { signal: new AbortController().signal };
  const checked = async (snapshot: Snapshot) =>
    (await proofs.checked({ ...opened({ record }), snapshot }, { ledger: null }, run)).snapshot;
  const right = await checked(ignorantSnapshot(record));
  const replayed = right?.entries.filter(({ provenance }) => provenance.kind === "archive-replay");
  expect(replayed?.length).toBe(2);
  // A node that makes up what the transaction found, in a meta that no hash covers.
  const lies = (right?.entries ?? []).map((entry) => ({
    ...entry,
    ...{ entryXdr: null, liveUntilLedger: null, provenance: META, ttlProvenance: null },
  }));
  const settingsKnown = right?.settings ?? [];
  const found = await checked({
    ...ignorantSnapshot(record),
    entries: lies,
    settings: settingsKnown,
    unknown: [],
  });
  const values = (snapshot: Snapshot | null) =>
    snapshot?.entries.map(({ keyXdr, entryXdr, liveUntilLedger, provenance }) => [
      ...[keyXdr, entryXdr, liveUntilLedger, provenance.kind],
    ]);
  expect(values(found)).toEqual(values(right));
  expect(provenSentence({ record, snapshot: found })).not.toMatch(/not proven/i);
  // A node's TTL beside a proven value.
  const lives = (right?.entries ?? []).map((entry) => ({
    ...entry,
    ttlProvenance: entry.ttlProvenance && META,
  }));
  const living = lives.filter(({ ttlProvenance }) => ttlProvenance !== null).length;
  const mixed = { ...ignorantSnapshot(record), settings: right?.settings ?? [], entries: lives };
  expect(living).toBeGreaterThan(1);
  expect(provenSentence({ record, snapshot: mixed })).toEndWith(
    `The TTL of ${living} entries is not proven.`,
  );
  const unproven = { ...ignorantSnapshot(record), entries: lies };
  expect(provenSentence({ record, snapshot: { ...unproven, settings: settingsKnown } })).toContain(
    `Not proven: ${lies.length} entries (from metas).`,
  );
}, 60_000);

test("what is asked of nodes is counted by what came of it, and said where it is not signed", async () => {
  const record = await firstRecord();
  const outcomes: string[] = [];
  const beside = async (known: typeof validators, of = record) => {
    const given = proofWith(cache, known);
    const { prove } = await openProofs(
      resolveConfig({ flags: { network: "testnet" }, environment: {}, file: null }),
      {
        ...{ ...given, settings: { ...given.settings, historyArchive: [ARCHIVE] } },
        ...{ byReplays: stateByReplays, time: openTimeLimits() },
      },
      {
        program: () => ({ path: SIMULATOR_BINARY }),
        proved: (outcome) => outcomes.push(outcome),
      },
    ).beside<Pick<CaptureDependencies, "sources" | "prove">>({ sources: [] }, { ledger: null });
    const run = { signal: new AbortController().signal };
    return prove?.(null, opened({ record: of }), run).catch((error) => error.code);
  };
  const strangers = [["GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"]];
  expect(await beside(validators)).toEqual({ snapshot: null, record });
  expect(await beside(strangers)).toEqual({
    snapshot: null,
    unproven: expect.stringMatching(/^Not proven: too few validators signed ledger [\d,]+\.$/),
  });
  expect(await beside(validators, { ...record, resultXdr: "AAAA" })).toBe("NODE_LIED");
  const { sequence } = record.ledger;
  const late = { ...record, ledger: { ...record.ledger, sequence: sequence + 10_000 } };
  expect(await beside(validators, late)).toBe("ARCHIVE_BEHIND");
  expect(outcomes).toEqual(["success", "unsigned", "contradicted", "error"]);
});

const proofWith = (archiveCache: string, known = validators) =>
  ({
    ...{ asked: false, ledger: null, confirm: undefined, say: () => {}, environment: {} },
    settings: { ...ARCHIVE_DEFAULTS, archiveCache, validators: known },
  }) as const;

test("a capsule is proven from an archive again, and another result than the signed one refused", async () => {
  const { record, prove, snapshot } = await captured();
  const read = decodeCapsule(encodeCapsule(record, snapshot));
  if (read.snapshot === null) throw new Error("the capsule has no state");
  expect(read.snapshot.entries).not.toEqual(snapshot.entries);
  expect(await prove(read.snapshot)).toEqual(snapshot);
  const [, other] = await Array.fromAsync(archivedRecords(39));
  const forged = [
    { resultXdr: other?.resultXdr ?? "" },
    { ledgerHeaderXdr: other?.ledgerHeaderXdr ?? "" },
    // The header is right: these would be what the ledger's own upgrades replaced.
    { ledger: { ...record.ledger, baseReserveStroops: 1 } },
    { ledger: { ...record.ledger, protocolVersion: 21 } },
    { ledger: { ...record.ledger, sequence: record.ledger.sequence + 1 } },
    // Random numbers follow from the place.
    { applicationOrder: record.applicationOrder + 1 },
    { ledger: { ...record.ledger, seedShift: 1 } },
  ];
  for (const each of forged) {
    const proving = prove(snapshot, { ...record, ...each });
    expect(await proving.catch((error) => error.code)).toBe("NODE_LIED");
  }
  // What is named as assumed is a caveat already.
  const assumed = {
    ledger: { ...record.ledger, baseReserveStroops: 1 },
    assumedFacts: ["no source"],
  };
  expect(await prove(snapshot, { ...record, ...assumed })).toEqual(snapshot);
});

describe("a capsule's proof", () => {
  test("is checked where the buckets are kept, and proves the result alone where they are not", async () => {
    const { record, snapshot } = await captured();
    const read = decodeCapsule(encodeCapsule(record, snapshot));
    expect(await checkedProof(read, proofWith(cache))).toEqual(snapshot);
    // Validators signed the result and the header. What else the capsule says stays a claim.
    expect(read.record.claimed?.parts).toContain("result");
    const { claimed } = withSignedResult(read.record);
    expect(claimed?.parts).toEqual([]);
    const without = await checkedProof(read, proofWith(join(cache, "nothing")));
    expect(without).toEqual({ ...read.snapshot, proof: snapshot.proof } as Snapshot);
    expect(existsSync(join(cache, "nothing"))).toBeFalse();
    const bomb = Bun.gzipSync(new Uint8Array(65 * 1024 * 1024)).toBase64();
    const files = Object.keys(snapshot.proof?.files ?? {}).map((name) => [name, bomb]);
    const proof = { ...snapshot.proof, files: Object.fromEntries(files) } as typeof snapshot.proof;
    const bombed = decodeCapsule(encodeCapsule(record, { ...snapshot, ...(proof && { proof }) }));
    expect(await checkedProof(bombed, proofWith(cache))).toEqual(bombed.snapshot);
    const strangers = [["GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"]];
    expect(await checkedProof(read, proofWith(cache, strangers))).toEqual(read.snapshot);
    expect(encodeCapsule(record, snapshot).length).toBeLessThan(200_000);
  });

  test("with any byte altered proves no other value", async () => {
    const { record, snapshot } = await captured();
    const { proof } = snapshot;
    if (proof === undefined) throw new Error("there is no proof");
    const names = Object.keys(proof.files);
    const right = new Map(snapshot.entries.map((entry) => [entry.keyXdr, entry.entryXdr]));
    let open = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (file, at, by) => {
          const name = names[file % names.length] ?? "";
          const bytes = Bun.gunzipSync(Uint8Array.fromBase64(proof.files[name] ?? ""));
          const place = at % bytes.length;
          bytes[place] = (bytes[place] ?? 0) ^ by;
          const files = { ...proof.files, [name]: Bun.gzipSync(bytes).toBase64() };
          // Values that somebody made up, and calls proven.
          const lies = snapshot.entries.map((entry) => ({ ...entry, entryXdr: null }));
          const text = encodeCapsule(record, {
            ...snapshot,
            entries: lies,
            proof: { ...proof, files },
          });
          const found = await checkedProof(decodeCapsule(text), proofWith(cache)).catch(
            (error) => error.code as string,
          );
          if (typeof found === "string" || found === null) return expect(found).toBe("NODE_LIED");
          for (const { keyXdr, entryXdr, provenance } of found.entries)
            if (provenance.kind === "history-archive")
              expect(entryXdr).toBe(right.get(keyXdr) as string | null);
            else open += 1;
        },
      ),
      { numRuns: 150 },
    );
    expect(open).toBeGreaterThan(0);
  }, 60_000);
});
