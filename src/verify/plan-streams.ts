// Ledger files → streams: files that seem to continue each other, in ledger order. Only the
// beginning of each file is read, so this is a guess; the fold checks the hashes and lets go of its
// state where it was wrong.

import { statSync } from "node:fs";
import { fileInvalid, SvcError } from "../base/errors/errors.ts";
import { NETWORKS } from "../model/networks.ts";
import { isProtocolUnknown } from "../model/protocols.ts";
import { FIRST_CLOSED_LEDGER } from "../snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../sources/files/ledger-file.ts";
import type { LedgerBytes } from "../sources/files/ledger-stream.ts";
import type { FetchContext } from "../sources/source.ts";
import { forgedPart } from "../xdr/ledger/check-ledger.ts";
import { readLedgerCloseMeta } from "../xdr/ledger/ledger-close-meta.ts";

export interface PlannedStream {
  /** In ledger order. */
  readonly files: readonly string[];
  /** It begins with the first ledger that was ever closed. */
  readonly fromGenesis: boolean;
  readonly networkPassphrase: string;
  /** Of a part of a stream: ledgers before this one are not read. */
  readonly foldFrom?: number;
  /** Those from `foldFrom` to before this one are folded and not counted. */
  readonly countFrom?: number;
}

/** A stream with the first ledger and the size of each file. */
export interface FoundStream extends PlannedStream {
  readonly firstLedgers: readonly number[];
  readonly bytes: readonly number[];
}

export interface PlanOptions extends FetchContext {
  /** Null: found out from each file's transactions. */
  readonly networkPassphrase: string | null;
}

/** What an unpacked file beside its packed one does not have. */
const PACKED = /\.(?:zst|gz)$/;
/** Of a ledger whose header does not show its number: it comes after all others. */
const LAST_SEQUENCE = 0xffffffff;
/** Ledgers of one file that are searched for a transaction. */
const SEARCHED_LEDGERS = 1000;

export interface SourcedLedger extends LedgerBytes {
  /** File or node it was read from. */
  readonly source: string;
}

interface Beginning {
  readonly path: string;
  readonly sequence: number;
  readonly networkPassphrase: string;
}

/**
 * Throws FILE_UNREADABLE or FILE_INVALID for the first file that cannot be read, and CONFIG_INVALID
 * when a file's network has to be found out and is not known.
 */
export async function planStreams(
  paths: readonly string[],
  options: PlanOptions,
): Promise<FoundStream[]> {
  const files: Beginning[] = [];
  for (const path of await withoutCopies(paths, options)) {
    const likely = files.at(-1)?.networkPassphrase ?? null;
    const beginning = readBeginning(path, options, likely);
    files.push(
      await beginning.catch((error) => {
        throw damaged(path, error);
      }),
    );
  }
  files.sort((a, b) => a.sequence - b.sequence);
  const streams: Beginning[][] = [];
  for (const file of files) {
    const before = streams.findLast((stream) => mayContinue(stream, file));
    if (before === undefined) streams.push([file]);
    else before.push(file);
  }
  return streams.map(toStream);
}

/** Without what is there packed and unpacked: the file that has less of the same ledgers goes. */
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

/** The file whose ledgers the other one begins with; null where they differ. */
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

/** `part`: what does not have its hash. */
export function forgedLedger({ source, sequence }: SourcedLedger, part: string): SvcError {
  return new SvcError("XDR_INVALID", {
    message:
      `Ledger ${sequence} of ${source} is damaged or forged: its ${part} ` +
      `${part === "header" ? "does" : "do"} not have the hash that it names.`,
    remedy: "Read the ledger from another source.",
    details: { sequence, source, part },
  });
}

/** An error of a file's ledger as the file's. */
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
): Promise<Beginning> {
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
    // Where it is of a later protocol than svc knows, it is counted when it is read again.
    if (!isProtocolUnknown(error)) throw error;
    first ??= Number(error.details.ledger ?? LAST_SEQUENCE);
  }
  // Without a transaction the passphrase does not matter.
  const networkPassphrase = likely ?? NETWORKS.mainnet.passphrase;
  return { path, sequence: first ?? 0, networkPassphrase };
}

function passphraseOf(ledger: LedgerBytes, path: string, likely: string | null): string | null {
  const network = detectPassphrase(ledger.ledgerCloseMeta, likely);
  if (network.kind === "no-transactions") return null;
  if (network.kind === "known") return network.passphrase;
  const forged = forgedPart(readLedgerCloseMeta(ledger.ledgerCloseMeta, ""));
  if (forged !== null) throw forgedLedger({ ...ledger, source: path }, forged);
  throw new SvcError("CONFIG_INVALID", {
    message: `The transactions of ledger ${ledger.sequence} in ${path} are of no network that svc knows.`,
    remedy: "Give the network's passphrase with --network-passphrase.",
    details: { file: path, ledger: ledger.sequence },
  });
}

const KNOWN_PASSPHRASES: readonly string[] = [
  ...Object.values(NETWORKS).map((network) => network.passphrase),
  "Standalone Network ; February 2017",
  "Local Sandbox Stellar Network ; September 2022",
  // stellar-core's own tests.
  "(V) (;,,;) (V)",
];

type DetectedNetwork =
  | { readonly kind: "known"; readonly passphrase: string }
  /** It has transactions, of a network whose passphrase svc does not know. */
  | { readonly kind: "unknown" }
  /** Without a transaction the network cannot be found. */
  | { readonly kind: "no-transactions" };

/**
 * Which network a ledger belongs to, where no setting says it: a transaction hash depends on the
 * passphrase, so one transaction is enough. `likely`: tried first. Throws XDR_INVALID.
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
