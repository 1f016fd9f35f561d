// Computes how much more than the minimum to declare, because the state may change before the
// transaction is applied: as much as Stellar RPC adds to a simulation (rs-soroban-env,
// soroban-simulation, SimulationAdjustmentConfig::default_adjustment).

import type { FixHeadroom } from "../model/fix.ts";
import { valueChanges } from "./changes.ts";
import { withDeclared } from "./declared-resources.ts";
import { declaredBy, type FixContext } from "./fix-context.ts";
import type { Paid } from "./minimum-fee.ts";
import { withResourceFee } from "./resource-fee.ts";
import type { Variant } from "./variant.ts";

/** The larger of the two is used, up to the network's limit. */
const MORE_INSTRUCTIONS = { percent: 104, atLeast: 50_000 } as const;
const REFUNDABLE_PERCENT = 115n;

export interface Headroom extends FixHeadroom {
  /** An attempt with these values, which ran and succeeded. */
  readonly attempt: Variant;
}

/**
 * The headroom. Null if there is nothing to raise, if the fee field is too small, or if the attempt
 * fails.
 */
export async function findHeadroom(
  context: FixContext,
  { attempt, execution }: Paid,
): Promise<Headroom | null> {
  const least = declaredBy(attempt);
  const used = Number(execution.metrics.cpu_insn ?? 0);
  const target = Math.max(
    Math.ceil((used * MORE_INSTRUCTIONS.percent) / 100),
    used + MORE_INSTRUCTIONS.atLeast,
  );
  const most = Number(context.limits.instructions ?? target);
  // Only a host function is metered.
  const instructions =
    used === 0 ? least.instructions : Math.max(least.instructions, Math.min(target, most));
  // The simulator computes the charge for them.
  const raised = withDeclared(attempt, { instructions });
  const { fees } = await context.run(raised);
  const refundable = (BigInt(fees.refundableConsumedStroops) * REFUNDABLE_PERCENT + 99n) / 100n;
  const needed = BigInt(fees.nonRefundableStroops) + refundable;
  const declared = BigInt(least.resourceFeeStroops);
  const fee = needed > declared ? needed : declared;
  const envelope = withResourceFee(raised.envelope, context.failed, fee);
  if (envelope === null) return null;
  const proposed = { ...attempt, envelope };
  const changes = valueChanges(attempt, proposed);
  if (changes.length === 0) return null;
  const { outcome } = await context.run(proposed);
  if (outcome.kind !== "success") return null;
  return {
    instructions: String(instructions),
    resourceFeeStroops: String(fee),
    feeStroops: envelope.feeBidStroops,
    changes,
    attempt: proposed,
  };
}
