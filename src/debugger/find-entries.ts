// The state of ledger entries that a transaction did not name, just before it: by the rules of its
// snapshot where there is a source to ask, and not known where there is none.

import type { Workbench } from "../mend/workbench.ts";
import type { Recording } from "../model/recording.ts";
import { takeEntries } from "../snapshot/take-snapshot.ts";
import type { Source } from "../sources/source.ts";

/** Throws what the sources throw that is no failure of a node. */
export function entriesFinder(
  sources: readonly Source[],
  recording: Recording,
  options: { readonly signal: AbortSignal; readonly progress: (text: string) => void },
): Workbench["findEntries"] {
  return async (keysXdr) => {
    if (sources.length > 0) return takeEntries({ sources }, recording, keysXdr, options);
    const reason = "the capsule does not hold it, and no node was asked";
    return { entries: [], unknown: keysXdr.map((keyXdr) => ({ keyXdr, reason })) };
  };
}
