// svc hsm test: signs a challenge and verifies the signature. Only this proves that settings, PIN,
// key and module work together.

import { randomBytes } from "node:crypto";
import { isSignatureOf } from "../../base/ed25519.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { durationInWords } from "../../base/text/time.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, EXPECT_SIGNER } from "../../command/common-settings.ts";
import type { Shell } from "../../command/shell.ts";
import { TOKEN_SETTINGS } from "../token-settings.ts";
import { withSigner } from "./use-token.ts";

/**
 * The text comes before the random bytes, so that the message can never be a transaction's hash.
 */
const CHALLENGE = "svc hsm test, a challenge that authorizes nothing: ";
const RANDOM_BYTES = 32;

const HSM_TEST = { ...EXPECT_SIGNER, ...TOKEN_SETTINGS, ...COMMON } as const;

export const command = defineCommand(HSM_TEST, hsmTestCommand);

async function hsmTestCommand(shell: Shell, args: Arguments<typeof HSM_TEST>): Promise<number> {
  const challenge = Buffer.concat([Buffer.from(CHALLENGE), randomBytes(RANDOM_BYTES)]);
  const result = await withSigner(shell, args, (signer) => {
    const start = performance.now();
    const signature = signer.sign(challenge);
    return {
      signer: signer.address,
      verified: isSignatureOf(signer.publicKey, challenge, signature),
      milliseconds: Math.round((performance.now() - start) * 10) / 10,
    };
  });
  const { signer, milliseconds } = result;
  await shell.output.write(
    shell.json
      ? jsonDocument({ format: 1, ...result })
      : `${signer} signed a random challenge in ${durationInWords(milliseconds)}. The signature is valid.\n`,
  );
  return 0;
}
