// What the user expects of the transactions: --fail-on and the file of --expect.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SvcError } from "../base/errors.ts";
import type { Unmet } from "../model/finding.ts";
import type { Investigation } from "../model/investigation.ts";
import { type ParsedFlags, textFlag } from "./common-flags.ts";
import type { Shell } from "./shell.ts";

export interface Expected {
  /** Hashes that the file of --expect names; empty without one. */
  readonly hashes: readonly string[];
  /** Null when nothing is expected. */
  check(investigation: Investigation): Unmet[] | null;
}

/** Throws USAGE, FILE_UNREADABLE, FILE_INVALID. */
export async function readExpected(shell: Shell, args: ParsedFlags): Promise<Expected> {
  const failOn = textFlag(args, "fail-on");
  const file = textFlag(args, "expect");
  if (failOn === undefined && file === undefined) return { hashes: [], check: () => null };
  const { checkFailOn, parseFailOn } = await import("../expect/fail-on.ts");
  const { checkExpectations } = await import("../expect/check-expectations.ts");
  const { readExpectations } = await import("../expect/expectation-file.ts");
  const conditions = failOn === undefined ? [] : parseFailOn(failOn);
  const expectations =
    file === undefined ? null : readExpectations(await readText(shell, file), file);
  return {
    hashes: [...(expectations?.transactions.keys() ?? [])],
    check: (investigation) => [
      ...checkFailOn(conditions, investigation),
      ...(expectations === null ? [] : checkExpectations(expectations, investigation)),
    ],
  };
}

async function readText({ facts }: Shell, file: string): Promise<string> {
  try {
    return await readFile(resolve(facts.workingDirectory, file), "utf8");
  } catch (cause) {
    throw new SvcError("FILE_UNREADABLE", {
      message: `The expectations ${file} cannot be read (${(cause as { code?: string }).code}).`,
      remedy: "Check the path given with --expect, and its permissions.",
      cause,
    });
  }
}
