// svc sign document: a capsule, or a report that svc printed with --json → the same document with
// one more signature.

import { type ArgsDef, defineCommand } from "citty";
import { jsonDocument } from "../../../base/text/json-document.ts";
import { COMMON_FLAGS } from "../../arguments/common-flags.ts";
import { EXPECT_SIGNER_FLAG } from "../../arguments/expected-signer.ts";
import { readInput } from "../../arguments/read-input.ts";
import { TOKEN_FLAGS, withSigner } from "../../arguments/token-flags.ts";
import type { Shell } from "../../shell.ts";

const ARGUMENTS = {
  document: {
    type: "positional",
    required: true,
    description: "A capsule or a JSON report of svc: a file, or - for standard input.",
  },
  ...EXPECT_SIGNER_FLAG,
  ...TOKEN_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function signDocumentCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "sign document" },
    args: ARGUMENTS,
    async run({ args }) {
      const { documentSha256, readDocument, signDocument, verifyDocument } = await import(
        "../../../sources/files/signed-document.ts"
      );
      const { name, bytes } = await readInput(shell, args.document);
      const document = readDocument(new TextDecoder().decode(bytes), name);
      const before = verifyDocument(document, name);
      shell.log.info(
        `To sign\n  document  ${name}\n  SHA-256   ${documentSha256(document)} (canonical)\n` +
          `  signers   ${before.join(", ") || "none yet"}\n`,
      );
      const signed = await withSigner(shell, args, (signer) => signDocument(document, signer));
      await shell.output.write(jsonDocument(signed, undefined, 1));
      return 0;
    },
  });
}
