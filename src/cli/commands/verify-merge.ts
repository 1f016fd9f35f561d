// svc verify merge: the results of all pieces → the document of one run over the whole.

import { type ArgsDef, defineCommand } from "citty";
import { counted } from "../../base/text/counted.ts";
import { VARIADIC } from "../arguments/check-arguments.ts";
import { COMMON_FLAGS } from "../arguments/common-flags.ts";
import { openResults } from "../open-results.ts";
import { exitCodeOfVerification } from "../present/exit-code.ts";
import { type Shell, textOptions } from "../shell.ts";

const FORMATS = ["text", "json", "markdown", "html"] as const;
/** As svc verify lists them. */
const LISTED = 20;
const LISTED_AT_MOST = 10_000;

const ARGUMENTS = {
  results: {
    type: "positional",
    required: true,
    valueHint: VARIADIC,
    description: "Directories and s3://bucket/prefix addresses with the results of the pieces.",
  },
  format: {
    type: "enum",
    options: [...FORMATS],
    valueHint: "NAME",
    description: "Report format (default: text). --json is the same as --format json.",
  },
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function verifyMergeCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "verify merge" },
    args: ARGUMENTS,
    async run({ args }) {
      const { mergePieces } = await import("../../debugger/shard/merge-pieces.ts");
      const { VERIFICATION_RENDERERS } = await import("../../report/renderers.ts");
      const format = shell.json ? "json" : (FORMATS.find((each) => each === args.format) ?? "text");
      const stores = await Promise.all(
        args._.map((word) => openResults(shell, word, { mustExist: true })),
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
    },
  });
}
