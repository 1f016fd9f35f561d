// svc explain CODE: the catalogue's entry for an error code of svc.

import { defineCommand } from "citty";
import { explainCode } from "../../base/errors/explain-code.ts";
import { COMMON_FLAGS } from "../arguments/common-flags.ts";
import type { Shell } from "../shell.ts";

export function explainCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "explain" },
    args: {
      code: {
        type: "positional",
        required: true,
        description: "An error code, such as TRANSACTION_NOT_FOUND.",
      },
      ...COMMON_FLAGS,
    },
    async run({ args }) {
      const { code, ...entry } = explainCode(args.code);
      await shell.output.write(
        shell.json
          ? `${JSON.stringify({ format: 1, code, ...entry }, null, 2)}\n`
          : `${code} (exit code ${entry.exitCode}, HTTP status ${entry.httpStatus})\n\n` +
              `What it means: ${entry.summary}\nWhat to do:    ${entry.advice}\n` +
              (entry.httpAdvice === undefined ? "" : `Over HTTP:     ${entry.httpAdvice}\n`),
      );
      return 0;
    },
  });
}
