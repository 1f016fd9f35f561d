// The runs of the variants of one transaction. A variant that ran before is not run again if that
// run recorded at least what is asked, because a run is the same each time.

import type { Variant } from "../../fix/variant.ts";
import type { Execution } from "../../model/execution.ts";
import type { Engines } from "./replay.ts";
import { RunSet } from "./run-set.ts";
import { type Replayable, recordedBy, type VariantOptions, variantRequest } from "./run-variant.ts";

export class VariantRuns {
  private readonly sets = new Map<string, RunSet>();

  constructor(
    private readonly engines: Engines,
    private readonly captured: Replayable,
  ) {}

  /** Throws the errors of the simulator, and XDR_INVALID. */
  async run(variant: Partial<Variant>, options: VariantOptions): Promise<Execution> {
    const key = keyOf(variant);
    const known =
      this.sets.get(key) ?? new RunSet(this.engines, variantRequest(this.captured, variant));
    this.sets.set(key, known);
    return known.get(recordedBy(options), { signal: options.signal, step: "replay" });
  }
}

/**
 * A text of everything that a variant changes in its run. Entries that are restored first are among
 * its entries.
 */
function keyOf({ envelope, entries, settings, ledger }: Partial<Variant>): string {
  return JSON.stringify([
    envelope?.xdr,
    [...(entries?.values() ?? [])],
    [...(settings?.values() ?? [])],
    ledger,
  ]);
}
