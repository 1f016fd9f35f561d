// Investigations of real transactions, which the pure stages create from recorded values.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nothingRan } from "../../src/debugger/fix/fix-transaction.ts";
import { explain } from "../../src/explain/explain.ts";
import { nextSteps } from "../../src/explain/next-steps.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { NamedCall, NamedStep } from "../../src/model/explanation.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { judge } from "../../src/verdict/judge.ts";
import { opened, openedAlone } from "../support/opened.ts";
import { type Walk, walkOf } from "../verdict/protocol-walk.ts";

/** `change` can change the walk first. */
export function investigate(name: string, change: (walk: Walk) => Walk = (walk) => walk) {
  const { record, snapshot, execution } = change(walkOf(name));
  const known = opened({ record, snapshot });
  const verdict = judge(known, snapshot, execution);
  const explanation = explain(known, execution, verdict);
  return {
    record,
    snapshot,
    execution,
    verdict,
    classic: false,
    explanation,
    fix: null,
    remedy: explanation.remedy,
    next: nextSteps({ ...known, execution, verdict, explanation, fix: null }),
    caveats: [],
  };
}

/** A transaction without a Soroban operation. */
export function investigateClassic(name: string): Investigation {
  const record = recordOf(name);
  const explanation = explain(openedAlone(record), null, null);
  return {
    record,
    snapshot: null,
    execution: null,
    verdict: null,
    classic: true,
    explanation,
    fix: explanation.success ? null : nothingRan(true),
    remedy: explanation.remedy,
    next: [],
    caveats: [],
  };
}

export function recordOf(name: string): ChainRecord {
  const file = join(import.meta.dir, "..", "fixtures", "recordings", `${name}.json`);
  return JSON.parse(readFileSync(file, "utf8")) as ChainRecord;
}

/** The call and those below it, each with its host calls and then its calls as steps. */
export function inOrder(call: Omit<NamedCall, "steps">): NamedCall {
  const { calls, hostCalls = [] } = call;
  const steps: NamedStep[] = [
    ...hostCalls.map((_, index) => ({ kind: "host-call", index }) as const),
    ...calls.map((_, index) => ({ kind: "call", index }) as const),
  ];
  return { ...call, calls: calls.map(inOrder), steps };
}
