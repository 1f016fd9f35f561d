// A failed transaction → what would mend it: the workbench of src/mend, made of parts of the walk.

import { SvcError } from "../base/errors.ts";
import { plainStep } from "../base/step.ts";
import { causeOfRun } from "../explain/cause-of-run.ts";
import { NOTHING } from "../mend/describe-mend.ts";
import { findMend } from "../mend/find-mend.ts";
import type { Trial, Workbench } from "../mend/workbench.ts";
import type { Execution } from "../model/execution.ts";
import type { Cause, Explanation } from "../model/explanation.ts";
import type { Mend } from "../model/mend.ts";
import type { Recording } from "../model/recording.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import type { Source } from "../sources/source.ts";
import { contractLookup } from "../xdr/contract-specs.ts";
import { describeTypedKey } from "../xdr/key-typed.ts";
import { readTransactionLimits } from "../xdr/transaction-limits.ts";
import { entriesFinder } from "./find-entries.ts";
import { recordAuthorizations } from "./record-authorizations.ts";
import type { Engines } from "./replay.ts";
import { applyVariant, runVariant } from "./run-variant.ts";

export interface MendDependencies extends Engines {
  readonly progress: (text: string) => void;
  /** Who may know the state of entries that the transaction did not name. */
  readonly sources?: readonly Source[];
}

/** A transaction that failed, and whose replay is at hand. */
export interface FailedReplay {
  readonly recording: Recording;
  readonly snapshot: Snapshot;
  readonly execution: Execution;
  readonly verdict: Verdict;
  readonly cause: Cause;
}

/**
 * What keeps svc from trying is told in the Mend; throws only when it is interrupted, or for a
 * defect.
 */
export async function mendTransaction(
  dependencies: MendDependencies,
  failed: FailedReplay,
  options: { readonly signal: AbortSignal },
): Promise<Mend> {
  const { verdict, execution } = failed;
  if (execution.outcome.kind === "success" || !isReproduced(verdict)) {
    return without(`The replay is ${verdict.kind}: what a change of it does proves nothing.`);
  }
  const { progress, step = plainStep } = dependencies;
  progress("looking for what would mend it");
  try {
    const workbench = openWorkbench(dependencies, failed, options);
    return await step("mend", () => findMend(workbench));
  } catch (error) {
    if (options.signal.aborted || !(error instanceof SvcError)) throw error;
    return without(`It could not be tried. ${error.message}`);
  }
}

/** What the explanation advises alone does not help where another cause comes behind. */
export function remedyBeside({ remedy }: Explanation, mend: Mend | null): string | null {
  if (remedy === null || mend?.proof?.outcome !== "fails-next") return remedy;
  return `Another cause comes behind this one (see what would mend it): mend that first. ${remedy}`;
}

/** Of a transaction of which nothing ran in the contract host. */
export function nothingRan(classic: boolean): Mend {
  const why = classic ? "It is a classic transaction" : "It was refused before the contract host";
  return without(`${why}: nothing of it can be run again to prove a mend.`);
}

/** What a change of the replay does, it would have done on the chain. */
export function isReproduced({ kind }: Verdict): boolean {
  return kind === "exact" || kind === "equivalent";
}

function without(summary: string): Mend {
  return { ...NOTHING, summary };
}

/** What is at hand is not asked for. */
function rememberedFirst(
  remembered: readonly SnapshotEntry[],
  find: Workbench["findEntries"],
): Workbench["findEntries"] {
  return async (keysXdr) => {
    const known = remembered.filter(({ keyXdr }) => keysXdr.includes(keyXdr));
    const sought = keysXdr.filter((key) => !known.some(({ keyXdr }) => keyXdr === key));
    if (sought.length === 0) return { entries: known, unknown: [] };
    const found = await find(sought);
    return { ...found, entries: [...known, ...found.entries] };
  };
}

export function openWorkbench(
  { sources = [], progress, ...engines }: MendDependencies,
  { recording, snapshot, cause }: Pick<FailedReplay, "recording" | "snapshot" | "cause">,
  { signal }: { readonly signal: AbortSignal },
): Workbench {
  const captured = { recording, snapshot };
  // The runs are parts of one step.
  const { simulator, recorder } = engines;
  const entriesXdr = snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const lookup = contractLookup(entriesXdr);
  const variantOf = ({ envelopeXdr, entries }: Trial) => ({ envelopeXdr, entries });
  const findEntries = rememberedFirst(
    snapshot.beyondFootprint ?? [],
    entriesFinder(sources, recording, { signal, progress }),
  );
  return {
    ledger: recording.ledger,
    failed: { envelopeXdr: recording.envelopeXdr, entries: snapshot.entries },
    failedCause: cause,
    limits: readTransactionLimits(snapshot.settings.map(({ entryXdr }) => entryXdr)),
    run: (trial) => runVariant({ simulator }, captured, variantOf(trial), { signal, trace: true }),
    record: recorder
      ? (trial) => {
          const ran = applyVariant(captured, variantOf(trial));
          return recordAuthorizations({ recorder, findEntries }, ran, { signal });
        }
      : null,
    findEntries,
    causeOf: (trial, execution) => {
      const ran = applyVariant(captured, variantOf(trial));
      return causeOfRun(ran.recording, ran.snapshot, execution);
    },
    nameKey: (keyXdr) => describeTypedKey(keyXdr, lookup),
  };
}
