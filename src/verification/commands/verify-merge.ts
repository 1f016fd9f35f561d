// svc verify merge: merges the results of all pieces into the document that one run over the whole
// range would give.

import * as v from "valibot";
import type { Settings } from "../../base/settings/setting.ts";
import { counted } from "../../base/text/counted.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, verbose } from "../../command/common-settings.ts";
import { exitCodeOfVerification } from "../../command/exit-code.ts";
import { openResults } from "../../command/open-results.ts";
import { type Shell, textOptions } from "../../command/shell.ts";

/** svc verify lists this many too. */
const LISTED = 20;
const LISTED_AT_MOST = 10_000;

const VERIFY_MERGE = {
  results: {
    word: "many",
    required: true,
    help: "Directories and s3://bucket/prefix addresses with the results of the pieces.",
  },
  format: {
    hint: "NAME",
    schema: v.picklist(["text", "json", "markdown", "html"]),
    otherwise: "text",
    help: "Report format. --json is the same as --format json.",
  },
  ...COMMON,
  ...verbose("Show progress, and list every transaction that is not exact."),
  json: {
    ...COMMON.json,
    group: "Output",
    notWith: [{ setting: "format", not: ["json"], words: "another --format" }],
  },
} as const satisfies Settings;

export const command = defineCommand(VERIFY_MERGE, verifyMergeCommand);

async function verifyMergeCommand(
  shell: Shell,
  args: Arguments<typeof VERIFY_MERGE>,
): Promise<number> {
  const { mergePieces } = await import("../pieces/merge-pieces.ts");
  const { VERIFICATION_RENDERERS } = await import("../../report/renderers.ts");
  const format = shell.json ? "json" : (args.format ?? "text");
  const stores = await Promise.all(
    args.results.map((word) => openResults(shell, word, { mustExist: true })),
  );
  const keep = format === "json" || shell.verbose ? LISTED_AT_MOST : LISTED;
  const { verification, job, nodes, withoutHistory } = await mergePieces(stores, keep);
  for (const { shard, transactions } of withoutHistory) {
    shell.log.warn(
      `Piece ${shard} of ${job.shards}: ${counted(transactions, "transaction")} not exact, and an input ` +
        "from before the piece is unknown. A longer --warm-up or an RPC node may decide them.",
    );
  }
  const render = VERIFICATION_RENDERERS[format];
  await shell.output.write(await render(verification, { ...textOptions(shell), nodes }));
  return exitCodeOfVerification(verification);
}
