// The ledgers of a range, in order and without gaps: one that no source has ends the run.

import { SvcError } from "../base/errors/errors.ts";
import type { ReadLedger } from "../ledgers/ledger-reader.ts";
import type { SnapshotDependencies } from "../snapshot/gather/take-snapshot.ts";
import { inOrder } from "../sources/ask-in-turn.ts";
import type { FetchContext, Source } from "../sources/source.ts";

export interface Range {
  readonly first: number;
  readonly last: number;
}

/** For the document. */
export function nameOfRange({ first, last }: Range): string {
  return `ledgers ${first} to ${last}`;
}

/** Throws LEDGER_NOT_FOUND, or the last node's failure, when no source has the next ledger. */
export async function* ledgersOfRange(
  { sources, ledgers }: SnapshotDependencies,
  { first, last }: Range,
  context: FetchContext,
): AsyncGenerator<ReadLedger> {
  let next = first;
  for await (const ledger of ledgers.run(first, last, { ...context, sources: inOrder(sources) })) {
    yield ledger;
    next += 1;
  }
  if (next <= last) throw ledgerNotFound(next, sources);
}

function ledgerNotFound(sequence: number, sources: readonly Source[]): SvcError {
  const asked = sources.filter((source) => source.fetchLedgerCloseMetas).map(({ name }) => name);
  const whom = asked.length === 0 ? "anybody: no source has ledgers" : asked.join(", ");
  return new SvcError("LEDGER_NOT_FOUND", {
    message: `Ledger ${sequence} is not known to ${whom}.`,
    remedy: "Name a node that keeps it with --rpc-url or --ledger-lake-url, or give a ledger file.",
    details: { ledger: sequence, sources: asked },
  });
}
