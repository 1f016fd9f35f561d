// The ledgers of a range, in order, from whichever sources have them. A node that stops half-way is
// replaced by the next, which goes on where it stopped.

import { SvcError } from "../base/errors/errors.ts";
import { inOrder } from "../sources/ask-in-turn.ts";
import { type FetchContext, isFailureOfNode, type Source } from "../sources/source.ts";
import type { SourcedLedger } from "./verify-stream.ts";

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
  sources: readonly Source[],
  { first, last }: Range,
  context: FetchContext,
): AsyncGenerator<SourcedLedger> {
  let next = first;
  let failure: SvcError | null = null;
  for (const source of inOrder(sources)) {
    const ledgers = source.fetchLedgerCloseMetas?.(next, last, context);
    if (ledgers === undefined) continue;
    try {
      for await (const ledger of ledgers) {
        // A gap would go unnoticed otherwise; another source may fill it.
        if (ledger.sequence !== next) break;
        yield { ...ledger, source: source.name };
        next += 1;
        if (next > last) return;
      }
    } catch (error) {
      if (context.signal.aborted || !isFailureOfNode(error)) throw error;
      failure = error;
    }
  }
  throw failure ?? ledgerNotFound(next, sources);
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
