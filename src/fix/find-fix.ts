// A failed transaction → what would have made it succeed, tried on the state it ran on.
// 1. With the network's maximum resources it runs until it succeeds, or until no change to the
//    transaction can help. Each failure on the way is fixed by its kind.
// 2. The resources are then lowered to what it used, or to what it declared if that is more.
// 3. The result is the proposed transaction: exactly that envelope has run and succeeded.
// Invariant: every claim comes from a run, and the number of runs is bounded.

import { CAUSES } from "../model/cause-kinds.ts";
import { type CallNode, type Execution, failedPath } from "../model/execution.ts";
import type { Fix } from "../model/fix.ts";
import { withoutExpiry, withSequenceNumber } from "../xdr/envelope/patch-envelope.ts";
import { exceededLimits } from "../xdr/ledger/exceeded-limits.ts";
import { authorize } from "./authorization.ts";
import { usedOrDeclared, withDeclared, withMaximumResources } from "./declared-resources.ts";
import {
  describeAlike,
  describeFailsNext,
  describeFailsRecorded,
  describeNone,
  describeSuccess,
  describeUnproven,
  failsToo,
} from "./describe-fix.ts";
import { declaredBy, type FixContext, type RemediedCause, type StepFinder } from "./fix-context.ts";
import { extendFootprint, withoutUnneededKeys } from "./footprint.ts";
import { findHeadroom } from "./headroom.ts";
import { minimumFee, NOTHING_DECLARED, proveMinimum } from "./minimum-fee.ts";
import { recordedVariant } from "./recorded.ts";
import { leastResourceFee, withResourceFee } from "./resource-fee.ts";
import { restoreArchived, restoringAttempt } from "./restore.ts";
import type { Variant } from "./variant.ts";

/** One step for each entry of a footprint, and one more for each that is written. */
const MAXIMUM_STEPS = 100;

const STEPS: readonly StepFinder[] = [restoreArchived, extendFootprint, authorize];

/** Finds the fix. Throws the errors of a run. */
export async function findFix(context: FixContext): Promise<Fix> {
  const first = firstAttempt(context);
  const envelope = withMaximumResources(first.envelope, context.limits);
  let attempt: Variant = { ...first, envelope };
  for (let count = 0; count < MAXIMUM_STEPS; count += 1) {
    const execution = await context.run(attempt);
    if (execution.outcome.kind === "success") return minimumFix(context, first, attempt);
    const step = await firstStep(context, attempt, execution);
    if (step === null) return failsStill(context, first, { attempt, execution });
    if (step.kind === "blocked") {
      const declared = asDeclared(first, step.attempt);
      const recorded = step.unsigned ? await recordedVariant(context, step.attempt) : null;
      if (recorded?.kind === "recorded") return recorded.fix;
      if (recorded?.next) return describeFailsRecorded(context, declared, recorded.next);
      // A run proved that the changes so far get the transaction further.
      const ran = step.attempt === attempt && !isSameShape(first, declared);
      if (ran) return failsStill(context, first, { attempt, execution }, declared);
      const reason = recorded === null ? step.reason : `${step.reason} ${recorded.reason}`;
      return describeUnproven(context, reason, declared);
    }
    attempt = step.attempt;
  }
  const reason = `The transaction failed in a different way ${MAXIMUM_STEPS} times.`;
  return describeUnproven(context, reason, asDeclared(first, attempt));
}

/** The failed transaction, ready to be sent again: with the next sequence number and no expiry. */
function firstAttempt({ failed }: FixContext): Variant {
  const next = withSequenceNumber(failed.envelope, failed.envelope.terms.sequence + 1n);
  return { envelope: withoutExpiry(next), entries: new Map(), restoredFirst: [] };
}

async function firstStep(context: FixContext, attempt: Variant, execution: Execution) {
  for (const find of STEPS) {
    const step = await find(context, attempt, execution);
    if (step !== null) return step;
  }
  return null;
}

