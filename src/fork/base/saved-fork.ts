// A fork as a file: everything that was read from its base, and the changes of the fork. With it,
// no node is needed, except for entries that were never read. The file of a running fork has
// further lines, each with what one change of the fork added.

import * as v from "valibot";
import { fileInvalid, parseJsonText, SvcError } from "../../base/errors/errors.ts";
import { checkDocument } from "../../base/errors/field-problems.ts";
import { excessOfJson } from "../../base/json-bounds.ts";
import { phrase, svc } from "../../base/phrase.ts";
import { type Parsed, uint32 } from "../../base/wire.ts";
import { boundedText, hash, integerText, xdr } from "../../model/chain-record.ts";
import { provenanceSchema } from "../../model/provenance.ts";
import { entryFlaw, whyUndecodable } from "../../sources/files/capsule-flaw.ts";
import { settingName } from "../../xdr/reader/keys.ts";
import { decode } from "../../xdr/reader/value.ts";
import {
  type Followed,
  type ForkBase,
  type ForkOverlay,
  keptEntry,
  type OverlayChanges,
  overlayChangesSchema,
  overlaySchema,
} from "../ledger/chain.ts";
import type { EntriesAt } from "./node-entries.ts";
import { type OpenedBase, ReadEntries, withKeptAnswers } from "./opened-base.ts";

const KIND = "svc-fork";
const CHANGES_KIND = "svc-fork-changes";
const FORMAT = 1;
const readEntry = v.strictObject({ ...keptEntry, provenance: v.nullable(provenanceSchema) });
/** The last ledger of the network that the fork has followed. */
const followed = v.optional(v.nullable(v.strictObject({ sequence: uint32, hash })), null);
const savedSchema = v.strictObject({
  kind: v.literal(KIND),
  format: v.literal(FORMAT),
  name: boundedText,
  /** The fork's own passphrase; null for that of its network. */
  passphrase: v.nullable(boundedText),
  base: v.strictObject({
    networkPassphrase: boundedText,
    headerXdr: xdr,
    ledgerHash: hash,
    settingsXdr: v.array(xdr),
    rentFeePer1KbStroops: v.nullable(integerText),
    entries: v.array(readEntry),
  }),
  overlay: overlaySchema,
  followed,
});

/** A line after the first: what was read and changed since the line before. */
const changesSchema = v.strictObject({
  kind: v.literal(CHANGES_KIND),
  read: v.array(readEntry),
  overlay: overlayChangesSchema,
  followed,
});

const ABSENT = { entryXdr: null, liveUntilLedger: null, archived: false, provenance: null };

/** The saved parts of a running fork. */
export interface ForkState {
  readonly opened: OpenedBase;
  readonly networkPassphrase: string;
  readonly overlay: ForkOverlay;
  readonly followed: Followed | null;
}

/**
 * The pieces of a complete file, which ends with a line break. Throws FORK_TOO_LARGE if they have
 * more characters than the limit.
 */
export function* encodedFork(
  state: ForkState,
  mostCharacters = MOST_CHARACTERS,
): Generator<string> {
  const { opened, networkPassphrase, overlay } = state;
  const { base, name, read } = opened;
  const { headerXdr, ledgerHash, settingsXdr, rentFeePer1KbStroops } = base;
  const saved: Parsed<typeof savedSchema> = {
    kind: KIND,
    format: FORMAT,
    name,
    passphrase: networkPassphrase === base.networkPassphrase ? null : networkPassphrase,
    base: {
      networkPassphrase: base.networkPassphrase,
      headerXdr,
      ledgerHash,
      rentFeePer1KbStroops,
      settingsXdr: [...settingsXdr],
      entries: [],
    },
    overlay: { ...overlay, entries: [] },
    followed: state.followed && { ...state.followed },
  };
  // The lists have no entries yet, and the quotes of a user's text before them are escaped.
  const [start = "", middle = "", end = ""] = JSON.stringify(saved).split('"entries":[]');
  const pieces = function* () {
    yield `${start}"entries":[`;
    yield* listed(readSince(read, 0));
    yield `]${middle}"entries":[`;
    yield* listed(overlay.entries);
    yield `]${end}\n`;
  };
  let characters = 0;
  for (const piece of pieces()) {
    characters += piece.length;
    if (characters > mostCharacters) throw tooLarge(mostCharacters);
    yield piece;
  }
}

