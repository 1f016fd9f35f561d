// What svc verify says of a transaction that is not exact, on ledgers of public networks and on the
// recorded one: whole sentences, entries in words, the ledger's own protocol.

import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { NETWORKS } from "../../src/model/networks.ts";
import { judgeTransaction } from "../../src/verify/replay-transaction.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { foldedStream } from "../support/folded-stream.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
afterAll(() => simulator[Symbol.asyncDispose]());
const files = hasCorpus("mainnet-ledgers") ? readdirSync(corpusPath("mainnet-ledgers")) : [];
/** A key or an entry in base64; addresses and hashes have no such characters or length. */
const BASE64 = /(?:AAAA[A-Za-z0-9+/]{20,}|[A-Za-z0-9+/]{30,}=)/;

const corpus = needs("../shared/corpus", files.length > 0);

corpus.describe("what svc verify says", () => {
  for (const file of files)
    test(`of ${file}: sentences, without base64`, async () => {
      const { passphrase } = file.startsWith("testnet") ? NETWORKS.testnet : NETWORKS.mainnet;
      let said = 0;
      const path = corpusPath("mainnet-ledgers", file);
      for await (const { record, snapshot } of foldedStream(path, passphrase)) {
        if (snapshot === null) continue;
        const options = { source: "test", signal: NEVER_ABORTED };
        const { notExact: found } = await judgeTransaction(
          { simulator },
          { record, snapshot },
          options,
        );
        if (found === null) continue;
        said += 1;
        expect(found.detail).not.toMatch(BASE64);
        for (const sentence of found.detail.split(/(?<=\.) /)) {
          expect(sentence).toMatch(/^[A-Z0-9].*\.$/);
          expect(sentence).not.toMatch(/\.\.|: *\.|; *\./);
        }
        expect(found.protocolVersion).toBe(record.ledger.protocolVersion);
      }
      expect(said).toBeGreaterThan(0);
    }, 60_000);
});
