// Writes the profile of an investigation to a file (the complete file or none) and logs the path.

import { resolve } from "node:path";
import { writeOutputFile } from "../../base/files/write-file.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { ParsedFlags } from "../arguments/common-flags.ts";
import type { Shell } from "../shell.ts";

/** The values of the flag; a separate tuple, so that reading the flags loads no renderer. */
export const PROFILE_FORMAT_NAMES = ["html", "folded", "speedscope", "pprof"] as const;

/** A profile format requests a profile too. */
export function wantsProfile(args: ParsedFlags): boolean {
  return args.profile === true || args["profile-format"] !== undefined;
}

/** Warns when there is nothing to write. Throws OUTPUT_UNWRITABLE. */
export async function saveProfile(
  shell: Shell,
  investigation: Investigation,
  args: ParsedFlags,
): Promise<void> {
  const { PROFILE_FORMATS } = await import("../../report/profile/formats.ts");
  const { profileOf } = await import("../../report/profile/transaction-profile.ts");
  const profile = profileOf(investigation);
  if (profile === null) {
    const { hash } = investigation.record;
    shell.log.warn(`No profile of ${hash} was written: ${whyNone(investigation)}.`);
    return;
  }
  const name = PROFILE_FORMAT_NAMES.find((known) => known === args["profile-format"]) ?? "html";
  const { suffix, render } = PROFILE_FORMATS[name];
  const directory = typeof args.output === "string" ? args.output : ".";
  const path = await writeOutputFile(
    resolve(shell.facts.workingDirectory, directory),
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
