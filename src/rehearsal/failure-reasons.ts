// Why calls fail with the new code. Calls have the same reason if the same function of a contract
// ended in the same way for the same kind of cause. The value that decided is looked for once for
// each reason, in its first call: more would take longer than the rehearsal.

import { inParallel } from "../base/in-parallel.ts";
import type { VariantExplanation } from "../debugger/what-if/explain-variant.ts";
import { decidedReport } from "../report/json.ts";
import type { CallDifference } from "./call-difference.ts";
import type { FailureReason, GroupKind, RehearsedCall, RehearsedCalls } from "./rehearsal.ts";

type CauseDifference = Extract<CallDifference, { readonly kind: "cause" }>;
type Failing = Pick<
  RehearsedCall,
  "hash" | "ledger" | "applicationOrder" | "group" | "differences"
>;
/** Explains a failure with the value that decided it. Null if that is unknown. */
type Decide = () => Promise<VariantExplanation | null>;

/** The groups whose calls fail for what the new code does. */
const FAILING: ReadonlySet<GroupKind> = new Set([
  "arguments-misfit",
  "newly-failing",
  "other-failure",
]);
/** The number of reasons whose deciding value is looked for. */
export const MOST_DECIDED = 24;
const DECIDED_AT_ONCE = 4;
/** Hostile code could fail in ever new functions. */
const MOST_REASONS = 1_000;

export class FailureReasons {
  /** How the earliest call of a reason is explained. */
  private readonly decides = new Map<string, { readonly call: Failing; readonly decide: Decide }>();

  note(call: Failing, decide: Decide): void {
    const key = keyOf(call);
    if (key === null) return;
    const known = this.decides.get(key);
    if (known !== undefined && inOrder(known.call, call) <= 0) return;
    this.decides.set(key, { call, decide });
    if (this.decides.size <= MOST_DECIDED) return;
    const [latest] = [...this.decides].sort(([, left], [, right]) =>
      inOrder(right.call, left.call),
    );
    if (latest !== undefined) this.decides.delete(latest[0]);
  }

  /** The reasons in the order of their first calls. */
  async of(calls: RehearsedCalls): Promise<readonly FailureReason[]> {
    const reasons = listed(calls);
    await inParallel([...reasons], DECIDED_AT_ONCE, async ([key, reason]) => {
      const explained = (await this.decides.get(key)?.decide()) ?? null;
      if (explained === null) return;
      const { cause, decidedBy } = explained;
      if (cause === null || decidedBy === null) return;
      reasons.set(key, {
        ...reason,
        decided: { summary: cause.summary, by: decidedReport(decidedBy) },
      });
    });
    return [...reasons.values()];
  }
}

/** The reasons for which the calls of all pieces fail, as those of one run. */
export function mergeReasons(
  calls: RehearsedCalls,
  pieces: readonly (readonly FailureReason[])[],
): readonly FailureReason[] {
  const decided = new Map(
    pieces.flat().map((each) => [`${identityOf(each)} ${each.first.hash}`, each.decided]),
  );
  return [...listed(calls)].map(([key, reason], index) => {
    const ofFirst = decided.get(`${key} ${reason.first.hash}`) ?? null;
    return { ...reason, decided: index < MOST_DECIDED ? ofFirst : null };
  });
}

/** The reasons in the order of their first calls, without the values that decided them. */
function listed(calls: RehearsedCalls): Map<string, FailureReason> {
  const reasons = new Map<string, FailureReason & { calls: number }>();
  for (const call of calls) {
    const { hash, ledger, applicationOrder, group } = call;
    const [key, cause] = [keyOf(call), causeOf(call)];
    if (key === null || cause === null) continue;
    const known = reasons.get(key);
    if (known !== undefined) known.calls += 1;
    else if (reasons.size < MOST_REASONS) {
      const { cause: kind, failed, after, summary } = cause;
      const facts = { group, cause: kind, failed, after, calls: 1 };
      const first = { hash, ledger, applicationOrder };
      reasons.set(key, { ...facts, first, summary, decided: null });
    }
  }
  return reasons;
}

function causeOf({ group, differences }: Failing): CauseDifference | null {
  if (!FAILING.has(group)) return null;
  return differences.find((each) => each.kind === "cause") ?? null;
}

/** Null for a call that does not fail for what the new code does. */
function keyOf(call: Failing): string | null {
  const difference = causeOf(call);
  if (difference === null) return null;
  return identityOf({ ...difference, group: call.group });
}

/** Two failures with the same identity have the same reason. */
function identityOf({
  group,
  cause,
  failed,
  after,
}: Pick<FailureReason, "group" | "cause" | "failed" | "after">): string {
  return JSON.stringify([group, cause, failed, after]);
}

function inOrder(left: Failing, right: Failing): number {
  const order = ({ applicationOrder }: Failing) => applicationOrder ?? 0;
  const byPlace = left.ledger - right.ledger || order(left) - order(right);
  return byPlace || (left.hash < right.hash ? -1 : Number(left.hash > right.hash));
}
