// svc sign document: adds a signature to a capsule, or to a report that svc printed with --json.

import { jsonDocument } from "../../base/text/json-document.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, EXPECT_SIGNER } from "../../command/common-settings.ts";
import { readInput } from "../../command/read-input.ts";
import type { Shell } from "../../command/shell.ts";
import { TOKEN_SETTINGS } from "../token-settings.ts";
import { withSigner } from "./use-token.ts";

const SIGN_DOCUMENT = {
  document: {
    word: "one",
    required: true,
    help: "A capsule or a JSON report of svc: a file, or - for standard input.",
  },
  ...EXPECT_SIGNER,
  ...TOKEN_SETTINGS,
  ...COMMON,
} as const;

export const command = defineCommand(SIGN_DOCUMENT, signDocumentCommand);

async function signDocumentCommand(
  shell: Shell,
  args: Arguments<typeof SIGN_DOCUMENT>,
): Promise<number> {
  const { documentSha256, readDocument, signDocument, verifyDocument } = await import(
    "../../sources/files/signed-document.ts"
  );
  const { name, bytes } = await readInput(shell, args.document);
  const document = readDocument(new TextDecoder().decode(bytes), name);
  const before = verifyDocument(document, name);
  shell.log.info(
    `About to sign\n  document  ${name}\n  SHA-256   ${documentSha256(document)} (canonical)\n` +
      `  signers   ${before.join(", ") || "none yet"}\n`,
  );
  const signed = await withSigner(shell, args, (signer) => signDocument(document, signer));
  await shell.output.write(jsonDocument(signed, undefined, 1));
  return 0;
}
