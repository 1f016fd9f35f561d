// Writes folded stacks, one on each line: frames joined by semicolons, a blank, CPU instructions.
// flamegraph.pl, inferno and similar tools read them. The format has only one number, so memory is
// not in it.

import type { TransactionProfile } from "./transaction-profile.ts";

/**
 * The numbers add up to the CPU instructions that the replay metered. The format has no place for
 * words.
 */
export function renderFolded(profile: TransactionProfile): string {
  return profile.stacks
    .filter((stack) => stack.cpuInstructions > 0)
    .map(
      (stack) =>
        `${stack.frames.map(({ name }) => foldedName(name)).join(";")} ${stack.cpuInstructions}\n`,
    )
    .join("");
}

/** The format uses the semicolon as separator. */
function foldedName(name: string): string {
  return name.replaceAll(";", "\\u{3b}");
}
