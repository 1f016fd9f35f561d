// Reads the transactions of svc debug: hashes or URLs on the command line; with `-`, one on each
// line of standard input, where # begins a comment; or the capsule file of one. Each is
// investigated once.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { nearestWord } from "../base/errors/did-you-mean.ts";
import { SvcError, usageError } from "../base/errors/errors.ts";
import { ifVisible } from "../base/files/read-file.ts";
import { phrase, svc } from "../base/phrase.ts";
import { counted } from "../base/text/counted.ts";
import { isStrkeyForm } from "../base/text/strkey.ts";
import {
  numberedTransaction,
  type TransactionOfUrl,
  transactionOfUrl,
} from "../model/transaction-url.ts";
import type { HashedEnvelope } from "../tools/envelope-hash.ts";
import { DEMOS, isDemoWord } from "./demo-capsules.ts";
import { readStdin } from "./read-input.ts";
import type { Shell } from "./shell.ts";
import { stellarLine } from "./stellar-line.ts";

const STDIN = "-";
/** The limit of hashes, because each investigation stays in memory until the report is written. */
const MAXIMUM_HASHES = 1000;
const MAXIMUM_STDIN_BYTES = 1024 * 1024;

export interface GivenHashes {
  /** The hashes in lower case and in their order, without repetitions; empty if there is none. */
  readonly hashes: readonly string[];
  /** True if the command line has at most one hash, so that the report is not a list. */
  readonly single: boolean;
  /** The network that the URLs name. */
  readonly network: TransactionOfUrl["network"];
  /** A capsule or a page instead of a hash. */
  readonly file: string | null;
  /** For each hash, the envelope that was used instead of it, in base64. */
  readonly envelopes: ReadonlyMap<string, string>;
}

/** A transaction, and the envelope in base64 that was used instead of its hash, or null. */
interface GivenTransaction extends TransactionOfUrl {
  readonly envelope: string | null;
}

/**
 * Reads the words. Throws HASH_INVALID, and USAGE with the flag that a word was probably meant to
 * be.
 */
export async function readHashes(
  shell: Shell,
  words: readonly string[],
  flagNames: readonly string[],
): Promise<GivenHashes> {
  if (words.includes(STDIN) && words.length > 1)
    throw usageError(
      "`-` reads all hashes from standard input and cannot be combined with hashes on the command " +
        "line.",
      "Remove `-`, or remove the hashes.",
    );
  const isFile = (word: string) => {
    if (isDemoWord(word)) return true;
    const path = resolve(shell.facts.workingDirectory, word);
    return ifVisible(() => statSync(path))?.isFile() === true;
  };
  const [file = null, ...more] = words.filter(
    (word) => word !== STDIN && !HASH.test(word) && isFile(word),
  );
  if (more.length > 0)
    throw usageError(
      "The command has several files.",
      phrase`Run ${svc("debug")} once for each file.`,
    );
  const transactions =
    words[0] === STDIN
      ? await transactionsOfStdin(shell)
      : await transactionsOfWords(
          words.filter((word) => word !== file),
          flagNames,
        );
  const [network = null, ...others] = new Set(
    transactions.flatMap((transaction) => transaction.network ?? []),
  );
  if (others.length > 0)
    throw usageError(
      `The URLs are of several networks: ${[network, ...others].join(", ")}.`,
      phrase`Run ${svc("debug")} once for each network.`,
    );
  const hashes = distinct(transactions.map(({ hash }) => hash));
  const envelopes = new Map(
    transactions.flatMap(({ hash, envelope }) => (envelope === null ? [] : [[hash, envelope]])),
  );
  const single = words[0] !== STDIN && transactions.length <= 1;
  return { hashes, single, network, file, envelopes };
}

function distinct(hashes: readonly string[]): string[] {
  const distinctHashes = [...new Set(hashes)];
  if (distinctHashes.length <= MAXIMUM_HASHES) return distinctHashes;
  throw usageError(
    `There are ${distinctHashes.length} hashes; the limit is ${MAXIMUM_HASHES} for each run.`,
    "Split the hashes over several runs.",
  );
}

async function transactionsOfWords(
  words: readonly string[],
  flagNames: readonly string[],
): Promise<GivenTransaction[]> {
  const transactions: GivenTransaction[] = [];
  for (const [index, word] of words.entries()) {
    const near = index === 0 ? null : nearestWord(word, flagNames);
    if (near !== null)
      throw usageError(`Unexpected argument "${word}".`, `Did you mean --${near}?`);
    transactions.push(await readGiven(word));
  }
  return transactions;
}

