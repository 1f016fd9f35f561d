// A source whose false or unreadable answers are failures of that source, as a timeout is: another
// one is asked, and the run goes on. A run for one transaction stops there instead, and says so.

import { SvcError } from "../base/errors/errors.ts";
import type { Source } from "../sources/source.ts";

export function forgivingSource(source: Source): Source {
  const { fetchTransaction, fetchLedgerCloseMeta, fetchLedgerCloseMetas, fetchLedgerEntries } =
    source;
  return {
    name: source.name,
    ...(source.local && { local: source.local }),
    ...(source.standing && { standing: source.standing }),
    ...(source.range && { range: source.range }),
    ...(fetchTransaction && {
      fetchTransaction: (hash, context) => forgive(source, () => fetchTransaction(hash, context)),
    }),
    ...(fetchLedgerCloseMeta && {
      fetchLedgerCloseMeta: (sequence, context) =>
        forgive(source, () => fetchLedgerCloseMeta(sequence, context)),
    }),
    ...(fetchLedgerCloseMetas && {
      async *fetchLedgerCloseMetas(first, last, context) {
        const ledgers = fetchLedgerCloseMetas(first, last, context)[Symbol.asyncIterator]();
        try {
          for (;;) {
            const step = await forgive(source, () => ledgers.next());
            if (step.done === true) return;
            yield step.value;
          }
        } finally {
          await ledgers.return?.();
        }
      },
    }),
    ...(fetchLedgerEntries && {
      fetchLedgerEntries: (keysXdr, context) =>
        forgive(source, () => fetchLedgerEntries(keysXdr, context)),
    }),
  };
}

const OF_SOURCE: readonly string[] = ["NODE_LIED", "XDR_INVALID"];

async function forgive<T>({ name }: Source, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof SvcError) || !OF_SOURCE.includes(cause.code)) throw cause;
    throw new SvcError("NETWORK_BAD_ANSWER", {
      message: `${name} gave a false answer: ${cause.message}`,
      remedy: "Set another node with `--rpc-url`.",
      cause,
    });
  }
}
