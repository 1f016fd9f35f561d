// Archives of which somebody without a validator's key altered files: records that are missing, doubled
// or in another order, files of another checkpoint, and files of a chain that this person made up
// from some ledger on. Each is asked for all that the model knows. What they prove by signatures is
// true, and the rest is refused or unknown.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import { type ArchiveFiles, openArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import { StateReader } from "../../src/history-archive/state-at.ts";
import { isProven, type StateFact, type StateReport } from "../../src/model/state/proven-state.ts";
import { archivedChain } from "../support/archived-chain.ts";
import { VALIDATOR, withFile, withRecords } from "../support/made-archive.ts";
import { MADE_PASSPHRASE } from "../support/made-ledgers.ts";
import { makeChain, type TrueState } from "../support/model-chain.ts";

/** Each run asks for some hundred facts. */
setDefaultTimeout(120_000);

const directory = mkdtempSync(join(tmpdir(), "svc-lying-archives-"));
afterAll(() => rmSync(directory, { recursive: true }));
const store = openBucketStore(directory);

const LEDGERS = 22;
const CHECKPOINTS = [7, 15, 23];
const CATEGORIES = ["ledger", "transactions", "results", "scp"] as const;
/** A ledger takes about 33 of them. */
const DECISIONS = 900;

/** A counterexample is not made smaller, because each run takes long. */
const RUNS = { numRuns: 30, endOnFailure: true, includeErrorInReport: true };

type Archive = ReturnType<typeof archivedChain>;
type Lie = (honest: Archive, forged: Archive) => ArchiveFiles;

const place = fc.record({
  category: fc.constantFrom(...CATEGORIES),
  checkpoint: fc.constantFrom(...CHECKPOINTS),
});
const records = (
  change: (all: readonly Uint8Array[], at: number, other: number) => readonly Uint8Array[],
) =>
  fc
    .tuple(place, fc.nat({ max: 7 }), fc.nat({ max: 7 }))
    .map(([{ category, checkpoint }, at, other]): Lie => {
      const changed = (all: readonly Uint8Array[]) =>
        all.length === 0 ? all : change(all, at % all.length, other % all.length);
      return (honest) =>
        honest.names.includes(fileName(category, checkpoint))
          ? withRecords(honest, category, checkpoint, changed)
          : honest.files;
    });

/** What a forger can make anew: all but messages, which need a key. */
const FORGEABLE = ["ledger", "transactions", "results", "history"];

const namesOf = (checkpoints: readonly number[], left: string | null = null) =>
  checkpoints.flatMap((checkpoint) =>
    FORGEABLE.filter((each) => each !== left).map((each) => fileName(each, checkpoint)),
  );

/** The files of the made-up chain: those of one checkpoint, or of all since, or some of them. */
const forgedNames = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...CHECKPOINTS), fc.option(fc.constantFrom(...FORGEABLE)))
      .map(([checkpoint, left]) => namesOf([checkpoint], left)),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...CHECKPOINTS)
      .map((first) => namesOf(CHECKPOINTS.filter((each) => each >= first))),
  },
  fc.subarray(namesOf(CHECKPOINTS), { minLength: 1 }),
);

const lies: fc.Arbitrary<Lie> = fc.oneof(
  records((all, at) => all.toSpliced(at, 1)),
  records((all, at) => all.toSpliced(at, 0, all[at] as Uint8Array)),
  records((all, at, other) => all.with(at, all[other] as Uint8Array)),
  records((all, at, other) =>
    all.with(at, all[other] as Uint8Array).with(other, all[at] as Uint8Array),
  ),
  fc.tuple(place, fc.constantFrom(...CHECKPOINTS)).map(
    ([{ category, checkpoint }, other]): Lie =>
      (honest) => {
        const bytes = honest.read(fileName(category, other));
        return withFile(honest.files, fileName(category, checkpoint), bytes);
      },
  ),
  place.map(
    ({ category, checkpoint }): Lie =>
      (honest) =>
        withFile(honest.files, fileName(category, checkpoint), null),
  ),
  {
    weight: 12,
    arbitrary: forgedNames.map(
      (names): Lie =>
        (honest, forged) =>
          withForged(honest, forged, names),
    ),
  },
);

function fileName(category: string, checkpoint: number): string {
  const hex = checkpoint.toString(16).padStart(8, "0");
  const end = category === "history" ? "json" : "xdr.gz";
  return `${category}/00/00/00/${category}-${hex}.${end}`;
}

