// The folded state's own rules, and the ones of the parallel phase (CAP-63) that streams seldom show.

import { describe, expect, test } from "bun:test";
import type { FootprintKey } from "../../src/snapshot/footprint-keys.ts";
import { type FoldedMismatch, FoldedState } from "../../src/snapshot/stream/folded-state.ts";
import { StageTtls } from "../../src/snapshot/stream/stage-ttls.ts";
import type { KeyedChange } from "../../src/xdr/ledger/keyed-change.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { ENTRY_TYPE, ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { codeOf, dataKeyOf } from "../support/ledger-entries.ts";

const CODE = codeOf("code").key;

function change(
  kind: KeyedChange["kind"],
  keyXdr: string,
  entryXdr: string | null,
  type: number = ENTRY_TYPE.contractData,
): KeyedChange {
  return { kind, type, keyXdr, entryXdr, liveUntilLedger: null };
}

function ttlChange(kind: KeyedChange["kind"], keyXdr: string, ledger: number): KeyedChange {
  return {
    kind,
    type: ENTRY_TYPE.ttl,
    keyXdr: ttlKeyOf(keyXdr),
    entryXdr: null,
    liveUntilLedger: ledger,
  };
}

/** As a LedgerEntry: four bytes of the last-modified ledger, then some data. */
function entryOf(data: string, lastModified = 0): string {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(lastModified);
  return Buffer.concat([head, Buffer.from(data)]).toString("base64");
}

const bytes = (keyXdr: string) => Uint8Array.fromBase64(keyXdr);
const PERSISTENT = dataKeyOf("p");
const TEMPORARY = dataKeyOf("t", "temporary");

describe("the ledger state", () => {
  test("takes what nobody mentioned for absent only when it saw every ledger", () => {
    expect(new FoldedState({ fromGenesis: true }).entry(PERSISTENT)).toBeNull();
    const partial = new FoldedState({ fromGenesis: false });
    expect(partial.entry(PERSISTENT)).toBeUndefined();
    partial.apply([change("removed", PERSISTENT, null)]);
    expect(partial.entry(PERSISTENT)).toBeNull();
  });

  test("keeps evicted persistent entries in the hot archive and forgets temporary ones", () => {
    const state = new FoldedState({ fromGenesis: true });
    for (const key of [PERSISTENT, TEMPORARY]) {
      state.apply([change("created", key, entryOf("it")), ttlChange("created", key, 9)]);
      state.evict(bytes(ttlKeyOf(key)));
      expect(state.liveUntilLedger(ttlKeyOf(key))).toBeNull();
      state.evict(bytes(key));
      expect(state.entry(key)).toBeNull();
      expect(state.liveUntilLedger(ttlKeyOf(key))).toBeNull();
    }
    expect(state.archived(PERSISTENT)).toBe(entryOf("it"));
    expect(state.archived(TEMPORARY)).toBeNull();
    state.apply([change("restored", PERSISTENT, entryOf("back"))]);
    expect(state.archived(PERSISTENT)).toBeNull();
    expect(state.entry(PERSISTENT)).toBe(entryOf("back"));
  });

  test("knows which code was not live when the ledger before closed", () => {
    const state = new FoldedState({ fromGenesis: true });
    state.beginLedger(2);
    state.apply([change("created", CODE, "code", ENTRY_TYPE.contractCode)]);
    expect(state.isNewCode(CODE)).toBe(true);
    state.beginLedger(3);
    expect(state.isNewCode(CODE)).toBe(false);
    // Expired and restored before it was evicted: it never left the cache.
    state.apply([change("restored", CODE, "code", ENTRY_TYPE.contractCode)]);
    expect(state.isNewCode(CODE)).toBe(false);
    state.evict(bytes(CODE));
    state.apply([change("restored", CODE, "code", ENTRY_TYPE.contractCode)]);
    expect(state.isNewCode(CODE)).toBe(true);
  });

  test("reports an entry that came back from the archive with another value", () => {
    const mismatches: FoldedMismatch[] = [];
    const onMismatch = (each: FoldedMismatch) => mismatches.push(each);
    const state = new FoldedState({ fromGenesis: false, onMismatch });
    state.beginLedger(7);
    state.apply([change("created", PERSISTENT, entryOf("new"))]);
    state.evict(bytes(PERSISTENT));
    state.beginLedger(8);
    // Restored in a later ledger: its last-modified ledger is all that may differ.
    state.apply([change("restored", PERSISTENT, entryOf("new", 8))]);
    expect(mismatches).toEqual([]);
    state.evict(bytes(PERSISTENT));
    state.apply([change("restored", PERSISTENT, entryOf("old", 8))]);
    const [folded, onChain] = [entryOf("new", 8), entryOf("old", 8)];
    const mismatch = { kind: "restored" as const, keyXdr: PERSISTENT, ledger: 8, folded, onChain };
    expect(mismatches).toEqual([mismatch]);
    // What is not known is not compared.
    state.apply([change("restored", dataKeyOf("unknown"), entryOf("old"))]);
    expect(mismatches).toHaveLength(1);
  });

  test("forgets everything but the settings at its limit, and begins anew", () => {
    const state = new FoldedState({ fromGenesis: true, maximumCharacters: 200 });
    const setting = settingKeyOf(1);
    state.beginLedger(2);
    state.apply([change("updated", setting, entryOf("setting"), ENTRY_TYPE.configSetting)]);
    state.apply([change("created", PERSISTENT, entryOf("x".repeat(200)))]);
    expect(state.entry(PERSISTENT)).toBeString();
    state.beginLedger(3);
    expect(state.entry(PERSISTENT)).toBeUndefined();
    expect(state.entry(setting)).toBe(entryOf("setting"));
    expect([state.complete, state.firstLedger]).toEqual([false, 3]);
  });

  test("believes a STATE and counts that it was wrong", () => {
    const state = new FoldedState({ fromGenesis: true });
    state.apply([change("created", PERSISTENT, "one"), change("state", PERSISTENT, "two")]);
    expect(state.entry(PERSISTENT)).toBe("two");
    expect(state.counts).toEqual({ states: 1, corrected: 1 });
  });
});

