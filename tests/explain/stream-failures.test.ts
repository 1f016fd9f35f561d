// Failures that are only in stellar-core's own test ledgers, explained from the ledgers alone:
// nothing is replayed.

import { expect, test } from "bun:test";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import { explain } from "../../src/explain/explain.ts";
import { evidenceInFull } from "../../src/explain/words/cause-words.ts";
import type { Explanation } from "../../src/model/explanation.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { type FoldedSnapshot, foldedStream } from "../support/folded-stream.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { opened } from "../support/opened.ts";
import { said } from "../support/said.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const STREAMS_MILLISECONDS = 60_000;

interface Row {
  readonly dir: string;
  readonly file: string;
  readonly hash: string;
}

/** Start of a hash → what its summary, its remedy and its evidence must contain. */
const CAUSES: Readonly<Record<string, readonly [summary: RegExp, remedy: RegExp, also: RegExp]>> = {
  "events after the rent: aefd614415": [
    /^The .* the fee for events after the rent: 1 stroop needed, 0 available\.$/,
    /^Raise the resource fee by at least 1 stroop\. /,
    /ledger storage rent/,
  ],
  "code that is read: e179ba47ce": [
    /: contract code [0-9a-f]{64} has 3,028 bytes; .* 2,000 for the code of one contract\.$/,
    /^Make the wasm smaller/,
    /Wasm size/,
  ],
  "code that is extended: 86960e2e24": [
    /: contract code [0-9a-f]{64} has 3,028 bytes; .* 2,000 for the code of one contract\.$/,
    /^Make the wasm smaller/,
    /Wasm size/,
  ],
  "data that is written: 8ef75c6fd8": [
    /: persistent data key of contract C\w+ has 65,612 bytes; .* 65,536 for one entry of contract data\.$/,
    /^Store a smaller value/,
    /ContractData size/,
  ],
  "data that is restored: 705e83bfdf": [
    /: persistent data key of contract C\w+ has 64,588 bytes; .* 64,512 for one entry of contract data\.$/,
    /^Store a smaller value/,
    /ContractData size/,
  ],
  "an entry restored on the way: eca7e93276": [
    /^Write limit exceeded: \d+ bytes used, \d+ declared\.$/,
    /^Declare more write bytes/,
    /^Every read-write footprint entry .* counts as written, .*: persistent data key of contract C\w+ \(\d+ bytes before\)\.$/,
  ],
};

const corpus = needs("../shared/corpus", hasCorpus("core-streams"));

corpus.describe("failures in stellar-core's test ledgers", () => {
  for (const [name, [summary, remedy, also]] of Object.entries(CAUSES)) {
    test(
      name,
      async () => {
        const explanation = await explained(name.slice(-10));
        expect(explanation.cause?.summary).toMatch(summary);
        expect(said(explanation.remedy)).toMatch(remedy);
        expect(evidenceInFull(explanation).some((sentence) => also.test(sentence))).toBe(true);
      },
      STREAMS_MILLISECONDS,
    );
  }
});

corpus.test("a fix names what its proof rests on: another metering is no node's word", async () => {
  const { record, snapshot } = await found("aefd614415");
  const walk = { ...opened({ record, snapshot }), snapshot };
  const { fix } = await replayCaptured({ simulator, progress: () => {} }, walk, {
    signal: NEVER_ABORTED,
  });
  expect(fix?.summary).toBe(
    "The transaction succeeds with 1 stroop more for the resource fee. This proof rests on a replay " +
      "that differs from the diagnostic events (see Caveats).",
  );
});

async function explained(hashStart: string): Promise<Explanation> {
  const { record, snapshot } = await found(hashStart);
  return explain(opened({ record, snapshot }), null, null);
}

async function found(hashStart: string): Promise<FoldedSnapshot> {
  const text = await Bun.file(corpusPath("core-streams", "index.jsonl")).text();
  const line = text.split("\n").find((each) => each.includes(`"hash": "${hashStart}`)) ?? "{}";
  const { dir, file, hash } = JSON.parse(line) as Row;
  const path = corpusPath("core-streams", dir, `${file}.zst`);
  for await (const each of foldedStream(path)) if (each.record.hash === hash) return each;
  throw new Error(`No stream holds ${hashStart}.`);
}
