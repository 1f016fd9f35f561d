import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { SnapshotEntry } from "../../src/model/snapshot.ts";
import { takeSnapshot } from "../../src/snapshot/gather/take-snapshot.ts";
import { decodeCapsule, encodeCapsule } from "../../src/sources/files/capsule.ts";
import { changedCapsule } from "../support/changed-capsule.ts";
import { failureIn } from "../support/failure.ts";
import { codeOf } from "../support/ledger-entries.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk, recordOf } from "../support/loopback-walk.ts";

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

async function capture(hash: string) {
  const walk = openWalk(loopback, { rpc: ["entries-at=999"] });
  const fetched = await recordOf(walk, hash);
  return { ...fetched, snapshot: await takeSnapshot(walk, fetched, { signal: NEVER_ABORTED }) };
}

const HASHES = loopback.network.transactions.filter(({ soroban }) => soroban);
const FIRST = HASHES[0]?.hash as string;
const FLIPS = 100;
/** LedgerEntryChanges. */
const NO_CHANGES = "AAAAAA==";

test("what was captured comes back the same, and is a claim", async () => {
  for (const { hash } of HASHES) {
    const { record, snapshot } = await capture(hash);
    const text = encodeCapsule(record, snapshot);
    const { envelope, ...content } = decodeCapsule(text, "x");
    expect(withoutDetails(encodeCapsule(content.record, content.snapshot))).toBe(
      withoutDetails(text),
    );
    const { claimed, ...read } = content.record;
    expect(read).toEqual(record);
    expect(claimed?.parts).toContain("result");
    expect([envelope.xdr, envelope.hash]).toEqual([record.envelopeXdr, record.hash]);
  }
});

