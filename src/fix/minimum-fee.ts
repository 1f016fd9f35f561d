// Finds the minimum that a transaction must declare and pay. A run with exactly that proves it.

import { grouped } from "../base/text/grouped.ts";
import type { Execution } from "../model/execution.ts";
import { FIX_PARTS, type FixPart } from "../model/fix.ts";
import type { PatchedResources } from "../xdr/envelope/patch-envelope.ts";
import { type DeclaredResources, leastDeclared, withDeclared } from "./declared-resources.ts";
import { declaredBy, type FixContext } from "./fix-context.ts";
import { leastResourceFee, withResourceFee } from "./resource-fee.ts";
import type { Variant } from "./variant.ts";

export const NOTHING_DECLARED: DeclaredResources = {
  instructions: 0,
  diskReadBytes: 0,
  writeBytes: 0,
};

export interface Paid {
  readonly attempt: Variant;
  /** The successful run of the attempt. */
  readonly execution: Execution;
}

/**
 * The minimum for `attempt`, which succeeds with the maximum resources. The result is never below
 * `declared` and the failed transaction's fee; a separate transaction begins with NOTHING_DECLARED.
 * A sentence is returned if there is no minimum.
 */
export async function minimumFee(
  context: FixContext,
  attempt: Variant,
  declared: DeclaredResources,
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

export const RESOURCES = [
  "instructions",
  "diskReadBytes",
  "writeBytes",
  "resourceFeeStroops",
] as const;

type Name = (typeof RESOURCES)[number];

/** The names of the resources in a fix. */
export const RESOURCE_PARTS = {
  instructions: "instructions",
  diskReadBytes: "disk-read-bytes",
  writeBytes: "write-bytes",
  resourceFeeStroops: "resource-fee",
} as const satisfies Readonly<Record<Name, FixPart>>;

/**
 * Proves the minimum: returns the names of the raised values with which a run with one less failed.
 * `attempt` succeeds.
 */
export async function proveMinimum(context: FixContext, attempt: Variant): Promise<string[]> {
  const before = declaredBy(context.failed);
  const after = declaredBy(attempt);
  const least: string[] = [];
  for (const name of RESOURCES) {
    if (BigInt(after[name]) <= BigInt(before[name])) continue;
    const { outcome } = await context.run(withDeclared(attempt, oneLess(name, after[name])));
    if (outcome.kind !== "success") least.push(FIX_PARTS[RESOURCE_PARTS[name]]);
  }
  return least;
}

function oneLess(name: Name, value: string | number): PatchedResources {
  return name === "resourceFeeStroops"
    ? { [name]: String(BigInt(value) - 1n) }
    : { [name]: Number(value) - 1 };
}
