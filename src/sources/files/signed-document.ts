// Capsules and reports with signatures. A signature covers a short statement with the SHA-256 of
// the document's canonical JSON without its signatures, so that spaces and the order of members do
// not matter. A statement is longer than a transaction's hash, so its signature can never be that
// of a transaction.

import * as v from "valibot";
import { utf8Bytes } from "../../base/bytes.ts";
import { isSignatureOf } from "../../base/ed25519.ts";
import { fileInvalid, parseJsonText, SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { isBase64 } from "../../base/text/base64.ts";
import { canonicalJson, type JsonValue } from "../../base/text/canonical-json.ts";
import { decodeAccountKey, isAccountAddress } from "../../base/text/strkey.ts";
import type { Signer } from "../../model/signing-view.ts";
import { sha256 } from "../../xdr/reader/hash.ts";

export type SvcDocument = { readonly [name: string]: JsonValue };

const documentSignatureSchema = v.strictObject({
  /** The signer's strkey (G…), which contains the public key. */
  signer: v.pipe(v.string(), v.check(isAccountAddress, "must be an account")),
  /** The Ed25519 signature in base64. */
  signature: v.pipe(v.string(), v.base64("must be base64"), v.length(88)),
});

export type DocumentSignature = v.InferOutput<typeof documentSignatureSchema>;

const MAXIMUM_SIGNATURES = 20;
export const documentSignaturesSchema = v.pipe(
  v.array(documentSignatureSchema),
  v.minLength(1),
  v.maxLength(MAXIMUM_SIGNATURES),
);

/** Reports and capsules of svc have a format. svc signs nothing else in this way. */
const documentSchema = v.looseObject({
  format: v.pipe(v.number(), v.integer()),
  signatures: v.optional(documentSignaturesSchema),
});

/** Reads a document. Throws FILE_INVALID. */
export function readDocument(text: string, name: string): SvcDocument {
  const document = parseJsonText(text, (why, cause) => notOurs(name, why, cause));
  const parsed = v.safeParse(documentSchema, document);
  if (parsed.success) return document as SvcDocument;
  const [issue] = parsed.issues;
  throw notOurs(name, `${v.getDotPath(issue) ?? "the document"}: ${issue.message}`);
}

/** The SHA-256 of the document without its signatures, in hex. */
export function documentSha256({ signatures: _signatures, ...document }: SvcDocument): string {
  return sha256(utf8Bytes(canonicalJson(document))).toHex();
}

/** The document with one more signature. The order of its members does not change. */
export function signDocument(document: SvcDocument, signer: Signer): SvcDocument {
  const signature = signer.sign(statementOf(document)).toBase64();
  const others = signaturesOf(document).filter((each) => each.signer !== signer.address);
  return { ...document, signatures: [...others, { signer: signer.address, signature }] };
}

/** The strkeys of the signers; empty if there are no signatures. Throws SIGNATURE_INVALID. */
export function verifyDocument(document: SvcDocument, name: string): string[] {
  const signatures = signaturesOf(document);
  if (signatures.length === 0) return [];
  const statement = statementOf(document);
  return signatures.map(({ signer, signature }) => {
    const publicKey = decodeAccountKey(signer);
    const bytes = signatureBytes(signature);
    if (publicKey !== null && isSignatureOf(publicKey, statement, bytes)) return signer;
    throw new SvcError("SIGNATURE_INVALID", {
      message: `The signature of ${signer} does not match ${name}: one of them was changed.`,
      remedy: "Do not trust the file. Get it again from the signer.",
      details: { file: name, signer },
    });
  });
}

/** The bytes of a signature; empty if it is not base64. */
function signatureBytes(signature: string): Uint8Array {
  return isBase64(signature) ? Uint8Array.fromBase64(signature) : new Uint8Array();
}

function statementOf(document: SvcDocument): Uint8Array {
  const text = `svc signed document 1\nSHA-256 ${documentSha256(document)}\n`;
  return utf8Bytes(text);
}

function signaturesOf({ signatures = [] }: SvcDocument): readonly DocumentSignature[] {
  return signatures as unknown as readonly DocumentSignature[];
}

function notOurs(name: string, why: string, cause?: unknown): SvcError {
  const remedy = phrase`Pass a capsule, or a report that svc printed with ${flag("json")}.`;
  return fileInvalid(name, `${name} is not a capsule or report of svc: ${why}.`, remedy, cause);
}
