// Every failed transaction of a recorded network: a proposed fix runs again from the proposed
// envelope alone, and a transaction without a fix fails even with the maximum resources.

import { afterAll, describe, expect, test } from "bun:test";
import { runVariant } from "../../src/debugger/run/run-variant.ts";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { FixKind, FixProof } from "../../src/model/fix.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { takeEntries } from "../../src/snapshot/gather/take-snapshot.ts";
import { decodeCapsule, encodeCapsule } from "../../src/sources/files/capsule.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { withoutSignatures } from "../../src/xdr/envelope/patch-envelope.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openAnywhere, opened, sorobanOf } from "../support/opened.ts";
import type { RecordedTransaction } from "../support/recorded-network.ts";
import { said } from "../support/said.ts";
import { openTestSimulator } from "../support/simulator.ts";

const signal = NEVER_ABORTED;

type Expected = readonly [outcome: FixProof["outcome"] | "none", kinds: readonly FixKind[]];

/** No declared value fixes the others. */
const FIXED: Readonly<Record<string, Expected>> = {
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

/** The transaction declared less than the network allows: the network did not set the limit. */
const DO_LESS = "Do less in one transaction: it fails with more declared resources, too.";

describe("failures of a recorded network", () => {
  const loopback = openLoopback();
  const simulator = openTestSimulator();
  afterAll(() => loopback[Symbol.asyncDispose]());

  function walkOf(transaction: RecordedTransaction) {
    const { network } = loopback;
    const before = network.file(transaction).preEntries?.result?.latestLedger;
    return openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
  }

  /** Only from the proposed envelope, with the state of its footprint fetched again. */
  async function runProposed(
    transaction: RecordedTransaction,
    { record, snapshot }: Investigation,
    envelopeXdr: string,
  ) {
    if (snapshot === null) throw new Error("nothing ran");
    const captured = opened({ record, snapshot });
    const envelope = openEnvelope(envelopeXdr, record.networkPassphrase);
    const facts = sorobanOf(envelope);
    const held = new Set(snapshot.entries.map(({ keyXdr }) => keyXdr));
    const keys = [...facts.footprint.readOnly, ...facts.footprint.readWrite];
    const more = keys.filter((key) => !held.has(key));
    const { entries } = await takeEntries(walkOf(transaction), captured, more, { signal });
    const known = new Map(entries.map((entry) => [entry.keyXdr, entry]));
    const variant = { envelope, entries: known };
    return runVariant({ simulator }, captured, variant, { signal });
  }

  for (const transaction of loopback.network.transactions) {
    if (transaction.status === "SUCCESS") continue;
    test(transaction.name, async () => {
      const deps = { ...walkOf(transaction), simulator, progress: () => {} };
      const found = await debugTransaction(deps, transaction.hash, { signal });
      const { fix, record } = found;
      const { kind = "" } = found.explanation.cause ?? {};
      const [outcome, kinds] = FIXED[transaction.name] ?? [
        // Only the required address can sign it. What is done already, nobody has to.
        kind.startsWith("authorization-") && found.fix?.finding !== "done" ? "unproven" : "none",
        [],
      ];
      expect(fix?.proof?.outcome ?? "none").toBe(outcome);
      expect(fix?.kinds).toEqual([...kinds]);
      expect(fix?.summary).not.toBe("");
      const { remedy } = found.explanation;
      const follows = outcome === "fails-next" && remedy !== null;
      const first = follows
        ? "Removing this cause alone is not enough: a second cause follows. Remedy that one first (see Fix). "
        : "";
      // One instruction: a proven fix replaces the remedy.
      const { repeats, transactionHash, ledger } = found.conflict ?? {};
      const done = `Do not send this call again: it already succeeded in transaction ${transactionHash} (ledger ${ledger}). `;
      const begin = repeats === "call" ? done : first;
      const composed = outcome === "succeeds" ? null : remedy && `${begin}${remedy}`;
      // Nor does the remedy tell to declare more where the runs show that nothing declared helps.
      const isNetworks = outcome === "none" && kind === "budget-exceeded";
      expect(found.remedy).toBe(isNetworks ? DO_LESS : composed);
      expect(renderText(found, { color: false }).includes("\nRemedy\n")).toBe(composed !== null);
      expect(said(remedy).startsWith("Removing this cause alone is not enough")).toBe(false);
      expect(follows).toBe(outcome === "fails-next");
      if (fix?.proof?.outcome === "fails-next")
        expect(fix.proof.remedy).toContain("authorize_as_current_contract");
      if (fix?.proof?.outcome !== "succeeds") {
        expect(fix?.envelopeXdr).toBeNull();
        return;
      }
      // Numbers have their digits grouped.
      expect(fix.summary).not.toMatch(/\d{4}/);
      const proposed = fix.envelopeXdr ?? "";
      const least = fix.leastEnvelopeXdr ?? "";
      for (const envelopeXdr of [proposed, least]) {
        const { outcome } = await runProposed(transaction, found, envelopeXdr);
        expect(outcome).toEqual({ kind: "success" });
      }
      const values = declaredIn(proposed);
      expect(fix.headroom === null).toBe(proposed === least);
      if (fix.headroom !== null) {
        const { changes, ...advised } = fix.headroom;
        expect(values).toEqual(advised);
        expect(changes.every(({ from, to }) => Number(to) > Number(from))).toBe(true);
      }
      if (fix.kinds.includes("instructions"))
        expect(Number(values.instructions)).toBeGreaterThan(
          Number(declaredIn(least).instructions) + 49_999,
        );
      const envelope = openAnywhere(proposed);
      expect(proposed).toBe(withoutSignatures(envelope).xdr);
      const { terms: before } = openAnywhere(record.envelopeXdr);
      expect(envelope.terms.sequence).toBe(before.sequence + 1n);
      expect(envelope.terms.latestSeconds).toBeNull();
      expect(fix.proof.assumed).toEqual([]);
    });
  }

  test("a capsule has the state of the entries that the chain missed, and is fixed offline", async () => {
    const name = "footprint lacks the entry";
    const transaction = loopback.network.named(name);
    const progress = () => {};
    const walk = { ...walkOf(transaction), progress };
    const captured = await captureTransaction(walk, transaction.hash, { signal });
    const capsule = encodeCapsule(captured.record, captured.snapshot);
    const offline = { simulator, progress };
    const { fix } = await replayCaptured(offline, decodeCapsule(capsule), { signal });
    expect(fix).toMatchObject({ kinds: ["footprint", "write-bytes"] });
    expect(fix?.proof?.outcome).toBe("succeeds");
  });

  test("if the state of a missing entry is unknown, it is named and nothing is claimed", async () => {
    const name = "footprint lacks the entry";
    const transaction = loopback.network.named(name);
    const progress = () => {};
    const walk = { ...walkOf(transaction), progress };
    const captured = await captureTransaction(walk, transaction.hash, { signal });
    const { snapshot } = captured;
    if (snapshot === null) throw new Error("nothing ran");
    const bare = { ...captured, snapshot: { ...snapshot, beyondFootprint: [] } };
    const { fix } = await replayCaptured({ simulator, progress }, bare, { signal });
    expect(fix).toMatchObject({ kinds: ["footprint"], proof: { outcome: "unproven" } });
    expect(fix?.summary).toMatch(
      /^Not proven: .* The state of persistent data Count\(main\) .* is unknown: /,
    );
    expect(fix?.envelopeXdr).toBeNull();
  });
});

function declaredIn(envelopeXdr: string) {
  const envelope = openAnywhere(envelopeXdr);
  const { instructions, resourceFeeStroops } = sorobanOf(envelope);
  return {
    instructions: String(instructions),
    resourceFeeStroops,
    feeStroops: envelope.feeBidStroops,
  };
}