describe("extensions of read-only entries in a stage", () => {
  const ttlKeyXdr = ttlKeyOf(PERSISTENT);
  const footprint = (readOnly: boolean): FootprintKey[] => [
    { keyXdr: PERSISTENT, type: 6, readOnly, temporary: false, ttlKeyXdr },
  ];
  const extension = (from: number, to: number) => [
    ttlChange("state", PERSISTENT, from),
    ttlChange("updated", PERSISTENT, to),
  ];

  function stageOf(): { state: FoldedState; ttls: StageTtls; live: () => number | null } {
    const state = new FoldedState({ fromGenesis: true });
    state.apply([ttlChange("created", PERSISTENT, 100)]);
    const live = () => state.liveUntilLedger(ttlKeyXdr) ?? null;
    return { state, ttls: new StageTtls(state), live };
  }

  test("are invisible until the stage ends, and merge to the highest", () => {
    const { ttls, live } = stageOf();
    for (const [cluster, to] of [
      [0, 150],
      [0, 120],
      [1, 180],
      [2, 110],
    ] as const) {
      ttls.beforeTransaction(cluster, footprint(true));
      expect(live()).toBe(100);
      ttls.applyOperation(cluster, footprint(true), extension(100, to));
    }
    expect(live()).toBe(100);
    ttls.end();
    expect(live()).toBe(180);
  });

  test("become visible to a transaction of the same cluster that has the key read-write", () => {
    const { ttls, live } = stageOf();
    ttls.applyOperation(0, footprint(true), extension(100, 150));
    ttls.beforeTransaction(1, footprint(false));
    expect(live()).toBe(100);
    ttls.beforeTransaction(0, footprint(false));
    expect(live()).toBe(150);
    ttls.applyOperation(0, footprint(false), extension(150, 170));
    expect(live()).toBe(170);
    ttls.end();
    expect(live()).toBe(170);
  });

  test("of an entry that is written too are visible at once", () => {
    const { ttls, live } = stageOf();
    ttls.applyOperation(0, footprint(false), extension(100, 130));
    expect(live()).toBe(130);
  });
});
