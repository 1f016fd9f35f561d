// Fetches ledger entries as nodes have them now. Other nodes are asked for the entries that the
// first node lacks. A node that leaves an entry out looks like one whose ledger does not have it,
// and an entry that another node has, in the same ledger or a later one, exists.

import type { SvcError } from "../base/errors/errors.ts";
import { askInTurn } from "./ask-in-turn.ts";
import type { CurrentLedgerEntries, CurrentLedgerEntry, FetchContext, Source } from "./source.ts";

export interface EntriesOfNode extends CurrentLedgerEntries {
  /** The node that answered, and the nodes that lack the same entries. */
  readonly nodes: readonly Source[];
  /** Their names. */
  readonly origin: string;
  /** The entries that it lacks and that other nodes have. */
  readonly elsewhere: readonly FoundElsewhere[];
}

export interface FoundElsewhere {
  readonly entry: CurrentLedgerEntry;
  readonly latestLedger: number;
  readonly node: Source;
  readonly origin: string;
}

export interface AskedEntries {
  /** Null if no node answered. */
  readonly answer: EntriesOfNode | null;
  readonly failures: readonly SvcError[];
}

/** Fetches the entries. Throws the errors of askInTurn. */
export async function askForEntries(
  sources: readonly Source[],
  keysXdr: readonly string[],
  context: FetchContext,
): Promise<AskedEntries> {
  const response = await askInTurn(sources, context, (source, asking) =>
    source.fetchLedgerEntries?.(keysXdr, asking),
  );
  const { answer, source: first, failures } = response;
  if (answer === null) return { answer, failures };
  const { latestLedger } = answer;
  const elsewhere: FoundElsewhere[] = [];
  const nodes = first === null ? [] : [first];
  let lacking = keysXdr.filter((key) => !answer.entries.has(key));
  for (const source of sources) {
    if (lacking.length === 0) break;
    if (source === first || source.fetchLedgerEntries === undefined) continue;
    const other = await askBriefly(source, lacking, context);
    if (other === null || other.latestLedger < latestLedger) continue;
    for (const entry of other.entries.values())
      elsewhere.push({
        entry,
        latestLedger: other.latestLedger,
        node: source,
        origin: source.name,
      });
    if (other.entries.size === 0) nodes.push(source);
    lacking = lacking.filter((key) => !other.entries.has(key));
  }
  const origin = nodes.map(({ name }) => name).join(" and ");
  return { answer: { ...answer, nodes, origin, elsewhere }, failures };
}

/** Null if the node fails, rests or takes long, because another one has answered. */
async function askBriefly(
  source: Source,
  keysXdr: readonly string[],
  context: FetchContext,
): Promise<CurrentLedgerEntries | null> {
  const { standing } = source;
  if (standing !== undefined && standing.rank() !== "first") return null;
  const waiting = new AbortController();
  const late = AbortSignal.any([context.signal, waiting.signal]);
  const giveUp = new AbortController();
  standing?.overdue(late).then(
    () => giveUp.abort(new DOMException("Another node has answered.", "TimeoutError")),
    () => {},
  );
  const signal = AbortSignal.any([context.signal, giveUp.signal]);
  try {
    const { answer } = await askInTurn([source], { signal }, (each, asking) =>
      each.fetchLedgerEntries?.(keysXdr, asking),
    );
    return answer;
  } catch (error) {
    if (giveUp.signal.aborted && !context.signal.aborted) return null;
    throw error;
  } finally {
    waiting.abort();
  }
}
