// Whoever writes a capsule can write anything into it, with a checksum that fits. Nothing in it is
// told as confirmed: what its own meta and the hashes of code do not show is a claim, and the report
// counts it as one.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import { unconfirmedSentence } from "../../src/model/confirmation.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { PROVENANCES, type Provenance, type StatedKind } from "../../src/model/provenance.ts";
import type { Snapshot, SnapshotEntry } from "../../src/model/snapshot.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { decodeCapsule, encodeCapsule } from "../../src/sources/files/capsule.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { ENTRY_TYPE, liveUntilOf, ttlKeyOf, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { changedCapsule } from "../support/changed-capsule.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { captureRecorded } from "../support/recorded-walks.ts";
import { said } from "../support/said.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const walks = await captureRecorded();
const ran = walks.filter(({ snapshot }) => snapshot !== null);
const KINDS = (Object.keys(PROVENANCES) as (keyof typeof PROVENANCES)[]).filter(
  (kind): kind is StatedKind => kind !== "claimed",
);
/** What svc itself can find out of the capsule: claims, assumptions, what runs or the meta show. */
const TOLD: ReadonlySet<Provenance["kind"]> = new Set([
  "claimed",
  "assumed",
  "meta",
  "replay-proof",
]);

const debug = async (text: string): Promise<Investigation> =>
  replayCaptured({ simulator, progress: () => {} }, decodeCapsule(text), {
    signal: NEVER_ABORTED,
    fast: true,
  });

/** The first change of a key in the capsule's meta. */
function firstChanges({ record }: Investigation) {
  const { operationChanges = [] } =
    record.resultMetaXdr === null ? {} : readTransactionMeta(record.resultMetaXdr);
  return new Map(
    operationChanges
      .flat()
      .toReversed()
      .map((change) => [change.keyXdr, change]),
  );
}

function isShownByMeta(found: Investigation, { keyXdr, entryXdr }: SnapshotEntry): boolean {
  const change = firstChanges(found).get(keyXdr);
  return change !== undefined && (change.kind === "created" ? null : change.entryXdr) === entryXdr;
}

function isTtlShown(found: Investigation, { keyXdr, liveUntilLedger }: SnapshotEntry): boolean {
  const change = firstChanges(found).get(ttlKeyOf(keyXdr));
  return change?.kind === "state" && liveUntilOf(change.entryXdr ?? "") === liveUntilLedger;
}

function expectClaims(found: Investigation): void {
  const { snapshot, verdict } = found;
  if (snapshot === null) throw new Error("nothing ran");
  let open = 0;
  for (const entry of snapshot.entries) {
    const { keyXdr, entryXdr, provenance, ttlProvenance } = entry;
    expect(TOLD).toContain(provenance.kind);
    if (provenance.kind === "meta") expect(isShownByMeta(found, entry)).toBe(true);
    if (ttlProvenance !== null) expect(TOLD).toContain(ttlProvenance.kind);
    if (ttlProvenance?.kind === "meta") expect(isTtlShown(found, entry)).toBe(true);
    const isCode = entryXdr !== null && typeOfKey(keyXdr) === ENTRY_TYPE.contractCode;
    const isClaimed = [provenance.kind, ttlProvenance?.kind].includes("claimed");
    if (isClaimed && !isCode) open += 1;
  }
  for (const { provenance } of snapshot.settings) expect(TOLD).toContain(provenance.kind);
  const settings = snapshot.settings.filter(({ provenance }) => provenance.kind === "claimed");
  const unconfirmed = { record: found.record.claimed?.parts, entries: open };
  expect(verdict?.unconfirmed).toEqual({ ...unconfirmed, settings: settings.length } as never);
  expectSaid(found);
}

function expectSaid(found: Investigation): void {
  const sentence = said(unconfirmedSentence(found));
  expect(sentence).toStartWith("Not confirmed by a ledger: the chain record");
  // The recorded networks publish no archive, and a proof of a fork's state does not exist.
  const ofFork = found.record.ledger.isFork === true;
  const check = ofFork ? "" : "; `--prove` checks them if the network has a history archive";
  expect(sentence).toContain(`(from the capsule${check})`);
  const printed = renderText(found, { color: false }).replaceAll(/\s+/g, " ");
  expect(printed).toContain(sentence.replaceAll(/\s+/g, " "));
}

function withProvenance(snapshot: Snapshot, of: () => Provenance): Snapshot {
  const ofEntry = (entry: SnapshotEntry): SnapshotEntry => ({
    ...entry,
    provenance: of(),
    ttlProvenance: entry.ttlProvenance && of(),
  });
  const { entries, settings, beyondFootprint } = snapshot;
  return {
    ...snapshot,
    entries: entries.map(ofEntry),
    settings: settings.map((setting) => ({ ...setting, provenance: of() })),
    ...(beyondFootprint && { beyondFootprint: beyondFootprint.map(ofEntry) }),
  };
}

describe("a forged capsule", () => {
  test.each(KINDS)("%s in each of its provenances is a claim", async (kind) => {
    const walk = fc.integer({ min: 0, max: ran.length - 1 });
    let told = 0;
    await fc.assert(
      fc.asyncProperty(walk, async (at) => {
        const { record, snapshot } = ran[at] ?? {};
        if (!record || !snapshot) throw new Error("nothing ran");
        const forged = withProvenance(snapshot, () => ({ kind, detail: "3 validators signed it" }));
        const found = await debug(encodeCapsule(record, forged)).catch((error) => error.code);
        // An entry of a later ledger cannot be known like this.
        if (found === "FILE_INVALID") return;
        told += 1;
        expectClaims(found);
        for (const { provenance } of found.snapshot?.beyondFootprint ?? [])
          expect(TOLD).toContain(provenance.kind);
      }),
      { numRuns: 8 },
    );
    expect(told).toBeGreaterThan(0);
  });

  test("with any field altered is refused, or its report says that nothing confirms it", async () => {
    const counts = { refused: 0, told: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: walks.length - 1 }),
        fc.nat(),
        fc.nat(),
        async (at, leaf, bit) => {
          const { record, snapshot } = walks[at] ?? {};
          if (!record || snapshot === undefined) throw new Error("no such walk");
          const text = changedCapsule(encodeCapsule(record, snapshot), (capsule) => {
            const leaves = [...leavesOf(capsule.record), ...leavesOf(capsule.snapshot)];
            leaves[leaf % leaves.length]?.(bit);
          });
          const found = await debug(text).catch((error) => error.code as string);
          if (typeof found === "string") counts.refused += 1;
          else {
            counts.told += 1;
            if (found.snapshot === null || found.verdict?.kind === "inconclusive") {
              expect(said(unconfirmedSentence(found))).toContain(
                "the chain record (from the capsule",
              );
            } else expectClaims(found);
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(Math.min(counts.refused, counts.told)).toBeGreaterThan(10);
  }, 120_000);
});

/** Each alters one value in place. */
function* leavesOf(value: unknown): Generator<(bit: number) => void> {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const [key, each] of Object.entries(holder)) {
    if (typeof each === "number")
      yield (bit) => Object.assign(holder, { [key]: each ^ (1 << (bit % 8)) });
    else if (typeof each === "boolean") yield () => Object.assign(holder, { [key]: !each });
    else if (typeof each === "string" && each.length > 0)
      yield (bit) => Object.assign(holder, { [key]: flipped(each, bit) });
    else yield* leavesOf(each);
  }
}

/** One bit of base64, hex or decimal text; its other characters stay. */
function flipped(text: string, bit: number): string {
  const at = bit % text.length;
  const digits = /^[0-9a-f]+$/.test(text)
    ? "0123456789"
    : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const place = digits.indexOf(text[at] ?? "");
  const other = digits[(place + 1 + bit) % digits.length];
  return place === -1 ? text : text.slice(0, at) + other + text.slice(at + 1);
}
