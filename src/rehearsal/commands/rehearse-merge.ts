// svc rehearse merge: merges the results of all pieces into the document that one run over the
// whole range gives.

import * as v from "valibot";
import type { Settings } from "../../base/settings/setting.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, verbose } from "../../command/common-settings.ts";
import { openResults } from "../../command/open-results.ts";
import { refuseSameFile, reportSetting } from "../../command/report-files.ts";
import type { Shell } from "../../command/shell.ts";
import { parseRehearsalConditions } from "../fail-on.ts";
import { exitCodeOfRehearsal, FAIL_ON, FORMATS, report } from "./rehearse.ts";

const REHEARSE_MERGE = {
  results: {
    word: "many",
    required: true,
    help: "Directories and s3://bucket/prefix addresses with the results of the pieces.",
  },
  format: {
    group: "Output",
    hint: "FORMAT",
    schema: v.picklist(FORMATS),
    otherwise: "text",
    help: "Report format. --json is the same as --format json.",
  },
  report: { group: "Output", ...reportSetting(FORMATS) },
  failOn: FAIL_ON,
  ...COMMON,
  ...verbose("Show progress, and every difference of the interfaces."),
  json: {
    ...COMMON.json,
    notWith: [{ setting: "format", not: ["json"], words: "another --format" }],
  },
} as const satisfies Settings;

export const command = defineCommand(REHEARSE_MERGE, rehearseMergeCommand);

async function rehearseMergeCommand(
  shell: Shell,
  args: Arguments<typeof REHEARSE_MERGE>,
): Promise<number> {
  refuseSameFile(shell, args.report);
  const conditions = args.failOn === null ? [] : parseRehearsalConditions(args.failOn);
  const { mergeRehearsals, readPiecesOf } = await import("../rehearsal-piece.ts");
  const stores = await Promise.all(
    args.results.map((word) => openResults(shell, word, { mustExist: true })),
  );
  const pieces = await readPiecesOf(stores);
  const rehearsal = mergeRehearsals(pieces);
  const { job, network = "" } = pieces[0] ?? {};
  const reports = { ...args, network, archive: job?.archive ?? false };
  await report(shell, reports, rehearsal, conditions);
  return exitCodeOfRehearsal(shell, rehearsal, conditions);
}
