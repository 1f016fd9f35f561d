// A capsule: a ChainRecord and the Snapshot of its run, as a JSON file that can be debugged
// offline. The format is 3. Format 2 differs only in the kinds of provenance, and svc reads it too.
// The provenance in a capsule is that of the run that wrote it, and becomes a claim when svc reads
// it: only the proof that a capsule may carry shows what validators signed. Invariant: the decoded
// content follows the model, and its envelope has the recorded hash.

import * as v from "valibot";
import { fileInvalid, parseJsonText, type SvcError } from "../../base/errors/errors.ts";
import { checkDocument, noteFields } from "../../base/errors/field-problems.ts";
import { flag, phrase, svc } from "../../base/phrase.ts";
import { type ChainRecord, chainRecordSchema } from "../../model/chain-record.ts";
import { isLaterProtocol, isProtocolUnknown, protocolUnknown } from "../../model/protocols.ts";
import type { Signer } from "../../model/signing-view.ts";
import { type ArchiveExcerpt, type Snapshot, snapshotSchema } from "../../model/snapshot.ts";
import { type Envelope, openEnvelope } from "../../xdr/envelope/envelope.ts";
import { type OpenedRecord, openRecord } from "../../xdr/envelope/opened-record.ts";
import { differentFact, factsAfter } from "../../xdr/ledger/facts-before-upgrades.ts";
import { type LedgerHeaderFacts, readLedgerHeader } from "../../xdr/ledger/header.ts";
import { asClaim, asClaims, withoutClaims } from "./capsule-claims.ts";
import { capsuleProblems } from "./capsule-fields.ts";
import { capsuleFlaw } from "./capsule-flaw.ts";
import {
  documentSha256,
  documentSignaturesSchema,
  type SvcDocument,
  signDocument,
  verifyDocument,
} from "./signed-document.ts";

export interface CapsuleContent extends OpenedRecord {
  /** Null if nothing ran in the contract host. */
  readonly snapshot: Snapshot | null;
  /** The proof, which is not checked yet. */
  readonly proof?: ArchiveExcerpt;
  /** The strkeys of the signers. All signatures are valid. */
  readonly signers: readonly string[];
}

/** The network's limits keep a capsule far below this size. */
const MAXIMUM_CAPSULE_BYTES = 64 * 1024 * 1024;

const KIND = "svc-capsule";
const FORMAT = 3;
const FORMATS = [2, FORMAT] as const;
const capsuleSchema = v.strictObject({
  kind: v.literal(KIND),
  format: v.picklist(FORMATS),
  record: chainRecordSchema,
  snapshot: v.nullable(snapshotSchema),
  /** The SHA-256 of the canonical JSON of the other fields without the signatures, in hex. */
  checksum: v.string(),
  signatures: v.exactOptional(documentSignaturesSchema),
});

/** Encodes a capsule, with a signature by `signer` if there is one. Ends with a line break. */
export function encodeCapsule(
  record: ChainRecord,
  snapshot: Snapshot | null,
  signer: Signer | null = null,
): string {
  // A reader sees no difference between an absent and an undefined member.
  const { claimed: _, ...own } = record;
  const state = snapshot && withoutClaims(snapshot);
  const fields = { kind: KIND, format: FORMAT, record: own, snapshot: state };
  const content = JSON.parse(JSON.stringify(fields));
  const document = { ...content, checksum: documentSha256(content) };
  const signed = signer === null ? document : signDocument(document, signer);
  return `${JSON.stringify(signed, null, 1)}\n`;
}

/**
 * Decodes a capsule. `name` is for errors. Throws FILE_INVALID, SIGNATURE_INVALID, and
 * PROTOCOL_UNKNOWN.
 */
export function decodeCapsule(content: string, name = "The file"): CapsuleContent {
  try {
    return decodeWhole(content, name);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw noteFields(error, () => capsuleProblems(capsuleSchema, content));
  }
}

