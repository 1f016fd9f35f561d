// The last calls of contracts: ledgers are looked through from the latest one back, until there are
// enough calls, or until no source returns an earlier ledger.

import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import type { Nodes } from "../debugger/setup/open-engines.ts";
import { askInTurn } from "../sources/ask-in-turn.ts";
import { isFailureOfNode } from "../sources/source.ts";
import type { Range } from "../verify/verify-ledgers.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { type Rehearsing, rehearseArchive, rehearseRange } from "./read-traffic.ts";
import type { SearchedLedgers } from "./rehearsal.ts";

/** The most ledgers that are looked through together, and how many it are at first. */
const [MOST_TOGETHER, FIRST_TOGETHER] = [64, 16];
/**
 * The reader keeps the ledgers that were looked through until their calls are replayed, if they
 * have no more bytes than half of what it keeps.
 */
const BYTES_TOGETHER = 32 * 1024 * 1024;
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
  const latest = await latestLedger(nodes, signal);
  let next = latest;
  let isAll = false;
  let size = FIRST_TOGETHER;
  while (
    rehearser.judgedOrRepeated < wantedCalls &&
    next >= 1 &&
    latest - next < MOST_LEDGERS &&
    !isAll
  ) {
    const range = { first: Math.max(1, next - size + 1), last: next };
    looking(range);
    const earlier = await callsBefore(searching, nodes, range, latest);
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
    const bytesOfOne = earlier.bytes / (next - earlier.first + 1);
    size = Math.min(MOST_TOGETHER, Math.max(1, Math.floor(BYTES_TOGETHER / bytesOfOne)));
    next = earlier.first - 1;
  }
  return { wantedCalls, first: Math.min(next + 1, latest), last: latest, isAll: isAll || next < 1 };
}

/** Throws the failure of a node, or LEDGER_NOT_FOUND, if no source knows the latest ledger. */
async function latestLedger({ sources }: Nodes, signal: AbortSignal): Promise<number> {
  const { answer, failures } = await askInTurn(sources, { signal }, (source, context) =>
    source.fetchLatestFacts?.(context),
  );
  if (answer !== null) return answer.sequence;
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  throw new SvcError("LEDGER_NOT_FOUND", {
    message: "No source knows the latest ledger.",
    remedy: phrase`Set a node with ${flag("rpcUrl")}.`,
  });
}

interface FoundCalls {
  readonly first: number;
  /** The size of all ledgers. */
  readonly bytes: number;
  /** The calls in the order in which they were applied. */
  readonly calls: readonly { readonly hash: string; readonly ledger: number }[];
}

/** The calls in the last ledgers of a range; null if no source returns the last one. */
async function callsBefore(
  { rehearser, signal }: Searching,
  { ledgers, networkPassphrase }: Nodes,
  { first: wanted, last }: Range,
  latest: number,
): Promise<FoundCalls | null> {
  // The first ledgers that a node keeps may be within those that are asked for.
  for (let size = last - wanted + 1; size >= 1; size = Math.floor(size / 4)) {
    const first = last - size + 1;
    const calls: { readonly hash: string; readonly ledger: number }[] = [];
    let [next, bytes] = [first, 0];
    try {
      for await (const { sequence, view, ledgerCloseMeta } of ledgers.run(first, last, {
        signal,
      })) {
        bytes += ledgerCloseMeta.length;
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
    if (next > last) return { first, bytes, calls };
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
