// The least that a transaction must declare and pay: proven by running it with just that.

import { grouped } from "../base/text/grouped.ts";
import type { Execution } from "../model/execution.ts";
import { type Declared, leastDeclared, withDeclared } from "./declared-resources.ts";
import type { Attempt, FixContext } from "./fix-context.ts";
import { leastResourceFee, readFees, withResourceFee } from "./resource-fee.ts";

export const NOTHING_DECLARED: Declared = { instructions: 0, diskReadBytes: 0, writeBytes: 0 };

export interface Paid {
  readonly attempt: Attempt;
  /** Of that trial: it succeeded. */
  readonly execution: Execution;
}

/**
 * `trial` succeeds with everything opened. What `declared` and the failed transaction's fee suffice
 * for stays; a transaction of its own begins with NOTHING_DECLARED. A sentence: why there is none.
 */
export async function minimumFee(
  context: FixContext,
  attempt: Attempt,
  declared: Declared,
): Promise<Paid | string> {
  const wide = await context.run(attempt);
  const resources = await leastDeclared(context, attempt, wide, declared);
  if (resources === null) return "With what it used when it succeeded, it fails.";
  const lowered = withDeclared(attempt, resources);
  const needed = leastResourceFee(await context.run(lowered));
  const failedXdr = context.failed.envelopeXdr;
  const before = declared === NOTHING_DECLARED ? 0n : readFees(failedXdr).resourceFee;
  const fee = needed > before ? needed : before;
  const envelopeXdr = withResourceFee(lowered.envelopeXdr, failedXdr, fee);
  if (envelopeXdr === null) {
    return (
      `It needs a resource fee of ${grouped(fee)} stroops, and with it the fee is more than its field ` +
      "holds: send it in a fee-bump transaction."
    );
  }
  const paid = { ...lowered, envelopeXdr };
  const execution = await context.run(paid);
  if (execution.outcome.kind === "success") return { attempt: paid, execution };
  return `With the least resources it fails: ${context.causeOf(paid, execution).cause.summary}`;
}
