// Groups ledger files into streams: files that seem to continue each other, in ledger order. Only
// the beginning of each file is read, so this is a guess. The fold checks the hashes, and drops its
// state if the guess was wrong.

import { statSync } from "node:fs";
import { fileInvalid, SvcError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import { NETWORKS } from "../model/networks.ts";
import { isProtocolUnknown } from "../model/protocols.ts";
import { FIRST_CLOSED_LEDGER } from "../snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../sources/files/ledger-file.ts";
import type { LedgerBytes } from "../sources/files/ledger-stream.ts";
import type { FetchContext } from "../sources/source.ts";
import { forgedPart } from "../xdr/ledger/check-ledger.ts";
import { readLedgerCloseMeta } from "../xdr/ledger/ledger-close-meta.ts";

export interface PlannedStream {
  /** The files in ledger order. */
  readonly files: readonly string[];
  /** True if it begins with the first ledger that was ever closed. */
  readonly fromGenesis: boolean;
  readonly networkPassphrase: string;
  /** For a part of a stream: ledgers before this one are not read. */
  readonly foldFrom?: number;
  /** Ledgers from `foldFrom` to before this one are folded and not counted. */
  readonly countFrom?: number;
  /**
   * For a part of a stream: the files whose ledgers may show what was before them (default:
   * `files`).
   */
  readonly mentionedIn?: readonly string[];
}

/** A stream with the first ledger and the size of each file. */
export interface FoundStream extends PlannedStream {
  readonly firstLedgers: readonly number[];
  readonly bytes: readonly number[];
}

export interface PlanOptions extends FetchContext {
  /** Null if each file's transactions determine it. */
  readonly networkPassphrase: string | null;
}

/** The suffix of a packed file, which an unpacked copy beside it lacks. */
const PACKED = /\.(?:zst|gz)$/;
/** The number of a ledger whose header does not show it, so that it comes after all others. */
const LAST_SEQUENCE = 0xffffffff;
/** The number of ledgers in one file that are searched for a transaction. */
const SEARCHED_LEDGERS = 1000;

export interface SourcedLedger extends LedgerBytes {
  /** The file or node that the ledger was read from. */
  readonly source: string;
}

interface Beginning {
  readonly path: string;
  readonly sequence: number;
  readonly networkPassphrase: string;
}

interface ReadBeginning extends Omit<Beginning, "networkPassphrase"> {
  /** Null if neither the file nor one before it has a transaction. */
  readonly networkPassphrase: string | null;
}

/**
 * Plans the streams. Throws FILE_UNREADABLE or FILE_INVALID for the first unreadable file, and
 * CONFIG_INVALID if a file's network must be determined and is unknown.
 */
export async function planStreams(
  paths: readonly string[],
  options: PlanOptions,
): Promise<FoundStream[]> {
  const read: ReadBeginning[] = [];
  for (const path of await withoutCopies(paths, options)) {
    const likely = read.at(-1)?.networkPassphrase ?? null;
    const beginning = readBeginning(path, options, likely);
    read.push(
      await beginning.catch((error) => {
        throw damaged(path, error);
      }),
    );
  }
  const files = read.map((each, at) => {
    const next = read.slice(at).find(({ networkPassphrase }) => networkPassphrase !== null);
    // If no file has a transaction, the passphrase does not matter.
    return { ...each, networkPassphrase: next?.networkPassphrase ?? NETWORKS.mainnet.passphrase };
  });
  files.sort((a, b) => a.sequence - b.sequence);
  const streams: Beginning[][] = [];
  for (const file of files) {
    const before = streams.findLast((stream) => mayContinue(stream, file));
    if (before === undefined) streams.push([file]);
    else before.push(file);
  }
  return streams.map(toStream);
}

/**
 * The files without copies: of a packed and an unpacked file of the same ledgers, the one with
 * fewer is left out.
 */
async function withoutCopies(paths: readonly string[], context: FetchContext) {
  const left = new Set(paths);
  for (const packed of paths) {
    const plain = packed.replace(PACKED, "");
    if (plain === packed || !left.has(plain)) continue;
    const shorter = await shorterOf(plain, packed, context);
    if (shorter !== null) left.delete(shorter);
  }
  return left;
}

/** The file whose ledgers are the beginning of the other one; null if they differ. */
async function shorterOf(plain: string, packed: string, context: FetchContext) {
  const ledgers = readLedgerFile(plain, context)[Symbol.asyncIterator]();
  for await (const { ledgerCloseMeta } of readLedgerFile(packed, context)) {
    const next = await ledgers.next();
    if (next.done === true) return plain;
    if (Buffer.compare(ledgerCloseMeta, next.value.ledgerCloseMeta) === 0) continue;
    await ledgers.return?.(undefined);
    return null;
  }
  await ledgers.return?.(undefined);
  return packed;
}

/** The error of a forged ledger. `part` does not have its hash. */
export function forgedLedger({ source, sequence }: SourcedLedger, part: string): SvcError {
  return new SvcError("XDR_INVALID", {
    message:
      `Ledger ${sequence} of ${source} is damaged or forged: its ${part} ` +
      `${part === "header" ? "does" : "do"} not have the hash that it names.`,
    remedy: "Read the ledger from another source.",
    details: { sequence, source, part },
  });
}

/** Turns an error of a ledger into one of its file. */
export function damaged(file: string, cause: unknown): unknown {
  if (!(cause instanceof SvcError && cause.code === "XDR_INVALID")) return cause;
  const message = `${file} has a ledger that cannot be read: ${cause.message}`;
  return fileInvalid(file, message, cause.remedy, cause);
}

function mayContinue(stream: readonly Beginning[], file: Beginning): boolean {
  const last = stream.at(-1);
  return (
    last !== undefined &&
    last.sequence < file.sequence &&
    last.networkPassphrase === file.networkPassphrase
  );
}

function toStream(files: readonly Beginning[]): FoundStream {
  const first = files[0] as Beginning;
  return {
    files: files.map((file) => file.path),
    fromGenesis: first.sequence === FIRST_CLOSED_LEDGER,
    networkPassphrase: first.networkPassphrase,
    firstLedgers: files.map(({ sequence }) => sequence),
    bytes: files.map(({ path }) => statSync(path, { throwIfNoEntry: false })?.size ?? 0),
  };
}

async function readBeginning(
  path: string,
  options: PlanOptions,
  likely: string | null,
): Promise<ReadBeginning> {
  let first: number | null = null;
  let searched = 0;
  try {
    for await (const ledger of readLedgerFile(path, options)) {
      first ??= ledger.sequence;
      const networkPassphrase = options.networkPassphrase ?? passphraseOf(ledger, path, likely);
      if (networkPassphrase !== null) return { path, sequence: first, networkPassphrase };
      searched += 1;
      if (searched === SEARCHED_LEDGERS) break;
    }
  } catch (error) {
    // A ledger of a later protocol than svc knows is counted when it is read again.
    if (!isProtocolUnknown(error)) throw error;
    first ??= Number(error.details.ledger ?? LAST_SEQUENCE);
  }
  return { path, sequence: first ?? 0, networkPassphrase: likely };
}

function passphraseOf(ledger: LedgerBytes, path: string, likely: string | null): string | null {
  const network = detectPassphrase(ledger.ledgerCloseMeta, likely);
  if (network.kind === "no-transactions") return null;
  if (network.kind === "known") return network.passphrase;
  const forged = forgedPart(readLedgerCloseMeta(ledger.ledgerCloseMeta, ""));
  if (forged !== null) throw forgedLedger({ ...ledger, source: path }, forged);
  throw new SvcError("CONFIG_INVALID", {
    message: `The transactions of ledger ${ledger.sequence} in ${path} belong to a network that svc does not know.`,
    remedy: phrase`Set the network's passphrase with ${flag("networkPassphrase")}.`,
    details: { file: path, ledger: ledger.sequence },
  });
}

const KNOWN_PASSPHRASES: readonly string[] = [
  ...Object.values(NETWORKS).map((network) => network.passphrase),
  "Standalone Network ; February 2017",
  "Local Sandbox Stellar Network ; September 2022",
  // The passphrase of stellar-core's own tests.
  "(V) (;,,;) (V)",
];

type DetectedNetwork =
  | { readonly kind: "known"; readonly passphrase: string }
  /** The ledger has transactions of a network whose passphrase svc does not know. */
  | { readonly kind: "unknown" }
  /** The network cannot be determined without a transaction. */
  | { readonly kind: "no-transactions" };

/**
 * Determines the network of a ledger if no setting names it. A transaction hash depends on the
 * passphrase, so one transaction is enough. `likely` is tried first. Throws XDR_INVALID.
 */
function detectPassphrase(ledgerCloseMeta: Uint8Array, likely: string | null): DetectedNetwork {
  const candidates = likely === null ? KNOWN_PASSPHRASES : [likely, ...KNOWN_PASSPHRASES];
  for (const passphrase of candidates) {
    const first = readLedgerCloseMeta(ledgerCloseMeta, passphrase).transactions[0];
    if (first === undefined) return { kind: "no-transactions" };
    if (first.hasEnvelope) return { kind: "known", passphrase };
  }
  return { kind: "unknown" };
}
