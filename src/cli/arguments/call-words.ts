// The words of `svc call`. Flags of svc may stand anywhere before `--`. A word after the function
// that is not a flag of svc is an argument of the function. After `--`, every word is. A line of
// stellar-cli is understood too, in one word or in several.

import { usageError } from "../../base/errors/errors.ts";
import type { Settings } from "../../base/settings/setting.ts";
import { isStrkeyForm } from "../../base/text/strkey.ts";
import { type Flag, flagsOf } from "../../command/command.ts";
import { invokeLine } from "../../command/stellar-line.ts";

const END_OF_FLAGS = "--";
const HELP_WORDS = ["--help", "-h"];

/**
 * Puts the flags of svc first, and after `--` the contract, the function and the words of its
 * arguments. A `--` of the user stays after the function. Throws USAGE for a line of stellar-cli
 * with a flag that svc does not know.
 */
export function arrangeCall(settings: Settings, words: readonly string[]): readonly string[] {
  const flags = flagsOf(settings);
  const ownWords = withoutStellar(wholeLineLast(words).flatMap(splitLine));
  const known = new Map(
    flags.flatMap((flag) =>
      [flag.flag, ...(flag.alias?.split(" ") ?? [])].map((name) => [name, flag]),
    ),
  );
  const own: string[] = [];
  const operands: string[] = [];
  let isPastFlags = false;
  for (let index = 0; index < ownWords.length; index += 1) {
    const word = ownWords[index] ?? "";
    if (isPastFlags) {
      operands.push(word);
      continue;
    }
    if (word === END_OF_FLAGS) {
      isPastFlags = true;
      // stellar-cli has the function after `--`.
      if (operands.length > 1) operands.push(word);
      continue;
    }
    // The help of the function is not that of the command.
    const isOfFunction = operands.length > 1 && HELP_WORDS.includes(word);
    const flag = isOfFunction ? null : flagNamed(known, word);
    const isFlag = word.length > 1 && word.startsWith("-") && !/^-\d/.test(word);
    // Before the function, the strict reading of flags refuses an unknown one.
    if (flag === null && (!isFlag || operands.length > 1)) operands.push(word);
    else own.push(word);
    if (flag === null || flag.hint === null || word.includes("=")) continue;
    index += 1;
    const value = ownWords[index];
    if (value !== undefined) own.push(value);
  }
  return operands.length === 0 ? own : [...own, END_OF_FLAGS, ...operands];
}

/** Also `-vv`, which is one flag several times. */
function flagNamed(known: ReadonlyMap<string, Flag>, word: string): Flag | null {
  const name = /^-v+$/.test(word) ? "-v" : (word.split("=", 1)[0] ?? word);
  return known.get(name) ?? null;
}

export interface CallWords {
  /** An address, a name that is saved for a contract, or a wasm file; null if none is given. */
  readonly contract: string | null;
  /** Null if only the contract is given. */
  readonly function: string | null;
  readonly arguments: readonly WrittenArgument[];
  /** True if the user separated the arguments from svc's flags. */
  readonly isSeparated: boolean;
  /** True if the help of the function is wanted. */
  readonly wantsHelp: boolean;
}

export interface WrittenArgument {
  /** Null for an argument by position. */
  readonly name: string | null;
  /** Null for a name without a value. */
  readonly value: string | null;
}

/** Reads the words after `--`. */
export function readCallWords(operands: readonly string[]): CallWords {
  const [contract = null, name = null, ...operandsAfter] = operands;
  const separator = operandsAfter.indexOf(END_OF_FLAGS);
  const words = operandsAfter.filter((_, index) => index !== separator);
  const wantsHelp = words.some((word) => HELP_WORDS.includes(word));
  const isSeparated = separator !== -1;
  return { contract, function: name, arguments: argumentsIn(words), isSeparated, wantsHelp };
}

function argumentsIn(words: readonly string[]): WrittenArgument[] {
  const writtenArguments: WrittenArgument[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (!word.startsWith("--")) {
      writtenArguments.push({ name: null, value: word });
      continue;
    }
    const equals = word.indexOf("=");
    if (equals !== -1) {
      writtenArguments.push({ name: word.slice(2, equals), value: word.slice(equals + 1) });
      continue;
    }
    const next = words[index + 1];
    const hasValue = next !== undefined && !next.startsWith("--");
    if (hasValue) index += 1;
    writtenArguments.push({ name: word.slice(2), value: hasValue ? (next ?? null) : null });
  }
  return writtenArguments;
}

/**
 * No word after a whole line in one word can be an argument of the line's function. A line without
 * its function can be followed by `--` and the function.
 */
function wholeLineLast(words: readonly string[]): readonly string[] {
  const isContinued = words.includes(END_OF_FLAGS);
  const isCall = (word: string) =>
    /\s/.test(word) && invokeLine(word) !== null && (/\s--\s/.test(word) || !isContinued);
  return [...words.filter((word) => !isCall(word)), ...words.filter(isCall)];
}

/** A whole line in one word becomes its words. */
function splitLine(word: string): string[] {
  const line = /\s/.test(word) ? invokeLine(word) : null;
  return line === null ? [word] : shellWords(line);
}

