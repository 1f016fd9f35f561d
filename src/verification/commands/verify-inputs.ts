// The inputs of svc verify: ledger files, one ledger, or a range of ledgers.

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { SvcError, usageError } from "../../base/errors/errors.ts";
import { ifVisible } from "../../base/files/read-file.ts";
import { hidesPart, nodeAddress } from "../../base/http/node-address.ts";
import { phrase, svc } from "../../base/phrase.ts";
import type { Facts } from "../../base/settings/check-rules.ts";
import { isDefault, type SettingOrigin } from "../../base/settings/origin.ts";
import type { Condition } from "../../base/settings/setting.ts";
import { type Shell, workOptions } from "../../command/shell.ts";
import type { NodeAddresses, VerificationNodes } from "../../model/verification.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { PieceInputs } from "../pieces/verify-piece.ts";

export type VerifyInputs =
  | {
      readonly kind: "files";
      readonly paths: readonly string[];
      /** Files in the directories of the command line whose names are not those of ledger files. */
      readonly skipped: readonly string[];
    }
  | { readonly kind: "range"; readonly first: number; readonly last: number };

/** The kind of the inputs, for rules between settings. */
export const FILES: Condition = { setting: "kind", is: ["files"], words: "ledger files" };
export const RANGE_INPUT: Condition = {
  setting: "kind",
  is: ["range"],
  words: "a range of ledgers",
};

export function factsOfInputs({ kind }: VerifyInputs): Facts {
  return { kind: { value: kind, shown: kind === "files" ? "ledger files" : "a range of ledgers" } };
}

const MAXIMUM_LEDGER = 0xffffffff;
const RANGE = /^(\d{1,10})(?:(?:-|\.\.)(\d{1,10}))?$/;

/** A word that looks like a ledger or a range. If a file has this name, the word means the file. */
const NUMBER = /^[-+]?\d[\d_,.e+-]*$/i;

const PATTERN = /[*?[\]{}]/;
/** The names of stellar-core's streams and SEP-54 batches. */
const LEDGER_FILE = /\.xdr(?:\.(?:gz|zst|zstd))?$/i;

/**
 * Reads the inputs. A word that is the path of a file means that file. A pattern means the files
 * that match it. A directory means the files in it that have the name of a ledger file, or all
 * files if none has. Throws USAGE, FILE_UNREADABLE.
 */
export function parseVerifyInputs(
  words: readonly string[],
  workingDirectory: string,
): VerifyInputs {
  // An empty path would be the working directory. A variable of a shell may be unset.
  if (words.includes(""))
    throw usageError(
      "The name of a file or directory is empty.",
      "Pass ledgers, files or directories; `.` is the current directory.",
    );
  const [first = ""] = words;
  const range = RANGE.exec(first);
  if (words.length === 1 && range !== null && !existsSync(resolve(workingDirectory, first)))
    return parseRange(first, range[1] ?? "", range[2]);
  const wrong = words.find(
    (word) => NUMBER.test(word) && !existsSync(resolve(workingDirectory, word)),
  );
  if (wrong !== undefined) throw notRange(wrong);
  const inputs = words.map((word) => filesOf(word, workingDirectory));
  const all = inputs.flatMap(({ paths }) => paths);
  return {
    kind: "files",
    paths: [...Map.groupBy(all, fileOf).values()].map(([path = ""]) => path),
    skipped: inputs.flatMap(({ skipped }) => skipped),
  };
}

/** The identity of a file: one for all of its names. */
function fileOf(path: string): string {
  const status = ifVisible(() => statSync(path, { bigint: true }));
  return status === null ? path : `${status.dev}:${status.ino}`;
}

function filesOf(word: string, workingDirectory: string) {
  const path = resolve(workingDirectory, word);
  const status = ifVisible(() => statSync(path));
  if (status?.isDirectory()) {
    const all = matching("**/*", path, word);
    const ledgers = all.filter((name) => LEDGER_FILE.test(name));
    if (ledgers.length === 0) return { paths: all, skipped: [] };
    return { paths: ledgers, skipped: all.filter((name) => !LEDGER_FILE.test(name)) };
  }
  if (status?.isFile() === false) throw notRegular(path);
  const isFile = status !== null || !PATTERN.test(word);
  return { paths: isFile ? [path] : matching(word, workingDirectory, word), skipped: [] };
}

function matching(pattern: string, directory: string, word: string): string[] {
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: directory, absolute: true })].sort();
  if (paths.length > 0) return paths;
  throw new SvcError("FILE_UNREADABLE", {
    message: `No file matches "${word}".`,
    remedy: "Pass ledger files, a directory of ledger files, or a pattern that matches some.",
  });
}

/** The bytes of a FIFO can be read only once, and a FIFO may have no writer. */
function notRegular(path: string): SvcError {
  return new SvcError("FILE_UNREADABLE", {
    message: phrase`${path} is not a regular file; ${svc("verify")} reads each file more than once.`,
    remedy: "Write the ledgers to a file, and pass that.",
    details: { file: path },
  });
}

function parseRange(word: string, from: string, to: string | undefined): VerifyInputs {
  const first = Number(from);
  const last = to === undefined ? first : Number(to);
  if (first >= 1 && last >= first && last <= MAXIMUM_LEDGER) return { kind: "range", first, last };
  throw notRange(word);
}

function notRange(word: string): SvcError {
  return usageError(
    `"${word}" is not a ledger, and not a range of ledgers.`,
    phrase`Ledgers are numbers from 1 to ${MAXIMUM_LEDGER}; write the first before the last, as in ${svc("verify 100-200")}.`,
  );
}

export async function openVerifyInputs(
  shell: Shell,
  config: Config,
  inputs: VerifyInputs,
): Promise<PieceInputs> {
  if (inputs.kind === "files") return inputs;
  const { openWork } = await import("../../tools/open-work.ts");
  return { ...inputs, ...(await openWork(config, workOptions(shell)).nodes()) };
}

export function warnOfSkipped({ log }: Shell, inputs: VerifyInputs): void {
  const [first, ...more] = inputs.kind === "files" ? inputs.skipped : [];
  if (first === undefined) return;
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  log.warn(`Skipped ${first}${others}: the name is not *.xdr, *.xdr.gz or *.xdr.zst.`);
}

export function shownAddresses(urls: readonly string[]): NodeAddresses {
  return urls.some(hidesPart)
    ? "hidden"
    : urls.map((each) => (URL.canParse(each) ? nodeAddress(each) : each));
}

/** The nodes as flags of the commands in reports. A known network needs none. */
export function nodesOf(config: Config, inputs: VerifyInputs): VerificationNodes {
  const { origins, rpcUrls, ledgerLakeUrls } = config;
  const set = (origin: SettingOrigin, urls: readonly string[]) =>
    isDefault(origin) ? [] : shownAddresses(urls);
  return {
    networkPassphrase: chosenPassphrase(config, inputs),
    areFiles: inputs.kind === "files",
    rpcUrls: set(origins.rpcUrl, rpcUrls),
    ledgerLakeUrls: set(origins.ledgerLakeUrl, ledgerLakeUrls),
  };
}

/** Null if the user did not choose a network; the files then determine it. */
export function chosenPassphrase(
  { origins, networkPassphrase }: Config,
  { kind }: VerifyInputs,
): string | null {
  const chosen = !isDefault(origins.network) || !isDefault(origins.networkPassphrase);
  return chosen || kind === "range" ? networkPassphrase : null;
}
