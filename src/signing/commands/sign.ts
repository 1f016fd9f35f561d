// svc sign: adds a signature to an envelope, or signs a file.

import { createHash } from "node:crypto";
import { systemClock } from "../../base/clock.ts";
import { SvcError, usageError } from "../../base/errors/errors.ts";
import { phrase, svc } from "../../base/phrase.ts";
import { withRules } from "../../base/settings/check-rules.ts";
import { counted } from "../../base/text/counted.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { readBase64Input, readInput } from "../../command/read-input.ts";
import { type Shell, withTimeLimit } from "../../command/shell.ts";
import { PAYLOAD_SIGNATURE_KIND, type PayloadSignature } from "../../model/payload-signature.ts";
import { configOf } from "../../sources/network-settings.ts";
import { calledContracts, SIGNING } from "./called-contracts.ts";
import { withSigner } from "./use-token.ts";

/** These settings are for the calls and the network of an envelope. */
const { network, networkPassphrase, rpcUrl, from, offline } = SIGNING;

const SIGN = {
  envelope: {
    word: "one",
    help: "TransactionEnvelope in base64, a file that contains it, or - for standard input.",
  },
  payload: { hint: "FILE", help: "Sign the bytes of this file instead of an envelope." },
  ...SIGNING,
  ...withRules({ notWith: ["payload"] }, { network, networkPassphrase, rpcUrl, from, offline }),
} as const;

export const command = defineCommand(SIGN, signCommand, {
  examples: [["tx.xdr --module /usr/lib/softhsm/libsofthsm2.so", "Prints the signed envelope."]],
});

async function signCommand(shell: Shell, args: Arguments<typeof SIGN>): Promise<number> {
  const { envelope, payload } = args;
  if (payload !== null && envelope === null) return signPayload(shell, args, payload);
  if (payload === null && envelope !== null) return signGiven(shell, args, envelope);
  throw usageError(
    "svc sign needs either an envelope or --payload.",
    phrase`Run ${svc("sign <envelope>")} or ${svc("sign --payload FILE")}.`,
  );
}

async function signGiven(shell: Shell, args: Arguments<typeof SIGN>, word: string) {
  const { openGivenEnvelope } = await import("../../debugger/run/open-given-envelope.ts");
  const { signEnvelope } = await import("../../debugger/sign/sign-envelope.ts");
  const { expiredAt } = await import("../../debugger/sign/sign-envelope.ts");
  const { viewEnvelope } = await import("../../debugger/sign/view-envelope.ts");
  const { signingDocument } = await import("../../report/document/signing-view.ts");
  const { drawText } = await import("../../report/text/draw.ts");
  const config = configOf(args);
  const { name, text } = await readBase64Input(withTimeLimit(shell, config), word);
  const { networkPassphrase } = config;
  const envelope = openGivenEnvelope(text, networkPassphrase, name);
  const contracts = await calledContracts(shell, args, config, envelope);
  // One opened envelope is shown and signed.
  const shown = viewEnvelope(envelope, contracts);
  const { columns } = shell.facts.stderr();
  shell.log.info(drawText(signingDocument(shown, config.network), { color: false, columns }));
  const invalid = shown.signatures.filter(({ holds }) => holds === false).length;
  if (invalid > 0)
    shell.log.warn(
      `${counted(invalid, "signature")} in the envelope ${invalid === 1 ? "is" : "are"} not valid on ` +
        "this network. The network refuses a transaction with an invalid signature. Check " +
        "`--network`, or remove the invalid signatures.",
    );
  const expired = expiredAt(envelope, systemClock.unixMilliseconds());
  if (expired !== null)
    shell.log.warn(
      `The time bounds of the transaction passed at ${expired}: the network will refuse it. ` +
        "Build it again with later time bounds.",
    );
  const signed = await withSigner(shell, args, (signer) => ({
    signer: signer.address,
    ...signEnvelope(envelope, signer),
  }));
  if (!signed.added)
    shell.log.info(`The envelope already has a signature by ${signed.signer}; nothing was added.`);
  else shell.log.info(`Signed by ${signed.signer}.`);
  if (!signed.named)
    shell.log.warn(
      `${signed.signer} is not an account in the transaction. Its signature counts only if it is ` +
        "an additional signer of one of those accounts.",
    );
  const { signer, added, envelopeXdr } = signed;
  const document = {
    format: 1,
    hash: envelope.hash,
    networkPassphrase,
    signer,
    added,
    envelopeXdr,
  };
  await shell.output.write(shell.json ? jsonDocument(document) : `${envelopeXdr}\n`);
  return 0;
}

/** A signature for this many bytes may be the signature of a transaction that svc did not show. */
const HASH_LENGTH = 32;

/** Signs the payload. Returns the exit code. */
async function signPayload(
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
    `About to sign\n  file     ${name}\n  bytes    ${bytes.length}\n  SHA-256  ${payloadSha256}\n`,
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
