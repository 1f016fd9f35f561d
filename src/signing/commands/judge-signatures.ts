// Verifies the signatures of everything that svc can sign. The beginning of the input shows what it
// is.

import { usageError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { Facts } from "../../base/settings/check-rules.ts";
import type { Condition } from "../../base/settings/setting.ts";
import { type Input, readInput } from "../../command/read-input.ts";
import type { Shell } from "../../command/shell.ts";
import { PAYLOAD_SIGNATURE_KIND, readPayloadSignature } from "../../model/payload-signature.ts";

export interface SignatureJudgement {
  /** The transaction of a fee bump that the signature belongs to; null if there is only one. */
  readonly of: "inner" | "outer" | null;
  /** The strkey of the signer; null if it is unknown. */
  readonly signer: string | null;
  /** The last bytes of the key in hex; null if the signature comes with the complete key. */
  readonly hint: string | null;
  /** True if the signature is valid; null if that is unknown. */
  readonly holds: boolean | null;
}

export interface JudgeOptions {
  readonly networkPassphrase: string;
  /** Further addresses whose signatures to look for. */
  readonly accounts: readonly string[];
  /** The name of the payload file. */
  readonly payload: string | null;
}

/** The kind of the input, for rules between settings. */
export const ENVELOPE: Condition = { setting: "kind", is: ["envelope"], words: "an envelope" };
export const PAYLOAD_SIGNATURE: Condition = {
  setting: "kind",
  is: ["payload signature"],
  words: "the signature of a file",
};

const SHOWN_KINDS = {
  envelope: "an envelope",
  "payload signature": "the signature of a file",
  document: "a signed document",
} as const;

/**
 * Verifies the signatures. `known` is called with the kind of the input before anything is
 * verified. Throws what `known` throws, FILE_INVALID, FILE_UNREADABLE and, for a document,
 * SIGNATURE_INVALID.
 */
export async function judgeSignatures(
  shell: Shell,
  input: Input & { readonly text: string },
  options: JudgeOptions,
  known: (facts: Facts) => void,
): Promise<readonly SignatureJudgement[]> {
  const note = (kind: keyof typeof SHOWN_KINDS) =>
    known({ kind: { value: kind, shown: SHOWN_KINDS[kind] } });
  if (!input.text.startsWith("{")) {
    note("envelope");
    return judgeEnvelope(input, options);
  }
  const { readDocument, verifyDocument } = await import("../../sources/files/signed-document.ts");
  const document = readDocument(new TextDecoder().decode(input.bytes), input.name);
  if (document.kind === PAYLOAD_SIGNATURE_KIND) {
    note("payload signature");
    return [await judgePayload(shell, document, input.name, options.payload)];
  }
  note("document");
  const signers = verifyDocument(document, input.name);
  return signers.map((signer) => ({ of: null, signer, hint: null, holds: true }));
}

async function judgeEnvelope(
  { text, name }: { readonly text: string; readonly name: string },
  { networkPassphrase, accounts }: JudgeOptions,
): Promise<readonly SignatureJudgement[]> {
  const { openGivenEnvelope } = await import("../../debugger/run/open-given-envelope.ts");
  const { verifyEnvelope } = await import("../../debugger/sign/verify-envelope.ts");
  const envelope = openGivenEnvelope(text, networkPassphrase, name);
  const judged = verifyEnvelope(envelope, accounts);
  const bumped = judged.some(({ transaction }) => transaction === "inner");
  return judged.map(({ transaction, signer, hint, holds }) => ({
    of: bumped ? transaction : null,
    signer,
    hint,
    holds,
  }));
}

async function judgePayload(
  shell: Shell,
  document: unknown,
  name: string,
  payload: string | null,
): Promise<SignatureJudgement> {
  const made = readPayloadSignature(document, name);
  if (payload === null)
    throw usageError(
      `${name} is the signature of a file, but that file is missing.`,
      phrase`Pass the file with ${flag("payload")}.`,
    );
  const { verifyPayload } = await import("../../debugger/sign/verify-envelope.ts");
  const { bytes } = await readInput(shell, payload);
  return { of: null, signer: made.signer, hint: null, holds: verifyPayload(made, bytes) };
}
