// The signatures of whatever svc can sign, told apart by how it begins.

import { SvcError } from "../../base/errors/errors.ts";
import { PAYLOAD_SIGNATURE_KIND, readPayloadSignature } from "../../model/payload-signature.ts";
import { type Input, readInput } from "../arguments/read-input.ts";
import type { Shell } from "../shell.ts";

export interface SignatureJudgement {
  /** Of what, where that is a question: `inner` or `outer` transaction. */
  readonly of: "inner" | "outer" | null;
  /** Strkey; null when it is not known who. */
  readonly signer: string | null;
  /** Hex, the last bytes of the key; null where the whole key stands beside the signature. */
  readonly hint: string | null;
  /** Null: not known. */
  readonly holds: boolean | null;
}

export interface JudgedBeside {
  readonly networkPassphrase: string;
  /** Further addresses whose signatures to look for. */
  readonly accounts: readonly string[];
  /** A file's name. */
  readonly payload: string | undefined;
}

/** Throws FILE_INVALID, FILE_UNREADABLE and, for a document, SIGNATURE_INVALID. */
export async function judgeSignatures(
  shell: Shell,
  input: Input & { readonly text: string },
  beside: JudgedBeside,
): Promise<readonly SignatureJudgement[]> {
  if (!input.text.startsWith("{")) return judgeEnvelope(input, beside);
  const { readDocument, verifyDocument } = await import("../../sources/files/signed-document.ts");
  const document = readDocument(new TextDecoder().decode(input.bytes), input.name);
  if (document.kind === PAYLOAD_SIGNATURE_KIND)
    return [await judgePayload(shell, document, input.name, beside.payload)];
  const signers = verifyDocument(document, input.name);
  return signers.map((signer) => ({ of: null, signer, hint: null, holds: true }));
}

async function judgeEnvelope(
  { text, name }: { readonly text: string; readonly name: string },
  { networkPassphrase, accounts }: JudgedBeside,
): Promise<readonly SignatureJudgement[]> {
  const { checkEnvelope } = await import("../../debugger/sign/sign-envelope.ts");
  const { verifyEnvelope } = await import("../../debugger/sign/verify-envelope.ts");
  checkEnvelope(text, networkPassphrase, name);
  const judged = verifyEnvelope(text, networkPassphrase, accounts);
  const bumped = judged.some(({ transaction }) => transaction === "inner");
  return judged.map(({ transaction, ...signature }) => ({
    of: bumped ? transaction : null,
    ...signature,
  }));
}

async function judgePayload(
  shell: Shell,
  document: unknown,
  name: string,
  payload: string | undefined,
): Promise<SignatureJudgement> {
  const made = readPayloadSignature(document, name);
  if (payload === undefined)
    throw new SvcError("USAGE", {
      message: `${name} is the signature of a file, and the file is not given.`,
      remedy: "Give it with --payload.",
    });
  const { verifyPayload } = await import("../../debugger/sign/verify-payload.ts");
  const { bytes } = await readInput(shell, payload);
  return { of: null, signer: made.signer, hint: null, holds: verifyPayload(made, bytes) };
}
