// Reads the user's expectations of the transactions: --fail-on and the file of --expect.

import { utf8Text } from "../../base/bytes.ts";
import { readUserFile } from "../../command/read-input.ts";
import type { Shell } from "../../command/shell.ts";
import type { FailedExpectation } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { DebugArguments } from "./debug-settings.ts";

export interface Expected {
  /** The hashes in the file of --expect; empty without a file. */
  readonly hashes: readonly string[];
  /** The failed expectations; null if nothing is expected. */
  check(investigation: Investigation): FailedExpectation[] | null;
  /** The line, from 1, on which the file of --expect names the transaction; null if it does not. */
  lineOf(hash: string): number | null;
}

/** Reads the expectations. Throws USAGE, FILE_UNREADABLE, FILE_INVALID. */
export async function expectationsOf(
  shell: Shell,
  { failOn, expect: file }: Pick<DebugArguments, "failOn" | "expect">,
): Promise<Expected> {
  if (failOn === null && file === null)
    return { hashes: [], check: () => null, lineOf: () => null };
  const { checkFailOn, parseFailOn } = await import("../../expect/fail-on.ts");
  const { checkExpectations } = await import("../../expect/check-expectations.ts");
  const expectationFile = await import("../../expect/expectation-file.ts");
  const conditions = failOn === null ? [] : parseFailOn(failOn);
  const content = file === null ? "" : await contentOf(shell, file);
  const lines = content.toLowerCase().split("\n");
  const expectations = file === null ? null : expectationFile.readExpectations(content, file);
  return {
    hashes: [...(expectations?.transactions.keys() ?? [])],
    check: (investigation) => [
      ...checkFailOn(conditions, investigation),
      ...(expectations === null ? [] : checkExpectations(expectations, investigation)),
    ],
    lineOf: (hash) => lines.findIndex((line) => line.includes(`"${hash}"`)) + 1 || null,
  };
}

async function contentOf(shell: Shell, path: string): Promise<string> {
  const file = await readUserFile(shell, { path, label: "expectations", flag: "expect" });
  return utf8Text(file);
}