function decodeWhole(content: string, name: string): CapsuleContent {
  if (content.length > MAXIMUM_CAPSULE_BYTES) throw invalid(name, "it is too large");
  const document = parseJsonText(content, (why, cause) => notCapsule(name, why, cause));
  const { kind, format } = (document ?? {}) as { kind?: unknown; format?: unknown };
  if (kind !== KIND) throw notCapsule(name, "it is other JSON");
  if (typeof format === "number" && !(FORMATS as readonly number[]).includes(format)) {
    throw invalid(
      name,
      `its format is ${format}; this svc supports formats ${FORMATS.join(" and ")}`,
    );
  }
  const parsed = checkDocument(capsuleSchema, document, (why) => invalid(name, why), {
    isNoted: false,
  });
  const record = asClaim(parsed.record);
  const signers = verifyDocument(document as SvcDocument, name);
  checkSum(document as SvcDocument, name);
  const { protocolVersion, sequence } = record.ledger;
  if (isLaterProtocol(protocolVersion))
    throw protocolUnknown({ protocolVersion, ledger: sequence });
  const opened = openRecord(record, openChecked(record, name));
  checkHeader(record, name);
  const flaw = capsuleFlaw(opened, parsed.snapshot);
  if (flaw !== null) throw invalid(name, flaw);
  const snapshot = parsed.snapshot && asClaims(parsed.snapshot, opened.chain.meta);
  const proof = parsed.snapshot?.proof;
  return { ...opened, snapshot, ...(proof && { proof }), signers };
}

/**
 * Checks the checksum, which finds damage. Anybody can write a new checksum; only a signature
 * protects from that.
 */
function checkSum({ checksum, ...content }: SvcDocument, name: string): void {
  if (documentSha256(content) === checksum) return;
  throw invalid(name, "its checksum does not match its content, so it was changed or damaged");
}

/**
 * The facts of the ledger must be those of its header, except for the changes of the ledger's
 * upgrades.
 */
function checkHeader({ ledger, ledgerHeaderXdr, assumedFacts }: ChainRecord, name: string): void {
  if (ledgerHeaderXdr === undefined) {
    if (assumedFacts !== undefined) return;
    throw invalid(name, "it has no ledger header, and names no fact as assumed");
  }
  const header = readHeader(ledgerHeaderXdr, name);
  const facts = header.upgradeCount === 0 ? ledger : factsAfter(ledger, header);
  const different = differentFact(facts, header);
  if (different === null) return;
  throw invalid(name, `its ${different} is not that of its ledger header`);
}

function readHeader(ledgerHeaderXdr: string, name: string): LedgerHeaderFacts {
  try {
    return readLedgerHeader(ledgerHeaderXdr);
  } catch (cause) {
    if (isProtocolUnknown(cause)) throw cause;
    throw invalid(name, "its ledger header cannot be decoded", cause);
  }
}

function openChecked(record: ChainRecord, name: string): Envelope {
  let envelope: Envelope;
  try {
    envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase);
  } catch (cause) {
    throw invalid(name, "its envelope cannot be decoded", cause);
  }
  const { requestedHash } = record;
  const { hash, innerHash } = envelope;
  const named = requestedHash === hash || requestedHash === innerHash;
  if (hash === record.hash && innerHash === record.innerHash && named) return envelope;
  const other = named ? record.hash : requestedHash;
  throw invalid(name, `its envelope has the hash ${hash}, not ${other}`);
}

function invalid(name: string, why: string, cause?: unknown): SvcError {
  const remedy = phrase`Create it again with ${svc("capture <hash>")}, which fetches every entry at the transaction's ledger, and copy the complete file.`;
  return fileInvalid(name, `${name} is not a valid capsule: ${why}.`, remedy, cause);
}

function notCapsule(name: string, why: string, cause?: unknown): SvcError {
  const remedy = phrase`Pass a file from ${svc("capture")} or ${flag("save")}, or a page from ${flag("format", "html")}.`;
  return fileInvalid(name, `${name} is not a capsule: ${why}.`, remedy, cause);
}
