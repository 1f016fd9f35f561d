// Whole ledgers around the transaction's, read as far as any source has them.

import { SvcError } from "../base/errors.ts";
import { askInTurn, type Source } from "../sources/source.ts";
import { type LedgerCloseMetaView, readLedgerCloseMeta } from "../xdr/ledger-close-meta.ts";

export interface LedgerViews {
  /** Null when no source has the ledger. */
  view(sequence: number): Promise<LedgerCloseMetaView | null>;
  /** Ledgers first, first + 1, … without a gap; ends where no source goes on. */
  run(first: number, last: number): AsyncGenerator<LedgerCloseMetaView>;
}

export interface LedgerViewsDependencies {
  readonly sources: readonly Source[];
  readonly networkPassphrase: string;
  readonly signal: AbortSignal;
}

/** Parsed ledgers that stay at hand; a walk comes back to the transaction's own and its neighbours. */
const KEPT_VIEWS = 8;

export function openLedgerViews(dependencies: LedgerViewsDependencies): LedgerViews {
  const kept = new Map<number, Promise<LedgerCloseMetaView | null>>();
  const view = (sequence: number) => {
    const known = kept.get(sequence);
    if (known !== undefined) return known;
    const found = fetchView(dependencies, sequence);
    kept.set(sequence, found);
    const oldest = kept.keys().next().value;
    if (kept.size > KEPT_VIEWS && oldest !== undefined) kept.delete(oldest);
    return found;
  };
  return { view, run: (first, last) => readRun(dependencies, first, last) };
}

async function fetchView(
  { sources, networkPassphrase, signal }: LedgerViewsDependencies,
  sequence: number,
): Promise<LedgerCloseMetaView | null> {
  const { answer } = await askInTurn(sources, { signal }, async (source) => {
    const bytes = await source.fetchLedgerCloseMeta?.(sequence, { signal });
    return bytes === null || bytes === undefined ? null : readView(bytes, networkPassphrase);
  });
  return answer;
}

async function* readRun(
  { sources, networkPassphrase, signal }: LedgerViewsDependencies,
  first: number,
  last: number,
): AsyncGenerator<LedgerCloseMetaView> {
  let next = first;
  for (const source of sources) {
    if (source.fetchLedgerCloseMetas === undefined || next > last) continue;
    const ledgers = source.fetchLedgerCloseMetas(next, last, { signal })[Symbol.asyncIterator]();
    for (;;) {
      const { answer: step } = await askInTurn([source], { signal }, () => ledgers.next());
      if (step === null || step.done === true || step.value.sequence !== next) break;
      const view = readView(step.value.ledgerCloseMeta, networkPassphrase);
      if (view === null) break;
      yield view;
      next += 1;
    }
    await ledgers.return?.();
  }
}

/** Null when the bytes cannot be read: then another source may have better ones. */
function readView(bytes: Uint8Array, networkPassphrase: string): LedgerCloseMetaView | null {
  try {
    return readLedgerCloseMeta(bytes, networkPassphrase);
  } catch (error) {
    if (error instanceof SvcError && error.code === "XDR_INVALID") return null;
    throw error;
  }
}
