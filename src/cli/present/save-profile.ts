// Writes the profile of an investigation to a file (the complete file or none) and logs the path.

import { resolve } from "node:path";
import { writeOutputFile } from "../../base/files/write-file.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { DebugArguments } from "../arguments/debug-settings.ts";
import type { Shell } from "../shell.ts";

/** Warns when there is nothing to write. Throws OUTPUT_UNWRITABLE. */
export async function saveProfile(
  shell: Shell,
  investigation: Investigation,
  { profileFormat, output }: DebugArguments,
): Promise<void> {
  const { PROFILE_FORMATS } = await import("../../report/profile/formats.ts");
  const { profileOf } = await import("../../report/profile/transaction-profile.ts");
  const profile = profileOf(investigation);
  if (profile === null) {
    const { hash } = investigation.record;
    shell.log.warn(`No profile of ${hash} was written: ${whyNone(investigation)}.`);
    return;
  }
  const { suffix, render } = PROFILE_FORMATS[profileFormat ?? "html"];
  const path = await writeOutputFile(
    resolve(shell.facts.workingDirectory, output ?? "."),
    `${profile.hash}${suffix}`,
    render(profile),
    shell,
  );
  shell.log.info(`Wrote the profile to ${path}.`);
}

function whyNone({ execution }: Investigation): string {
  return (execution?.metrics.cpu_insn ?? "0") === "0"
    ? "nothing of this transaction ran in the contract host"
    : "this svc-sim does not record profiles";
}
