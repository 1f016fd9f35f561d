// Each chain here has an entry whose proof fails for one reason alone. A proof without that
// condition would show a false value as proven.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import { StateReader } from "../../src/history-archive/state-at.ts";
import { keyBytesOfEntry } from "../../src/xdr/reader/keys.ts";
import { decodeBytes } from "../../src/xdr/reader/value.ts";
import { accountOf, dataKeyOf, dataOf, ttlOf } from "../support/ledger-entries.ts";
import { type MadeChain, madeArchive, PASSPHRASE, VALIDATOR } from "../support/made-archive.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-false-proofs-"));
afterAll(() => rmSync(directory, { recursive: true }));

async function open(chain: MadeChain, sorobanOnly = false) {
  const { files, hashes } = madeArchive(chain);
  const opened = openArchivedChain(await openArchiveFiles(files), [[VALIDATOR]], PASSPHRASE);
  const store = openBucketStore(mkdtempSync(join(directory, "kept-")), { sorobanOnly });
  const given = { chain: opened, store, networkPassphrase: PASSPHRASE };
  return { hashes, states: new StateReader({ ...given, allow: async () => {} }) };
}

const bytes = (base64: string) => Uint8Array.fromBase64(base64);
const LONG = 1000;
const KEY_XDR = dataKeyOf("k");
const KEY = bytes(KEY_XDR);
const data = (value: number, modified: number) => bytes(dataOf(KEY_XDR, value, modified));
const ttl = (until: number, modified: number) => bytes(ttlOf(KEY_XDR, until, modified));
const unchanged = { live: [data(1, 3), ttl(LONG, 3)] };
const key = decodeBytes("LedgerKey", KEY);

describe("a TTL that a transaction may have extended by reading its entry", () => {
  const later = { live: [data(1, 3), ttl(LONG + 9, 14)] };
  const chain = (succeeded: boolean): MadeChain => ({
    states: { 7: unchanged, 15: later, 23: later },
    transactions: {
      10: [
        { readOnly: [key], readWrite: [], succeeded },
        { readWrite: [], succeeded: true },
      ],
    },
  });
  const found = async (succeeded: boolean, ledger: number) => {
    const { states } = await open(chain(succeeded));
    const { entry, liveUntil } = await states.at(KEY, ledger);
    return [entry.kind, liveUntil?.kind];
  };

  test("is not shown after it, and its entry is", async () => {
    expect(await found(true, 9)).toEqual(["known", "known"]);
    expect(await found(true, 10)).toEqual(["known", "unknown"]);
    expect(await found(false, 10)).toEqual(["known", "known"]);
  });

  test("is not shown before another transaction of the same ledger", async () => {
    for (const [succeeded, kind] of [
      [true, "unknown"],
      [false, "known"],
    ] as const) {
      const { states, hashes } = await open(chain(succeeded));
      const { entry, liveUntil } = await states.before(KEY, 10, hashes[10]?.[1] ?? "");
      expect([entry.kind, liveUntil?.kind]).toEqual(["known", kind]);
    }
  });

  test("is shown before the transaction itself", async () => {
    const { states, hashes } = await open(chain(true));
    const { liveUntil } = await states.before(KEY, 10, hashes[10]?.[0] ?? "");
    expect(liveUntil?.kind).toBe("known");
  });
});

test("an entry that a transaction only read is shown after it, as the checkpoint before has it", async () => {
  const later = { live: [data(2, 14), ttl(LONG, 3)] };
  const { states } = await open({
    states: { 7: unchanged, 15: later, 23: later },
    transactions: { 10: [{ readOnly: [key], readWrite: [], succeeded: true }] },
  });
  const { entry } = await states.at(KEY, 12);
  expect(entry).toMatchObject({ kind: "known", proof: { step: "untouched-since" } });
});

test("an entry of a contract is shown where the settings keep these alone", async () => {
  const { states } = await open({ states: { 7: unchanged, 15: unchanged, 23: unchanged } }, true);
  expect((await states.at(KEY, 12)).entry.kind).toBe("known");
});

test("an entry in the hot archive alone is not shown as archived before the checkpoint", async () => {
  const archived = { live: [], hot: [data(1, 3)] };
  const { states } = await open({
    states: { 7: { live: [data(1, 3), ttl(9, 3)] }, 15: archived, 23: archived },
  });
  expect((await states.at(KEY, 12)).entry.kind).toBe("unknown");
  expect((await states.at(KEY, 15)).entry).toMatchObject({
    kind: "known",
    value: { archived: true },
  });
});

describe("an account", () => {
  const before = accountOf(1, 3, 5);
  const after = accountOf(1, 12, 6);
  const account = keyBytesOfEntry(bytes(before.entry));
  const list = ({ entry }: { readonly entry: string }) => ({ live: [bytes(entry)] });
  const chain: MadeChain = {
    states: { 7: list(before), 15: list(after), 23: list(after) },
    transactions: { 8: [{ readWrite: [], succeeded: true }] },
  };

  test("that changed between two checkpoints is shown at them, and from its change on", async () => {
    const { states } = await open(chain);
    const kinds: Record<number, string> = {};
    for (let ledger = 7; ledger <= 15; ledger += 1)
      kinds[ledger] = (await states.at(account, ledger)).entry.kind;
    const unknown = { 8: "unknown", 9: "unknown", 10: "unknown", 11: "unknown" };
    const known = { 12: "known", 13: "known", 14: "known", 15: "known" };
    expect(kinds).toEqual({ 7: "known", ...unknown, ...known });
  });

  test("is not shown before a transaction of a ledger that may have changed it", async () => {
    const { states, hashes } = await open(chain);
    const { entry } = await states.before(account, 8, hashes[8]?.[0] ?? "");
    expect(entry.kind).toBe("unknown");
  });

  test("is not called absent where the settings keep the entries of contracts alone", async () => {
    const { states } = await open(chain, true);
    for (const ledger of [7, 12, 15])
      expect((await states.at(account, ledger)).entry.kind).toBe("unknown");
    expect(states.hasClassic).toBeFalse();
  });
});
