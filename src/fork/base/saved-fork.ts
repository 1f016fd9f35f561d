// A fork as a file: what its base had of all that was read, and what the fork changed since. With
// it, no node is needed; one may be asked for what was never read.

import * as v from "valibot";
import { fileInvalid, parseJson, type SvcError } from "../../base/errors/errors.ts";
import { checkDocument } from "../../base/errors/field-problems.ts";
import { hash, integerText, text, xdr } from "../../model/chain-record.ts";
import { provenanceSchema } from "../../model/provenance.ts";
import { type Parsed, uint32 } from "../../model/wire.ts";
import { entryFlaw, failureOf } from "../../sources/files/capsule-flaw.ts";
import { settingName } from "../../xdr/reader/keys.ts";
import { decode } from "../../xdr/reader/value.ts";
import {
  type Followed,
  type ForkBase,
  type ForkEntry,
  type ForkOverlay,
  keptEntry,
  overlaySchema,
} from "../ledger/chain.ts";
import type { EntriesAt } from "./node-entries.ts";
import { keeping, type OpenedBase } from "./opened-base.ts";

const KIND = "svc-fork";
const FORMAT = 1;
const savedSchema = v.strictObject({
  kind: v.literal(KIND),
  format: v.literal(FORMAT),
  name: text,
  /** The fork's own passphrase; null: that of its network. */
  passphrase: v.nullable(text),
  base: v.strictObject({
    networkPassphrase: text,
    headerXdr: xdr,
    ledgerHash: hash,
    settingsXdr: v.array(xdr),
    rentFeePer1KbStroops: v.nullable(integerText),
    entries: v.array(v.strictObject({ ...keptEntry, provenance: v.nullable(provenanceSchema) })),
  }),
  overlay: overlaySchema,
  /** The last ledger of the network that the fork has followed. */
  followed: v.optional(v.nullable(v.strictObject({ sequence: uint32, hash })), null),
});

const ABSENT = { entryXdr: null, liveUntilLedger: null, archived: false, provenance: null };

/** Ends with a line break. */
export function encodeFork(
  { base, name, read }: OpenedBase,
  { overlay, followed }: { readonly overlay: ForkOverlay; readonly followed: Followed | null },
  networkPassphrase: string,
): string {
  const { headerXdr, ledgerHash, settingsXdr, rentFeePer1KbStroops } = base;
  const saved: Parsed<typeof savedSchema> = {
    kind: KIND,
    format: FORMAT,
    name,
    passphrase: networkPassphrase === base.networkPassphrase ? null : networkPassphrase,
    base: {
      networkPassphrase: base.networkPassphrase,
      ...{ headerXdr, ledgerHash, rentFeePer1KbStroops },
      settingsXdr: [...settingsXdr],
      entries: [...read].map(([keyXdr, entry]) => ({ keyXdr, ...(entry ?? ABSENT) })),
    },
    ...{ overlay, followed: followed && { ...followed } },
  };
  return `${JSON.stringify(saved)}\n`;
}

/** A file that a fork goes on with. */
export interface ForkFile {
  readonly name: string;
  readonly text: string;
  /** It may be a capsule, or a page with one. */
  readonly mayBeCapsule?: boolean;
}

/** Throws FILE_INVALID for every other file. */
export function checkKind({ name, text: content, mayBeCapsule = false }: ForkFile) {
  const kind = kindOf(content);
  if (kind === FORK) return "fork";
  if (mayBeCapsule && (kind === "a capsule" || kind === "a page")) return "capsule";
  const [capsule, from] = mayBeCapsule ? [" or a capsule", ", or a capsule of `svc capture`"] : [];
  throw fileInvalid(
    name,
    `${name} is not ${FORK}${capsule ?? ""}: it is ${kind}.`,
    `Pass a file that \`svc fork save\` or \`svc fork --state\` has written${from ?? ""}.`,
  );
}

const FORK = "a saved fork";
const BEGINS = new RegExp(`^\\s*{\\s*"kind"\\s*:\\s*"${KIND}"`);

function kindOf(content: string): string {
  const head = content.slice(0, 100);
  if (BEGINS.test(head)) return FORK;
  if (/^\s*<!doctype html>/i.test(head)) return "a page";
  if (content.trim() === "") return "empty";
  let document: { readonly kind?: unknown };
  try {
    document = Object(JSON.parse(content));
  } catch {
    return "not JSON";
  }
  if (document.kind === KIND) return FORK;
  if (document.kind === "svc-capsule") return "a capsule";
  return "ledger_entries" in document
    ? "a snapshot for soroban-sdk, as `svc fork snapshot` writes it"
    : "other JSON";
}

/** The ledger that was forked, and the last one that the fork followed. */
export interface SavedLedger extends Followed {
  readonly networkPassphrase: string;
  readonly followed: Followed | null;
}

/** `entriesOf`: for what was never read; null: no node. Throws FILE_INVALID, and what it throws. */
export async function openSavedFork(
  content: string,
  file: string,
  entriesOf: (of: SavedLedger) => Promise<EntriesAt | null>,
): Promise<OpenedBase> {
  const { name, passphrase, base: saved, overlay, followed } = parse(content, file);
  const { entries, ...facts } = saved;
  const sequence = decode("LedgerHeader", facts.headerXdr).ledgerSeq;
  const read = new Map<string, ForkEntry | null>();
  for (const { keyXdr, entryXdr, ...entry } of entries)
    read.set(keyXdr, entryXdr === null ? null : { entryXdr, ...entry });
  const more = await entriesOf({ ...facts, sequence, hash: facts.ledgerHash, followed });
  const base: ForkBase = { ...facts, entries: more ?? (async () => new Map()) };
  return { base: keeping(base, read), name, first: null, followed, overlay, passphrase, read };
}

function parse(content: string, file: string): v.InferOutput<typeof savedSchema> {
  const refuse = (why: string, cause?: unknown) => invalid(file, why, cause);
  const saved = checkDocument(savedSchema, parseJson(content, refuse), refuse);
  const flaw = flawOf(saved);
  if (flaw !== null) throw refuse(flaw);
  return saved;
}

/** The first flaw, which would otherwise show much later, when a transaction needs what has it. */
function flawOf({ base, overlay }: v.InferOutput<typeof savedSchema>): string | null {
  for (const [of, { headerXdr }] of Object.entries({ base, overlay })) {
    const why = failureOf(() => decode("LedgerHeader", headerXdr));
    if (why !== null) return `${of}.headerXdr is not the header of a ledger (${why})`;
  }
  for (const [index, settingXdr] of base.settingsXdr.entries()) {
    const why = failureOf(() => settingName(settingXdr));
    if (why !== null) return `base.settingsXdr[${index}] is not a setting (${why})`;
  }
  for (const entry of [...base.entries, ...overlay.entries]) {
    const flaw = entryFlaw(entry);
    if (flaw !== null) return flaw;
  }
  return null;
}

function invalid(file: string, why: string, cause?: unknown): SvcError {
  const remedy = "Pass a file that `svc fork save` or `svc fork --state` has written.";
  return fileInvalid(file, `${file} is not a valid saved fork: ${why}.`, remedy, cause);
}
