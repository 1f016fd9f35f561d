// A sample of bun tests/agreement.ts: svc debug, asked by hash, says what svc verify says.

import { beforeAll, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { parseVerifyInputs } from "../src/verification/commands/verify-inputs.ts";
import { measureAgreement } from "./agreement.ts";
import { corpusPath, hasCorpus } from "./support/corpus.ts";
import { needs } from "./support/needs.ts";

const SAMPLE = 120;
const MILLISECONDS = 120_000;

beforeAll(ensureBuilt, 900_000);

const corpus = needs("../shared/corpus", hasCorpus("core-streams"));

corpus.describe("svc debug agrees with svc verify", () => {
  const measure = (entries: "own-ledger" | "last-ledger") => {
    const inputs = parseVerifyInputs([corpusPath("core-streams")], "/");
    const paths = inputs.kind === "files" ? inputs.paths : [];
    return measureAgreement(paths, { entries, sample: SAMPLE, simulatorPath: SIMULATOR_BINARY });
  };

  test(
    "on nodes that stand at the transaction's ledger",
    async () => {
      const { transactions, verify, debug, disagreements } = await measure("own-ledger");
      expect(disagreements).toEqual([]);
      expect([transactions, verify.exact, debug.exact]).toEqual([SAMPLE, SAMPLE, SAMPLE]);
    },
    MILLISECONDS,
  );

  test(
    "on nodes that stand later, where it is never surer and names what is unknown",
    async () => {
      const { debug, disagreements } = await measure("last-ledger");
      expect(disagreements.filter((each) => each.debug === "exact")).toEqual([]);
      expect(debug.diverged).toBe(0);
      for (const { reasons } of disagreements) expect(reasons.length).toBeGreaterThan(0);
      expect(debug.exact).toBeGreaterThan(0.95 * SAMPLE);
    },
    MILLISECONDS,
  );
});
