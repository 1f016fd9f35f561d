// A failed transaction → its Fix: builds the context of src/fix from parts of the walk.

import { SvcError } from "../../base/errors/errors.ts";
import { phrase } from "../../base/phrase.ts";
import { plainStep } from "../../base/step.ts";
import { absentByNode, lackedByNode } from "../../explain/causes/absent-entries.ts";
import { causeOfRun } from "../../explain/causes/cause-of-run.ts";
import { diagnosticsOf } from "../../explain/causes/failure.ts";
import { type FoundWhy, withDecided } from "../../explain/explain.ts";
import { decidingValue } from "../../explain/naming/deciding-value.ts";
import { earlierCall } from "../../explain/naming/deciding-writes.ts";
import { needsEarlierLedger, provenRemedy } from "../../explain/naming/proven-remedy.ts";
import { reporterOfLimits } from "../../explain/resources.ts";
import { inWords } from "../../explain/words/cause-words.ts";
import {
  type CauseFinding,
  type FoundCause,
  isSameCause,
} from "../../explain/words/found-cause.ts";
import { NOTHING } from "../../fix/describe-fix.ts";
import { findFix } from "../../fix/find-fix.ts";
import type { FixContext } from "../../fix/fix-context.ts";
import type { Variant } from "../../fix/variant.ts";
import type { Execution } from "../../model/execution.ts";
import type { Fix } from "../../model/fix.ts";
import { isRunOfChain, type Verdict } from "../../model/verdict.ts";
import type { SnapshotDependencies } from "../../snapshot/gather/take-snapshot.ts";
import { describeTypedKey, isNonceKey } from "../../xdr/contract/key-typed.ts";
import { lookupIn } from "../../xdr/contract/lookup-in.ts";
import { readTransactionLimits } from "../../xdr/ledger/transaction-limits.ts";
import { entriesFinder } from "../run/find-entries.ts";
import type { OptionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { RunSet } from "../run/run-set.ts";
import { applyVariant, type Replayable, variantRequest } from "../run/run-variant.ts";
import { VariantRuns } from "../run/variant-runs.ts";
import { recordAuthorizations } from "./record-authorizations.ts";

/** Sources, if there are any, are asked for the state of entries outside the footprint. */
export interface FixDependencies extends Engines, Partial<SnapshotDependencies> {
  readonly progress: (text: string) => void;
  /** Finds which value decides that an attempt fails. */
  readonly findWhy?: (
    runs: RunSet,
    replayed: Replayable & { readonly execution: Execution },
    options: OptionalRun,
  ) => Promise<FoundWhy | null>;
}

/** A failed transaction with its replay. */
export interface FailedReplay extends Replayable {
  readonly execution: Execution;
  readonly verdict: Verdict;
  readonly cause: Pick<FoundCause, "by" | "kind" | "facts">;
}

/**
 * Finds the fix. If svc could not try anything, the Fix has the reason. Throws only if it is
 * interrupted, or for a defect of svc.
 */
export async function fixTransaction(
  dependencies: FixDependencies,
  failed: FailedReplay,
  options: { readonly signal: AbortSignal },
): Promise<Fix> {
  const { verdict, execution } = failed;
  if (execution.outcome.kind === "success" || !isRunOfChain(verdict)) {
    return without(`No fix was tried, because ${NOT_THE_CHAINS[verdict.kind]}.`);
  }
  const { progress, step = plainStep } = dependencies;
  progress("looking for a fix");
  try {
    const context = openFixContext(dependencies, failed, options);
    const fix = await step("fix", () => findFix(context));
    const uncertain = uncertainKey(fix, failed, context);
    if (uncertain !== null)
      return without(`No fix is proven: the state of ${uncertain} is not certain (see Caveats).`);
    return withSource(fix, failed);
  } catch (error) {
    if (options.signal.aborted || !(error instanceof SvcError)) throw error;
    return without(`No fix could be tried. ${error.message}`);
  }
}

/** The Fix of a call that an earlier transaction has done. */
export function alreadyDone(): Fix {
  return {
    ...without("No fix: an earlier transaction has already done what this call does."),
    finding: "done",
  };
}

/** The Fix of a transaction that ran nothing in the contract host. */
export function nothingRan(classic: boolean): Fix {
  const why = classic
    ? "a classic transaction runs nothing in the contract host"
    : "the network refused the transaction before the contract host ran";
  return without(`No fix can be proven: ${why}.`);
}

const NOT_THE_CHAINS: Readonly<Record<Verdict["kind"], string>> = {
  exact: "the replay succeeds",
  equivalent: "the replay differs from what the chain recorded of it",
  diverged: "the replay differs from the chain (see Difference)",
  inconclusive: "the replay is inconclusive (see Caveats)",
};

function withSource(fix: Fix, failed: FailedReplay): Fix {
  const source = uncertainSource(failed);
  if (source === null) return fix;
  const { proof } = fix;
  const subject = proof?.outcome === "succeeds" ? "This proof rests" : "The runs rest";
  const summary = phrase`${fix.summary} ${subject} on ${source}.`;
  if (proof?.outcome !== "fails-next") return { ...fix, summary };
  const cause = { ...proof.cause, confidence: "likely" } as const;
  return { ...fix, summary, proof: { ...proof, cause } };
}

/**
 * Names what is uncertain in a replay: state that only a node or a capsule shows, network settings
 * that no comparison tests, or a replay that differs from the diagnostic events. Null if nothing
 * is.
 */
function uncertainSource({ record, chain, verdict }: FailedReplay): string | null {
  const kinds = new Set(verdict.caveats.map(({ kind }) => kind));
  const differs = kinds.has("metering") || kinds.has("diagnostics");
  const isReported = verdict.unconfirmed.entries > 0;
  const isSilent = isReported && diagnosticsOf(chain, null).length === 0;
  const from = record.claimed === undefined ? "a node reported" : "the capsule has";
  if (kinds.has("assumed") || kinds.has("unknown") || isSilent || (differs && isReported))
    return `state that only ${from}`;
  // If the chain has no metering, nothing tests the costs and the limits of the host.
  const isMetered = verdict.comparisons.some(
    ({ subject, item, result, chain }) =>
      subject === "core-metric" && item === "cpu_insn" && result === "equal" && chain !== "0",
  );
  if (verdict.unconfirmed.settings > 0 && !isMetered)
    return `network settings that only ${from}, and that no comparison tests`;
  return differs ? "a replay that differs from the diagnostic events (see Caveats)" : null;
}

/**
 * The name of an entry that the fix changes and whose state is uncertain; null if there is none.
 */
function uncertainKey(
  { proof, changes, prelude }: Fix,
  { verdict }: FailedReplay,
  { nameKey }: FixContext,
): string | null {
  if (proof?.outcome !== "succeeds") return null;
  const fixed = [...changes, ...(prelude?.changes ?? [])].map(({ keyXdr }) => keyXdr);
  const uncertain = verdict.caveats.find(({ keyXdr }) => keyXdr !== null && fixed.includes(keyXdr));
  return uncertain?.keyXdr ? nameKey(uncertain.keyXdr) : null;
}

function without(summary: string): Fix {
  return { ...NOTHING, summary };
}

export function openFixContext(
  dependencies: FixDependencies,
  failed: Replayable & Pick<FailedReplay, "cause" | "execution">,
  { signal }: { readonly signal: AbortSignal },
): FixContext {
  const { record, envelope, chain, snapshot, cause, execution } = failed;
  const captured = { record, envelope, chain, snapshot };
  // Without `step`, all runs belong to the step of the fix.
  const { simulator, recorder, progress } = dependencies;
  const runs = new VariantRuns({ simulator }, captured);
  const lookup = lookupIn(snapshot.entries);
  const findEntries = entriesFinder(dependencies, captured, { signal, progress });
  const findingOf = (attempt: Variant, execution: Execution): CauseFinding => {
    const { envelope, snapshot } = applyVariant(captured, attempt);
    const ran = { envelope, snapshot, ledger: record.ledger.sequence };
    const certainCause = causeOfRun(ran, execution, absentByNode(chain, snapshot));
    const lacked = lackedByNode(snapshot).filter((key) => !isNonceKey(key));
    const unsure = causeOfRun(ran, execution, lacked);
    return isSameCause(unsure, certainCause) ? certainCause : unsure;
  };
  return {
    ledger: record.ledger,
    failed: { envelope, entries: snapshot.entries, execution },
    failedCause: cause,
    limits: readTransactionLimits(snapshot.settings.map(({ entryXdr }) => entryXdr)),
    limitsReportedBy: reporterOfLimits(snapshot),
    run: (attempt) => runs.run(attempt, { signal, trace: true }),
    record: recorder
      ? (attempt) => {
          const ran = applyVariant(captured, attempt);
          return recordAuthorizations({ recorder, findEntries }, ran, { signal });
        }
      : null,
    findEntries,
    causeOf: (attempt, execution) => {
      const shown = findingOf(attempt, execution);
      return { ...inWords(shown), isOfFailed: isSameCause(shown, cause) };
    },
    decide: async (attempt, execution, remedied) => {
      const ran = applyVariant(captured, attempt);
      const attempted = new RunSet({ simulator }, variantRequest(captured, attempt));
      const why = await dependencies.findWhy?.(
        attempted,
        { ...ran, execution },
        { signal, caveats: [] },
      );
      const by = why && decidingValue(why.why, lookup, why.proof, true, why.writes);
      if (!by) return remedied;
      const proven = provenRemedy(by, record.ledger);
      const { remedy } = withDecided(by, findingOf(attempt, execution), proven);
      const { summary, confidence } = by;
      const isTooLate = needsEarlierLedger(by, record.ledger);
      const isDone = earlierCall(by) !== null;
      const decided = { ...remedied.cause, summary, confidence };
      return { ...remedied, cause: decided, remedy, isTooLate, isDone };
    },
    nameKey: (keyXdr) => describeTypedKey(keyXdr, lookup),
  };
}
