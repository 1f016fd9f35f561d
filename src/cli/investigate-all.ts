// Investigates every chosen transaction by itself: one that cannot be investigated is a finding
// too, and does not stop the others.

import { systemClock } from "../base/clock.ts";
import { inParallel } from "../base/in-parallel.ts";
import type { Finding, Findings } from "../model/finding.ts";
import type { Expected } from "./arguments/read-expectations.ts";
import type { Investigator } from "./open-investigator.ts";
import { exitCodeOfInvestigation, mostSevere } from "./present/exit-code.ts";
import { asSvcError } from "./present/present-error.ts";
import type { Shell } from "./shell.ts";

/** Most of the time svc waits for nodes, which have rate limits: four at once is polite. */
const AT_ONCE = 4;

export interface ChosenTransactions {
  /** Null: the transaction of the capsule. */
  readonly hashes: readonly (string | null)[];
  /** The name of a finding without a hash. */
  readonly capsule: string;
  readonly single: boolean;
  /** An error ends the run instead of becoming a finding. */
  readonly throws: boolean;
}

/** Throws when the run is interrupted. */
export async function investigateAll(
  shell: Shell,
  { investigate }: Investigator,
  { hashes, capsule, single, throws }: ChosenTransactions,
  expected: Expected,
): Promise<Findings> {
  const beganUnixMilliseconds = systemClock.unixMilliseconds();
  const list = await inParallel(hashes, AT_ONCE, async (hash, index): Promise<Finding> => {
    const number = hashes.length === 1 ? "" : `${index + 1} of ${hashes.length}: `;
    const begin = systemClock.monotonicMilliseconds();
    const elapsed = () => systemClock.monotonicMilliseconds() - begin;
    try {
      const found = await investigate(hash, (text) => shell.log.progress(`${number}${text}`));
      const failedExpectations = expected.check(found);
      return {
        kind: "investigated",
        subject: hash ?? found.record.hash,
        exitCode: exitCodeOfInvestigation(found.verdict, failedExpectations),
        elapsedMilliseconds: elapsed(),
        investigation: found,
        failedExpectations,
      };
    } catch (thrown) {
      if (throws || shell.signal.aborted) throw thrown;
      const { code, message, remedy, exitCode } = asSvcError(thrown);
      const error = { code, message, remedy };
      const subject = hash ?? capsule;
      return { kind: "unanswered", subject, exitCode, elapsedMilliseconds: elapsed(), error };
    }
  });
  const exitCode = mostSevere(list.map((finding) => finding.exitCode));
  return { single, list, exitCode, beganUnixMilliseconds };
}
