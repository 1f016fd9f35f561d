// svc completion SHELL: the completion of svc's command line, as a script for the shell. It is
// generated from the commands of this svc, so it always fits.

import { defineCommand } from "citty";
import { COMMON_FLAGS } from "../arguments/common-flags.ts";
import { readCommandLine } from "../command-line.ts";
import { COMPLETED_SHELLS, type CompletedShell, renderCompletion } from "../present/completions.ts";
import type { Shell } from "../shell.ts";

export function completionCommand(svc: Shell) {
  return defineCommand({
    meta: { name: "completion" },
    args: {
      shell: {
        type: "positional",
        required: true,
        valueHint: COMPLETED_SHELLS.join("|"),
        description: "The shell that reads the script.",
      },
      ...COMMON_FLAGS,
    },
    async run({ args }) {
      // The strict check of the command line accepts only these words.
      const shell = args.shell as CompletedShell;
      const script = renderCompletion(shell, await readCommandLine());
      await svc.output.write(
        svc.json ? `${JSON.stringify({ format: 1, shell, script }, null, 2)}\n` : script,
      );
      return 0;
    },
  });
}
