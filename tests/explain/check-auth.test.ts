// A contract account checks signatures in its own `__check_auth`, which a simulation without them
// leaves out of the footprint and the resources: each such simulation repeats the failure.

import { beforeAll, describe, expect, test } from "bun:test";
import { applyVariant, type Replayable, runVariant } from "../../src/debugger/run/run-variant.ts";
import { causeOfRun } from "../../src/explain/causes/cause-of-run.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import { withFootprint, withResources } from "../../src/xdr/envelope/patch-envelope.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { captureRecorded, replayableOf } from "../support/recorded-walks.ts";
import { said } from "../support/said.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const ACCOUNT = "CCK5VPS6LE3NS5CLGFQYIYKVTD2MNJD2UWCGAJPGPI7CQTV6EJEL2SIA";
let signed: Replayable;

beforeAll(async () => {
  signed = replayableOf(await captureRecorded(), "custom account __check_auth transfer");
}, 120_000);

async function causeWith(envelope: Envelope) {
  const options = { signal: NEVER_ABORTED, trace: true };
  const execution = await runVariant({ simulator }, signed, { envelope }, options);
  const { snapshot } = applyVariant(signed, { envelope });
  const ran = { envelope, snapshot, ledger: signed.record.ledger.sequence };
  return execution.outcome.kind === "success" ? null : inWords(causeOfRun(ran, execution));
}

/** As a simulation without a signature declares it: without what only the check reads. */
async function withoutEach() {
  const { footprint, archivedEntryIndexes } = signed.envelope.soroban ?? {};
  if (footprint === undefined || archivedEntryIndexes === undefined) throw new Error("classic");
  return Promise.all(
    footprint.readOnly.map((key) => {
      const readOnly = footprint.readOnly.filter((each) => each !== key);
      const fewer = { readOnly, readWrite: footprint.readWrite, archivedEntryIndexes };
      return causeWith(withFootprint(signed.envelope, fewer));
    }),
  );
}

describe("a contract account's own check", () => {
  test("is the failed call where the footprint lacks what it reads", async () => {
    const found = (await withoutEach()).filter(
      (each) => each?.cause.summary.includes("__check_auth") ?? false,
    );
    expect(found.length).toBeGreaterThan(1);
    for (const each of found) {
      expect(each?.cause.kind).toBe("footprint-miss");
      expect(each?.cause.summary).toEndWith(
        `It failed in \`__check_auth\` of ${ACCOUNT}, which checks a signature.`,
      );
      const failed = each?.evidence.find((sentence) => sentence.startsWith("Failed call: "));
      expect(failed).toMatch(/^Failed call: __check_auth\(/);
      expect(said(each?.remedy)).toStartWith(
        "Simulate the transaction with its signed authorization",
      );
    }
  });

  test("is the failed call where the instructions run out in it", async () => {
    const found = await causeWith(withResources(signed.envelope, { instructions: 300_000 }));
    expect(found?.cause.kind).toMatch(/^(cpu|budget)-exceeded$/);
    expect(found?.cause.summary).toContain(`__check_auth\` of ${ACCOUNT}`);
    expect(said(found?.remedy)).toContain("does not run `__check_auth`");
  });
});
