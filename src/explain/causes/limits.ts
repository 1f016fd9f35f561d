// Explains an exceeded limit: which one, whether the transaction or the network sets it, and how
// much was used.

import { CAUSES } from "../../model/cause-kinds.ts";
import { endedWith } from "../../model/result-code.ts";
import { numbersIn } from "../../xdr/outcome/error-reports.ts";
import {
  BUDGETS,
  DECLARED_LIMITS,
  LIMITS,
  messageIn,
  REFUNDABLE_FEES,
} from "../../xdr/outcome/host-messages.ts";
import type { CauseFinding } from "../words/found-cause.ts";
import { countedAsWritten } from "./entry-size.ts";
import { evidenceOf, type Failure, failedCallOf } from "./failure.ts";

export function resourceLimitCause(failure: Failure): CauseFinding | null {
  if (!endedWith(failure.result, "resourceLimitExceeded")) return null;
  const report = failure.reports.at(-1);
  const known = messageIn(LIMITS, report?.message);
  const [used, allowed] = numbersIn(report);
  const evidence = evidenceOf(failure);
  if (known === null || used === undefined || allowed === undefined)
    return {
      by: "unknown-limit",
      kind: "resource-limit-exceeded",
      facts: {},
      confidence: "known",
      evidence,
    };
  const { id } = known;
  const { kind } = LIMITS[id];
  const isDeclared = CAUSES[kind].limit === "declared";
  const call = id === "instructions" ? failedCallOf(failure) : null;
  return {
    by: "limit",
    kind,
    facts: { id, used, allowed, isDeclared, call },
    confidence: "known",
    evidence: id === "write" ? [...countedAsWritten(failure), ...evidence] : evidence,
  };
}

/** The cause for a limit of the network that a node found exceeded before the transaction ran. */
export function declaredLimitCause(
  { reports }: Pick<Failure, "reports">,
  code: string | null = null,
): CauseFinding | null {
  const report = reports.at(-1);
  const known = messageIn(DECLARED_LIMITS, report?.message);
  const [declared, allowed] = numbersIn(report);
  if (known === null || declared === undefined || allowed === undefined) return null;
  return {
    by: "declared-limit",
    kind: "resource-limit-exceeded",
    facts: { id: known.id, declared, allowed, code },
    confidence: "known",
    evidence: [],
  };
}

/** The host's budget ran out, and stellar-core did not report which part of it. */
export function budgetCause(failure: Failure): CauseFinding | null {
  const { error, origin, envelope, execution, simulated = false } = failure;
  if (error?.type !== "Budget" || error.code !== "ExceededLimit") return null;
  const ranOut = messageIn(BUDGETS, origin?.message)?.id ?? null;
  const isOther = ranOut === "stack" || ranOut === "memory";
  return {
    by: "budget",
    kind: ranOut === null ? "budget-exceeded" : BUDGETS[ranOut].kind,
    facts: {
      ranOut,
      call: failedCallOf(failure),
      declared: isOther || simulated ? null : (envelope?.soroban?.instructions ?? null),
      stoppedAt: isOther ? null : (execution?.metrics.cpu_insn ?? null),
      simulated,
    },
    confidence: "known",
    evidence: evidenceOf(failure),
  };
}

export function refundableFeeCause(failure: Failure): CauseFinding | null {
  if (!endedWith(failure.result, "insufficientRefundableFee")) return null;
  const report = failure.reports.at(-1);
  const part = messageIn(REFUNDABLE_FEES, report?.message)?.id ?? "unknown";
  const [needed, left] = numbersIn(report);
  const isKnown = part !== "unknown" && needed !== undefined && left !== undefined;
  return {
    by: "refundable-fee",
    kind: "insufficient-refundable-fee",
    facts: {
      part,
      // If the fee does not cover the non-refundable one, stellar-core reports the negative
      // remainder as an unsigned number.
      amounts: isKnown ? { needed, available: BigInt.asIntN(64, left) } : null,
    },
    confidence: "known",
    evidence: evidenceOf(failure),
  };
}
