// Rehearses single transactions: those of capsules and those that nodes have. A transaction that is
// there more than once is rehearsed once, whatever order the words have and whichever is read
// first: from the first of its capsules by name with which it can be judged, else from the nodes.

import { inParallel } from "../base/in-parallel.ts";
import type { Nodes } from "../debugger/setup/open-engines.ts";
import type { Captured } from "../debugger/walk/capture-transaction.ts";
import { type Rehearsing, rehearseCaptured } from "./read-traffic.ts";
import { ReadingOrder } from "./reading-order.ts";

export interface Captures {
  readonly capsules: readonly string[];
  readonly hashes: readonly string[];
  readonly openCapsule: (file: string) => Promise<Captured>;
  readonly openHash: (hash: string) => Promise<Captured>;
}

/** svc mostly waits for nodes, which have rate limits. */
const CAPTURES_AT_ONCE = 4;

/** Returns the hashes of the transactions that are judged. Throws the errors of the opening. */
export async function rehearseCaptures(
  rehearsing: Rehearsing,
  { capsules, hashes, openCapsule, openHash }: Captures,
  nodes: Nodes | null,
): Promise<ReadonlySet<string>> {
  const { rehearser } = rehearsing;
  const transactions = new Set<string>();
  const files = [...new Set(capsules)].sort();
  const others = await rehearseEach(rehearsing, nodes, transactions, {
    words: files,
    open: openCapsule,
    areCapsules: true,
  });
  for (const capsule of others) {
    const captured = await openCapsule(capsule);
    if (!rehearser.isJudged(captured.record.hash))
      await rehearseCaptured(rehearsing, captured, nodes, { capsule });
  }
  const judged = [...transactions].filter((hash) => rehearser.isJudged(hash));
  const ofNodes = new Set(judged);
  const words = [...new Set(hashes)].filter((hash) => !ofNodes.has(hash));
  await rehearseEach(rehearsing, nodes, ofNodes, { words, open: openHash, areCapsules: false });
  return new Set([...transactions, ...ofNodes].filter((hash) => rehearser.isJudged(hash)));
}

interface Words {
  readonly words: readonly string[];
  readonly open: (word: string) => Promise<Captured>;
  readonly areCapsules: boolean;
}

/**
 * Rehearses the transactions that are not in `transactions`, and adds them. Returns the words of
 * the others, in their order.
 */
async function rehearseEach(
  rehearsing: Rehearsing,
  nodes: Nodes | null,
  transactions: Set<string>,
  { words, open, areCapsules }: Words,
): Promise<string[]> {
  const order = new ReadingOrder();
  const others: string[] = [];
  const rehearse = async (word: string): Promise<void> => {
    const [place, turn] = [order.take(), rehearsing.rehearser.nextTurn()];
    const captured = await open(word).catch(async (error) => {
      // The first word that cannot be opened is named.
      await place.comes;
      throw error;
    });
    const { hash } = captured.record;
    // Which word is the first one of a transaction must not depend on which is read first.
    await place.comes;
    const isFirst = !transactions.has(hash);
    if (isFirst) transactions.add(hash);
    else others.push(word);
    place.end();
    if (!isFirst) return turn.end();
    const capsule = areCapsules ? { capsule: word } : {};
    await rehearseCaptured(rehearsing, captured, nodes, { turn, ...capsule });
  };
  await inParallel(words, CAPTURES_AT_ONCE, rehearse);
  return others;
}
