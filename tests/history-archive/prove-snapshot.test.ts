// Real transactions, run again on the state that the archive alone proves: no node, no meta.

import { afterAll, describe, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replay } from "../../src/debugger/run/replay.ts";
import { archiveDirectory, openArchive } from "../../src/history-archive/archive-files.ts";
import { openChain } from "../../src/history-archive/chain.ts";
import { openConfiguredArchive } from "../../src/history-archive/open-archive.ts";
import { proveSnapshot } from "../../src/history-archive/prove-snapshot.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import { decidingSettingKeys } from "../../src/snapshot/settings/deciding-settings.ts";
import {
  hashOfEnvelope,
  innerHashOfEnvelope,
  readSorobanFacts,
} from "../../src/xdr/envelope/envelope-facts.ts";
import { networkId } from "../../src/xdr/reader/hash.ts";
import { settingName } from "../../src/xdr/reader/keys.ts";
import { decodeBytes, encode } from "../../src/xdr/reader/value.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { needs } from "../support/needs.ts";
import { opened } from "../support/opened.ts";
import { openTestSimulator } from "../support/simulator.ts";

const ARCHIVE = ["history-archive", "testnet-1-6015"] as const;
const { test } = needs("the history archive of the corpus", hasCorpus(...ARCHIVE));
const { passphrase, validators } = NETWORKS.testnet;
const place = corpusPath(...ARCHIVE);
const cache = mkdtempSync(join(tmpdir(), "svc-proven-"));
afterAll(() => rmSync(cache, { recursive: true }));
const ASSUMED = { kind: "assumed", detail: "nobody knows" } as const;

function configured(known: typeof validators = validators) {
  const settings = { historyArchive: place, validators: known, archiveCache: cache };
  return openConfiguredArchive(settings, {
    http: { send: failed, ask: failed },
    signal: new AbortController().signal,
    ...{ network: "testnet", networkPassphrase: passphrase, download: false, environment: {} },
  });
}

function failed(): never {
  throw new Error("a directory needs no network");
}

/** Every `step`th successful Soroban transaction of the archive. */
async function records(step: number): Promise<ChainRecord[]> {
  const archive = await openArchive(archiveDirectory(place));
  const chain = openChain(archive, validators, passphrase);
  const found: ChainRecord[] = [];
  let count = 0;
  for (let ledger = 700; ledger < 5900; ledger += 1) {
    const envelopes = await chain.envelopes(ledger);
    const soroban = envelopes.filter((envelope) => readSorobanFacts(envelope) !== null);
    for (const envelope of soroban) {
      if (count++ % step !== 0) continue;
      const hash = hashOfEnvelope(envelope, networkId(passphrase));
      const frames = (await archive.frames("results", ledger | 63)) ?? [];
      const results = frames.map((frame) => decodeBytes("TransactionHistoryResultEntry", frame));
      const own = results.find(({ ledgerSeq }) => ledgerSeq === ledger)?.txResultSet.results ?? [];
      const index = own.findIndex(
        ({ transactionHash }) => Buffer.from(transactionHash).toString("hex") === hash,
      );
      const result = own[index]?.result;
      if (result === undefined) throw new Error(`${hash} has no result`);
      const {
        hash: _,
        previousHash: __,
        resultSetHash: ___,
        upgradeCount: ____,
        header: _____,
        ...facts
      } = await chain.header(ledger);
      const { bucketListHash: ______, ...ledgerFacts } = facts;
      found.push({
        ...{ requestedHash: hash, hash, networkPassphrase: passphrase },
        innerHash: innerHashOfEnvelope(envelope, networkId(passphrase)),
        envelopeXdr: envelope.toBase64(),
        resultXdr: encode("TransactionResult", result),
        ...{ resultMetaXdr: null, feeChangesXdr: null, refundChangesXdr: null },
        diagnosticEventsXdr: [],
        ledger: ledgerFacts,
        applicationOrder: index + 1,
      } as unknown as ChainRecord);
    }
  }
  return found;
}

/** Nothing is known but the names of what is needed. */
function ignorant(record: ChainRecord): Snapshot {
  const { readOnly = [], readWrite = [] } = opened({ record }).envelope.soroban?.footprint ?? {};
  return {
    entries: [],
    settings: decidingSettingKeys(record.ledger.protocolVersion).map((key) => ({
      ...{ name: settingName(key), entryXdr: "", provenance: ASSUMED },
    })),
    rentFeePer1KbStroops: null,
    unknown: [...readOnly, ...readWrite].map((keyXdr) => ({ keyXdr, reason: "nobody was asked" })),
  };
}

describe("from the archive alone", () => {
  const simulator = openTestSimulator();

  test("transactions give the return value and the events that the chain has a hash of", async () => {
    const archive = await configured();
    const list = await records(12);
    const counts: Record<string, number> = {};
    for (const record of list) {
      const snapshot = await proveSnapshot(ignorant(record), opened({ record }), archive);
      const isWhole =
        snapshot.unknown.length === 0 && snapshot.settings.every(({ entryXdr }) => entryXdr !== "");
      let outcome = "not proven whole";
      if (isWhole) {
        const request = replayRequest(record, snapshot, {
          ...{ trace: false, diagnostics: true, feeTakenStroops: null },
        });
        const { signal } = new AbortController();
        const { verdict } = await replay({ simulator }, record, snapshot, request, {
          ...{ signal, caveats: [] },
        });
        outcome = verdict.kind;
        expect([record.hash, verdict.firstDifference]).toEqual([record.hash, null]);
        const hashes = verdict.comparisons.filter(({ subject }) => subject === "success-hash");
        outcome += hashes.every(({ result }) => result === "equal") ? ", hash equal" : "";
        expect(verdict.unconfirmed).toEqual({ entries: 0, settings: 0 });
      }
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    const { "not proven whole": open = 0, ...ran } = counts;
    expect(Object.keys(ran)).toEqual(["equivalent, hash equal"]);
    expect(open / list.length).toBeLessThan(0.35);
  }, 120_000);
});

test("a node's false value is replaced, and a true one is confirmed", async () => {
  const archive = await configured();
  const [record] = await records(40);
  if (record === undefined) throw new Error("there is no transaction");
  const subject = opened({ record });
  const right = await proveSnapshot(ignorant(record), subject, archive);
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
  const kept = await proveSnapshot(known, subject, archive);
  expect(kept.entries.every(({ provenance }) => provenance === META)).toBeTrue();
});

const META = { kind: "meta", detail: "its own meta" } as const;

test("what unknown validators signed proves nothing, and a later ledger is refused", async () => {
  const [record] = await records(40);
  if (record === undefined) throw new Error("there is no transaction");
  const strangers = await configured([
    ["GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"],
  ]);
  const asked = ignorant(record);
  expect(await proveSnapshot(asked, opened({ record }), strangers)).toEqual(asked);
  const late = { ...record, ledger: { ...record.ledger, sequence: 6_000 } };
  const code = await proveSnapshot(asked, opened({ record: late }), await configured()).then(
    () => "proven",
    (error) => error.code,
  );
  expect(code).toBe("ARCHIVE_LACKS");
});