/**
 * The limit of a file, because svc must be able to read what it writes, and a string and a document
 * in memory have limits too.
 */
const MOST_CHARACTERS = 512 * 1024 * 1024;
/**
 * A file has its first line, changes of the same size, and one more change of at most this size.
 */
export const MOST_FILE_BYTES = 3 * MOST_CHARACTERS;

function tooLarge(mostCharacters: number): SvcError {
  const mebibytes = mostCharacters / 1024 / 1024;
  return new SvcError("FORK_TOO_LARGE", {
    message: `The fork has more than ${mebibytes} MiB of entries, the limit for a saved fork.`,
    remedy: "Fork again and read or change less, or run the fork without a file.",
  });
}

const LISTED_AT_ONCE = 1_000;

function* listed(entries: readonly object[]): Generator<string> {
  for (let at = 0; at < entries.length; at += LISTED_AT_ONCE) {
    const some = entries.slice(at, at + LISTED_AT_ONCE);
    yield `${at === 0 ? "" : ","}${some.map((each) => JSON.stringify(each)).join()}`;
  }
}

function readSince(read: ReadEntries, place: number) {
  return read.keysFrom(place).map((keyXdr) => ({ keyXdr, ...(read.get(keyXdr) ?? ABSENT) }));
}

/** The next line of the file. `readBefore` is the number of the base's entries in the file. */
export function encodeChanges(
  { opened, followed }: Pick<ForkState, "opened" | "followed">,
  readBefore: number,
  overlay: OverlayChanges,
): string {
  const changes: Parsed<typeof changesSchema> = {
    kind: CHANGES_KIND,
    read: readSince(opened.read, readBefore),
    overlay,
    followed: followed && { ...followed },
  };
  return `${JSON.stringify(changes)}\n`;
}

/** A file from which a fork resumes. */
export interface ForkFile {
  readonly name: string;
  readonly text: string;
  /** True if it may be a capsule, or a page with one. */
  readonly mayBeCapsule?: boolean;
}

/** Throws FILE_INVALID for every other file. */
export function checkKind({ name, text: content, mayBeCapsule = false }: ForkFile) {
  const kind = kindOf(content);
  if (kind === FORK) return "fork";
  if (mayBeCapsule && (kind === "a capsule" || kind === "a page")) return "capsule";
  const capsule = mayBeCapsule ? " or a capsule" : "";
  const from = mayBeCapsule ? phrase`, or a capsule of ${svc("capture")}` : "";
  throw fileInvalid(
    name,
    `${name} is not ${FORK}${capsule}: it is ${kind}.`,
    phrase`Pass a file that ${svc("fork save")} or ${svc("fork --state")} wrote${from}.`,
  );
}

const FORK = "a saved fork";
const BEGINS = new RegExp(`^\\s*{\\s*"kind"\\s*:\\s*"${KIND}"`);

function kindOf(content: string): string {
  const head = content.slice(0, 100);
  if (BEGINS.test(head)) return FORK;
  if (/^\s*<!doctype html>/i.test(head)) return "a page";
  if (content.trim() === "") return "empty";
  if (excessOfJson(content) !== null) return "other JSON";
  let document: { readonly kind?: unknown };
  try {
    document = Object(JSON.parse(content));
  } catch {
    return "not JSON";
  }
  if (document.kind === KIND) return FORK;
  if (document.kind === "svc-capsule") return "a capsule";
  return "ledger_entries" in document
    ? "a snapshot for soroban-sdk, as svc writes one of a fork"
    : "other JSON";
}

/** The ledger that was forked, and the last one that the fork followed. */
export interface SavedLedger extends Followed {
  readonly networkPassphrase: string;
  readonly followed: Followed | null;
}

/**
 * Opens a saved fork. `entriesOf` finds entries that were never read; null without a node. Throws
 * FILE_INVALID, and the errors of `entriesOf`.
 */
