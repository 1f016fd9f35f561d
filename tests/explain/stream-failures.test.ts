// Failures that stellar-core's own test ledgers hold and no other recording does, as far as the
// ledgers tell them: nothing is run again.

import { describe, expect, test } from "bun:test";
import { explain } from "../../src/explain/explain.ts";
import type { Explanation } from "../../src/model/explanation.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { foldedStream } from "../support/folded-stream.ts";

const STREAMS_MILLISECONDS = 60_000;

interface Row {
  readonly dir: string;
  readonly file: string;
  readonly hash: string;
}

/** Start of a hash → what its summary, its remedy and its evidence must say. */
const CAUSES: Readonly<Record<string, readonly [summary: RegExp, remedy: RegExp, also: RegExp]>> = {
  "events after the rent: aefd614415": [
    /^Its .* the fee for events after the rent: 1 stroop is needed, 0 were available\.$/,
    /^Raise the resource fee by at least 1 stroop;/,
    /ledger storage rent/,
  ],
  "code that is read: e179ba47ce": [
    /: contract code [0-9a-f]{64} takes 3,028 bytes, .* the code of one contract only 2,000\.$/,
    /^Make the wasm smaller/,
    /Wasm size/,
  ],
  "code that is extended: 86960e2e24": [
    /: contract code [0-9a-f]{64} takes 3,028 bytes, .* the code of one contract only 2,000\.$/,
    /^Make the wasm smaller/,
    /Wasm size/,
  ],
  "data that is written: 8ef75c6fd8": [
    /: persistent data key of contract C\w+ takes 65,612 bytes, .* only 65,536\.$/,
    /^Store a smaller value/,
    /ContractData size/,
  ],
  "data that is restored: 705e83bfdf": [
    /: persistent data key of contract C\w+ takes 64,588 bytes, .* only 64,512\.$/,
    /^Store a smaller value/,
    /ContractData size/,
  ],
  "an entry restored on the way: eca7e93276": [
    /^Write limit: it used \d+ bytes, it declared only \d+\.$/,
    /^Declare more write bytes/,
    /^As written counts .*: persistent data key of contract C\w+ \(\d+ bytes before\)\.$/,
  ],
};

describe.skipIf(!hasCorpus("core-streams"))("failures in stellar-core's test ledgers", () => {
  for (const [name, [summary, remedy, also]] of Object.entries(CAUSES)) {
    test(
      name,
      async () => {
        const explanation = await explained(name.slice(-10));
        expect(explanation.cause?.summary).toMatch(summary);
        expect(explanation.remedy).toMatch(remedy);
        expect(explanation.evidence.some((sentence) => also.test(sentence))).toBe(true);
      },
      STREAMS_MILLISECONDS,
    );
  }
});

async function explained(hashStart: string): Promise<Explanation> {
  const text = await Bun.file(corpusPath("core-streams", "index.jsonl")).text();
  const line = text.split("\n").find((each) => each.includes(`"hash": "${hashStart}`)) ?? "{}";
  const { dir, file, hash } = JSON.parse(line) as Row;
  const path = corpusPath("core-streams", dir, `${file}.zst`);
  for await (const { record, snapshot } of foldedStream(path)) {
    if (record.hash === hash) return explain(record, snapshot, null, null);
  }
  throw new Error(`No stream holds ${hashStart}.`);
}
