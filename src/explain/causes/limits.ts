// A limit that was passed: which one, whether the transaction or the network set it, what was used.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import { showValue } from "../../xdr/values/value.ts";
import { countedAsWritten } from "./entry-size.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";

interface Limit {
  readonly message: RegExp;
  readonly kind: string;
  readonly what: string;
  readonly unit: string;
  /** Who sets it. */
  readonly by: "transaction" | "network";
}

/** What stellar-core says: InvokeHostFunctionOpFrame.cpp and its siblings. */
const LIMITS: readonly Limit[] = [
  limit(/^operation instructions exceeds/, "cpu", "CPU limit", "instructions", "transaction"),
  limit(/^operation memory usage exceeds/, "memory", "Memory limit", "bytes", "network"),
  limit(/^operation byte-write resources/, "write-bytes", "Write limit", "bytes", "transaction"),
  limit(/^operation byte-read resources/, "read-bytes", "Disk read limit", "bytes", "transaction"),
  limit(/^total events size exceeds/, "events-size", "Limit of events", "bytes", "network"),
  limit(
    /^return value pushes events/,
    "events-size",
    "Limit of events and result",
    "bytes",
    "network",
  ),
];

function limit(message: RegExp, kind: string, what: string, unit: string, by: Limit["by"]): Limit {
  return { message, kind: `${kind}-exceeded`, what, unit, by };
}

const DECLARE: Readonly<Record<string, string>> = {
  "write-bytes-exceeded": "Declare more write bytes",
  "read-bytes-exceeded": "Declare more disk read bytes",
};

export function resourceLimitCause(failure: Failure): CauseFacts | null {
  if (!failure.code.endsWith("ResourceLimitExceeded")) return null;
  const report = failure.reports.at(-1);
  const known = LIMITS.find(({ message }) => message.test(report?.message ?? ""));
  const [used, allowed] = report?.valuesXdr.map((value) => showValue(value)) ?? [];
  if (known === undefined || used === undefined || allowed === undefined) {
    const summary = "It needed more of a resource than it declared, or than the network allows.";
    const cause = { kind: "resource-limit-exceeded", summary, confidence: "known" } as const;
    const remedy = "Simulate again and declare what it uses now.";
    return { cause, evidence: evidenceOf(failure), remedy };
  }
  const { kind, what, unit, by } = known;
  const limits = by === "transaction" ? "it declared only" : "the network allows only";
  const call = callInWords(failure);
  const where = call === null || kind !== "cpu-exceeded" ? "" : ` It ran out in ${call}.`;
  const amount = `${grouped(used)} ${unit}`;
  const summary = `${what}: it used ${amount}, ${limits} ${grouped(allowed)}.${where}`;
  const remedy = by === "network" ? NETWORK_LIMIT : remedyOf(kind, amount);
  const written = kind === "write-bytes-exceeded" ? countedAsWritten(failure) : null;
  const evidence = [...(written === null ? [] : [written]), ...evidenceOf(failure)];
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy };
}

const NETWORK_LIMIT =
  "Do less in one transaction: no declaration can raise what the network allows.";

function remedyOf(kind: string, used: string): string {
  // It was stopped there: nobody knows how far it would have gone.
  if (kind === "cpu-exceeded")
    return `Declare more than ${used}: simulate again to learn how many.`;
  return `${DECLARE[kind] ?? "Declare more"}: at least ${used}, or what a new simulation says.`;
}

/** The host's budget ran out, and stellar-core did not say of what. */
export function budgetCause(failure: Failure): CauseFacts | null {
  const { error, origin, envelope, execution } = failure;
  if (error?.type !== "Budget" || error.code !== "ExceededLimit") return null;
  const evidence = evidenceOf(failure);
  const call = callInWords(failure);
  const where = call === null ? "" : ` in ${call}`;
  const message = origin?.message ?? "";
  if (/StackOverflow/.test(message)) {
    const summary = `The wasm stack was used up${where}: calls within the contract nest too deep.`;
    const remedy = "Make the contract recurse less; no declaration can raise this limit.";
    return { cause: { kind: "stack-exhausted", summary, confidence: "known" }, evidence, remedy };
  }
  if (/GrowthOperationLimited|OutOfBounds(Allocation|Growth)|GrowOutOfBounds/.test(message)) {
    const summary = `The contract asked for more linear memory than it may have${where}.`;
    const remedy = "Make the contract hold less at a time; no declaration can raise this limit.";
    return { cause: { kind: "memory-exceeded", summary, confidence: "known" }, evidence, remedy };
  }
  const declared = envelope.soroban?.instructions ?? null;
  const used = execution?.metrics.cpu_insn ?? null;
  const numbers = declared === null ? "" : `: it declared ${grouped(declared)}`;
  const replayed = used === null ? "" : `, the replay metered ${grouped(used)}`;
  if (/OutOfFuel/.test(message)) {
    const summary = `The CPU instructions ran out${where}${numbers}${replayed}.`;
    const remedy =
      "Simulate again and declare the instructions it needs; where it needs more than the network " +
      "allows one transaction, make the call do less.";
    return { cause: { kind: "budget-exceeded", summary, confidence: "known" }, evidence, remedy };
  }
  const summary = `The budget of instructions or memory ran out${where}${numbers}${replayed}.`;
  const remedy = "Declare more instructions (simulate again), or make the call do less.";
  return { cause: { kind: "budget-exceeded", summary, confidence: "known" }, evidence, remedy };
}

/**
 * What stellar-core asks first, and what after that has been paid: RefundableFeeTracker, in
 * MutableTransactionResult.cpp.
 */
const REFUNDABLE: readonly (readonly [told: RegExp, what: string])[] = [
  [/ to cover the ledger storage rent/, "the rent"],
  [/ to cover the events fee after paying for ledger storage rent/, "the fee for events"],
];

export function refundableFeeCause(failure: Failure): CauseFacts | null {
  if (!failure.code.endsWith("InsufficientRefundableFee")) return null;
  const report = failure.reports.at(-1);
  const what = REFUNDABLE.find(([told]) => told.test(report?.message ?? ""))?.[1];
  const [needed, left] = report?.valuesXdr.map((value) => showValue(value)) ?? [];
  const cause = { kind: "insufficient-refundable-fee", confidence: "known" } as const;
  const evidence = evidenceOf(failure);
  const isNumber = (text: string | undefined): text is string => /^\d{1,20}$/.test(text ?? "");
  if (what === undefined || !isNumber(needed) || !isNumber(left)) {
    const summary = "Its refundable fee does not cover the rent and the events.";
    const remedy = "Raise the resource fee; what is not used is paid back.";
    return { cause: { ...cause, summary }, evidence, remedy };
  }
  const rest = what === "the rent" ? "" : " after the rent";
  const are = needed === "1" ? "is" : "are";
  const were = left === "1" ? "was" : "were";
  const summary =
    `Its refundable fee does not cover ${what}${rest}: ${stroopsInWords(needed)} ${are} needed, ` +
    `${grouped(left)} ${were} available.`;
  const missing = stroopsInWords(BigInt(needed) - BigInt(left));
  const remedy = `Raise the resource fee by at least ${missing}; what is not used is paid back.`;
  return { cause: { ...cause, summary }, evidence, remedy };
}
