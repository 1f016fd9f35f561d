// The folded state's own rules, and the ones of the parallel phase (CAP-63) that streams seldom show.

import { describe, expect, test } from "bun:test";
import * as xdr from "@stellar/stellar-sdk/xdr";
import type { FootprintKey } from "../../src/snapshot/folded-footprint.ts";
import { LedgerState } from "../../src/snapshot/stream/ledger-state.ts";
import { StageTtls } from "../../src/snapshot/stream/stage-ttls.ts";
import type { KeyedChange } from "../../src/xdr/ledger/keyed-change.ts";
import { ENTRY_TYPE, ttlKeyOf } from "../../src/xdr/reader/keys.ts";

const encode = (type: { schema: unknown }, value: unknown): string =>
  (type.schema as { encode(value: unknown): Uint8Array }).encode(value).toBase64();

function dataKey(name: string, durability: 0 | 1): string {
  const contractData = {
    contract: { type: 1, contractId: new Uint8Array(32) },
    key: { type: 15, sym: Buffer.from(name) },
    durability,
  };
  return encode(xdr.LedgerKey, { type: 6, contractData });
}

const CODE = encode(xdr.LedgerKey, {
  type: 7,
  contractCode: { hash: new Uint8Array(32).fill(3) },
});

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

const bytes = (keyXdr: string) => Uint8Array.fromBase64(keyXdr);
const PERSISTENT = dataKey("p", 1);
const TEMPORARY = dataKey("t", 0);

describe("the ledger state", () => {
  test("takes what nobody mentioned for absent only when it saw every ledger", () => {
    expect(new LedgerState({ fromGenesis: true }).entry(PERSISTENT)).toBeNull();
    const partial = new LedgerState({ fromGenesis: false });
    expect(partial.entry(PERSISTENT)).toBeUndefined();
    partial.apply([change("removed", PERSISTENT, null)]);
    expect(partial.entry(PERSISTENT)).toBeNull();
  });

  test("keeps evicted persistent entries in the hot archive and forgets temporary ones", () => {
    const state = new LedgerState({ fromGenesis: true });
    for (const key of [PERSISTENT, TEMPORARY]) {
      state.apply([change("created", key, `of ${key}`), ttlChange("created", key, 9)]);
      state.evict(bytes(ttlKeyOf(key)));
      state.evict(bytes(key));
      expect(state.entry(key)).toBeNull();
      expect(state.liveUntilLedger(ttlKeyOf(key))).toBeNull();
    }
    expect(state.archived(PERSISTENT)).toBe(`of ${PERSISTENT}`);
    expect(state.archived(TEMPORARY)).toBeNull();
    state.apply([change("restored", PERSISTENT, "back")]);
    expect(state.archived(PERSISTENT)).toBeNull();
    expect(state.entry(PERSISTENT)).toBe("back");
  });

  test("knows which code was not live when the ledger before closed", () => {
    const state = new LedgerState({ fromGenesis: true });
    state.beginLedger();
    state.apply([change("created", CODE, "code", ENTRY_TYPE.contractCode)]);
    expect(state.isNewCode(CODE)).toBe(true);
    state.beginLedger();
    expect(state.isNewCode(CODE)).toBe(false);
    // Expired and restored before it was evicted: it never left the cache.
    state.apply([change("restored", CODE, "code", ENTRY_TYPE.contractCode)]);
    expect(state.isNewCode(CODE)).toBe(false);
    state.evict(bytes(CODE));
    state.apply([change("restored", CODE, "code", ENTRY_TYPE.contractCode)]);
    expect(state.isNewCode(CODE)).toBe(true);
  });

  test("believes a STATE and counts that it was wrong", () => {
    const state = new LedgerState({ fromGenesis: true });
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

  function stageOf(): { state: LedgerState; ttls: StageTtls; live: () => number | null } {
    const state = new LedgerState({ fromGenesis: true });
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
