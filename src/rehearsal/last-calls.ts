// The last calls of contracts: ledgers are looked through from the latest one back, until there are
// enough calls, or until no source returns an earlier ledger.

import type { Nodes } from "../debugger/setup/open-engines.ts";
import { isFailureOfNode } from "../sources/source.ts";
import type { Range } from "../verify/verify-ledgers.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { type Rehearsing, rehearseArchive, rehearseRange } from "./read-traffic.ts";
import type { SearchedLedgers } from "./rehearsal.ts";

/** The ledgers that are looked through together. */
const LEDGERS = 64;
/** About a day. Looking through more takes longer than anybody waits. */
const MOST_LEDGERS = 17_280;

type Searching = Rehearsing & { readonly looking: (ledgers: Range) => void };

/** Rehearses the last calls that nodes have. Throws the failures of nodes and of svc-sim. */
export async function rehearseLast(
  searching: Searching,
  nodes: Nodes,
  wantedCalls: number,
): Promise<SearchedLedgers> {
  const { rehearser, signal, looking } = searching;
  const { sequence: latest = 0 } = (await nodes.ledgers.latest({ signal })) ?? {};
  let next = latest;
  let isAll = false;
  while (
    rehearser.judgedOrRepeated < wantedCalls &&
    next >= 1 &&
    latest - next < MOST_LEDGERS &&
    !isAll
  ) {
    looking({ first: Math.max(1, next - LEDGERS + 1), last: next });
    const earlier = await callsBefore(searching, nodes, next, latest);
    if (earlier === null) {
      isAll = true;
      break;
    }
    // A call that turns out not to reach the contract makes room for an earlier one.
    const left = [...earlier.calls];
    while (left.length > 0 && rehearser.judgedOrRepeated < wantedCalls) {
      const chosen = left.splice(-(wantedCalls - rehearser.judgedOrRepeated));
      const [first] = chosen;
      if (first === undefined) break;
      const last = chosen.at(-1)?.ledger ?? first.ledger;
      const only = new Set(chosen.map(({ hash }) => hash));
      await rehearseRange(searching, nodes, { first: first.ledger, last }, only);
    }
    next = earlier.first - 1;
  }
  return { wantedCalls, first: Math.min(next + 1, latest), last: latest, isAll: isAll || next < 1 };
}

interface FoundCalls {
  readonly first: number;
  /** The calls in the order in which they were applied. */
  readonly calls: readonly { readonly hash: string; readonly ledger: number }[];
}

/** The calls in the ledgers up to that one; null if no source returns that ledger. */
async function callsBefore(
  { rehearser, signal }: Searching,
  { ledgers, networkPassphrase }: Nodes,
  last: number,
  latest: number,
): Promise<FoundCalls | null> {
  // The first ledgers that a node keeps may be within those that are asked for.
  for (let size = LEDGERS; size >= 1; size = Math.floor(size / 4)) {
    const first = Math.max(1, last - size + 1);
    const calls: { readonly hash: string; readonly ledger: number }[] = [];
    let next = first;
    try {
      for await (const { sequence, view } of ledgers.run(first, last, { signal })) {
        for (const transaction of view.transactions) {
          const envelope = openEnvelope(transaction.envelopeXdr, networkPassphrase);
          if (envelope.soroban !== null && rehearser.concerns(envelope))
            calls.push({ hash: transaction.hash, ledger: sequence });
        }
        next = sequence + 1;
      }
    } catch (error) {
      if (signal.aborted || !isFailureOfNode(error)) throw error;
      // Nodes that have not even the latest ledger fail, and others have come to their end.
      if (size === 1 && last === latest) throw error;
    }
    if (next > last) return { first, calls };
  }
  return null;
}

/** Rehearses the last calls that a history archive has. Throws the errors of the archive. */
export async function rehearseLastArchived(
  searching: Searching,
  place: Parameters<typeof rehearseArchive>[1],
  wantedCalls: number,
): Promise<SearchedLedgers> {
  const { rehearser, looking } = searching;
  const { latestLedger: latest } = place.archive;
  const size = await place.archive.ask(async ({ chain }) => chain.archive.ledgersPerCheckpoint);
  let next = latest;
  while (rehearser.judgedOrRepeated < wantedCalls && next >= 1 && latest - next < MOST_LEDGERS) {
    // A period begins with a checkpoint.
    const range = { first: Math.max(1, next - (next % size)), last: next };
    looking(range);
    await rehearseArchive(searching, place, range);
    next = range.first - 1;
  }
  return { wantedCalls, first: Math.min(next + 1, latest), last: latest, isAll: next < 1 };
}