/** An operator of a shell redirects the output of a line, or begins a command: `2>`, `|`, `&&`. */
const OPERATOR = /^[|&;<>]$/;

/**
 * Splits a line as a POSIX shell does, without expansions, up to its first operator. Throws USAGE
 * for an open quote.
 */
function shellWords(line: string): string[] {
  const words: string[] = [];
  let current: string | null = null;
  const characters = [...line];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    if (/\s/.test(character)) {
      if (current !== null) words.push(current);
      current = null;
    } else if (OPERATOR.test(character)) {
      // The number of a stream belongs to the operator.
      const isNumber = /[<>]/.test(character) && /^\d$/.test(current ?? "");
      return current === null || isNumber ? words : [...words, current];
    } else if (character === "'" || character === '"') {
      const [text, end] = quoted(characters, at);
      current = (current ?? "") + text;
      at = end;
    } else if (character === "\\") {
      at += 1;
      current = (current ?? "") + (characters[at] ?? "");
    } else current = (current ?? "") + character;
  }
  return current === null ? words : [...words, current];
}

function quoted(characters: readonly string[], start: number): [text: string, end: number] {
  const quote = characters[start];
  let text = "";
  for (let at = start + 1; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    if (character === quote) return [text, at];
    const next = characters[at + 1] ?? "";
    const escapes = quote === '"' && character === "\\" && /["\\$`]/.test(next);
    text += escapes ? next : character;
    if (escapes) at += 1;
  }
  throw usageError("The line ends within quotes.", "Paste the whole line.");
}

/** Flags of `stellar contract invoke` with a value that svc takes under another name, or the same. */
const TAKEN: Readonly<Record<string, string>> = {
  "--source": "--as",
  "--source-account": "--as",
  "-s": "--as",
  "--network": "--network",
  "-n": "--network",
  "--rpc-url": "--rpc-url",
  "--rpc-header": "--rpc-header",
  "--network-passphrase": "--network-passphrase",
};

/** Flags with a value that has no meaning for a call that is not sent. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  "--send",
  "--fee",
  "--inclusion-fee",
  "--resource-fee",
  "--instructions",
  "--instruction-leeway",
  "--hd-path",
  "--config-dir",
  "--sign-with-key",
  "--filter-logs",
  "--auth-mode",
  "--valid-until-ledger",
]);

const SWITCHES: ReadonlySet<string> = new Set([
  "--is-view",
  "--build-only",
  "--sim-only",
  "--cost",
  "--global",
  "--quiet",
  "-q",
  "--verbose",
  "-v",
  "--very-verbose",
  "-vv",
  "--no-cache",
  "--sign-with-lab",
  "--sign-with-ledger",
]);

/**
 * The words of svc instead of those of stellar-cli. Other words stay. Throws USAGE for an unknown
 * flag, and for a secret key, which svc does not use.
 */
function withoutStellar(words: readonly string[]): readonly string[] {
  const at = words.findIndex(
    (word, index) =>
      /^(?:\S*\/)?(?:stellar|soroban)$/.test(word) &&
      words[index + 1] === "contract" &&
      words[index + 2] === "invoke",
  );
  if (at === -1) return words;
  const line = words.slice(at + 3);
  const end = line.indexOf(END_OF_FLAGS);
  const flagWords = end === -1 ? line : line.slice(0, end);
  const slop = end === -1 ? [] : line.slice(end + 1);
  let contract: string | null = null;
  const taken: string[] = [];
  for (let index = 0; index < flagWords.length; index += 1) {
    const word = flagWords[index] ?? "";
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const name = equals === -1 ? word : word.slice(0, equals);
    const takeValue = () => {
      if (equals !== -1) return word.slice(equals + 1);
      index += 1;
      return flagWords[index] ?? "";
    };
    if (SWITCHES.has(name)) continue;
    if (name === "--id") contract = takeValue();
    else if (WITH_VALUE.has(name)) takeValue();
    else if (TAKEN[name] !== undefined) taken.push(`${TAKEN[name]}=${withoutSecret(takeValue())}`);
    else if (!name.startsWith("-"))
      throw usageError(
        `\`stellar contract invoke\` has its function after \`--\`, and ${name} is before it.`,
        `Write \`-- ${name} …\`.`,
      );
    else
      throw usageError(
        `svc does not know ${name} of \`stellar contract invoke\`.`,
        "Leave it out, or write the call as `svc call CONTRACT FUNCTION --name value`.",
      );
  }
  if (contract === null)
    throw usageError("The line of stellar-cli has no --id.", "Add `--id CONTRACT` to it.");
  const [name, ...callArguments] = slop;
  const call = name === undefined ? [contract] : [contract, name, END_OF_FLAGS, ...callArguments];
  return [...words.slice(0, at), ...taken, ...call];
}

/** svc uses no secret: an account is enough. */
function withoutSecret(value: string): string {
  const isSecret = isStrkeyForm(value, ["seed"]) || value.trim().split(/\s+/).length >= 12;
  if (!isSecret) return value;
  throw usageError(
    "The source of the line is a secret key or a seed phrase.",
    "Write the account instead: `--source G…`. svc signs nothing.",
  );
}
