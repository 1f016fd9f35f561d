// The least that a transaction must declare and pay: proven by running it with just that.

import { grouped } from "../base/grouped.ts";
import type { Execution } from "../model/execution.ts";
import { type Declared, leastDeclared, withDeclared } from "./declared-resources.ts";
import { leastResourceFee, readFees, withResourceFee } from "./resource-fee.ts";
import type { Trial, Workbench } from "./workbench.ts";

export const NOTHING_DECLARED: Declared = { instructions: 0, diskReadBytes: 0, writeBytes: 0 };

export interface Paid {
  readonly trial: Trial;
  /** Of that trial: it succeeded. */
  readonly execution: Execution;
}

/**
 * `trial` succeeds with everything opened. What `declared` and the failed transaction's fee suffice
 * for stays; a transaction of its own begins with NOTHING_DECLARED. A sentence: why there is none.
 */
export async function leastPaid(
  workbench: Workbench,
  trial: Trial,
  declared: Declared,
): Promise<Paid | string> {
  const wide = await workbench.run(trial);
  const resources = await leastDeclared(workbench, trial, wide, declared);
  if (resources === null) return "With what it used when it succeeded, it fails.";
  const lowered = withDeclared(trial, resources);
  const needed = leastResourceFee(await workbench.run(lowered));
  const failedXdr = workbench.failed.envelopeXdr;
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
  const execution = await workbench.run(paid);
  if (execution.outcome.kind === "success") return { trial: paid, execution };
  return `With the least resources it fails: ${workbench.causeOf(paid, execution).cause.summary}`;
}
