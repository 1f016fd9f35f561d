// A capsule: one ChainRecord and the Snapshot it ran against, as a JSON file that can be debugged
// offline. Format 2. The provenance is kept as it was: a capsule proves no more than the run that
// wrote it.
// Invariant: the decoded content follows the model, and its envelope has the recorded hash.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { fieldProblems } from "../../base/errors/field-problems.ts";
import type { ChainRecord, LedgerFacts } from "../../model/chain-record.ts";
import type { Signer } from "../../model/signing-view.ts";
import type { Provenance, Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import { type Envelope, type OpenedRecord, openEnvelope } from "../../xdr/envelope/envelope.ts";
import { factsAfter, headerFacts } from "../../xdr/ledger/facts-before-upgrades.ts";
import { type LedgerHeaderFacts, readLedgerHeader } from "../../xdr/ledger/header.ts";
import { capsuleFlaw } from "./capsule-flaw.ts";
import {
  documentSha256,
  documentSignaturesSchema,
  type SvcDocument,
  signDocument,
  verifyDocument,
} from "./signed-document.ts";

export interface CapsuleContent extends OpenedRecord {
  /** Null when nothing ran in the contract host. */
  readonly snapshot: Snapshot | null;
  /** Strkeys of the signers; all signatures are valid. */
  readonly signers: readonly string[];
}

/** The network's limits keep a real capsule far below this. */
const MAXIMUM_CAPSULE_BYTES = 64 * 1024 * 1024;

const KIND = "svc-capsule";
const FORMAT = 2;
const MAXIMUM_ENTRIES = 2000;
const MAXIMUM_SETTINGS = 100;
const MAXIMUM_EVENTS = 10_000;
/** The place in a ledger has 20 bits in every Stellar id of an operation (SEP-35). */
const MAXIMUM_ORDER = 2 ** 20 - 1;

const sequence = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffffffff));
const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex characters"));
const xdr = v.pipe(
  v.string(),
  v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, "must be base64"),
);
const integerText = v.pipe(v.string(), v.regex(/^\d{1,20}$/, "must be a decimal number"));
const text = v.pipe(v.string(), v.maxLength(2000));

const ledger: v.GenericSchema<LedgerFacts> = v.strictObject({
  sequence,
  protocolVersion: sequence,
  closeTimeUnixSeconds: integerText,
  baseFeeStroops: sequence,
  baseReserveStroops: sequence,
  transactionSetHash: hash,
});

const chainRecordSchema = v.strictObject({
  requestedHash: hash,
  hash,
  innerHash: v.nullable(hash),
  networkPassphrase: text,
  envelopeXdr: xdr,
  resultXdr: xdr,
  resultMetaXdr: v.nullable(xdr),
  feeChangesXdr: v.nullable(xdr),
  refundChangesXdr: v.nullable(xdr),
  diagnosticEventsXdr: v.pipe(v.array(xdr), v.maxLength(MAXIMUM_EVENTS)),
  ledger,
  ledgerHeaderXdr: v.exactOptional(xdr),
  applicationOrder: v.pipe(sequence, v.minValue(1), v.maxValue(MAXIMUM_ORDER)),
  assumedFacts: v.exactOptional(v.pipe(v.array(text), v.maxLength(20))),
  origins: v.record(text, text),
});

const provenance: v.GenericSchema<Provenance> = v.strictObject({
  kind: v.picklist([
    "meta",
    "same-ledger",
    "rpc-unchanged",
    "ledger-scan",
    "code-file",
    "archive",
    "capsule",
    "assumed",
  ]),
  detail: text,
});

const entry: v.GenericSchema<SnapshotEntry> = v.strictObject({
  keyXdr: xdr,
  entryXdr: v.nullable(xdr),
  liveUntilLedger: v.nullable(sequence),
  archived: v.boolean(),
  codeCached: v.nullable(v.boolean()),
  maybeCached: v.exactOptional(v.literal(true)),
  maybeWithoutCosts: v.exactOptional(v.literal(true)),
  provenance,
  ttlProvenance: v.nullable(provenance),
  provisional: v.exactOptional(v.literal("ttl-unchanged")),
  restoredEarlier: v.exactOptional(v.literal(true)),
});

