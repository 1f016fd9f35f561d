// A failed transaction → what would mend it: the workbench of src/mend, made of parts of the walk.

import { SvcError } from "../../base/errors/errors.ts";
import { plainStep } from "../../base/step.ts";
import { causeOfRun } from "../../explain/causes/cause-of-run.ts";
import { NOTHING } from "../../fix/describe-fix.ts";
import { findFix } from "../../fix/find-fix.ts";
import type { Attempt, FixContext } from "../../fix/fix-context.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { Execution } from "../../model/execution.ts";
import type { Cause, Explanation } from "../../model/explanation.ts";
import type { Fix } from "../../model/fix.ts";
import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import type { Verdict } from "../../model/verdict.ts";
import type { Source } from "../../sources/source.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { readTransactionLimits } from "../../xdr/ledger/transaction-limits.ts";
import { entriesFinder } from "../run/find-entries.ts";
import type { Engines } from "../run/replay.ts";
import { applyVariant, runVariant } from "../run/run-variant.ts";
import { recordAuthorizations } from "./record-authorizations.ts";

export interface FixDependencies extends Engines {
  readonly progress: (text: string) => void;
  /** Who may know the state of entries that the transaction did not name. */
  readonly sources?: readonly Source[];
}

/** A transaction that failed, and whose replay is at hand. */
export interface FailedReplay {
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
  readonly execution: Execution;
  readonly verdict: Verdict;
  readonly cause: Cause;
}

/**
 * What keeps svc from trying is told in the Mend; throws only when it is interrupted, or for a
 * defect.
 */
export async function fixTransaction(
  dependencies: FixDependencies,
  failed: FailedReplay,
  options: { readonly signal: AbortSignal },
): Promise<Fix> {
  const { verdict, execution } = failed;
  if (execution.outcome.kind === "success" || !isReproduced(verdict)) {
    return without(`The replay is ${verdict.kind}: what a change of it does proves nothing.`);
  }
  const { progress, step = plainStep } = dependencies;
  progress("looking for what would mend it");
  try {
    const context = openFixContext(dependencies, failed, options);
    return await step("fix", () => findFix(context));
  } catch (error) {
    if (options.signal.aborted || !(error instanceof SvcError)) throw error;
    return without(`It could not be tried. ${error.message}`);
  }
}

/** What the explanation advises alone does not help where another cause comes behind. */
export function remedyBeside({ remedy }: Explanation, fix: Fix | null): string | null {
  if (remedy === null || fix?.proof?.outcome !== "fails-next") return remedy;
  return `Another cause comes behind this one (see what would mend it): mend that first. ${remedy}`;
}

/** Of a transaction of which nothing ran in the contract host. */
export function nothingRan(classic: boolean): Fix {
  const why = classic ? "It is a classic transaction" : "It was refused before the contract host";
  return without(`${why}: nothing of it can be run again to prove a mend.`);
}

/** What a change of the replay does, it would have done on the chain. */
export function isReproduced({ kind }: Verdict): boolean {
  return kind === "exact" || kind === "equivalent";
}

function without(summary: string): Fix {
  return { ...NOTHING, summary };
}

/** What is at hand is not asked for. */
function rememberedFirst(
  remembered: readonly SnapshotEntry[],
  find: FixContext["findEntries"],
): FixContext["findEntries"] {
  return async (keysXdr) => {
    const known = remembered.filter(({ keyXdr }) => keysXdr.includes(keyXdr));
    const sought = keysXdr.filter((key) => !known.some(({ keyXdr }) => keyXdr === key));
    if (sought.length === 0) return { entries: known, unknown: [] };
    const found = await find(sought);
    return { ...found, entries: [...known, ...found.entries] };
  };
}

/** An attempt that was run before is not run again: a run is the same each time. */
function once(run: FixContext["run"]): FixContext["run"] {
  const runs = new Map<string, Promise<Execution>>();
  return (attempt) => {
    const key = JSON.stringify([attempt.envelopeXdr, [...attempt.entries.values()]]);
    const known = runs.get(key) ?? run(attempt);
    runs.set(key, known);
    return known;
  };
}

export function openFixContext(
  { sources = [], progress, ...engines }: FixDependencies,
  { record, snapshot, cause }: Pick<FailedReplay, "record" | "snapshot" | "cause">,
  { signal }: { readonly signal: AbortSignal },
): FixContext {
  const captured = { record, snapshot };
  // The runs are parts of one step.
  const { simulator, recorder } = engines;
  const entriesXdr = snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const lookup = contractLookup(entriesXdr);
  const variantOf = ({ envelopeXdr, entries }: Attempt) => ({ envelopeXdr, entries });
  const findEntries = rememberedFirst(
    snapshot.beyondFootprint ?? [],
    entriesFinder(sources, record, { signal, progress }),
  );
  return {
    ledger: record.ledger,
    failed: { envelopeXdr: record.envelopeXdr, entries: snapshot.entries },
    failedCause: cause,
    limits: readTransactionLimits(snapshot.settings.map(({ entryXdr }) => entryXdr)),
    run: once((attempt) =>
      runVariant({ simulator }, captured, variantOf(attempt), { signal, trace: true }),
    ),
    record: recorder
      ? (attempt) => {
          const ran = applyVariant(captured, variantOf(attempt));
          return recordAuthorizations({ recorder, findEntries }, ran, { signal });
        }
      : null,
    findEntries,
    causeOf: (attempt, execution) => {
      const ran = applyVariant(captured, variantOf(attempt));
      return causeOfRun(ran.record, ran.snapshot, execution);
    },
    nameKey: (keyXdr) => describeTypedKey(keyXdr, lookup),
  };
}
