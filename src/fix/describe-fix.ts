// Turns the result of the attempts into the Fix that renderers draw: words and values.

import type { Fix, FixChange, FixHeadroom, FixKind, FixProof } from "../model/fix.ts";
import { knownIn } from "../model/state/entry-state.ts";
import { withoutSignatures } from "../xdr/envelope/patch-envelope.ts";
import { changesInWords, changesOf, fixChange, footprintRow, kindsOf } from "./changes.ts";
import { declaredBy, type FixContext, type RemediedCause, stateInAttempt } from "./fix-context.ts";
import type { Headroom } from "./headroom.ts";
import type { Paid } from "./minimum-fee.ts";
import type { Variant } from "./variant.ts";

export interface Succeeded extends Paid {
  readonly least: readonly string[];
  /** A transaction that must be sent first. */
  readonly prelude: Variant | null;
  readonly headroom: Headroom | null;
}

export const NOTHING: Fix = {
  finding: "not-tried",
  kinds: [],
  summary: "",
  changes: [],
  proof: null,
  prelude: null,
  headroom: null,
  resubmission: [],
  ...signersOf([], []),
  envelopeXdr: null,
  leastEnvelopeXdr: null,
};

export function describeSuccess(context: FixContext, succeeded: Succeeded): Fix {
  const { attempt, execution, prelude, headroom } = succeeded;
  const { metrics, fees } = execution;
  const changes = changesOf(context, attempt);
  const metric = (name: string) => metrics[name] ?? "0";
  const proof: FixProof = {
    outcome: "succeeds",
    cost: {
      instructions: metric("cpu_insn"),
      memoryBytes: metric("mem_byte"),
      diskReadBytes: metric("ledger_read_byte"),
      writeBytes: metric("ledger_write_byte"),
      nonRefundableStroops: fees.nonRefundableStroops,
      refundableStroops: fees.refundableConsumedStroops,
      rentStroops: fees.rentStroops,
    },
    least: succeeded.least,
    assumed: assumedOf(context, attempt),
  };
  return {
    finding: "changes",
    kinds: kindsOf(changes, attempt),
    summary: `The transaction succeeds with ${changesInWords(context, attempt)}.`,
    changes,
    proof,
    prelude: prelude === null ? null : preludeOf(context, prelude),
    headroom: headroom === null ? null : valuesOf(headroom),
    resubmission: resubmissionOf(context, attempt),
    ...signersOf([], attempt.envelope.terms.signers),
    envelopeXdr: withoutSignatures((headroom?.attempt ?? attempt).envelope).xdr,
    leastEnvelopeXdr: withoutSignatures(attempt.envelope).xdr,
  };
}

function valuesOf({ attempt: _, ...values }: Headroom): FixHeadroom {
  return values;
}

/** Describes a fix of the first cause, after which another cause follows. */
export function describeFailsNext(
  context: FixContext,
  attempt: Variant,
  following: RemediedCause,
): Fix {
  const changes = changesOf(context, attempt);
  if (changes.length === 0 && attempt.restoredFirst.length === 0)
    return describeNone(failsToo(context));
  const words = changesInWords(context, attempt);
  return {
    ...NOTHING,
    finding: "changes",
    kinds: kindsOf(changes, attempt),
    summary: `With ${words} the transaction gets further, then fails for another cause: ${following.cause.summary}`,
    changes,
    proof: failsWith(following),
  };
}

/**
 * Describes a fix with the required authorizations, after which another cause follows: a run that
 * does not check them shows it.
 */
export function describeFailsRecorded(
  context: FixContext,
  attempt: Variant,
  following: RemediedCause,
): Fix {
  const changes = changesOf(context, attempt);
  const others = changes.length === 0 ? "" : `${changesInWords(context, attempt)} and `;
  return {
    ...NOTHING,
    finding: "changes",
    kinds: [...new Set<FixKind>([...kindsOf(changes, attempt), "authorization"])],
    summary:
      `With ${others}the required authorizations the transaction gets further, then fails for ` +
      `another cause: ${following.cause.summary} The run recorded the authorizations instead of checking them.`,
    changes,
    proof: failsWith(following),
  };
}

function failsWith({ cause, remedy, isTooLate, isDone }: RemediedCause): Fix["proof"] {
  return {
    outcome: "fails-next",
    cause,
    remedy,
    ...(isTooLate && { isTooLate }),
    ...(isDone && { isDone }),
  };
}

