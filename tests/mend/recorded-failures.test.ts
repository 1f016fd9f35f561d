// Every failing transaction of a recorded network: what is said to mend it is run again from the
// envelope that is proposed, and what is not said to be mended fails even with everything opened.

import { afterAll, describe, expect, test } from "bun:test";
import { captureTransaction } from "../../src/debugger/capture-transaction.ts";
import { debugTransaction, replayCaptured } from "../../src/debugger/debug-transaction.ts";
import { runVariant } from "../../src/debugger/run-variant.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import type { MendKind, MendProof } from "../../src/model/mend.ts";
import { takeEntries } from "../../src/snapshot/take-snapshot.ts";
import { decodeCapsule, encodeCapsule } from "../../src/sources/capsule.ts";
import { decodeBase64 } from "../../src/xdr/cursor.ts";
import { readEnvelope, readSorobanFacts } from "../../src/xdr/envelope.ts";
import { withoutSignatures } from "../../src/xdr/patch-envelope.ts";
import { readSendingFacts } from "../../src/xdr/sending-facts.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { FIXTURE_NETWORK, type RecordedTransaction } from "../support/recorded-network.ts";
import { openTestSimulator } from "../support/simulator.ts";

const root = hasCorpus("network") ? corpusPath("network") : FIXTURE_NETWORK;
const signal = NEVER_ABORTED;

type Expected = readonly [outcome: MendProof["outcome"] | "none", kinds: readonly MendKind[]];

/** The others fail for what no transaction declares. */
const MENDED: Readonly<Record<string, Expected>> = {
  "cpu budget too low in resources": ["succeeds", ["instructions"]],
  "footprint lacks the entry": ["succeeds", ["footprint", "write-bytes"]],
  "footprint entry read-only but written": ["succeeds", ["footprint"]],
  "write bytes too low": ["succeeds", ["write-bytes"]],
  "refundable fee too low (rent of 16 KiB)": ["succeeds", ["resource-fee"]],
  "try_call catches trap with rollback": ["succeeds", ["write-bytes"]],
  "try_call catches trap with rollback, more cpu": ["succeeds", ["write-bytes"]],
  "read of archived entry, not restored": ["succeeds", ["restore"]],
  "spawn: constructor auth of the deployer contract missing": ["fails-next", ["footprint"]],
};

