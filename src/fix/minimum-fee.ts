// The minimum that a transaction must declare and pay. A run with exactly that proves it.

import { grouped } from "../base/text/grouped.ts";
import type { Execution } from "../model/execution.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import {
  type PatchedResources,
  withFee,
  withInnerFee,
  withResources,
} from "../xdr/envelope/patch-envelope.ts";
import { type Declared, leastDeclared, withDeclared } from "./declared-resources.ts";
import { declaredBy, type FixContext } from "./fix-context.ts";
import type { Variant } from "./variant.ts";

export const NOTHING_DECLARED: Declared = { instructions: 0, diskReadBytes: 0, writeBytes: 0 };

export interface Paid {
  readonly attempt: Variant;
  /** The successful run of the attempt. */
  readonly execution: Execution;
}

/**
 * `attempt` succeeds with the maximum resources. The result is never below `declared` and the
 * failed transaction's fee; a separate transaction starts from NOTHING_DECLARED. Returns a sentence
 * when there is no minimum.
 */
export async function minimumFee(
  context: FixContext,
  attempt: Variant,
  declared: Declared,
): Promise<Paid | string> {
  const wide = await context.run(attempt);
  const resources = await leastDeclared(context, attempt, wide, declared);
  if (resources === null)
    return "The transaction fails with the resources that it used when it succeeded.";
  const lowered = withDeclared(attempt, resources);
  const needed = leastResourceFee(await context.run(lowered));
  const { failed } = context;
  const before = declared === NOTHING_DECLARED ? 0n : BigInt(declaredBy(failed).resourceFeeStroops);
  const fee = needed > before ? needed : before;
  const envelope = withResourceFee(lowered.envelope, failed, fee);
  if (envelope === null) {
    return (
      `The transaction needs a resource fee of ${grouped(fee)} stroops, and the total does not fit ` +
      "in the fee field. Send it in a fee-bump transaction."
    );
  }
  const paid = { ...lowered, envelope };
  const execution = await context.run(paid);
  if (execution.outcome.kind === "success") return { attempt: paid, execution };
  const { summary } = context.causeOf(paid, execution).cause;
  return `The transaction fails with the minimum resources: ${summary}`;
}

// The resource fee is the charge for the declared resources, plus the cost of rent and events. The
// inclusion bids of the fee-bump and of the inner transaction do not change.

/** The fee field of a transaction is 32 bits wide; that of a fee-bump is wider. */
const UINT32_MAXIMUM = 0xffff_ffffn;

/** Enough to pay for what a successful run used. */
export function leastResourceFee({ fees }: Execution): bigint {
  return BigInt(fees.nonRefundableStroops) + BigInt(fees.refundableConsumedStroops);
}

/**
 * `failed`: has the earlier bid and resource fee. Null when the fee does not fit in the fee field.
 */
export function withResourceFee(
  envelope: Envelope,
  failed: FixContext["failed"],
  resourceFee: bigint,
): Envelope | null {
  const patched = withResources(envelope, { resourceFeeStroops: String(resourceFee) });
  const more = resourceFee - BigInt(declaredBy(failed).resourceFeeStroops);
  const fee = BigInt(failed.envelope.feeBidStroops) + more;
  if (!envelope.isFeeBump) return fee > UINT32_MAXIMUM ? null : withFee(patched, fee);
  const inner = envelope.terms.feeStroops + more;
  const bumped = withFee(patched, fee);
  // From protocol 23 the inner fee need not cover the resource fee, so it can stay if it is too
  // big.
  return inner > UINT32_MAXIMUM || inner < 0n ? bumped : withInnerFee(bumped, inner);
}

/** Names of the values in a fix's changes. */
export const RESOURCE_NAMES = {
  instructions: "instructions",
  diskReadBytes: "disk read bytes",
  writeBytes: "write bytes",
  resourceFeeStroops: "resource fee",
} as const;

type Name = keyof typeof RESOURCE_NAMES;

/**
 * Proves that the values of a fix are the minimum: names of the raised values with which a run with
 * one less failed. `attempt` succeeds.
 */
export async function proveMinimum(context: FixContext, attempt: Variant): Promise<string[]> {
  const before = declaredBy(context.failed);
  const after = declaredBy(attempt);
  const least: string[] = [];
  for (const name of Object.keys(RESOURCE_NAMES) as Name[]) {
    if (BigInt(after[name]) <= BigInt(before[name])) continue;
    const { outcome } = await context.run(withDeclared(attempt, oneLess(name, after[name])));
    if (outcome.kind !== "success") least.push(RESOURCE_NAMES[name]);
  }
  return least;
}

function oneLess(name: Name, value: string | number): PatchedResources {
  return name === "resourceFeeStroops"
    ? { [name]: String(BigInt(value) - 1n) }
    : { [name]: Number(value) - 1 };
}