/** What its own meta shows has svc's own words. */
function withoutDetails(capsule: string): string {
  return capsule.replaceAll(/(?<="kind": "meta",\s+"detail": ")[^"]*|(?<="checksum": ")\w+/g, "");
}

test("a capsule of format 2 is read", async () => {
  const { record, snapshot } = await capture(FIRST);
  const old = changedCapsule(encodeCapsule(record, snapshot), (capsule) => {
    capsule.format = 2;
  });
  expect(decodeCapsule(old)).toEqual(decodeCapsule(encodeCapsule(record, snapshot)));
});

test("parts of two capsules are refused, unless nothing in them can show it", async () => {
  const captured = await Promise.all(HASHES.map(({ hash }) => capture(hash)));
  type Captured = (typeof captured)[number];
  const footprintOf = ({ envelope: { soroban } }: Captured) =>
    Object.values(soroban?.footprint ?? {})
      .flat()
      .sort();
  /** `own`: what is the same in both says nothing. */
  const parts: readonly {
    readonly own: (of: Captured) => unknown;
    readonly record?: (from: Captured) => object;
  }[] = [
    ...(["envelopeXdr", "resultMetaXdr", "feeChangesXdr", "refundChangesXdr"] as const).map(
      (field) => ({
        own: ({ record }: Captured) => record[field],
        record: ({ record }: Captured) => ({ [field]: record[field] }),
      }),
    ),
    {
      own: ({ record }) => record.ledger,
      record: ({ record: { ledger, ledgerHeaderXdr, assumedFacts } }) => ({
        ledger,
        ledgerHeaderXdr,
        assumedFacts,
      }),
    },
    { own: footprintOf },
  ];
  const place = fc.nat({ max: captured.length - 1 });
  fc.assert(
    fc.property(place, place, fc.constantFrom(...parts), (to, from, { own, record }) => {
      const [one, other] = [captured[to], captured[from]] as [Captured, Captured];
      const taken = own(other);
      if (Bun.deepEquals(taken, own(one)) || taken === null || taken === NO_CHANGES) return;
      const mixed = record
        ? encodeCapsule({ ...one.record, ...record(other) }, one.snapshot)
        : encodeCapsule(one.record, other.snapshot);
      expect(() => decodeCapsule(mixed, "x")).toThrow("x is not a valid capsule: its ");
    }),
    { numRuns: 400, includeErrorInReport: true },
  );
});

test("a state that cannot have been is refused", async () => {
  const { record, snapshot } = await capture(
    loopback.network.named("contract error Err(NotFound)").hash,
  );
  if (snapshot === null) throw new Error("nothing ran");
  const [first, ...entries] = snapshot.entries;
  const [setting, next] = snapshot.settings;
  if (!first?.entryXdr || !setting || !next) throw new Error("an empty snapshot");
  const bytes = Buffer.from(first.entryXdr, "base64");
  bytes.writeUInt32BE(record.ledger.sequence + 1);
  const later = { ...first, entryXdr: bytes.toString("base64") };
  const others: readonly [changed: Partial<typeof snapshot>, why: RegExp][] = [
    [{ entries: [later, ...entries] }, /an entry of ledger \d+, and is of ledger/],
    [{ entries: [...snapshot.entries, first] }, /has \S+ twice/],
    [{ settings: [...snapshot.settings, setting] }, /has CONFIG_\w+ twice/],
    [
      { settings: [{ ...setting, name: next.name }] },
      /its setting CONFIG_\w+ has the name of another one/,
    ],
  ];
  for (const [changed, why] of others) {
    const capsule = encodeCapsule(record, { ...snapshot, ...changed });
    expect(() => decodeCapsule(capsule, "x")).toThrow(why);
  }
});

test("no flipped bit changes what a capsule says: it is refused, or says the same", async () => {
  for (const { hash } of HASHES.slice(0, 4)) {
    const { record, snapshot } = await capture(hash);
    const bytes = Buffer.from(encodeCapsule(record, snapshot));
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const altered = Buffer.from(bytes);
      const position = Math.floor(((flip + 0.5) * bytes.length) / FLIPS);
      altered[position] = (altered[position] ?? 0) ^ (1 << (flip % 8));
      let read: ReturnType<typeof decodeCapsule> | null = null;
      try {
        read = decodeCapsule(altered.toString(), "x");
      } catch (error) {
        expect((error as { code?: string }).code).toBe("FILE_INVALID");
      }
      if (read !== null) {
        const { record: claim, snapshot: state, signers } = read;
        expect(withoutDetails(encodeCapsule(claim, state))).toBe(withoutDetails(bytes.toString()));
        expect(signers).toEqual([]);
      }
    }
  }
});

describe("FILE_INVALID", async () => {
  const { record, snapshot } = await capture(FIRST);
  const other = await capture(HASHES[1]?.hash as string);
  const counter = await capture(loopback.network.named("inc persistent counter #1").hash);
  type Document = Record<string, Record<string, unknown>>;
  const changed = (change: (document: Document) => unknown) =>
    changedCapsule(encodeCapsule(record, snapshot), change);
  const firstOf = (part: Record<string, unknown> | undefined, list: string) =>
    (part?.[list] as object[] | undefined)?.[0] ?? {};
  const cases: readonly (readonly [string, string, string])[] = [
    ["text that is not JSON", "{", "JSON"],
    ["JSON of another kind", "[]", "capsule"],
    ["a later format", changed((capsule) => Object.assign(capsule, { format: 4 })), "format is 4"],
    [
      "a field too much",
      changed(({ record: part }) => Object.assign(part as object, { extra: 1 })),
      "extra",
    ],
    [
      "a field of another type",
      changed(({ record: part }) => Object.assign(part as object, { applicationOrder: "1" })),
      "record.applicationOrder",
    ],
    [
      "XDR that is not base64",
      changed(({ record: part }) => Object.assign(part as object, { resultXdr: "not base64" })),
      "record.resultXdr",
    ],
    [
      "an envelope that cannot be decoded",
      changed(({ record: part }) => Object.assign(part as object, { envelopeXdr: "AAAA" })),
      "envelope",
    ],
    ...["resultXdr", "feeChangesXdr", "refundChangesXdr"].map((field): [string, string, string] => [
      `a ${field} that cannot be decoded`,
      changed(({ record: part }) => Object.assign(part as object, { [field]: "AAAA" })),
      "cannot be decoded (XDR ends inside ",
    ]),
    [
      "an entry that cannot be decoded",
      changed(({ snapshot: part }) =>
        Object.assign(firstOf(part, "entries"), { entryXdr: "AAAA" }),
      ),
      "its entry of the key ",
    ],
    [
      "an entry of another key",
      changed(({ snapshot: part }) => {
        const { entry: entryXdr } = codeOf("code");
        Object.assign(firstOf(part, "entries"), { entryXdr });
      }),
      "has another key",
    ],
    [
      "a key that cannot be decoded",
      changed(({ snapshot: part }) =>
        Object.assign(firstOf(part, "entries"), { keyXdr: "AAAA", entryXdr: null }),
      ),
      "its keys cannot be decoded",
    ],
    [
      "a meta that cannot be decoded, where nothing is replayed",
      changed((capsule) => {
        Object.assign(capsule, { snapshot: null });
        Object.assign(capsule.record as object, { resultMetaXdr: "AAAA" });
      }),
      "its meta cannot be decoded",
    ],
    [
      "an empty meta",
      changed(({ record: part }) => Object.assign(part as object, { resultMetaXdr: "" })),
      "its meta cannot be decoded",
    ],
    [
      "no snapshot of a transaction that ran",
      changed((capsule) => Object.assign(capsule, { snapshot: null })),
      "its transaction ran, and it has no snapshot",
    ],
    [
      "a place that no ledger has",
      changed(({ record: part }) =>
        Object.assign(part as object, { applicationOrder: 0xffffffff }),
      ),
      "record.applicationOrder",
    ],
    [
      "another value than its meta shows",
      encodeCapsule(counter.record, {
        ...counter.snapshot,
        entries: counter.snapshot.entries.map(modifiedEarlier),
      }),
      "its snapshot has another value of ",
    ],
    [
      "content that its checksum does not cover",
      encodeCapsule(record, snapshot).replace('"applicationOrder": ', '"applicationOrder": 1'),
      "checksum",
    ],
    [
      "facts that are not its ledger header's",
      changed(({ record: part }) =>
        Object.assign(part?.ledger as object, { closeTimeUnixSeconds: "1" }),
      ),
      "closeTimeUnixSeconds is not that of its ledger header",
    ],
    [
      "neither a ledger header nor assumed facts",
      changed(({ record: part }) => Object.assign(part as object, { ledgerHeaderXdr: undefined })),
      "no ledger header",
    ],
    [
      "a ledger header that cannot be decoded",
      changed(({ record: part }) => Object.assign(part as object, { ledgerHeaderXdr: "AAAA" })),
      "ledger header cannot be decoded",
    ],
    [
      "other code under a hash",
      changed(({ snapshot: part }) => {
        const { key: keyXdr, entry: entryXdr } = codeOf("cope", "code");
        const entries = part?.entries as object[];
        entries.push({ ...entries[0], keyXdr, entryXdr });
      }),
      "contract code whose hash is not",
    ],
    [
      "fee changes of more than a balance",
      changed(({ record: part }) => {
        const bytes = Buffer.from(String(part?.feeChangesXdr), "base64");
        // Thresholds, and no signers.
        const at = bytes.lastIndexOf(Buffer.from("0100000000000000", "hex"));
        bytes.writeUInt8(2, at);
        Object.assign(part as object, { feeChangesXdr: bytes.toString("base64") });
      }),
      "its fee changes more than the balance of G",
    ],
    [
      "another transaction's envelope",
      changed(({ record: part }) =>
        Object.assign(part as object, { envelopeXdr: other.record.envelopeXdr }),
      ),
      "hash",
    ],
    [
      "more entries than any footprint has",
      changed(({ snapshot: part }) =>
        Object.assign(part as object, { entries: Array(2001).fill(snapshot.entries[0]) }),
      ),
      "entries",
    ],
  ];
  for (const [what, text, says] of cases) {
    test(what, async () => {
      const error = await failureIn(() => decodeCapsule(text, "some.json"));
      expect(error.code).toBe("FILE_INVALID");
      expect(error.message).toContain("some.json");
      expect(error.message).toContain(says);
    });
  }
});

function modifiedEarlier(entry: SnapshotEntry): SnapshotEntry {
  const bytes = Buffer.from(entry.entryXdr ?? "", "base64");
  bytes.writeUInt32BE(1);
  return { ...entry, entryXdr: bytes.toString("base64") };
}
