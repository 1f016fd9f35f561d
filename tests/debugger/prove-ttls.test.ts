// A TTL that only a later ledger gives is proven not to matter by a second replay, or stays a caveat.

import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { proveTtls } from "../../src/debugger/run/prove-ttls.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import type { Verdict } from "../../src/model/verdict.ts";
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

/** The kind of verdict after the proof, where all that kept it from being exact are these TTLs. */
async function provenKind(name: string, change = (snapshot: Snapshot) => snapshot) {
  const { request, snapshot } = recorded(name);
  const given = change(snapshot);
  const simulator = openOneShot({ path: SIMULATOR_BINARY });
  const run = (each: ReplayRequest) => simulator.replay(each, { signal });
  const judge = ({ entries }: Snapshot): Verdict => {
    const open = entries.filter(({ provisional }) => provisional !== undefined);
    const caveats = open.map(({ keyXdr }) => ({ kind: "assumed" as const, keyXdr, detail: "" }));
    const kind = open.length > 0 ? "equivalent" : "exact";
    return {
      kind,
      caveats,
      comparisons: [],
      unconfirmed: { record: [], entries: 0, settings: 0 },
      firstDifference: null,
      likelyCause: null,
    };
  };
  const execution = await run(request);
  const ledger = request.ledger?.sequence ?? 0;
  const judged = { request, execution, snapshot: given, verdict: judge(given) };
  return (await proveTtls({ ledger, run, judge }, judged))?.verdict.kind ?? "unproven";
}

test("where nothing is extended and nothing grows, it does not matter", async () => {
  for (const name of ["contract-error", "fee-bump-failing", "write-bytes-exceeded"]) {
    expect([name, await provenKind(name)]).toEqual([name, "exact"]);
  }
});

test("where it decides the rent, it matters", async () => {
  expect(await provenKind("extend-footprint-ttl")).toBe("unproven");
});

test("only what a node gave for the entry itself is bounded", async () => {
  const ttlProvenance = { kind: "assumed" as const, detail: "" };
  const unbounded = (snapshot: Snapshot) => ({
    ...snapshot,
    entries: snapshot.entries.map((entry) => ({ ...entry, ttlProvenance })),
  });
  expect(await provenKind("contract-error", unbounded)).toBe("unproven");
});