/** Whoever lies has the buckets of both chains. */
function withForged(honest: Archive, forged: Archive, names: readonly string[]): ArchiveFiles {
  const from = (name: string) =>
    names.includes(name) || !honest.names.includes(name) ? forged.files : honest.files;
  return {
    ...honest.files,
    read: (name) => from(name).read(name),
    size: (name) => from(name).size(name),
    pieces: (name) => from(name).pieces(name),
  };
}

/** The chain of the validators, and one that is equal up to a decision that was made otherwise. */
const chains = fc
  .record({
    decisions: fc.uint8Array({ minLength: DECISIONS, maxLength: DECISIONS }),
    others: fc.uint8Array({ minLength: DECISIONS, maxLength: DECISIONS }),
    since: fc.nat({ max: 450 }),
  })
  .map((options) => {
    const { decisions, others, since } = options;
    const otherwise = new Uint8Array(decisions);
    otherwise.set(others.subarray(since), since);
    const make = (each: Uint8Array) =>
      makeChain({ ledgers: LEDGERS, protocol: 28, decisions: each });
    return {
      chain: make(decisions),
      other: make(otherwise),
      // Bytes of ledgers say less than what made them.
      [fc.toStringMethod]: () =>
        JSON.stringify({ decisions: decisions.toHex(), others: others.toHex(), since }),
    };
  });

type Facts = Pick<StateReport, "entry" | "liveUntil">;

const counts = { refused: 0, unproven: 0, proven: 0 };

/** The signed facts that contradict the state; empty if all of them are true. */
async function falsehoods(asking: Promise<Facts>, state: TrueState): Promise<string[]> {
  let facts: Facts;
  try {
    facts = await asking;
  } catch (error) {
    if (!(error instanceof SvcError) || !/^(ARCHIVE|XDR)_/.test(error.code)) throw error;
    counts.refused += 1;
    return [];
  }
  const { entryXdr, archivedXdr, liveUntilLedger } = state;
  const xdr = entryXdr ?? archivedXdr;
  const archived = archivedXdr !== null;
  const entry = signedValue(facts.entry);
  const liveUntil = facts.liveUntil === null ? undefined : signedValue(facts.liveUntil);
  const wrong: string[] = [];
  if (entry !== undefined && (entry?.entryXdr ?? null) !== xdr)
    wrong.push(`the entry is ${entry?.entryXdr ?? "absent"}, and not ${xdr}`);
  if (entry && entry.archived !== archived) wrong.push(`archived is ${entry.archived}`);
  if (liveUntil !== undefined && liveUntil !== liveUntilLedger)
    wrong.push(`the TTL is ${liveUntil}, and not ${liveUntilLedger}`);
  return wrong;
}

/** Returns null if the fact is that there is nothing, and undefined if no signature shows it. */
function signedValue<Value>(fact: StateFact<Value>): Value | null | undefined {
  const isShown = fact.kind !== "unknown" && isProven(fact.proof);
  counts[isShown ? "proven" : "unproven"] += 1;
  if (!isShown) return undefined;
  return fact.kind === "known" ? fact.value : null;
}

test("an archive that lies proves nothing that is not so", async () => {
  await fc.assert(
    fc.asyncProperty(chains, lies, async ({ chain, other }, lie) => {
      const honest = archivedChain(chain);
      const archive = await openArchiveFiles(
        lie(honest, archivedChain(other, { isSigned: false })),
      );
      const reader = new StateReader({
        chain: openArchivedChain(archive, [[VALIDATOR]], MADE_PASSPHRASE),
        ...{ store, networkPassphrase: MADE_PASSPHRASE, allow: async () => {} },
      });
      const wrong: string[] = [];
      const ask = async (asking: Promise<Facts>, state: TrueState, when: string) => {
        for (const each of await falsehoods(asking, state)) wrong.push(`${when}: ${each}`);
      };
      for (const [ledger, states] of chain.after)
        for (const [key, state] of states)
          await ask(reader.at(Uint8Array.fromBase64(key), ledger), state, `after ${ledger} ${key}`);
      for (const { ledger, order, footprint } of chain.transactions)
        for (const [key, state] of footprint) {
          const hash = honest.hashes.get(ledger)?.[order - 1] ?? "";
          const asking = reader.before(Uint8Array.fromBase64(key), ledger, hash);
          await ask(asking, state, `before ${order} of ${ledger} ${key}`);
        }
      expect(wrong).toEqual([]);
    }),
    RUNS,
  );
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(200);
});
