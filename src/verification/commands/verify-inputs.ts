// The inputs of svc verify: ledger files, one ledger, or a range of ledgers.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type SvcError, usageError } from "../../base/errors/errors.ts";
import { hidesPart, nodeAddress } from "../../base/http/node-address.ts";
import { phrase, svc } from "../../base/phrase.ts";
import type { Facts } from "../../base/settings/check-rules.ts";
import { isDefault, type SettingOrigin } from "../../base/settings/origin.ts";
import type { Condition } from "../../base/settings/setting.ts";
import { type FilesOfWords, filesOfWords } from "../../command/ledger-files.ts";
import { type Shell, workOptions } from "../../command/shell.ts";
import type { NodeAddresses, VerificationNodes } from "../../model/verification.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { PieceInputs } from "../pieces/verify-piece.ts";

export type VerifyInputs =
  | ({ readonly kind: "files" } & FilesOfWords)
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

/** Reads the inputs. Throws USAGE, FILE_UNREADABLE. */
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
  return { kind: "files", ...filesOfWords(words, workingDirectory) };
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