/** The attempt with the resources and the fee that `first` declares. */
function asDeclared(first: Variant, attempt: Variant): Variant {
  const { instructions, diskReadBytes, writeBytes, resourceFeeStroops } = declaredBy(first);
  return withDeclared(attempt, { instructions, diskReadBytes, writeBytes, resourceFeeStroops });
}

/** Says whether only resources and fee differ. `declared` is an attempt with those of `first`. */
function isSameShape(first: Variant, declared: Variant): boolean {
  return declared.envelope.xdr === first.envelope.xdr && declared.restoredFirst.length === 0;
}

interface FailedVariant {
  /** The attempt, with the maximum resources. */
  readonly attempt: Variant;
  readonly execution: Execution;
}

/**
 * The result if nothing more can be tried. `declared` is the attempt with the values that `first`
 * declares.
 */
async function failsStill(
  context: FixContext,
  first: Variant,
  { attempt, execution }: FailedVariant,
  declared = asDeclared(first, attempt),
): Promise<Fix> {
  const causeAfter = context.causeOf(attempt, execution);
  const { cause } = causeAfter;
  const sameShape = isSameShape(first, declared);
  // With the maximum resources, every limit is the network's.
  const isLimit = CAUSES[cause.kind].limit !== undefined;
  const isSameKind = cause.kind === context.failedCause.kind;
  if (sameShape && !isLimit && isSameKind && isSameFailure(execution, context.failed.execution))
    return describeAlike(context);
  if (sameShape && (isLimit || isSameKind)) return describeNone(stillFails(context, causeAfter));
  for (const candidate of [declared, await paidAsUsed(context, first, attempt, execution)]) {
    if (candidate === null) continue;
    const ran = await context.run(candidate);
    const next = ran.outcome.kind === "success" ? null : context.causeOf(candidate, ran);
    if (next?.cause.kind === cause.kind)
      return describeFailsNext(context, candidate, await context.decide(candidate, ran, next));
  }
  return describeNone(failsToo(context));
}

/**
 * The attempt with the resources that its run used, and the fee for them. Null if the fee does not
 * fit in its field.
 */
async function paidAsUsed(
  context: FixContext,
  first: Variant,
  attempt: Variant,
  execution: Execution,
): Promise<Variant | null> {
  const before = declaredBy(first);
  const lowered = withDeclared(attempt, usedOrDeclared(execution, before));
  const needed = leastResourceFee(await context.run(lowered));
  const declared = BigInt(before.resourceFeeStroops);
  const fee = needed > declared ? needed : declared;
  const envelope = withResourceFee(lowered.envelope, context.failed, fee);
  return envelope === null ? null : { ...lowered, envelope };
}

/**
 * Says whether both end with the same result code and error, including its number, in the same
 * call.
 */
function isSameFailure(ran: Execution, failed: Execution): boolean {
  const failureOf = ({ outcome, hostError, callTree }: Execution) =>
    JSON.stringify([outcome, hostError, failedPath(callTree).map(asCalled)]);
  return failureOf(ran) === failureOf(failed);
}

function asCalled({ kind, contract, function: called, argumentsXdr }: CallNode) {
  return { kind, contract, called, argumentsXdr };
}

/** The report already has the cause of the failed transaction. */
function stillFails(context: FixContext, { cause, isOfFailed }: RemediedCause): string {
  const fails = failsToo(context);
  return isOfFailed ? fails : `${fails} ${cause.summary}`;
}

/** `succeeding` has the maximum resources, and succeeds. */
async function minimumFix(context: FixContext, first: Variant, succeeding: Variant): Promise<Fix> {
  const { failed, limits, ledger } = context;
  const declared = declaredBy(failed);
  const pruned = await withoutUnneededKeys(context, succeeding, declared);
  const least = await minimumFee(context, pruned, declared);
  if (typeof least === "string") return describeUnproven(context, least, asDeclared(first, pruned));
  const { soroban, terms } = least.attempt.envelope;
  const [over] = soroban
    ? exceededLimits(soroban, terms.sizeBytes, limits, ledger.protocolVersion)
    : [];
  if (over !== undefined) return describeNone(`the transaction needs ${over}.`);
  let prelude: Variant | null = null;
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
