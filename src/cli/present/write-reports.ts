// Writes the reports of svc debug: a file for each --report, then the report on standard output.

import { isAbsolute, relative, resolve } from "node:path";
import { writeReportFile } from "../../command/report-files.ts";
import { type Shell, textOptions } from "../../command/shell.ts";
import type { Findings } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { FilePlace } from "../../report/formats/sarif.ts";
import type { ReplayableParts } from "../../report/html/replayable.ts";
import type { WantedReport } from "../arguments/choose-transactions.ts";
import type { DebugArguments } from "../arguments/debug-settings.ts";
import type { Expected } from "../arguments/read-expectations.ts";
import { STDOUT } from "./save-capsule.ts";

type ReportArguments = Pick<
  DebugArguments,
  "report" | "interactive" | "show" | "fullAddresses" | "expect" | "from"
>;

/**
 * Returns the parts with which a page runs svc; null if no page is to run it. Throws
 * SIMULATOR_NOT_FOUND.
 */
export async function wantedParts(
  { facts }: Shell,
  { replayable }: Pick<DebugArguments, "replayable">,
): Promise<ReplayableParts | null> {
  if (!replayable) return null;
  const { findPage } = await import("../../debugger/setup/find-page.ts");
  const { partsOfPage } = await import("../../report/html/replayable.ts");
  return partsOfPage(await findPage(facts));
}

/**
 * Writes the reports. Each file is complete or unchanged. Throws OUTPUT_UNWRITABLE with the name of
 * the file.
 */
export async function writeReports(
  shell: Shell,
  findings: Findings,
  contents: WantedReport,
  args: ReportArguments,
  { expected, parts }: { readonly expected: Expected; readonly parts: ReplayableParts | null },
): Promise<void> {
  const { FINDINGS_RENDERERS, FIX_RENDERERS } = await import("../../report/renderers.ts");
  const { encodeCapsule } = await import("../../sources/files/capsule.ts");
  const options = {
    ...textOptions(shell),
    parts,
    capsuleOf: ({ record, snapshot }: Investigation) => encodeCapsule(record, snapshot),
    placeOf: (hash: string) => placeOf(hash, shell, args, expected),
    show: args.show ?? [],
    fullAddresses: args.fullAddresses,
  };
  const inFile = { ...options, color: false, columns: 0 };
  for (const each of args.report)
    await writeReportFile(shell, each, await FINDINGS_RENDERERS[each.format](findings, inFile));
  if (args.interactive) return;
  if ("whole" in contents)
    return shell.output.write(await FINDINGS_RENDERERS[contents.whole](findings, options));
  await shell.output.write(FIX_RENDERERS[contents.fix](findings, options));
  if (contents.fix !== "xdr") return;
  const { notesOfPipe } = await import("../../report/document/fix.ts");
  for (const note of notesOfPipe(findings)) shell.log.warn(note);
}

/**
 * The file of a pipeline that names the transaction: the expectations, the capsule, or the GitHub
 * workflow that runs svc; null if the repository has none.
 */
function placeOf(
  hash: string,
  { facts: { environment, workingDirectory } }: Shell,
  { expect, from }: Pick<DebugArguments, "expect" | "from">,
  expected: Expected,
): FilePlace | null {
  const line = expected.lineOf(hash);
  const kept = line === null ? from : expect;
  if (kept !== null && kept !== STDOUT) {
    const root = environment.GITHUB_WORKSPACE || workingDirectory;
    const file = relative(root, resolve(workingDirectory, kept));
    if (!file.startsWith("..") && !isAbsolute(file)) return { file, line: line ?? 1 };
  }
  const { GITHUB_WORKFLOW_REF: workflow = "", GITHUB_REPOSITORY: repository = "" } = environment;
  const [file = ""] = workflow.slice(repository.length + 1).split("@");
  return file !== "" && workflow.startsWith(`${repository}/`) ? { file, line: 1 } : null;
}
