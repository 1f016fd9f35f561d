// A range of ledgers, as nodes have them → the counts of verdicts. Everything runs in this process.

import { counted } from "../base/text/counted.ts";
import type { Verification } from "../model/verification.ts";
import type { Source } from "../sources/source.ts";
import { nameOfRange, type Range } from "./ledgers-of-range.ts";
import { verifyLedgers } from "./verify-ledgers.ts";

export interface RangeSettings {
  readonly simulatorPath: string;
  readonly networkPassphrase: string;
  readonly sources: readonly Source[];
  /** Cores to use. */
  readonly jobs: number;
}

/** Transactions that are listed: a reader of the document does not need all of them. */
const LISTED = 200;

/** Throws as `ledgersOfRange`, and what svc-sim fails with. */
export function verifyRange(
  settings: RangeSettings,
  range: Range,
  run: { readonly signal: AbortSignal; readonly progress: (text: string) => void },
): Promise<Verification> {
  const progress = ({ ledgers, transactions }: { ledgers: number; transactions: number }) =>
    run.progress(
      `${counted(transactions, "transaction")} of ${counted(ledgers, "ledger")} replayed`,
    );
  return verifyLedgers(
    { ...settings, keepNotExact: LISTED, workerCommand: null, rehearseProtocol: null, progress },
    [nameOfRange(range)],
    range,
    run,
  );
}
