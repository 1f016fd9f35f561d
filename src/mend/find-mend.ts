// A failed transaction → what would have made it succeed, tried on the state it ran on.
// 1. With all resources that the network allows it runs until it succeeds, or until nothing that
//    the transaction declares can help; each failure on the way is mended by the kind it is of.
// 2. The resources are then lowered to what it used, where that is more than it declared.
// 3. What is left is the transaction that is proposed: that very one has run and succeeded.
// Invariant: every claim is of a run, and the number of runs is bounded.

import type { Execution } from "../model/execution.ts";
import type { Cause } from "../model/explanation.ts";
import type { Mend } from "../model/mend.ts";
import { withoutExpiry, withSequenceNumber } from "../xdr/patch-envelope.ts";
import { readSendingFacts } from "../xdr/sending-facts.ts";
import { refusalOf } from "./admission.ts";
import { authorize } from "./authorization.ts";
import { opened, usedOrDeclared, withDeclared } from "./declared-resources.ts";
import {
  describeFailsNext,
  describeNone,
  describeSuccess,
  describeUnproven,
} from "./describe-mend.ts";
import { failsWithLess } from "./fails-with-less.ts";
import { extendFootprint, withoutNeedlessKeys } from "./footprint.ts";
import { findHeadroom } from "./headroom.ts";
import { leastPaid, NOTHING_DECLARED } from "./least-paid.ts";
import { recordAuthorizations } from "./recorded.ts";
import { restoreArchived, restoringTrial } from "./restore.ts";
import { declaredBy, type StepFinder, type Trial, type Workbench } from "./workbench.ts";

/** One for each entry that a footprint can name, and as many again for its being written. */
const MAXIMUM_STEPS = 100;

const STEPS: readonly StepFinder[] = [restoreArchived, extendFootprint, authorize];

/** Causes that are a limit: with everything opened, the network's. */
const LIMITS = /^(cpu|memory|write-bytes|read-bytes|events-size|entry-size|budget)-exceeded$/;

/** Throws what running throws. */
export async function findMend(workbench: Workbench): Promise<Mend> {
  const first = firstTrial(workbench);
  let trial: Trial = { ...first, envelopeXdr: opened(first.envelopeXdr, workbench.limits) };
  for (let count = 0; count < MAXIMUM_STEPS; count += 1) {
    const execution = await workbench.run(trial);
    if (execution.outcome.kind === "success") return leastMend(workbench, first, trial);
    const step = await firstStep(workbench, trial, execution);
    if (step === null) return failsStill(workbench, first, trial, execution);
    if (step.kind === "blocked") {
      const recorded = step.unsigned ? await recordAuthorizations(workbench, step.trial) : null;
      if (recorded?.kind === "recorded") return recorded.mend;
      // What was mended on the way has been proven to get it further.
      const ran = step.trial === trial && !isSameShape(first, trial);
      if (ran) return failsStill(workbench, first, trial, execution);
      const reason = recorded === null ? step.reason : `${step.reason} ${recorded.reason}`;
      return describeUnproven(workbench, reason, asDeclared(first, step.trial));
    }
    trial = step.trial;
  }
  const reason = `It failed in another way ${MAXIMUM_STEPS} times.`;
  return describeUnproven(workbench, reason, asDeclared(first, trial));
}

/** As it failed, but so that it could be sent again: a sequence number is used up by a failure. */
function firstTrial({ failed }: Workbench): Trial {
  const { sequenceNumber } = readSendingFacts(failed.envelopeXdr);
  const next = withSequenceNumber(failed.envelopeXdr, String(BigInt(sequenceNumber) + 1n));
  return { envelopeXdr: withoutExpiry(next), entries: new Map(), restoredFirst: [] };
}

async function firstStep(workbench: Workbench, trial: Trial, execution: Execution) {
  for (const find of STEPS) {
    const step = await find(workbench, trial, execution);
    if (step !== null) return step;
  }
  return null;
}

/** With the resources and the fee that `first` declares. */
function asDeclared(first: Trial, trial: Trial): Trial {
  const { instructions, diskReadBytes, writeBytes, resourceFeeStroops } = declaredBy(first);
  return withDeclared(trial, { instructions, diskReadBytes, writeBytes, resourceFeeStroops });
}

/** But for resources and fee. */
function isSameShape(first: Trial, trial: Trial): boolean {
  const declared = asDeclared(first, trial);
  return declared.envelopeXdr === first.envelopeXdr && trial.restoredFirst.length === 0;
}

/** Nothing more can be tried: `trial` declares all that may be, and fails. */
async function failsStill(
  workbench: Workbench,
  first: Trial,
  trial: Trial,
  execution: Execution,
): Promise<Mend> {
  const { cause } = workbench.causeOf(trial, execution);
  const declared = asDeclared(first, trial);
  const sameShape = isSameShape(first, trial);
  const isLimit = LIMITS.test(cause.kind);
  if (sameShape && isLimit) return describeNone(allAllowed(cause));
  if (sameShape && cause.kind === workbench.failedCause.kind) return describeNone(null);
  const used = usedOrDeclared(execution, declaredBy(first));
  for (const candidate of [declared, withDeclared(trial, used), trial]) {
    const ran = candidate === trial ? execution : await workbench.run(candidate);
    const next = ran.outcome.kind === "success" ? null : workbench.causeOf(candidate, ran);
    if (next?.cause.kind === cause.kind) return describeFailsNext(workbench, candidate, next);
  }
  return describeNone(null);
}

function allAllowed({ summary }: Cause): string {
  return `With all that the network allows one transaction to declare, it fails too. ${summary}`;
}

/** `succeeding` does, with everything opened. */
async function leastMend(workbench: Workbench, first: Trial, succeeding: Trial): Promise<Mend> {
  const { failed, limits, ledger } = workbench;
  const declared = declaredBy({ ...succeeding, envelopeXdr: failed.envelopeXdr });
  const pruned = await withoutNeedlessKeys(workbench, succeeding, declared);
  const least = await leastPaid(workbench, pruned, declared);
  if (typeof least === "string")
    return describeUnproven(workbench, least, asDeclared(first, pruned));
  const refusal = refusalOf(least.trial.envelopeXdr, limits, ledger.protocolVersion);
  if (refusal !== null) return describeNone(refusal);
  let prelude: Trial | null = null;
  if (least.trial.restoredFirst.length > 0) {
    const restoring = restoringTrial(workbench, least.trial.restoredFirst);
    const paid = await leastPaid(workbench, restoring, NOTHING_DECLARED);
    if (typeof paid === "string") return describeUnproven(workbench, paid, least.trial);
    prelude = paid.trial;
  }
  const tried = await failsWithLess(workbench, least.trial);
  const headroom = await findHeadroom(workbench, least);
  return describeSuccess(workbench, { ...least, least: tried, prelude, headroom });
}