export async function openSavedFork(
  content: string,
  file: string,
  entriesOf: (of: SavedLedger) => Promise<EntriesAt | null>,
): Promise<OpenedBase> {
  const { name, passphrase, base: saved, overlay, followed } = parse(content, file);
  const { entries, ...facts } = saved;
  const sequence = decode("LedgerHeader", facts.headerXdr).ledgerSeq;
  const read = new ReadEntries();
  for (const { keyXdr, entryXdr, ...entry } of entries)
    read.set(keyXdr, entryXdr === null ? null : { entryXdr, ...entry });
  const more = await entriesOf({ ...facts, sequence, hash: facts.ledgerHash, followed });
  const notInFile = new Set<string>();
  const withoutNodes: EntriesAt = async (keysXdr) => {
    // An empty network has had everything that it has.
    if (sequence > 1) for (const key of keysXdr) notInFile.add(key);
    return new Map();
  };
  const base: ForkBase = { ...facts, entries: more ?? withoutNodes };
  return {
    base: withKeptAnswers(base, read),
    name,
    first: null,
    followed,
    overlay,
    passphrase,
    read,
    notInFile,
  };
}

type Saved = v.InferOutput<typeof savedSchema>;

function parse(content: string, file: string): Saved {
  const refuse = (why: string, cause?: unknown) => invalid(file, why, cause);
  const [first, lines] = firstAndMore(content, refuse);
  const complete = checkDocument(savedSchema, first, refuse);
  const changes = lines.map((line, index) => {
    const at = `line ${index + 2}: `;
    const ofLine = (why: string, cause?: unknown) => refuse(`${at}${why}`, cause);
    return checkDocument(changesSchema, parseJsonText(line, ofLine), ofLine);
  });
  const saved = changes.length === 0 ? complete : withChanges(complete, changes);
  const flaw = flawOf(saved);
  if (flaw !== null) throw refuse(flaw);
  return saved;
}

/**
 * Splits the file into the document, which has one line unless it was indented, and the lines after
 * it.
 */
function firstAndMore(
  content: string,
  refuse: Parameters<typeof parseJsonText>[1],
): [first: unknown, lines: readonly string[]] {
  const excess = excessOfJson(content);
  if (excess !== null) throw refuse(`its JSON has ${excess}`);
  const end = content.indexOf("\n");
  if (end === -1) return [parseJsonText(content, refuse), []];
  try {
    // A process that was killed may have left an incomplete last line.
    return [
      JSON.parse(content.slice(0, end)),
      content
        .slice(end + 1)
        .split("\n")
        .slice(0, -1),
    ];
  } catch {
    return [parseJsonText(content, refuse), []];
  }
}

function withChanges(
  { base, overlay, ...saved }: Saved,
  changes: readonly Parsed<typeof changesSchema>[],
): Saved {
  const changed = new Map(overlay.entries.map((entry) => [entry.keyXdr, entry]));
  let head: Omit<ForkOverlay, "entries"> = overlay;
  let { followed: last } = saved;
  for (const { overlay: more, followed: latest } of changes) {
    const { entries, unchanged, ...next } = more;
    for (const keyXdr of unchanged) changed.delete(keyXdr);
    for (const entry of entries) changed.set(entry.keyXdr, entry);
    head = { format: FORMAT, ...next };
    last = latest;
  }
  const read = [...base.entries, ...changes.flatMap((each) => each.read)];
  return {
    ...saved,
    base: { ...base, entries: read },
    overlay: { ...head, entries: [...changed.values()] },
    followed: last,
  };
}

/**
 * The first flaw of a file. Without this check it would appear much later, when a transaction needs
 * the flawed entry.
 */
function flawOf({ base, overlay }: Saved): string | null {
  for (const [of, { headerXdr }] of Object.entries({ base, overlay })) {
    const why = whyUndecodable(() => decode("LedgerHeader", headerXdr));
    if (why !== null) return `${of}.headerXdr is not the header of a ledger (${why})`;
  }
  for (const [index, settingXdr] of base.settingsXdr.entries()) {
    const why = whyUndecodable(() => settingName(settingXdr));
    if (why !== null) return `base.settingsXdr[${index}] is not a setting (${why})`;
  }
  for (const entry of [...base.entries, ...overlay.entries]) {
    const flaw = entryFlaw(entry);
    if (flaw !== null) return flaw;
  }
  return null;
}

function invalid(file: string, why: string, cause?: unknown): SvcError {
  const remedy = phrase`Pass a file that ${svc("fork save")} or ${svc("fork --state")} wrote.`;
  return fileInvalid(file, `${file} is not a valid saved fork: ${why}.`, remedy, cause);
}
