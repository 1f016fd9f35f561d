// A replayed transaction and overrides → a run with the overrides, and its difference from the
// replay. The replay keeps its verdict; the run with overrides has none.

import { SvcError } from "../../base/errors/errors.ts";
import { plainStep } from "../../base/step.ts";
import { differenceOf, SUCCESS } from "../../explain/difference.ts";
import type { Execution } from "../../model/execution.ts";
import type { Overrides } from "../../model/overrides.ts";
import type { Verdict } from "../../model/verdict.ts";
import type { BeforeAfter, WhatIf } from "../../model/what-if.ts";
import type { Source } from "../../sources/source.ts";
import { entriesFinder } from "../run/find-entries.ts";
import type { Engines } from "../run/replay.ts";
import { applyVariant, type Replayable, runVariant } from "../run/run-variant.ts";
import { buildVariant } from "./build-variant.ts";
import { runGrowing } from "./expand-footprint.ts";
import { explainVariant } from "./explain-variant.ts";
import { variantOf } from "./variant-draft.ts";
import { remarksOf } from "./what-if-remarks.ts";

/** The replay of what the chain ran. */
export interface Replayed extends Replayable {
  readonly execution: Execution;
  readonly verdict: Verdict;
}

export interface WhatIfDependencies extends Engines {
  readonly progress: (text: string) => void;
  /** Sources that may know the state of entries outside the footprint. */
  readonly sources?: readonly Source[];
}

/** Throws OVERRIDE_IMPOSSIBLE, and what the simulator throws. */
export async function whatIf(
  dependencies: WhatIfDependencies,
  replayed: Replayed,
  overrides: Overrides,
  options: { readonly signal: AbortSignal },
): Promise<WhatIf> {
  const { progress, sources = [], step = plainStep } = dependencies;
  const draft = await buildVariant(dependencies, replayed, overrides, options);
  progress(`running with the overrides in the host of protocol ${draft.ledger.protocolVersion}`);
  const run = () =>
    runVariant(dependencies, replayed, variantOf(draft), { ...options, trace: true });
  const { execution, blocked } = mayMoveKeys(overrides)
    ? await runGrowing(draft, {
        run,
        findEntries: entriesFinder(sources, replayed, { ...options, progress }),
        original: replayed.execution,
      })
    : { execution: await run(), blocked: null };
  const variant = variantOf(draft);
  return step("explanation", () => {
    const ran = applyVariant(replayed, variant);
    const explanation = explainVariant(ran, execution);
    // The replay is explained again in the same way, so that both explanations are comparable.
    const before = explainVariant(applyVariant(replayed, {}), replayed.execution);
    const difference = differenceOf(
      { ...replayed, explanation: before },
      { envelope: ran.envelope, execution, explanation },
    );
    return {
      headline: blocked === null ? headlineOf(difference.outcome) : UNKNOWN_OUTCOME,
      changed: draft.changed,
      envelopeXdr: draft.envelope.xdr,
      execution,
      success: execution.outcome.kind === "success",
      explanation,
      unknown: blocked === null ? [] : [blocked],
      remarks: remarksOf(draft, ran, execution, replayed.verdict),
      difference,
    };
  });
}

const UNKNOWN_OUTCOME = "The outcome with the overrides is unknown.";

/** Changed limits alone do not make the run access other ledger entries. */
function mayMoveKeys({ ledger, arguments: named, wasm, entries }: Overrides): boolean {
  return Object.keys(ledger).length + named.size + wasm.size + entries.length > 0;
}

function headlineOf({ before, after }: BeforeAfter): string {
  const was = before === SUCCESS ? "it succeeded" : `it failed (${before})`;
  if (after === SUCCESS)
    return before === SUCCESS
      ? "The transaction succeeds with and without the overrides."
      : `With the overrides the transaction succeeds; without them, ${was}.`;
  if (after === before) return `The transaction fails with and without the overrides (${after}).`;
  return `With the overrides the transaction fails (${after}); without them, ${was}.`;
}

/** For a transaction that ran nothing in the contract host. */
export function nothingToOverride(): SvcError {
  return new SvcError("OVERRIDE_IMPOSSIBLE", {
    message:
      "This transaction ran nothing in the contract host, so there is nothing to run with overrides.",
    remedy: "Run `svc debug` without overrides to see the explained result.",
  });
}
