// svc explain CODE: the catalogue's entry for an error code of svc.

import { defineCommand } from "citty";
import { nearestWord } from "../../base/errors/did-you-mean.ts";
import {
  CATALOGUE,
  type CatalogueEntry,
  type ErrorCode,
} from "../../base/errors/error-catalogue.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
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
      const code = knownCode(args.code);
      const entry: CatalogueEntry = CATALOGUE[code];
      await shell.output.write(
        shell.json
          ? jsonDocument({ format: 1, code, ...entry })
          : `${code} (exit code ${entry.exitCode}, HTTP status ${entry.httpStatus})\n\n` +
              `What it means: ${entry.summary}\nWhat to do:    ${entry.advice}\n` +
              (entry.httpAdvice === undefined ? "" : `Over HTTP:     ${entry.httpAdvice}\n`),
      );
      return 0;
    },
  });
}

function knownCode(text: string): ErrorCode {
  const code = text.toUpperCase();
  if (Object.hasOwn(CATALOGUE, code)) return code as ErrorCode;
  const codes = Object.keys(CATALOGUE);
  const near = nearestWord(code, codes);
  throw new SvcError("USAGE", {
    message: `There is no error code "${text}".`,
    remedy: near === null ? `The codes are ${codes.join(", ")}.` : `Did you mean ${near}?`,
  });
}
