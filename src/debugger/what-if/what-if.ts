// A replayed transaction and overrides → a run with the overrides, and its difference from the
// replay. The replay keeps its verdict; the run with overrides has none.

import { SvcError } from "../../base/errors/errors.ts";
import { phrase, svc } from "../../base/phrase.ts";
import { plainStep } from "../../base/step.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import { differenceOf, SUCCESS } from "../../explain/difference.ts";
import type { FoundWhy } from "../../explain/explain.ts";
import { isSameReason } from "../../explain/naming/same-reason.ts";
import { footprintBlockInWords } from "../../fix/footprint.ts";
import type { Execution } from "../../model/execution.ts";
import type { Overrides } from "../../model/overrides.ts";
import { resultCodeName } from "../../model/result-code.ts";
import { isReproduced, type Verdict } from "../../model/verdict.ts";
import type { WhatIf } from "../../model/what-if.ts";
import type { SnapshotDependencies } from "../../snapshot/gather/take-snapshot.ts";
import { entriesFinder } from "../run/find-entries.ts";
import type { OptionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { RunSet } from "../run/run-set.ts";
import { applyVariant, type Replayable, variantRequest } from "../run/run-variant.ts";
import { VariantRuns } from "../run/variant-runs.ts";
import { buildVariant } from "./build-variant.ts";
import { runExpandingFootprint } from "./expand-footprint.ts";
import { explainVariant, type VariantExplanation } from "./explain-variant.ts";
import { refusalsOf, remarksOf } from "./what-if-remarks.ts";

/** The replay of what the chain ran. */
export interface ReplayedRun extends Replayable {
  readonly execution: Execution;
  readonly verdict: Verdict;
  /** The value that decided the failure of the replay; null if it is unknown. */
  readonly why?: FoundWhy | null;
}

/** Sources, if any, are asked for the state of entries outside the footprint. */
export interface WhatIfDependencies extends Engines, Partial<SnapshotDependencies> {
  readonly progress: (text: string) => void;
  /** Finds which value decides that the run with the overrides fails. */
  readonly findWhy?: (
    runs: RunSet,
    replayed: Replayable & { readonly execution: Execution },
    options: OptionalRun,
  ) => Promise<FoundWhy | null>;
}

/** Throws OVERRIDE_IMPOSSIBLE, and the errors of the simulator. */
export async function whatIf(
  dependencies: WhatIfDependencies,
  replayed: ReplayedRun,
  overrides: Overrides,
  options: { readonly signal: AbortSignal },
): Promise<WhatIf> {
  const { progress, step = plainStep } = dependencies;
  const draft = await buildVariant(dependencies, replayed, overrides, options);
  progress(`running with the overrides in the host of protocol ${draft.ledger.protocolVersion}`);
  const runs = new VariantRuns(dependencies, replayed);
  const run = () => runs.run(draft, { ...options, trace: true });
  const { execution, blocked } = mayMoveKeys(overrides)
    ? await runExpandingFootprint(draft, {
        run,
        findEntries: entriesFinder(dependencies, replayed, { ...options, progress }),
        original: replayed.execution,
      })
    : { execution: await run(), blocked: null };
  const ran = applyVariant(replayed, draft);
  const ranAgain = new RunSet(dependencies, variantRequest(replayed, draft));
  const why =
    blocked === null
      ? await dependencies.findWhy?.(ranAgain, { ...ran, execution }, { ...options, caveats: [] })
      : null;
  return step("explanation", () => {
    const explanation = explainVariant(ran, execution, why ?? null);
    // The replay is explained again in the same way, so that both explanations are comparable.
    const before = explainVariant(applyVariant(replayed, {}), replayed.execution);
    const difference = differenceOf(
      { ...replayed, explanation: before },
      { envelope: ran.envelope, execution, explanation },
    );
    const unknown = [
      ...(blocked === null ? [] : [footprintBlockInWords(blocked)]),
      ...unknownBaseline(replayed),
    ];
    const refusals = refusalsOf(draft, execution);
    const isRefused = refusals.length > 0;
    return {
      headline:
        blocked === null
          ? headlineOf(execution, replayed, { isRefused, why: why ?? null })
          : UNKNOWN_OUTCOME,
      changed: draft.changed,
      envelopeXdr: draft.envelope.xdr,
      execution,
      success: execution.outcome.kind === "success",
      explanation: unknown.length === 0 ? explanation : unsure(explanation),
      unknown,
      refusals,
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

/** A run on the state of a replay that is not the chain's shows nothing for certain. */
function unknownBaseline(replayed: ReplayedRun): string[] {
  if (isReproduced(replayed.verdict.kind)) return [];
  return [
    `The verdict on the replay without overrides is ${replayed.verdict.kind}, so what the network ` +
      "would do with them is unknown.",
  ];
}

function unsure(explanation: VariantExplanation): VariantExplanation {
  const { cause } = explanation;
  return { ...explanation, cause: cause && { ...cause, confidence: "likely" } };
}

/** A transaction that the network would refuse never runs, so only its call succeeds. */
function headlineOf(
  execution: Execution,
  replayed: ReplayedRun,
  { isRefused, why }: { readonly isRefused: boolean; readonly why: FoundWhy | null },
): string {
  const [before, after] = [outcomeName(replayed.execution), outcomeName(execution)];
  const subjectName = isReproduced(replayed.verdict.kind) ? "the transaction" : "the replay";
  const compared =
    isRefused && after === SUCCESS
      ? refusedOutcome(before)
      : comparedOutcomes(before, after, subjectName, reasonsCompared(replayed.why ?? null, why));
  if (isReproduced(replayed.verdict.kind)) return compared;
  const { success } = replayed.chain.result;
  return `${compared} On chain the transaction ${success ? "succeeded" : "failed"}.`;
}

function outcomeName({ outcome }: Execution): string {
  if (outcome.kind === "failed") return resultCodeName(outcome);
  return outcome.kind === "success" ? SUCCESS : "internal error";
}

function refusedOutcome(before: string): string {
  const refused = "but the network would refuse the transaction";
  return before === SUCCESS
    ? `The call succeeds with and without the overrides, ${refused} with them.`
    : `With the overrides the call succeeds, ${refused}; without them, it failed (${before}).`;
}

/**
 * Says whether the same condition decided both failures: it is only likely unless runs prove both.
 * Empty if one of them is unknown.
 */
function reasonsCompared(before: FoundWhy | null, after: FoundWhy | null): string {
  if (before === null || after === null) return "";
  const isSame = isSameReason(before.why, after.why);
  const likely = before.proof === null || after.proof === null ? "likely " : "";
  return `, ${likely}for ${isSame ? "the same" : "another"} reason`;
}

function comparedOutcomes(
  before: string,
  after: string,
  subjectName: string,
  reason: string,
): string {
  const was = before === SUCCESS ? "it succeeded" : `it failed (${before})`;
  const subject = sentenceStart(subjectName);
  if (after === SUCCESS)
    return before === SUCCESS
      ? `${subject} succeeds with and without the overrides.`
      : `With the overrides ${subjectName} succeeds; without them, ${was}.`;
  if (after === before)
    return `${subject} fails with and without the overrides (${after})${reason}.`;
  return `With the overrides ${subjectName} fails (${after}); without them, ${was}.`;
}

/** The error for a transaction that ran nothing in the contract host. */
export function nothingToOverride(): SvcError {
  return new SvcError("OVERRIDE_IMPOSSIBLE", {
    message:
      "This transaction ran nothing in the contract host, so there is nothing to run with overrides.",
    remedy: phrase`Run ${svc("debug")} without overrides to see the explained result.`,
  });
}
