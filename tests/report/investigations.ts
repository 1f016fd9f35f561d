// Investigations of real transactions, made by the pure stages from recorded values.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nothingRan } from "../../src/debugger/mend-transaction.ts";
import { explain } from "../../src/explain/explain.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import type { Recording } from "../../src/model/recording.ts";
import { judge } from "../../src/verdict/judge.ts";
import { type Walk, walkOf } from "../verdict/protocol-walk.ts";

/** `change` may spoil the walk first. */
export function investigate(name: string, change: (walk: Walk) => Walk = (walk) => walk) {
  const { recording, snapshot, execution } = change(walkOf(name));
  const verdict = judge(recording, snapshot, execution);
  const explanation = explain(recording, snapshot, execution, verdict);
  return { recording, snapshot, execution, verdict, classic: false, explanation, mend: null };
}

/** A transaction without a Soroban operation. */
export function investigateClassic(name: string): Investigation {
  const recording = recordingOf(name);
  const explanation = explain(recording, null, null, null);
  return {
    recording,
    snapshot: null,
    execution: null,
    verdict: null,
    classic: true,
    explanation,
    mend: explanation.success ? null : nothingRan(true),
  };
}

export function recordingOf(name: string): Recording {
  const file = join(import.meta.dir, "..", "fixtures", "recordings", `${name}.json`);
  return JSON.parse(readFileSync(file, "utf8")) as Recording;
}
