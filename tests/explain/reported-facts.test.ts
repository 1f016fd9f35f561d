// The source of each fact: the chain record first, and facts of an unproven replay only as such.

import { describe, expect, test } from "bun:test";
import { feeFacts } from "../../src/explain/fee-facts.ts";
import type { ReplayedFact } from "../../src/model/explanation.ts";
import { blocks } from "../../src/report/document/document.ts";
import { feeContent } from "../../src/report/document/usage.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { readChain } from "../../src/xdr/outcome/chain-facts.ts";
import { investigate } from "../report/investigations.ts";
import { openedAlone } from "../support/opened.ts";
import { type Walk, walkOf } from "../verdict/protocol-walk.ts";

/** A replay on a state that is completely unknown. */
function onNothing(walk: Walk): Walk {
  const { execution, snapshot } = walk;
  const unknown = [{ keyXdr: snapshot.entries[0]?.keyXdr ?? "", reason: "no node has it" }];
  return {
    ...walk,
    snapshot: { ...snapshot, unknown },
    execution: {
      ...execution,
      outcome: { kind: "failed", operation: "invokeHostFunction", code: "trapped" },
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

describe("an inconclusive replay with other result codes", () => {
  const proven = investigate("sac-transfer");
  const found = investigate("sac-transfer", onNothing);

  test("does not change what the chain recorded", () => {
    const { fees, resources, changes, events, tokens } = found.explanation;
    expect(found.verdict.kind).toBe("inconclusive");
    expect({ fees, resources, changes, events, tokens }).toEqual({
      fees: proven.explanation.fees,
      resources: proven.explanation.resources,
      changes: proven.explanation.changes,
      events: proven.explanation.events,
      tokens: proven.explanation.tokens,
    });
    expect([proven.explanation.replayOnly, found.explanation.replayOnly]).toEqual([[], []]);
  });

  test("shows the chain's own calls, and not where the replay stopped", () => {
    expect(found.explanation.calls).toBeNull();
    expect(found.explanation.diagnosticCalls).toMatchObject([
      { function: "transfer", failed: false },
    ]);
  });

  test("is marked at normal verbosity", () => {
    const text = renderText(found, { color: false }).replaceAll(/\s+/g, " ");
    expect(text).toContain(
      "The result codes differ: invokeHostFunctionSuccess on chain, invokeHostFunctionTrapped in " +
        "the replay. An input that the caveats call unknown may be the reason.",
    );
    expect(text).toContain("Calls (from a node's diagnostic events)");
    expect(proven.explanation.resultCodes).toBeNull();
  });

  test("is named for every fact that the chain record lacks", () => {
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
    expect(text).toContain("Resources (replay only)");
    expect(text).toMatch(/\n {2}Non-refundable \(in the replay\) +999,999 stroops/);
    expect(text).toMatch(/\n {2}Charged +54,794 stroops/);
  });
});

describe("the parts of a fee", () => {
  const { record } = walkOf("sac-transfer");
  const { envelope } = openedAlone(record);
  const chain = readChain(record);
  const facts = {
    fees: {
      nonRefundableStroops: "52272",
      refundableConsumedStroops: "2422",
      rentStroops: "0",
      refundStroops: "0",
    },
    replayOnly: [],
  } as unknown as Parameters<typeof feeFacts>[2];

  test("include a refund that is still part of the fee charged", () => {
    const charged = { ...chain.result, feeChargedStroops: chain.feeTakenStroops as string };
    expect(feeFacts(envelope, { ...chain, result: charged }, facts)).toMatchObject({
      chargedStroops: "293596",
      inclusionFeeStroops: "100",
      refundNotDeductedStroops: "238802",
    });
  });

  test("add up with the resource fee charged if the chain does not have its parts", () => {
    const replayOnly = ["fees.nonRefundableStroops"] as const;
    const fees = feeFacts(envelope, chain, { ...facts, replayOnly });
    const namesOf = (replayed: readonly ReplayedFact[]) =>
      blocks(feeContent({ fees, replayOnly: replayed })).flatMap((block) =>
        block.kind === "rows" ? block.rows.map(({ label }) => label) : [],
      );
    expect(fees).toMatchObject({
      chargedStroops: "54794",
      inclusionFeeStroops: "100",
      resourceFeeChargedStroops: "54694",
    });
    expect(namesOf(replayOnly)).toContain("Resource fee charged");
    expect(namesOf(replayOnly)).toContain("Non-refundable (in the replay)");
    expect(namesOf([])).not.toContain("Resource fee charged");
  });

  test("are null if the fee phase is unknown", () => {
    expect(feeFacts(envelope, { ...chain, feeTakenStroops: null }, facts)).toMatchObject({
      inclusionFeeStroops: null,
      resourceFeeChargedStroops: null,
      refundNotDeductedStroops: null,
    });
  });
});
