// Wraps a source with a function that runs around each question, and that can count, refuse or
// rename the answers.

import type { FetchContext, LedgerContext, Source } from "./source.ts";

/** Asks, and passes the answer on. In a run of ledgers it is called for each of them. */
export type Pass = <T>(ask: () => Promise<T>) => Promise<T>;

type Asking = (...words: unknown[]) => Promise<unknown>;

const ASKING = [
  "greet",
  "fetchTransaction",
  "fetchLedgerFacts",
  "fetchLatestFacts",
  "fetchTip",
  "fetchLedgerCloseMeta",
  "fetchLedgerEntries",
] as const satisfies readonly (keyof Source)[];

export type Question = (typeof ASKING)[number] | "fetchLedgerCloseMetas";

/** Wraps a source. `begin` is called once for each question; a run of ledgers is one question. */
export function around(
  source: Source,
  begin: (context: FetchContext, question: Question) => Pass,
): Source {
  const passing: Record<string, unknown> = { ...source };
  for (const name of ASKING) {
    const ask = source[name] as Asking | undefined;
    if (ask === undefined) continue;
    passing[name] = (...words: unknown[]) => {
      const pass = begin(words.at(-1) as FetchContext, name);
      return pass(() => ask(...words));
    };
  }
  const { fetchLedgerCloseMetas: run } = source;
  if (run !== undefined)
    passing.fetchLedgerCloseMetas = async function* (
      first: number,
      last: number,
      context: LedgerContext,
    ) {
      const pass = begin(context, "fetchLedgerCloseMetas");
      const ledgers = run(first, last, context)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const step = await pass(() => ledgers.next());
          if (step.done === true) return;
          yield step.value;
        }
      } finally {
        await ledgers.return?.();
      }
    };
  return passing as unknown as Source;
}
