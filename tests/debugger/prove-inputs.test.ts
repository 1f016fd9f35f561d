// A node that stands later and has no ledgers in between: what it no longer shows is proven by
// further runs and by what the chain itself recorded, or stays a caveat.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { openPool } from "../../src/simulator/pool.ts";
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
    "get of missing key -> contract error": /smallest such entry the metering is not what/,
    "expired temporary entry is gone": /smallest such entry the metering is not what/,
    "SAC transfer to account without trustline": /smallest such entry the metering is not what/,
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