/** Describes an unproven fix. `attempt` has everything that is known to be missing. */
export function describeUnproven(context: FixContext, reason: string, attempt: Variant): Fix {
  // A key that could not be tried was added read-only. It is unknown whether it is written.
  const changes = changesOf(context, attempt).map((change) => {
    const { keyXdr, access } = change;
    if (keyXdr === undefined || access?.to !== "read-only") return change;
    return footprintRow(keyXdr, { ...access, to: "undecided" });
  });
  const summary =
    changes.length === 0
      ? `Not proven. ${reason}`
      : `Not proven: the transaction needs at least ${changesInWords(context, attempt)}. ${reason}`;
  return {
    ...NOTHING,
    finding: "changes",
    kinds: kindsOf(changes, attempt),
    summary,
    changes,
    proof: { outcome: "unproven", reason },
  };
}

const NO_CHANGE_HELPS =
  "No change to the declared resources, footprint or authorizations fixes this:";
const CAUSE_IS_ELSEWHERE = "The cause is in the contract, its arguments or its state:";

export function describeAlike(context: ReportedBy): Fix {
  const why = `the transaction fails the same way with ${maximumOf(context)}.`;
  return { ...NOTHING, finding: "elsewhere", summary: `${CAUSE_IS_ELSEWHERE} ${why}` };
}

export function failsToo(context: ReportedBy): string {
  return `the transaction still fails with ${maximumOf(context)}.`;
}

type ReportedBy = Pick<FixContext, "limitsReportedBy">;

function maximumOf({ limitsReportedBy }: ReportedBy): string {
  return limitsReportedBy === null
    ? "the network's maximum resources"
    : `the maximum resources that the ${limitsReportedBy} reports for the network`;
}

/** Describes that no change helps. `why` is a sentence about what a run showed. */
export function describeNone(why: string): Fix {
  return { ...NOTHING, finding: "nothing-helps", summary: `${NO_CHANGE_HELPS} ${why}` };
}

function preludeOf(context: FixContext, { envelope }: Variant) {
  const facts = declaredBy({ envelope });
  return {
    summary: "Send this transaction first. It restores the archived entries.",
    changes: [
      ...facts.footprint.readWrite.map((keyXdr) => ({
        ...fixChange("restored", null, context.nameKey(keyXdr)),
        keyXdr,
      })),
      fixChange("disk-read-bytes", null, facts.diskReadBytes),
      fixChange("write-bytes", null, facts.writeBytes),
      fixChange("resource-fee", null, facts.resourceFeeStroops),
      fixChange("sequence-number", null, envelope.terms.sequence),
    ],
    envelopeXdr: withoutSignatures(envelope).xdr,
  };
}

export function signersOf(
  ofAuthorizations: readonly string[],
  ofTransaction: readonly string[],
): Pick<Fix, "signers" | "authorizationSigners" | "transactionSigners"> {
  return {
    signers: [...new Set([...ofAuthorizations, ...ofTransaction])],
    authorizationSigners: [...new Set(ofAuthorizations)],
    transactionSigners: [...new Set(ofTransaction)],
  };
}

/** The assumed state, in words. */
function assumedOf(context: FixContext, attempt: Variant): string[] {
  const { footprint } = declaredBy(attempt);
  const state = stateInAttempt(context, attempt);
  return [...footprint.readOnly, ...footprint.readWrite].flatMap((key) => {
    const provenance = knownIn(state, key)?.provenance;
    if (provenance?.kind !== "assumed") return [];
    return [`${context.nameKey(key)}: ${provenance.detail}`];
  });
}

export function resubmissionOf({ failed }: FixContext, { envelope }: Variant): FixChange[] {
  const before = failed.envelope.terms;
  const after = envelope.terms;
  const rows = [
    fixChange("sequence-number", before.sequence, after.sequence),
    fixChange("valid-until", timeOf(before.latestSeconds), timeOf(after.latestSeconds)),
    fixChange("valid-before-ledger", before.endLedger, after.endLedger),
  ];
  return rows.filter(({ from, to }) => from !== to);
}

/** The time in ISO 8601, or in seconds if a Date cannot hold it. */
function timeOf(unixSeconds: bigint | null): string | bigint | null {
  if (unixSeconds === null || Number(unixSeconds) >= 8.64e12) return unixSeconds;
  return new Date(Number(unixSeconds) * 1000).toISOString().replace(".000Z", "Z");
}
