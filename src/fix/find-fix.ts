// A failed transaction → what would have made it succeed, tried on the state it ran on.
// 1. With all resources that the network allows it runs until it succeeds, or until nothing that
//    the transaction declares can help; each failure on the way is mended by the kind it is of.
// 2. The resources are then lowered to what it used, where that is more than it declared.
// 3. What is left is the transaction that is proposed: that very one has run and succeeded.
// Invariant: every claim is of a run, and the number of runs is bounded.

import type { Execution } from "../model/execution.ts";
import type { Cause } from "../model/explanation.ts";
import type { Fix } from "../model/fix.ts";
import { withoutExpiry, withSequenceNumber } from "../xdr/envelope/patch-envelope.ts";
import { readSendingFacts } from "../xdr/envelope/sending-facts.ts";
import { refusalOf } from "./admission.ts";
import { authorize } from "./authorization.ts";
import { opened, usedOrDeclared, withDeclared } from "./declared-resources.ts";
import {
  describeFailsNext,
  describeNone,
  describeSuccess,
  describeUnproven,
} from "./describe-fix.ts";
import { type Attempt, declaredBy, type FixContext, type StepFinder } from "./fix-context.ts";
import { extendFootprint, withoutNeedlessKeys } from "./footprint.ts";
import { findHeadroom } from "./headroom.ts";
import { minimumFee, NOTHING_DECLARED } from "./minimum-fee.ts";
import { proveMinimum } from "./prove-minimum.ts";
import { recordAuthorizations } from "./recorded.ts";
import { restoreArchived, restoringAttempt } from "./restore.ts";

/** One for each entry that a footprint can name, and as many again for its being written. */
const MAXIMUM_STEPS = 100;

const STEPS: readonly StepFinder[] = [restoreArchived, extendFootprint, authorize];

/** Causes that are a limit: with everything opened, the network's. */
const LIMITS = /^(cpu|memory|write-bytes|read-bytes|events-size|entry-size|budget)-exceeded$/;

/** Throws what running throws. */
export async function findFix(context: FixContext): Promise<Fix> {
  const first = firstAttempt(context);
  let attempt: Attempt = { ...first, envelopeXdr: opened(first.envelopeXdr, context.limits) };
  for (let count = 0; count < MAXIMUM_STEPS; count += 1) {
    const execution = await context.run(attempt);
    if (execution.outcome.kind === "success") return minimumFix(context, first, attempt);
    const step = await firstStep(context, attempt, execution);
    if (step === null) return failsStill(context, first, attempt, execution);
    if (step.kind === "blocked") {
      const recorded = step.unsigned ? await recordAuthorizations(context, step.attempt) : null;
      if (recorded?.kind === "recorded") return recorded.fix;
      // What was mended on the way has been proven to get it further.
      const ran = step.attempt === attempt && !isSameShape(first, attempt);
      if (ran) return failsStill(context, first, attempt, execution);
      const reason = recorded === null ? step.reason : `${step.reason} ${recorded.reason}`;
      return describeUnproven(context, reason, asDeclared(first, step.attempt));
    }
    attempt = step.attempt;
  }
  const reason = `It failed in another way ${MAXIMUM_STEPS} times.`;
  return describeUnproven(context, reason, asDeclared(first, attempt));
}

/** As it failed, but so that it could be sent again: a sequence number is used up by a failure. */
function firstAttempt({ failed }: FixContext): Attempt {
  const { sequenceNumber } = readSendingFacts(failed.envelopeXdr);
  const next = withSequenceNumber(failed.envelopeXdr, String(BigInt(sequenceNumber) + 1n));
  return { envelopeXdr: withoutExpiry(next), entries: new Map(), restoredFirst: [] };
}

async function firstStep(context: FixContext, attempt: Attempt, execution: Execution) {
  for (const find of STEPS) {
    const step = await find(context, attempt, execution);
    if (step !== null) return step;
  }
  return null;
}

/** With the resources and the fee that `first` declares. */
function asDeclared(first: Attempt, attempt: Attempt): Attempt {
  const { instructions, diskReadBytes, writeBytes, resourceFeeStroops } = declaredBy(first);
  return withDeclared(attempt, { instructions, diskReadBytes, writeBytes, resourceFeeStroops });
}

/** But for resources and fee. */
function isSameShape(first: Attempt, attempt: Attempt): boolean {
  const declared = asDeclared(first, attempt);
  return declared.envelopeXdr === first.envelopeXdr && attempt.restoredFirst.length === 0;
}

/** Nothing more can be tried: `trial` declares all that may be, and fails. */
async function failsStill(
  context: FixContext,
  first: Attempt,
  attempt: Attempt,
  execution: Execution,
): Promise<Fix> {
  const { cause } = context.causeOf(attempt, execution);
  const declared = asDeclared(first, attempt);
  const sameShape = isSameShape(first, attempt);
  const isLimit = LIMITS.test(cause.kind);
  if (sameShape && isLimit) return describeNone(allAllowed(cause));
  if (sameShape && cause.kind === context.failedCause.kind) return describeNone(null);
  const used = usedOrDeclared(execution, declaredBy(first));
  for (const candidate of [declared, withDeclared(attempt, used), attempt]) {
    const ran = candidate === attempt ? execution : await context.run(candidate);
    const next = ran.outcome.kind === "success" ? null : context.causeOf(candidate, ran);
    if (next?.cause.kind === cause.kind) return describeFailsNext(context, candidate, next);
  }
  return describeNone(null);
}

function allAllowed({ summary }: Cause): string {
  return `With all that the network allows one transaction to declare, it fails too. ${summary}`;
}

/** `succeeding` does, with everything opened. */
async function minimumFix(context: FixContext, first: Attempt, succeeding: Attempt): Promise<Fix> {
  const { failed, limits, ledger } = context;
  const declared = declaredBy({ ...succeeding, envelopeXdr: failed.envelopeXdr });
  const pruned = await withoutNeedlessKeys(context, succeeding, declared);
  const least = await minimumFee(context, pruned, declared);
  if (typeof least === "string") return describeUnproven(context, least, asDeclared(first, pruned));
  const refusal = refusalOf(least.attempt.envelopeXdr, limits, ledger.protocolVersion);
  if (refusal !== null) return describeNone(refusal);
  let prelude: Attempt | null = null;
  if (least.attempt.restoredFirst.length > 0) {
    const restoring = restoringAttempt(context, least.attempt.restoredFirst);
    const paid = await minimumFee(context, restoring, NOTHING_DECLARED);
    if (typeof paid === "string") return describeUnproven(context, paid, least.attempt);
    prelude = paid.attempt;
  }
  const tried = await proveMinimum(context, least.attempt);
  const headroom = await findHeadroom(context, least);
  return describeSuccess(context, { ...least, least: tried, prelude, headroom });
}
