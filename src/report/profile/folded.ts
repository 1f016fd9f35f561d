// Folded stacks, one a line: frames joined by semicolons, a blank, CPU instructions. What
// flamegraph.pl, inferno and their kin read. The format holds one number, so memory is not in it.

import type { TransactionProfile } from "./transaction-profile.ts";

/** The lines' numbers sum up to the metered CPU instructions. */
export function renderFolded(profile: TransactionProfile): string {
  return profile.stacks
    .filter((stack) => stack.cpuInstructions > 0)
    .map((stack) => `${stack.frames.map(foldedName).join(";")} ${stack.cpuInstructions}\n`)
    .join("");
}

/** The semicolon is the format's own. */
function foldedName(name: string): string {
  return name.replaceAll(";", "\\u{3b}");
}
