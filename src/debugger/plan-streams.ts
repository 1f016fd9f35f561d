// Ledger files → streams: files that seem to continue each other, in ledger order. Only the first
// ledger of each file is read, so this is a guess; the fold checks the hashes and lets go of its
// state where it was wrong.

import { readLedgerFile } from "../sources/ledger-file.ts";
import type { FetchContext } from "../sources/source.ts";
import { ledgerFactsOf } from "../xdr/ledger-close-meta.ts";

export interface PlannedStream {
  /** In ledger order. */
  readonly files: readonly string[];
  /** It begins with the first ledger that was ever closed. */
  readonly fromGenesis: boolean;
}

const FIRST_CLOSED_LEDGER = 2;

interface FirstLedger {
  readonly path: string;
  readonly sequence: number;
}

/** Throws FILE_UNREADABLE or FILE_INVALID for the first file that cannot be read. */
export async function planStreams(
  paths: readonly string[],
  context: FetchContext,
): Promise<PlannedStream[]> {
  const files: FirstLedger[] = [];
  for (const path of paths) files.push({ path, sequence: await firstSequence(path, context) });
  files.sort((a, b) => a.sequence - b.sequence);
  const streams: FirstLedger[][] = [];
  for (const file of files) {
    const last = streams.at(-1);
    const before = last?.at(-1);
    const continues = before !== undefined && before.sequence < file.sequence;
    if (continues && file.sequence !== FIRST_CLOSED_LEDGER) last?.push(file);
    else streams.push([file]);
  }
  return streams.map((stream) => ({
    files: stream.map((file) => file.path),
    fromGenesis: stream[0]?.sequence === FIRST_CLOSED_LEDGER,
  }));
}

async function firstSequence(path: string, context: FetchContext): Promise<number> {
  for await (const { ledgerCloseMeta } of readLedgerFile(path, context)) {
    return ledgerFactsOf(ledgerCloseMeta).sequence;
  }
  return 0;
}
