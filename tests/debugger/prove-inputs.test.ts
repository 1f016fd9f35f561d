// A node that stands later and has no ledgers in between: what it no longer shows is proven by
// further runs and by what the chain itself recorded, or stays a caveat.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { openPool } from "../../src/simulator/pool.ts";
import { WINDOW } from "../../src/snapshot/decide-settings.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";

const loopback = openLoopback();
const simulator = openPool({ path: SIMULATOR_BINARY, size: 1 });
beforeAll(ensureBuilt, 900_000);
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

function debug(hash: string): Promise<Investigation> {
  const dependencies = { ...openWalk(loopback), simulator, progress: () => {} };
  return debugTransaction(dependencies, hash, { signal: NEVER_ABORTED });
}

describe("with entries of the last ledger only", () => {
  const proofs: Readonly<Record<string, RegExp>> = {
    "get of missing key -> contract error": /smallest such entry, the metering is not what/,
    "expired temporary entry is gone": /smallest such entry, the metering is not what/,
    "SAC transfer to account without trustline": /smallest such entry, the metering is not what/,
  };
  for (const [name, proof] of Object.entries(proofs))
    test(`${name}: absence is proven`, async () => {
      const { verdict, snapshot } = await debug(loopback.network.named(name).hash);
      expect(verdict?.kind).toBe("exact");
      const absent = snapshot?.entries.filter(({ entryXdr }) => entryXdr === null) ?? [];
      expect(absent.some(({ provenance }) => proof.test(provenance.detail))).toBe(true);
    });

  test("150 of 166 are exact, and each other one names what is not known", async () => {
    const kinds: Record<string, number> = {};
    for (const { hash } of loopback.network.transactions) {
      const { verdict } = await debug(hash);
      if (verdict === null) continue;
      kinds[verdict.kind] = (kinds[verdict.kind] ?? 0) + 1;
      if (verdict.kind !== "exact") expect(verdict.caveats).not.toBeEmpty();
    }
    expect(kinds).toEqual({ exact: 150, equivalent: 3, inconclusive: 13 });
  }, 60_000);
});

describe("a state-size window that no source shows", () => {
  const openDebug = async (name: string, change: (fee: bigint) => bigint) => {
    const { hash, ledger } = loopback.network.named(name);
    const node = openWalk(loopback, { rpc: [`entries-at=${ledger}`] });
    const dependencies = { ...node, simulator, progress: () => {} };
    const captured = await captureTransaction(dependencies, hash, { signal: NEVER_ABORTED });
    const snapshot = captured.snapshot as Snapshot;
    const fee = change(BigInt(snapshot.rentFeePer1KbStroops ?? 0));
    const settings = snapshot.settings.map((each) =>
      each.name === WINDOW
        ? { ...each, provenance: { kind: "assumed" as const, detail: "of a later ledger" } }
        : each,
    );
    const open = { ...snapshot, settings, rentFeePer1KbStroops: fee.toString() };
    const given = { ...captured, snapshot: open };
    return replayCaptured(dependencies, given, { signal: NEVER_ABORTED });
  };
  const name = "inc persistent counter, new key";

  test("is proven where every part of the fee is the chain's", async () => {
    const { verdict, snapshot } = await openDebug(name, (fee) => fee);
    expect(verdict?.kind).toBe("exact");
    const window = snapshot?.settings.find((each) => each.name === WINDOW);
    expect(window?.provenance.detail).toContain("fees of the replay are those that the chain took");
  });

  test("stays assumed where a part of it is not", async () => {
    const { verdict } = await openDebug(name, (fee) => fee * 7n);
    expect(verdict?.kind).toBe("inconclusive");
    expect(verdict?.caveats.some(({ detail }) => detail.includes("of a later ledger"))).toBe(true);
  });
});
