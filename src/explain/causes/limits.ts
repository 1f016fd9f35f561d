// An exceeded limit: which one, whether the transaction or the network sets it, and what was used.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import { CAUSES, type CauseKind } from "../../model/cause-kinds.ts";
import { endedWith } from "../../model/result-code.ts";
import { BUDGETS, LIMITS, messageIn, REFUNDABLE_FEES } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { DECLARE_OR_DO_LESS } from "../host-messages/host-errors.ts";
import { countedAsWritten } from "./entry-size.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";

const LIMIT_NAMES: Readonly<Record<keyof typeof LIMITS, string>> = {
  instructions: "CPU limit",
  memory: "Memory limit",
  write: "Write limit",
  read: "Disk read limit",
  events: "Event size limit",
  result: "Event and result size limit",
};

const DECLARE: Readonly<Partial<Record<CauseKind, string>>> = {
  "write-bytes-exceeded": "Declare more write bytes",
  "read-bytes-exceeded": "Declare more disk read bytes",
};

export function resourceLimitCause(failure: Failure): CauseFacts | null {
  if (!endedWith(failure.result, "resourceLimitExceeded")) return null;
  const report = failure.reports.at(-1);
  const known = messageIn(LIMITS, report?.message);
  const [number, allowed] = report?.valuesXdr.map((value) => showValue(value)) ?? [];
  if (known === null || number === undefined || allowed === undefined) {
    const summary =
      "The transaction needed more of a resource than it declared, or than the network allows.";
    const cause = { kind: "resource-limit-exceeded", summary, confidence: "known" } as const;
    const remedy = "Simulate again and declare the resources that the simulation reports.";
    return { cause, evidence: evidenceOf(failure), remedy };
  }
  const { kind } = LIMITS[known.id];
  const what = LIMIT_NAMES[known.id];
  const unit = known.id === "instructions" ? "instructions" : "bytes";
  const isDeclared = CAUSES[kind].limit === "declared";
  const limits = isDeclared ? "declared" : "allowed by the network";
  const call = callInWords(failure);
  const isCpu = kind === "cpu-exceeded" && call !== null;
  const where = isCpu ? ` The instructions ran out in ${call}.` : "";
  const amount = `${grouped(number)} ${unit}`;
  const stopped = kind === "cpu-exceeded" ? STOPPED : "";
  const summary = `${what} exceeded: ${amount} used, ${grouped(allowed)} ${limits}.${where}${stopped}`;
  const remedy = isDeclared ? remedyOf(kind, amount) : networkRemedyOf(kind);
  const written = kind === "write-bytes-exceeded" ? countedAsWritten(failure) : null;
  const evidence = [...(written === null ? [] : [written]), ...evidenceOf(failure)];
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy };
}

const STOPPED = " The host stopped there; the transaction may need more.";

const LESS: Readonly<Partial<Record<CauseKind, string>>> = {
  "memory-exceeded": "Use less memory: fewer or smaller values",
  "events-size-exceeded": "Emit fewer or smaller events, or return less",
};

/** Instead of declaring more, where runs have shown that no declaration is enough. */
export const DECLARING_DOES_NOT_HELP =
  "Do less in one transaction: it fails with more declared resources, too.";

/** `kind`: of the limit's cause; absent: which limit it is, is not known. */
export function networkRemedyOf(kind?: CauseKind): string {
  const less = (kind && LESS[kind]) ?? "Do less in one transaction";
  return `${less}. The network sets this limit; the transaction cannot raise it.`;
}

function remedyOf(kind: CauseKind, used: string): string {
  if (kind === "cpu-exceeded") return DECLARE_OR_DO_LESS;
  const declare = DECLARE[kind] ?? "Declare more";
  return `${declare}: at least ${used}, or the number that a new simulation reports.`;
}

/** The host's budget ran out, and stellar-core did not report which part of it. */
export function budgetCause(failure: Failure): CauseFacts | null {
  const { error, origin, envelope, execution, simulated } = failure;
  if (error?.type !== "Budget" || error.code !== "ExceededLimit") return null;
  const evidence = evidenceOf(failure);
  const call = callInWords(failure);
  const where = call === null ? "" : ` in ${call}`;
  const ranOut = messageIn(BUDGETS, origin?.message)?.id;
  if (ranOut === "stack") {
    const summary = `The wasm stack overflowed${where}: calls within the contract are nested too deeply.`;
    const remedy = "Make the contract recurse less. The transaction cannot raise this limit.";
    return { cause: { kind: "stack-exhausted", summary, confidence: "known" }, evidence, remedy };
  }
  if (ranOut === "memory") {
    const summary = `Linear memory limit exceeded${where}.`;
    const remedy =
      "Make the contract keep less in memory at a time. The transaction cannot raise this limit.";
    return { cause: { kind: "memory-exceeded", summary, confidence: "known" }, evidence, remedy };
  }
  const declared = simulated === true ? null : (envelope?.soroban?.instructions ?? null);
  const used = execution?.metrics.cpu_insn ?? null;
  const numbers = declared === null ? "" : `: ${grouped(declared)} instructions declared`;
  const stopped = used === null ? "" : `; the run was stopped at ${grouped(used)}`;
  const what = ranOut === "instructions" ? "CPU limit" : "CPU or memory limit";
  const summary = `${what} exceeded${where}${numbers}${stopped}.`;
  const remedy = simulated === true ? networkRemedyOf() : DECLARE_OR_DO_LESS;
  return { cause: { kind: "budget-exceeded", summary, confidence: "known" }, evidence, remedy };
}

export function refundableFeeCause(failure: Failure): CauseFacts | null {
  if (!endedWith(failure.result, "insufficientRefundableFee")) return null;
  const report = failure.reports.at(-1);
  const part = messageIn(REFUNDABLE_FEES, report?.message)?.id ?? "unknown";
  const [needed, left] = report?.valuesXdr.map((value) => showValue(value)) ?? [];
  const cause = { kind: "insufficient-refundable-fee", confidence: "known" } as const;
  const evidence = evidenceOf(failure);
  const isNumber = (text: string | undefined): text is string => /^\d{1,20}$/.test(text ?? "");
  if (part === "unknown" || !isNumber(needed) || !isNumber(left)) {
    const summary = "The refundable fee does not cover the rent and the events.";
    const remedy = "Raise the resource fee. The unused part is refunded.";
    return { cause: { ...cause, summary }, evidence, remedy };
  }
  const what = part === "rent" ? "the rent" : "the fee for events";
  const rest = part === "rent" ? "" : " after the rent";
  // stellar-core reports a negative rest, of a fee below the non-refundable one, as unsigned.
  const available = BigInt.asIntN(64, BigInt(left));
  const shown =
    available < 0n
      ? `none available, since the declared resources cost ${stroopsInWords(-available)} more than the ` +
        "resource fee"
      : `${grouped(left)} available`;
  const summary =
    `The refundable fee does not cover ${what}${rest}: ${stroopsInWords(needed)} needed, ` +
    `${shown}.`;
  const missing = stroopsInWords(BigInt(needed) - available);
  const raise = `Raise the resource fee by at least ${missing}`;
  // The charge for events comes after that for rent, and the chain has not named it.
  const events = part === "rent" ? ", and by the fee for events" : "";
  const remedy = `${raise}${events}. The unused part is refunded.`;
  return { cause: { ...cause, summary }, evidence, remedy };
}