const snapshotSchema = v.strictObject({
  entries: v.pipe(v.array(entry), v.maxLength(MAXIMUM_ENTRIES)),
  settings: v.pipe(
    v.array(v.strictObject({ name: text, entryXdr: xdr, provenance })),
    v.maxLength(MAXIMUM_SETTINGS),
  ),
  rentFeePer1KbStroops: v.nullable(integerText),
  beyondFootprint: v.exactOptional(v.pipe(v.array(entry), v.maxLength(MAXIMUM_ENTRIES))),
  unknown: v.pipe(
    v.array(v.strictObject({ keyXdr: xdr, reason: text })),
    v.maxLength(MAXIMUM_ENTRIES),
  ),
});

const capsuleSchema = v.strictObject({
  kind: v.literal(KIND),
  format: v.literal(FORMAT),
  record: chainRecordSchema,
  snapshot: v.nullable(snapshotSchema),
  /** SHA-256 of the canonical JSON of all of this but checksum and signatures, hex. */
  checksum: hash,
  signatures: v.exactOptional(documentSignaturesSchema),
});

/** With a signature by `signer`, if given. Ends with a line break. */
export function encodeCapsule(
  record: ChainRecord,
  snapshot: Snapshot | null,
  signer: Signer | null = null,
): string {
  // As a reader will parse it: a member that is absent and one that is undefined are the same.
  const content = JSON.parse(JSON.stringify({ kind: KIND, format: FORMAT, record, snapshot }));
  const document = { ...content, checksum: documentSha256(content) };
  const signed = signer === null ? document : signDocument(document, signer);
  return `${JSON.stringify(signed, null, 1)}\n`;
}

/** `name` is for errors. Throws FILE_INVALID, and SIGNATURE_INVALID. */
export function decodeCapsule(content: string, name = "The file"): CapsuleContent {
  if (content.length > MAXIMUM_CAPSULE_BYTES) throw invalid(name, "it is too large");
  let document: unknown;
  try {
    document = JSON.parse(content);
  } catch (cause) {
    throw invalid(name, "it is not JSON", cause);
  }
  const format = (document as { format?: unknown } | null)?.format;
  if (typeof format === "number" && format !== FORMAT) {
    throw invalid(name, `its format is ${format}; this svc supports format ${FORMAT}`);
  }
  const parsed = v.safeParse(capsuleSchema, document);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const isOther = (document as { kind?: unknown } | null)?.kind !== KIND;
    throw invalid(
      name,
      isOther
        ? `it is JSON, but not of a capsule`
        : (fieldProblems(capsuleSchema, [issue])[0] ?? ""),
    );
  }
  const { record, snapshot } = parsed.output;
  const signers = verifyDocument(document as SvcDocument, name);
  checkSum(document as SvcDocument, name);
  const envelope = openChecked(record, name);
  checkHeader(record, name);
  const flaw = capsuleFlaw({ record, envelope }, snapshot);
  if (flaw !== null) throw invalid(name, flaw);
  return { record, envelope, snapshot, signers };
}

/** Finds damage. It protects from nobody who writes a checksum of their own: a signature does. */
function checkSum({ checksum, ...content }: SvcDocument, name: string): void {
  if (documentSha256(content) === checksum) return;
  throw invalid(name, "its checksum does not match its content, so it was changed or damaged");
}

/** The facts of the ledger are those of its header, but for what the ledger's upgrades changed. */
function checkHeader({ ledger, ledgerHeaderXdr, assumedFacts }: ChainRecord, name: string): void {
  if (ledgerHeaderXdr === undefined) {
    if (assumedFacts !== undefined) return;
    throw invalid(name, "it has no ledger header, and names no fact as assumed");
  }
  const header = readHeader(ledgerHeaderXdr, name);
  const facts = header.upgradeCount === 0 ? ledger : factsAfter(ledger, header);
  const fields = Object.keys(headerFacts(header)) as (keyof LedgerFacts)[];
  const different = fields.find((field) => facts[field] !== header[field]);
  if (different === undefined) return;
  throw invalid(name, `its ${different} is not that of its ledger header`);
}

function readHeader(ledgerHeaderXdr: string, name: string): LedgerHeaderFacts {
  try {
    return readLedgerHeader(ledgerHeaderXdr);
  } catch (cause) {
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
  return new SvcError("FILE_INVALID", {
    message: `${name} is not a capsule: ${why}.`,
    remedy:
      "Pass a file from `svc capture` or `--save`, or a page from `--format html`; copy all of it.",
    cause,
    details: { file: name },
  });
}
