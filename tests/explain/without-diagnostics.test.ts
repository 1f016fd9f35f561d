// Many nodes write no diagnostics into their metas. Then the cause is what the result, the envelope
// and a replay that reproduced the chain show. A replay that lacks an entry shows nothing: it said
// "There is no contract … deploy it first" of an authorization that had expired.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TransactionMeta } from "@stellar/stellar-sdk/xdr";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { openPool } from "../../src/simulator/pool.ts";
import { isAbsentByNode } from "../../src/verdict/missed-entries.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { opened } from "../support/opened.ts";
import { captureRecorded, type RecordedWalk } from "../support/recorded-walks.ts";

const simulator = openPool({ path: SIMULATOR_BINARY, size: 2 });
let failing: RecordedWalk[] = [];
const known = new Map<string, Investigation>();

beforeAll(async () => {
  ensureBuilt();
  failing = (await captureRecorded()).filter(({ snapshot }) => snapshot !== null);
  for (const walk of failing) known.set(walk.name, await investigate(walk));
  failing = failing.filter(({ name }) => known.get(name)?.explanation.success === false);
}, 900_000);
afterAll(() => simulator[Symbol.asyncDispose]());

function investigate(walk: RecordedWalk): Promise<Investigation> {
  const dependencies = { simulator, progress: () => {} };
  return replayCaptured(dependencies, opened(walk), { signal: NEVER_ABORTED });
}

/** As a node with diagnostics turned off writes it. */
function withoutDiagnostics(walk: RecordedWalk): RecordedWalk {
  const { record } = walk;
  const json = TransactionMeta.fromXdr(record.resultMetaXdr ?? "", "base64").toJson() as {
    v4: { diagnostic_events: unknown[] };
  };
  json.v4.diagnostic_events = [];
  const resultMetaXdr = TransactionMeta.fromJson(json as never).toXdr("base64");
  return { ...walk, record: { ...record, resultMetaXdr, diagnosticEventsXdr: [] } };
}

/** Kinds that say no more than the result code does. */
const GENERAL = new Set(["trapped", "result-code"]);
/** A result code may stand for one kind alone, whatever else is known. */
const BY_CODE = new Set([
  "entry-archived",
  "resource-limit-exceeded",
  "insufficient-refundable-fee",
]);

describe("a failure whose node recorded no diagnostics", () => {
  test("has the same cause where all of its state is known", async () => {
    expect(failing.length).toBeGreaterThan(5);
    let confined = 0;
    for (const walk of failing) {
      const { explanation, verdict } = await investigate(withoutDiagnostics(walk));
      const truth = known.get(walk.name);
      expect([walk.name, explanation.cause?.kind]).toEqual([
        walk.name,
        truth?.explanation.cause?.kind,
      ]);
      // Nothing but the node's word shows then that an entry was absent.
      const absent = (walk.snapshot?.entries ?? []).filter(isAbsentByNode);
      const kind = absent.length > 0 ? "equivalent" : truth?.verdict?.kind;
      expect([walk.name, verdict?.kind]).toEqual([walk.name, kind]);
      if (absent.length > 0 && !BY_CODE.has(explanation.cause?.kind ?? ""))
        expect([walk.name, explanation.cause?.confidence]).toEqual([walk.name, "likely"]);
      // That it was absent is not said as a fact either.
      const { cause, evidence, remedy } = explanation;
      const isOnlyOfNode = (walk.snapshot?.entries ?? []).every(
        (entry) => entry.entryXdr !== null || isAbsentByNode(entry),
      );
      if (isOnlyOfNode && !BY_CODE.has(cause?.kind ?? "")) {
        expect(JSON.stringify([cause, evidence])).not.toContain("did not exist");
        expect(remedy ?? "").not.toMatch(/^Check the arguments that the key/);
      }
      confined += absent.length;
    }
    expect(confined).toBeGreaterThan(0);
  }, 120_000);

  test("claims no other cause, whichever entry of its state is unknown", async () => {
    let unclaimed = 0;
    for (const walk of failing) {
      const stripped = withoutDiagnostics(walk);
      const truth = known.get(walk.name)?.explanation.cause?.kind ?? "";
      for (const { keyXdr } of walk.snapshot?.entries ?? []) {
        const { explanation, verdict, fix } = await investigate(withoutEntry(stripped, keyXdr));
        const { cause, remedy, evidence } = explanation;
        expect(verdict?.kind).toBe("inconclusive");
        expect(fix?.proof ?? null).toBeNull();
        const kind = cause?.kind ?? "";
        if (GENERAL.has(kind)) unclaimed += 1;
        else if (!BY_CODE.has(kind)) expect([walk.name, kind]).toEqual([walk.name, truth]);
        const said = JSON.stringify([cause, remedy, evidence]);
        expect(said).not.toMatch(/does not exist|deployed and initialized|did not exist/);
      }
    }
    expect(unclaimed).toBeGreaterThan(20);
  }, 120_000);
});

function withoutEntry(walk: RecordedWalk, keyXdr: string): RecordedWalk {
  const { snapshot } = walk;
  if (snapshot === null) return walk;
  const entries = snapshot.entries.filter((entry) => entry.keyXdr !== keyXdr);
  const unknown = [{ keyXdr, reason: "no source has it" }];
  return { ...walk, snapshot: { ...snapshot, entries, unknown } };
}
