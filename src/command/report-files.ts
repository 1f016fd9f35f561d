// Further reports of a command, each written to a file: `--report junit=svc.xml`.

import { basename, dirname, resolve } from "node:path";
import * as v from "valibot";
import { usageError } from "../base/errors/errors.ts";
import { writeOutputFile } from "../base/files/write-file.ts";
import { flag, phrase } from "../base/phrase.ts";
import type { Condition } from "../base/settings/setting.ts";
import type { Shell } from "./shell.ts";

export interface ReportFile<Format extends string = string> {
  readonly format: Format;
  /** The path as the user wrote it. */
  readonly file: string;
}

/** Returns the row of the flag for a command that has these formats. */
export function reportSetting<const Format extends string>(formats: readonly Format[]) {
  return {
    hint: "FORMAT=FILE",
    repeats: true,
    schema: v.pipe(
      v.string(),
      v.transform((written) => {
        const equals = Math.max(0, written.indexOf("="));
        return { format: written.slice(0, equals), file: written.slice(equals + 1) };
      }),
      v.object({
        format: v.picklist(formats, `needs one of ${formats.join(", ")} before =`),
        file: v.pipe(v.string(), v.nonEmpty("needs a file after =")),
      }),
    ),
    help: "Also write a report to FILE, for example junit=svc.xml. Can be repeated.",
  } as const;
}

/** The condition that a report of this format is written to a file. */
export function reportFileOf(format: string): Condition {
  return { setting: "report", part: "format", is: [format], words: `--report ${format}=FILE` };
}

/** Throws USAGE if two reports have one file, because the second would replace the first. */
export function refuseSameFile({ facts }: Shell, reports: readonly ReportFile[]): void {
  const files = reports.map(({ file }) => resolve(facts.workingDirectory, file));
  const again = reports.find((_, index) => files.indexOf(files[index] ?? "") !== index);
  if (again !== undefined)
    throw usageError(
      `Two reports go to ${again.file}.`,
      phrase`Use a different file for each ${flag("report")}.`,
    );
}

/**
 * Writes a report to its file, which is complete or unchanged. Throws OUTPUT_UNWRITABLE with the
 * name of the file.
 */
export async function writeReportFile(
  shell: Shell,
  { format, file }: ReportFile,
  text: string,
): Promise<void> {
  const path = resolve(shell.facts.workingDirectory, file);
  await writeOutputFile(dirname(path), basename(path), text, shell);
  shell.log.info(`Wrote the ${format} report to ${file}.`);
}
