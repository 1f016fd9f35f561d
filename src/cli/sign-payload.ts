// svc sign --payload: signs any bytes, except bytes that could be a transaction's hash.

import { createHash } from "node:crypto";
import { SvcError } from "../base/errors/errors.ts";
import { jsonDocument } from "../base/text/json-document.ts";
import { PAYLOAD_SIGNATURE_KIND, type PayloadSignature } from "../model/payload-signature.ts";
import { readInput } from "./arguments/read-input.ts";
import { withSigner } from "./arguments/use-token.ts";
import type { Shell } from "./shell.ts";

/** A signature for this many bytes may be the signature of a transaction that svc did not show. */
const HASH_LENGTH = 32;

/** Returns the exit code. */
export async function signPayload(
  shell: Shell,
  args: Parameters<typeof withSigner>[1],
  file: string,
): Promise<number> {
  const { name, bytes } = await readInput(shell, file);
  if (bytes.length === HASH_LENGTH)
    throw new SvcError("FILE_INVALID", {
      message: `${name} has exactly ${HASH_LENGTH} bytes, so it may be the hash of a transaction.`,
      remedy: "Sign the transaction's envelope instead: svc shows it before it signs.",
    });
  const payloadSha256 = createHash("sha256").update(bytes).digest("hex");
  shell.log.info(
    `To sign\n  file     ${name}\n  bytes    ${bytes.length}\n  SHA-256  ${payloadSha256}\n`,
  );
  const document = await withSigner(
    shell,
    args,
    (signer): PayloadSignature => ({
      kind: PAYLOAD_SIGNATURE_KIND,
      format: 1,
      payloadBytes: bytes.length,
      payloadSha256,
      publicKey: Buffer.from(signer.publicKey).toString("hex"),
      signer: signer.address,
      signature: Buffer.from(signer.sign(bytes)).toString("base64"),
    }),
  );
  await shell.output.write(jsonDocument(document));
  return 0;
}