describe(`failures of a recorded network${hasCorpus("network") ? "" : ", the part here"}`, () => {
  const loopback = openLoopback({ root });
  const simulator = openTestSimulator();
  afterAll(() => loopback[Symbol.asyncDispose]());

  function walkOf(transaction: RecordedTransaction) {
    const { network } = loopback;
    const before = network.file(transaction).preEntries?.result?.latestLedger;
    return openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
  }

  /** From the proposed envelope alone, with the state of what its footprint names anew. */
  async function runProposed(
    transaction: RecordedTransaction,
    { recording, snapshot }: Investigation,
    envelopeXdr: string,
  ) {
    if (snapshot === null) throw new Error("nothing ran");
    const facts = readSorobanFacts(decodeBase64(envelopeXdr, "envelope"));
    if (facts === null) throw new Error("not a Soroban transaction");
    const held = new Set(snapshot.entries.map(({ keyXdr }) => keyXdr));
    const keys = [...facts.footprint.readOnly, ...facts.footprint.readWrite];
    const more = keys.filter((key) => !held.has(key));
    const { entries } = await takeEntries(walkOf(transaction), recording, more, { signal });
    const known = new Map(entries.map((entry) => [entry.keyXdr, entry]));
    const variant = { envelopeXdr, entries: known };
    return runVariant({ simulator }, { recording, snapshot }, variant, { signal });
  }

  for (const transaction of loopback.network.transactions) {
    if (transaction.status === "SUCCESS") continue;
    test(transaction.name, async () => {
      const deps = { ...walkOf(transaction), simulator, progress: () => {} };
      const found = await debugTransaction(deps, transaction.hash, { signal });
      const { mend, recording } = found;
      const { kind = "" } = found.explanation.cause ?? {};
      const [outcome, kinds] = MENDED[transaction.name] ?? [
        // Only whom it is asked of can give it.
        kind.startsWith("authorization-") ? "unproven" : "none",
        [],
      ];
      expect(mend?.proof?.outcome ?? "none").toBe(outcome);
      expect(mend?.kinds).toEqual([...kinds]);
      expect(mend?.summary).not.toBe("");
      const { remedy } = found.explanation;
      expect(remedy?.startsWith("Another cause comes behind") ?? false).toBe(
        outcome === "fails-next",
      );
      if (mend?.proof?.outcome === "fails-next")
        expect(mend.proof.remedy).toContain("authorize_as_current_contract");
      if (mend?.proof?.outcome !== "succeeds") {
        expect(mend?.envelopeXdr).toBeNull();
        return;
      }
      // Digits of the numbers in it are grouped.
      expect(mend.summary).not.toMatch(/\d{4}/);
      const proposed = mend.envelopeXdr ?? "";
      const least = mend.leastEnvelopeXdr ?? "";
      for (const envelopeXdr of [proposed, least]) {
        const { outcome } = await runProposed(transaction, found, envelopeXdr);
        expect(outcome).toEqual({ kind: "success" });
      }
      const values = declaredIn(proposed);
      expect(mend.headroom === null).toBe(proposed === least);
      if (mend.headroom !== null) {
        const { changes, ...advised } = mend.headroom;
        expect(values).toEqual(advised);
        expect(changes.every(({ from, to }) => Number(to) > Number(from))).toBe(true);
      }
      if (mend.kinds.includes("instructions"))
        expect(Number(values.instructions)).toBeGreaterThan(
          Number(declaredIn(least).instructions) + 49_999,
        );
      expect(proposed).toBe(withoutSignatures(proposed));
      const before = readSendingFacts(recording.envelopeXdr);
      const after = readSendingFacts(proposed);
      expect(BigInt(after.sequenceNumber)).toBe(BigInt(before.sequenceNumber) + 1n);
      expect(after.latestCloseTimeUnixSeconds).toBeNull();
      expect(mend.proof.assumed).toEqual([]);
    });
  }

  test("a capsule holds the state of what the chain says is missing, and is mended offline", async () => {
    const name = "footprint lacks the entry";
    const transaction = loopback.network.transactions.find((each) => each.name === name);
    if (transaction === undefined) return;
    const progress = () => {};
    const walk = { ...walkOf(transaction), progress };
    const captured = await captureTransaction(walk, transaction.hash, { signal });
    const capsule = encodeCapsule(captured.recording, captured.snapshot);
    const offline = { simulator, progress };
    const { mend } = await replayCaptured(offline, decodeCapsule(capsule), { signal });
    expect(mend).toMatchObject({ kinds: ["footprint", "write-bytes"] });
    expect(mend?.proof?.outcome).toBe("succeeds");
  });

  test("where nobody knows the state of a missing entry, it is named and nothing is claimed", async () => {
    const name = "footprint lacks the entry";
    const transaction = loopback.network.transactions.find((each) => each.name === name);
    if (transaction === undefined) return;
    const progress = () => {};
    const walk = { ...walkOf(transaction), progress };
    const { recording, snapshot } = await captureTransaction(walk, transaction.hash, { signal });
    if (snapshot === null) throw new Error("nothing ran");
    const bare = { recording, snapshot: { ...snapshot, beyondFootprint: [] } };
    const { mend } = await replayCaptured({ simulator, progress }, bare, { signal });
    expect(mend).toMatchObject({ kinds: ["footprint"], proof: { outcome: "unproven" } });
    expect(mend?.summary).toMatch(/The state of persistent data Count\(main\) .* is not known/);
    expect(mend?.envelopeXdr).toBeNull();
  });
});

function declaredIn(envelopeXdr: string) {
  const { soroban, feeBidStroops } = readEnvelope(envelopeXdr, "");
  if (soroban === null) throw new Error("not a Soroban transaction");
  const { instructions, resourceFeeStroops } = soroban;
  return {
    instructions: String(instructions),
    resourceFeeStroops,
    feeStroops: feeBidStroops,
  };
}
