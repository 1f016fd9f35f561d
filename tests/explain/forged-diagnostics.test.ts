// No hash covers diagnostic events. Of a node that forged them no cause is known that the replay
// contradicts, and no fix is said to be proven: all recorded failures, forged in many ways.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TransactionMeta } from "@stellar/stellar-sdk/xdr";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { openPool } from "../../src/simulator/pool.ts";
import { ENTRY_TYPE, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { opened } from "../support/opened.ts";
import { captureRecorded, type RecordedWalk } from "../support/recorded-walks.ts";

// biome-ignore lint/suspicious/noExplicitAny: the JSON form of any XDR
type Json = any;

const simulator = openPool({ path: SIMULATOR_BINARY, size: 2 });
const failing: RecordedWalk[] = [];
const honest = new Map<string, Investigation>();

beforeAll(async () => {
  ensureBuilt();
  for (const walk of await captureRecorded()) {
    if (walk.snapshot === null) continue;
    const found = await investigate(walk);
    if (found.explanation.success || diagnosticsOf(walk).length === 0) continue;
    failing.push(walk);
    honest.set(walk.record.hash, found);
  }
}, 900_000);
afterAll(() => simulator[Symbol.asyncDispose]());

function investigate(walk: RecordedWalk): Promise<Investigation> {
  const dependencies = { simulator, progress: () => {} };
  return replayCaptured(dependencies, opened(walk), { signal: NEVER_ABORTED });
}

function diagnosticsOf({ record }: RecordedWalk): Json[] {
  const meta = TransactionMeta.fromXdr(record.resultMetaXdr ?? "", "base64").toJson() as Json;
  return meta.v4.diagnostic_events.filter((event: Json) => !isMetric(event));
}

const topicsOf = ({ event }: Json): Json[] => event.body.v0.topics;
const isMetric = (event: Json) => topicsOf(event)[0]?.symbol === "core_metrics";
const isError = (event: Json) => topicsOf(event)[0]?.symbol === "error";

/** The metrics stay: a node that lies need not lie in all. */
function withDiagnostics(walk: RecordedWalk, forge: (events: Json[]) => Json[]): RecordedWalk {
  const { record } = walk;
  const resultMetaXdr = changedXdr(TransactionMeta, record.resultMetaXdr ?? "", ({ v4 }: Json) => {
    const metrics = v4.diagnostic_events.filter(isMetric);
    v4.diagnostic_events = [...forge(diagnosticsOf(walk)), ...metrics];
  });
  return { ...walk, record: { ...record, resultMetaXdr, diagnosticEventsXdr: [] } };
}

/** Each value for which `replace` has another one, at any depth. */
function altered(value: Json, replace: (name: string, value: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((each) => altered(each, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      replace(name, each) ?? altered(each, replace),
    ]),
  );
}

const OTHER = encodeStrkey("contract", new Uint8Array(32).fill(7));
const ADDRESSES = (name: string, value: Json) =>
  (name === "address" || name === "contract_id") && typeof value === "string" ? OTHER : undefined;
const NUMBERS = (name: string, value: Json) =>
  /^[iu](32|64|128|256)$/.test(name) ? another(value) : undefined;
const another = (value: Json) =>
  typeof value === "number" ? (value ^ 1) >>> 0 : String(BigInt(value) ^ 1n);
const CODES = (name: string, value: Json) => {
  if (name !== "error") return undefined;
  if (value.contract !== undefined) return { contract: value.contract + 1 };
  return { contract: 3 };
};
const TEXTS = (name: string, value: Json) =>
  name === "string" && /fail|miss|trap|exceed/.test(String(value))
    ? "trustline entry is missing for account"
    : undefined;

const KINDS = (name: string, value: Json) =>
  name === "vec" && Array.isArray(value)
    ? value.map((each, i) => (i > 0 || each.string === undefined ? { symbol: "a" } : each))
    : undefined;

const FORGERIES: Readonly<Record<string, (events: Json[], at: number) => Json[]>> = {
  "in reverse": (events) => events.toReversed(),
  "moved by one": ([first, ...others]) => [...others, first],
  "without the last": (events) => events.slice(0, -1),
  "with errors alone": (events) => events.filter(isError),
  "of another transaction": (_, at) => eventsAt(at + 1),
  "of one further on": (_, at) => eventsAt(at + 7),
  "of another one after its own": (events, at) => [...events, ...eventsAt(at + 3)],
  "with other addresses": (events) => events.map((event) => altered(event, ADDRESSES)),
  "with other numbers": (events) => events.map((event) => altered(event, NUMBERS)),
  "with other codes": (events) => events.map((event) => altered(event, CODES)),
  "with other messages": (events) => events.map((event) => altered(event, TEXTS)),
  "with other kinds of values": (events) => events.map((event) => altered(event, KINDS)),
  "with other calls": (events) =>
    events.map((event) => (isError(event) ? event : altered(event, ADDRESSES))),
};

function eventsAt(at: number): Json[] {
  const walk = failing[at % failing.length];
  return walk === undefined ? [] : diagnosticsOf(walk);
}

/** What the result says, which a hash covers. */
const BY_CODE_ALONE = "A footprint entry is archived: its TTL had expired.";

describe("diagnostic events", () => {
  for (const [how, forge] of Object.entries(FORGERIES))
    test(`${how}: no cause is known that the replay contradicts`, async () => {
      expect(failing.length).toBeGreaterThan(40);
      for (const [at, walk] of failing.entries()) {
        const truth = honest.get(walk.record.hash)?.explanation.cause;
        const forged = withDiagnostics(walk, (events) => forge(events, at));
        const { explanation, fix, verdict } = await investigate(forged);
        const { cause, evidence } = explanation;
        const isSame = cause?.summary === truth?.summary;
        const said = { name: walk.name, summary: cause?.summary, confidence: cause?.confidence };
        if (!isSame && cause?.summary !== BY_CODE_ALONE)
          expect(said).not.toMatchObject({ confidence: "known" });
        if (!isSame && cause?.confidence === "likely" && truth?.confidence === "known")
          expect(evidence.join(" ")).toContain("No hash covers diagnostic events.");
        if (verdict?.kind !== "exact") expect(fix?.proof ?? null).toBeNull();
        expect(JSON.stringify(verdict?.caveats)).not.toContain("although the chain had it");
      }
    }, 300_000);
});

test("another count of instructions is another metering, and no other failure", async () => {
  const walk = failing.find(({ name }) => name === "cpu budget too low in resources");
  if (walk === undefined) throw new Error("no such transaction");
  const forged = withDiagnostics(walk, (events) => {
    const counted = (name: string, value: Json) =>
      name === "u64" && value === "1502161" ? "1502162" : undefined;
    return events.map((event) => altered(event, counted));
  });
  const { verdict, explanation } = await investigate(forged);
  expect(verdict?.kind).toBe("equivalent");
  expect(verdict?.caveats.map(({ kind }) => kind)).toEqual(["diagnostics"]);
  expect(explanation.cause?.confidence).toBe("likely");
});

describe("a TTL that a node lied about", () => {
  const NAME = "read of archived entry, not restored";

  /** The archived entry lives, and each other persistent one has ended. */
  function lied(walk: RecordedWalk, archivedXdr: string): RecordedWalk {
    const { snapshot, record } = walk;
    if (snapshot === null) throw new Error("nothing ran");
    const word = { kind: "rpc-unchanged", detail: "by a node" } as const;
    const entries = snapshot.entries.map((entry) => {
      if (entry.entryXdr === null || entry.liveUntilLedger === null) return entry;
      const isIt = entry.keyXdr === archivedXdr;
      const liveUntilLedger = record.ledger.sequence + (isIt ? 1000 : -1);
      return { ...entry, archived: false, liveUntilLedger, ttlProvenance: word };
    });
    return { ...walk, snapshot: { ...snapshot, entries } };
  }

  test("gives no cause and no fix against what the chain recorded", async () => {
    const walk = failing.find(({ name }) => name === NAME);
    const archived = walk?.snapshot?.entries.find((entry) => entry.archived);
    if (walk === undefined || archived === undefined) throw new Error("no such transaction");
    const truth = honest.get(walk.record.hash)?.explanation.cause?.summary;
    for (const forge of [(events: Json[]) => events, () => []]) {
      const found = await investigate(lied(withDiagnostics(walk, forge), archived.keyXdr));
      const { cause } = found.explanation;
      expect(found.execution?.outcome).toMatchObject({ kind: "failed" });
      expect([truth, BY_CODE_ALONE]).toContain(cause?.summary);
      expect(found.fix?.proof ?? null).toBeNull();
      expect(found.explanation.evidence.join(" ")).not.toContain("Also archived");
    }
  });

  test("of an entry that the same report calls uncertain, no fix is proven", async () => {
    const walk = failing.find(({ name }) => name === "footprint entry read-only but written");
    if (!walk?.snapshot) throw new Error("no such transaction");
    expect(honest.get(walk.record.hash)?.fix?.proof?.outcome).toBe("succeeds");
    const provenance = { kind: "assumed", detail: "no source has it" } as const;
    const entries = walk.snapshot.entries.map((entry) =>
      typeOfKey(entry.keyXdr) === ENTRY_TYPE.contractData ? { ...entry, provenance } : entry,
    );
    const { fix, verdict } = await investigate({
      ...walk,
      snapshot: { ...walk.snapshot, entries },
    });
    expect(verdict?.kind).toBe("equivalent");
    expect(fix?.proof).toBeNull();
    expect(fix?.summary).toMatch(
      /^No fix is proven: the state of persistent data Count\(main\) .* is not certain/,
    );
  });
});