async function transactionsOfStdin(shell: Shell): Promise<GivenTransaction[]> {
  const limit = { maximumBytes: MAXIMUM_STDIN_BYTES, remedy: "Write one hash per line." };
  const lines = new TextDecoder().decode(await readStdin(shell, limit)).split("\n");
  const transactions: GivenTransaction[] = [];
  for (const [index, line] of lines.entries()) {
    const written = line.replace(/#.*/s, "").trim();
    if (written !== "")
      transactions.push(await readGiven(written, `line ${index + 1} of the input`));
  }
  if (transactions.length > 0) return transactions;
  throw usageError("Standard input has no hash.", "Write one hash per line.");
}

const LENGTH = 64;
const HASH = /^(?:0x)?([0-9a-f]{64})$/i;
/** A hash in the form of a log or JSON: `"…",`, `tx: …`, `hash=…`. */
const QUOTED_HASH = /^\W*(?:(?:tx|hash|transaction|txhash)\W{1,4})?(?:0x)?([0-9a-f]{64})\W*$/i;

/**
 * Reads a hash, or the address of a page about the transaction. `place` says where the text is, if
 * not on the command line. Throws HASH_INVALID with what the text looks like instead.
 */
export async function readTransaction(text: string, place?: string): Promise<TransactionOfUrl> {
  const { hash, network } = await readGiven(text, place);
  return { hash, network };
}

async function readGiven(text: string, place?: string): Promise<GivenTransaction> {
  const written = text.trim();
  const hash = (HASH.exec(written) ?? QUOTED_HASH.exec(written))?.[1];
  const transaction =
    hash === undefined ? transactionOfUrl(written) : { hash: hash.toLowerCase(), network: null };
  if (transaction !== null) return { ...transaction, envelope: null };
  // Most texts are hashes, so the code that reads an envelope is loaded only for another text.
  const { hashedEnvelope } = await import("../tools/envelope-hash.ts");
  const envelope = hashedEnvelope(written);
  if (envelope !== null)
    return { ...(envelope.transaction ?? refuseUnsigned(envelope, place)), envelope: written };
  const within = hashWithin(written);
  if (within !== null) return { hash: within, network: null, envelope: null };
  const line = stellarLine(written);
  if (line !== null)
    throw new SvcError("HASH_INVALID", { message: line.message, remedy: line.remedy });
  const where = place === undefined ? "" : ` (${place})`;
  throw new SvcError("HASH_INVALID", {
    message: `"${text.slice(0, 100)}"${where} is not a transaction hash: ${problemOf(written)}.`,
    remedy: remedyOf(written),
    details: { given: text.slice(0, 100) },
  });
}

/** The hash of something else: `Using wasm hash …`. */
const OTHER_HASH = /(?:wasm|code|ledger|block|contract|salt|file)[^\n]{0,16}$/i;

/** The only hash in a sentence, a log or a node's answer; null: it has none, or several. */
function hashWithin(text: string): string | null {
  const words = [...text.matchAll(/(?<![0-9a-z])(?:0x)?([0-9a-f]{64})(?![0-9a-z])/gi)];
  const hashes = new Set(
    words.flatMap(({ 1: hash = "", index }) =>
      OTHER_HASH.test(text.slice(0, index)) ? [] : [hash.toLowerCase()],
    ),
  );
  const [only = null, ...others] = hashes;
  return others.length > 0 ? null : only;
}

/** Throws HASH_INVALID, because nothing shows for which network the envelope was made. */
function refuseUnsigned({ hashes }: HashedEnvelope, place?: string): never {
  const where = place === undefined ? "" : ` (${place})`;
  const each = hashes.map(([network, hash]) => `${network}: ${hash}`).join("\n  ");
  throw new SvcError("HASH_INVALID", {
    message:
      `This is an envelope${where} whose signatures do not show one network that it was made for. ` +
      `Its hash differs by network:\n  ${each}`,
    remedy: phrase`Pass the hash for the network that the envelope was sent to. If it was not sent, run ${svc("simulate")} with it.`,
  });
}

/** The form in which SDKs and explorers print errors and result codes. */
const CODE = /^(Error\(|tx_?[a-z]+$|op_?[a-z]+$)/i;
const XDR = /^(?=.*[^0-9a-f])[\w+/]{65,}={0,2}$/i;
const SHORTENED = /^[0-9a-f]*(…|\.{2,})[0-9a-f]*$/i;

function remedyOf(text: string): string {
  if (isStrkeyForm(text))
    return "An explorer lists the transactions of an address: pass the hash of one. `svc watch` follows an address.";
  if (CODE.test(text)) return "Pass the hash of the transaction. For a code, run `svc explain`.";
  if (XDR.test(text))
    return "Pass the hash. For an envelope, run `svc simulate`; for other XDR, `svc explain`.";
  const demo = text.replace(/^(?:svc )?demo /, "");
  if (DEMOS.some(({ name }) => name === demo)) return `That is a demo: run \`svc demo ${demo}\`.`;
  const hash = "Pass the 64 hexadecimal characters of the hash, or the URL of a transaction.";
  return /\s|[{[(]/.test(text)
    ? `${hash} For an error or a node's answer, run \`svc explain\` with it.`
    : hash;
}

function problemOf(text: string): string {
  const numbered = numberedTransaction(text);
  if (numbered !== null)
    return `it is an explorer's number, of transaction ${numbered.order} in ledger ${numbered.ledger}`;
  if (/^\w+:\/\//.test(text)) return "the URL has no hash of a transaction";
  if (isStrkeyForm(text)) return "it looks like a Stellar address";
  if (CODE.test(text)) return "it looks like an error";
  if (XDR.test(text)) return "it looks like XDR in base64";
  if (SHORTENED.test(text)) return "it is shortened";
  if (/[./\\]/.test(text)) return "there is no such file";
  if (text.length !== LENGTH) return `it has ${counted(text.length, "character")}, not ${LENGTH}`;
  return "it has characters that are not hexadecimal";
}
