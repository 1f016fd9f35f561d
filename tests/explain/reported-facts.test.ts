// Who tells what of a transaction: the chain's record first, and a replay that proves nothing by name.

import { describe, expect, test } from "bun:test";
import { feeFacts } from "../../src/explain/fee-facts.ts";
import type { ReplayedFact } from "../../src/model/explanation.ts";
import { feeRows } from "../../src/report/fee-rows.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { readEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { readChain } from "../../src/xdr/outcome/chain-facts.ts";
import { investigate } from "../report/investigations.ts";
import { type Walk, walkOf } from "../verdict/protocol-walk.ts";

/** As a replay ends on a state of which nothing is known. */
function onNothing(walk: Walk): Walk {
  const { execution, snapshot } = walk;
  const unknown = [{ keyXdr: snapshot.entries[0]?.keyXdr ?? "", reason: "no node has it." }];
  return {
    ...walk,
    snapshot: { ...snapshot, unknown },
    execution: {
      ...execution,
      outcome: { kind: "failed", code: "INVOKE_HOST_FUNCTION_TRAPPED" },
      operationResultXdr: TRAPPED,
      resultXdr: null,
      successHash: null,
      changes: [],
      eventsXdr: [],
      metrics: { ...execution.metrics, cpu_insn: "7" },
      fees: {
        ...execution.fees,
        nonRefundableStroops: "999999",
        refundableConsumedStroops: "0",
        refundStroops: "-706503",
      },
    },
  };
}

/** OperationResult: opINNER, INVOKE_HOST_FUNCTION, TRAPPED. */
const TRAPPED = "AAAAAAAAABj////+";

describe("an inconclusive replay that ended otherwise", () => {
  const proven = investigate("sac-transfer");
  const found = investigate("sac-transfer", onNothing);

  test("changes nothing of what the chain recorded", () => {
    const { fees, resources, changes, events, tokens } = found.explanation;
    expect(found.verdict.kind).toBe("inconclusive");
    expect({ fees, resources, changes, events, tokens }).toEqual({
      fees: proven.explanation.fees,
      resources: proven.explanation.resources,
      changes: proven.explanation.changes,
      events: proven.explanation.events,
      tokens: proven.explanation.tokens,
    });
    expect([proven.explanation.replayOnly, found.explanation.replayOnly]).toEqual([[], ["calls"]]);
  });

  test("says so at normal verbosity", () => {
    const text = renderText(found, { color: false }).replaceAll("\n", " ");
    expect(text).toContain(
      "The replay ended otherwise than the chain: invokeHostFunctionTrapped, not " +
        "invokeHostFunctionSuccess.",
    );
    expect(text).toContain("Calls, only as the replay has it");
    expect(proven.explanation.resultCodes).toBeNull();
  });

  test("is named where nothing on the chain tells", () => {
    const bare = investigate("sac-transfer", (walk) => {
      const spoilt = onNothing(walk);
      const nothing = { resultMetaXdr: null, refundChangesXdr: null, diagnosticEventsXdr: [] };
      return { ...spoilt, record: { ...spoilt.record, ...nothing } };
    });
    expect(bare.explanation.replayOnly).toEqual([
      "calls",
      "changes",
      "events",
      "tokens",
      "resources",
      "fees.nonRefundableStroops",
      "fees.refundableConsumedStroops",
      "fees.rentStroops",
      "fees.refundStroops",
    ]);
    const text = renderText(bare, { color: false });
    expect(text).toContain("Resources, only as the replay has it");
    expect(text).toMatch(/\n {2}not refundable \(in the replay\) +999,999 stroops/);
    expect(text).toMatch(/\n {2}charged +54,794 stroops/);
  });
});

describe("the parts of a fee", () => {
  const { record } = walkOf("sac-transfer");
  const envelope = readEnvelope(record.envelopeXdr, record.networkPassphrase);
  const chain = readChain(record);
  const told = {
    fees: {
      nonRefundableStroops: "52272",
      refundableConsumedStroops: "2422",
      rentStroops: "0",
      refundStroops: "0",
    },
    replayOnly: [],
  } as unknown as Parameters<typeof feeFacts>[2];

  test("hold what was due back and is in the charge all the same", () => {
    const charged = { ...chain.result, feeChargedStroops: chain.feeTakenStroops as string };
    expect(feeFacts(envelope, { ...chain, result: charged }, told)).toMatchObject({
      chargedStroops: "293596",
      inclusionFeeStroops: "100",
      refundNotDeductedStroops: "238802",
    });
  });

  test("add up by what the chain tells where it tells no parts of the resource fee", () => {
    const replayOnly = ["fees.nonRefundableStroops"] as const;
    const fees = feeFacts(envelope, chain, { ...told, replayOnly });
    const namesOf = (replayed: readonly ReplayedFact[]) =>
      feeRows({ fees, replayOnly: replayed }).map(({ name }) => name);
    expect(fees).toMatchObject({
      chargedStroops: "54794",
      inclusionFeeStroops: "100",
      resourceFeeChargedStroops: "54694",
    });
    expect(namesOf(replayOnly)).toContain("resource fee charged");
    expect(namesOf(replayOnly)).toContain("not refundable (in the replay)");
    expect(namesOf([])).not.toContain("resource fee charged");
  });

  test("are not made up where the fee phase is not known", () => {
    expect(feeFacts(envelope, { ...chain, feeTakenStroops: null }, told)).toMatchObject({
      inclusionFeeStroops: null,
      resourceFeeChargedStroops: null,
      refundNotDeductedStroops: null,
    });
  });
});
