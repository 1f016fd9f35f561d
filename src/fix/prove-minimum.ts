// Proves that the values of a fix are the minimum: with one less of each, the transaction fails.

import type { PatchedResources } from "../xdr/envelope/patch-envelope.ts";
import { withDeclared } from "./declared-resources.ts";
import { type Attempt, declaredBy, type FixContext } from "./fix-context.ts";

/** Names of the values in a fix's changes. */
export const RESOURCE_NAMES = {
  instructions: "instructions",
  diskReadBytes: "disk read bytes",
  writeBytes: "write bytes",
  resourceFeeStroops: "resource fee",
} as const;

type Name = keyof typeof RESOURCE_NAMES;

/** Names of the raised values with which a run with one less failed. `attempt` succeeds. */
export async function proveMinimum(context: FixContext, attempt: Attempt): Promise<string[]> {
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
