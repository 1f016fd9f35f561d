// A time to live that only a later ledger gives is proven not to matter by a second replay, or stays a
// doubt.

import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { endedAlike, withLowestTtls, withProvenTtls } from "../../src/debugger/run/prove-ttls.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { openOneShot } from "../../src/simulator/one-shot.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";

const signal = new AbortController().signal;
beforeAll(() => ensureBuilt());

/** A recorded exchange, as if every time to live in it were a later ledger's. */
function recorded(name: string): { request: ReplayRequest; snapshot: Snapshot } {
  const file = join(import.meta.dir, "../fixtures/protocol", `${name}.json`);
  const { request } = JSON.parse(readFileSync(file, "utf8"));
  const entries = Object.keys(request.ledger_entries).map((keyXdr) => ({
    keyXdr,
    entryXdr: null,
    liveUntilLedger: 1,
    archived: false,
    codeCached: null,
    provenance: { kind: "rpc-unchanged" as const, detail: "" },
    ttlProvenance: { kind: "rpc-unchanged" as const, detail: "" },
    provisional: "ttl-unchanged" as const,
  }));
  return { request, snapshot: { entries, settings: [], rentFeePer1KbStroops: null, unknown: [] } };
}

async function endsAlike(name: string): Promise<boolean> {
  const { request, snapshot } = recorded(name);
  const simulator = openOneShot({ path: SIMULATOR_BINARY });
  const sequence = request.ledger?.sequence ?? 0;
  const today = await simulator.replay(request, { signal });
  const lowest = withLowestTtls(request, snapshot, sequence);
  return endedAlike(today, await simulator.replay(lowest, { signal }));
}

test("where nothing is extended and nothing grows, it does not matter", async () => {
  for (const name of ["contract-error", "fee-bump-failing", "write-bytes-exceeded"]) {
    expect([name, await endsAlike(name)]).toEqual([name, true]);
  }
});

test("where it decides the rent, it matters", async () => {
  expect(await endsAlike("extend-footprint-ttl")).toBe(false);
});

test("only what a node gave for the entry itself is bounded", () => {
  const { request, snapshot } = recorded("contract-error");
  const assumed = snapshot.entries.map((entry) => ({
    ...entry,
    ttlProvenance: { kind: "assumed" as const, detail: "" },
  }));
  const unbounded = { ...snapshot, entries: assumed };
  expect(withLowestTtls(request, unbounded, 7)).toEqual(request);
  expect(withProvenTtls(unbounded).entries).toEqual(assumed);
  for (const entry of withProvenTtls(snapshot).entries) {
    expect(entry.provisional).toBeUndefined();
  }
});
