// Failures that stellar-core's own test ledgers hold and no other recording does, as far as the
// ledgers tell them: nothing is run again.

import { describe, expect, test } from "bun:test";
import { collectFirstMentions } from "../../src/debugger/first-mentions.ts";
import { LedgersFold } from "../../src/debugger/ledgers-fold.ts";
import { explain } from "../../src/explain/explain.ts";
import type { Explanation } from "../../src/model/explanation.ts";
import { readLedgerFile } from "../../src/sources/ledger-file.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";

const STREAMS_MILLISECONDS = 60_000;
const networkPassphrase = "(V) (;,,;) (V)";

interface Row {
  readonly dir: string;
  readonly file: string;
  readonly hash: string;
}

describe.skipIf(!hasCorpus("core-streams"))("failures in stellar-core's test ledgers", () => {
  test(
    "events that the refundable fee does not pay are not called rent",
    async () => {
      const { cause, remedy } = await explained("aefd614415");
      expect(cause?.kind).toBe("insufficient-refundable-fee");
      expect(cause?.summary).toBe(
        "Its refundable fee does not cover the fee for events after the rent: " +
          "1 stroop is needed, 0 were available.",
      );
      expect(remedy).toStartWith("Raise the resource fee by at least 1 stroop;");
    },
    STREAMS_MILLISECONDS,
  );
});

async function explained(hashStart: string): Promise<Explanation> {
  const text = await Bun.file(corpusPath("core-streams", "index.jsonl")).text();
  const line = text.split("\n").find((each) => each.includes(`"hash": "${hashStart}`)) ?? "{}";
  const { dir, file, hash } = JSON.parse(line) as Row;
  const path = corpusPath("core-streams", dir, `${file}.zst`);
  const read = async function* () {
    for await (const ledger of readLedgerFile(path, { signal: NEVER_ABORTED }))
      yield { ...ledger, source: path };
  };
  const foretold = await collectFirstMentions(read(), { networkPassphrase, settingsOnly: false });
  const fold = new LedgersFold({ networkPassphrase, foretold });
  for await (const { ledgerCloseMeta } of read()) {
    const { soroban } = fold.fold(fold.open(ledgerCloseMeta), path);
    const found = soroban.find(({ recording }) => recording.hash === hash);
    if (found !== undefined) return explain(found.recording, found.snapshot, null, null);
  }
  throw new Error(`No stream holds ${hashStart}.`);
}
