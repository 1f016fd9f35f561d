// Finds how many instructions, disk read bytes and write bytes the transaction must declare. A run
// with the network's maximum shows what the transaction uses. A run with exactly that proves it.

import type { Execution } from "../model/execution.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import type { SorobanFacts } from "../xdr/envelope/envelope-facts.ts";
import { type PatchedResources, withResources } from "../xdr/envelope/patch-envelope.ts";
import type { TransactionLimits } from "../xdr/ledger/transaction-limits.ts";
import { declaredBy, type FixContext } from "./fix-context.ts";
import type { Variant } from "./variant.ts";

export type DeclaredResources = Pick<SorobanFacts, "instructions" | "diskReadBytes" | "writeBytes">;

const UINT32_MAXIMUM = 0xffff_ffff;
/** MAX_RESOURCE_FEE of stellar-core (TransactionFrame.cpp). */
const MAXIMUM_RESOURCE_FEE = 1n << 50n;
/** Steps of 16, 32, … exceed every limit. The same number of halvings finds the exact value. */
const SEARCH_STEPS = 28;

/** The envelope with the network's maximum, so that a run shows what it uses. */
export function withMaximumResources(envelope: Envelope, limits: TransactionLimits): Envelope {
  const atMost = (limit: string | undefined) =>
    Math.min(Number(limit ?? UINT32_MAXIMUM), UINT32_MAXIMUM);
  return withResources(envelope, {
    instructions: atMost(limits.instructions),
    diskReadBytes: atMost(limits.diskReadBytes),
    writeBytes: atMost(limits.writeBytes),
    resourceFeeStroops: String(MAXIMUM_RESOURCE_FEE),
  });
}

/** The resources that a run used, or the declared ones if they are more. */
export function usedOrDeclared(
  { metrics }: Execution,
  declared: DeclaredResources,
): DeclaredResources {
  const most = (used: string | undefined, before: number) => Math.max(Number(used ?? 0), before);
  return {
    instructions: most(metrics.cpu_insn, declared.instructions),
    diskReadBytes: most(metrics.ledger_read_byte, declared.diskReadBytes),
    writeBytes: most(metrics.ledger_write_byte, declared.writeBytes),
  };
}

/**
 * The least resources to declare. `execution` is the successful run of `attempt` with the maximum.
 * Null if no values are found with which it succeeds.
 */
export async function leastDeclared(
  context: FixContext,
  attempt: Variant,
  execution: Execution,
  declared: DeclaredResources,
): Promise<DeclaredResources | null> {
  const succeedsWith = async (resources: PatchedResources) => {
    const { outcome } = await context.run(withDeclared(attempt, resources));
    return outcome.kind === "success";
  };
  const used = usedOrDeclared(execution, declared);
  if (await succeedsWith(used)) return used;
  // The amount at the end may not be enough during the run: a wasm instruction starts only if more
  // is left than it costs, and restored entries are metered by other rules than writes.
  let least: DeclaredResources = used;
  for (const name of ["instructions", "diskReadBytes", "writeBytes"] as const) {
    if (await succeedsWith({ [name]: used[name] })) continue;
    const suffices = (value: number) => succeedsWith({ [name]: value });
    const value = await smallestThat(suffices, used[name], declaredBy(attempt)[name]);
    if (value === null) return null;
    least = { ...least, [name]: value };
  }
  return (await succeedsWith(least)) ? least : null;
}

export function withDeclared(attempt: Variant, resources: PatchedResources): Variant {
  return { ...attempt, envelope: withResources(attempt.envelope, resources) };
}

/** Searches above `failing`, up to `most`: it doubles the step, then halves the range. */
async function smallestThat(
  suffices: (value: number) => Promise<boolean>,
  failing: number,
  most: number,
): Promise<number | null> {
  let low = failing;
  let high: number | null = null;
  for (let step = 0; step < SEARCH_STEPS && high === null && low < most; step += 1) {
    const next = Math.min(failing + 2 ** (step + 4), most);
    if (await suffices(next)) high = next;
    else low = next;
  }
  for (let step = 0; step < SEARCH_STEPS && high !== null && high - low > 1; step += 1) {
    const middle = Math.floor((low + high) / 2);
    if (await suffices(middle)) high = middle;
    else low = middle;
  }
  return high;
}
