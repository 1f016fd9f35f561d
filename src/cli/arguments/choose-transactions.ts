// Chooses the transactions and the format of svc debug.

import { usageError } from "../../base/errors/errors.ts";
import { phrase, svc } from "../../base/phrase.ts";
import type { GivenHashes } from "../../command/read-hashes.ts";
import type { Shell } from "../../command/shell.ts";
import type { Findings } from "../../model/finding.ts";
import {
  type DebugFormat,
  FIX_FORMATS,
  type FixFormat,
  type ReportFormat,
} from "../../report/report-format.ts";
import type { DebugArguments } from "./debug-settings.ts";

export interface ChosenTransactions {
  /** Null stands for the transaction of the capsule. */
  readonly hashes: readonly (string | null)[];
  /** The name of a finding that has no hash. */
  readonly capsule: string;
  readonly single: boolean;
  /** True if an error ends the run instead of becoming a finding. */
  readonly throws: boolean;
}

/** The format of standard output. `xdr` is possible only with --fix. */
export function reportFormat({ format, json }: DebugArguments): DebugFormat {
  return format ?? (json ? "json" : "text");
}

/** The content of standard output: the whole report, or only the fix. */
export type WantedReport = { readonly whole: ReportFormat } | { readonly fix: FixFormat };

/** The wanted report. The rules of `--fix` and of `--format xdr` were checked before. */
export function wantedReport({ fix }: DebugArguments, format: DebugFormat): WantedReport {
  return fix ? { fix: format as FixFormat } : { whole: format as ReportFormat };
}

/**
 * Chooses the transactions. Without a hash, they are the transaction of the capsule of --from, or
 * those in the file of --expect. Throws USAGE if there is none, or if there are several and only
 * one is possible.
 */
export function chooseTransactions(
  input: GivenHashes,
  expectedHashes: readonly string[],
  { from: capsule, save, replayable, report }: DebugArguments,
  format: DebugFormat,
): ChosenTransactions {
  if (capsule !== null && !input.single)
    throw usageError(
      "A capsule (--from) has one transaction, but the command has several hashes.",
      "Pass one hash, or no hash.",
    );
  // Otherwise the transactions are those of --expect, which form a list.
  const named = input.hashes.length > 0 || capsule !== null || expectedHashes.length === 0;
  if (save !== null && !(input.single && named))
    throw usageError(
      "--save works with one transaction.",
      phrase`Save each transaction with ${svc("capture <hash>")}.`,
    );
  if (replayable && !(input.single && named))
    throw usageError(
      "--replayable works with one transaction.",
      "Write the page of each transaction with a command of its own.",
    );
  // A report with a list of transactions can contain an error for each of them.
  const isOne = FIX_FORMATS.some((each) => each === format) && report.length === 0;
  const throws = input.single && isOne;
  const chosen = { capsule: capsule ?? "", single: input.single, throws };
  if (input.hashes.length > 0) return { ...chosen, hashes: input.hashes };
  if (capsule !== null) return { ...chosen, hashes: [null] };
  if (expectedHashes.length > 0)
    return { ...chosen, hashes: expectedHashes, single: false, throws: false };
  throw usageError(
    "There is no transaction to debug: <hash> is missing.",
    phrase`Pass a transaction hash, the URL of a transaction or a capsule file. To try svc, run ${svc("demo")}.`,
  );
}

/**
 * Logs failed expectations to stderr too, for people who read a log while the report goes to a
 * file.
 */
export function logFailedExpectations({ log }: Shell, { list, single }: Findings): void {
  for (const finding of list) {
    const subject = single ? "" : `${finding.subject}: `;
    if (finding.kind === "unanswered")
      log.error(`${subject}${finding.error.message} [${finding.error.code}]`);
    else
      for (const { origin, condition, message } of finding.failedExpectations ?? [])
        log.error(`${subject}${origin} ${condition}: ${message}`);
  }
}
