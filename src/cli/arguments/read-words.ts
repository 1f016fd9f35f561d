// Reads the words of a command line strictly. citty turns them into values, but misreads what it
// does not know: an unknown flag takes the next word as its value, or leaves it as the hash. So
// every word that begins like a flag is checked first.

import { parseArgs } from "citty";
import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { phrase, svc } from "../../base/phrase.ts";
import { choicesOf, completedValues, type Settings } from "../../base/settings/setting.ts";
import { type CommandLineValues, type Flag, flagsOf, wordsOf } from "../../command/command.ts";

interface CommandLine {
  readonly command: string;
  readonly settings: Settings;
  readonly flags: readonly Flag[];
}

/**
 * The values by the names of settings. Throws USAGE, with the closest known word if there is one.
 */
export function readWords(
  command: string,
  settings: Settings,
  words: readonly string[],
): CommandLineValues {
  const line = { command, settings, flags: flagsOf(settings) };
  const valuesByFlag = checkFlags(line, words);
  // Each definition costs citty more time than all words, so it gets only those that are needed.
  const definitions = [...valuesByFlag.keys()].map(({ name, hint, setting: { alias } }) => {
    const type = hint === null ? ("boolean" as const) : ("string" as const);
    return [name, { type, ...(alias !== undefined && { alias }) }] as const;
  });
  const parsed = { ...parseArgs([...words], Object.fromEntries(definitions)) };
  // citty keeps the last value of a repeated flag, and reads `--no-x` as the absence of `--x`.
  const values = [...valuesByFlag].map(([{ name, hint, setting }, all]) => {
    const value = hint === null ? true : parsed[name];
    return [name, setting.repeats === true ? all : value];
  });
  return { ...Object.fromEntries(values), ...readPositionals(line, parsed._) };
}

/** The flags on the command line, with their values. */
function checkFlags(line: CommandLine, words: readonly string[]): Map<Flag, string[]> {
  const valuesByFlag = new Map<Flag, string[]>();
  for (let index = 0; index < words.length && words[index] !== "--"; index += 1) {
    const word = words[index] ?? "";
    if (word.length === 1 || !word.startsWith("-")) continue;
    const equals = word.indexOf("=");
    const written = equals === -1 ? word : word.slice(0, equals);
    const flag = line.flags.find((known) => known.flag === written || known.alias === written);
    if (flag === undefined) {
      const near = nearestFlag(line, written.replace(/^-+/, ""));
      throw usage(line, `Unknown flag ${written}.`, near && `Did you mean ${near}?`);
    }
    const earlier = valuesByFlag.get(flag) ?? [];
    if (valuesByFlag.has(flag) && flag.setting.repeats !== true)
      throw usage(line, `${flag.flag} cannot be repeated.`);
    valuesByFlag.set(flag, earlier);
    if (flag.hint === null) {
      if (equals !== -1) throw usage(line, `${flag.flag} takes no value.`);
      continue;
    }
    const value = equals === -1 ? (words[++index] ?? "") : word.slice(equals + 1);
    const choices = choicesOf(flag.setting).join(", ");
    if (value === "")
      throw usage(
        line,
        `${flag.flag} needs a value.`,
        choices === "" ? null : `Use one of ${choices}.`,
      );
    if (equals === -1 && value.length > 1 && value.startsWith("-"))
      throw usage(
        line,
        `${flag.flag} needs a value, but "${value}" looks like a flag.`,
        `If it is the value, write \`${flag.flag}=${value}\`.`,
      );
    earlier.push(value);
  }
  for (const { name, flag, hint, setting } of line.flags)
    if (setting.required === true && ![...valuesByFlag.keys()].some((each) => each.name === name))
      throw usage(line, `${flag} is missing.`, `Add \`${flag} ${hint}\`.`);
  return valuesByFlag;
}

function readPositionals(line: CommandLine, words: readonly string[]): CommandLineValues {
  const slots = wordsOf(line.settings);
  for (const [index, [name, slot]] of slots.entries()) {
    const choices = choicesOf(slot);
    if (slot.required === true && words[index] === undefined)
      throw usage(
        line,
        `<${name}> is missing.`,
        choices.length === 0 ? null : `Use one of ${choices.join(", ")}.`,
      );
  }
  const last = slots.at(-1);
  if (last?.[1].word === "many") return { [last[0]]: words };
  const surplus = words[slots.length];
  if (surplus === undefined)
    return Object.fromEntries(slots.map(([name], index) => [name, words[index]]));
  const near = nearestWord(surplus, flagNames(line));
  throw usage(line, `Unexpected argument "${surplus}".`, near && `Did you mean --${near}?`);
}

/**
 * The flag that a word was meant to be: `--html` is `--format html`, and `--rpc` begins
 * `--rpc-url`.
 */
function nearestFlag(line: CommandLine, word: string): string | null {
  const ofValue = line.flags.find(({ setting }) => completedValues(setting).includes(word));
  if (ofValue !== undefined) return `${ofValue.flag} ${word}`;
  const near = nearestWord(word, flagNames(line));
  if (near !== null) return `--${near}`;
  const longer = line.flags.find(({ flag }) => flag.startsWith(`--${word}-`));
  // Another command has `--rpc-url` for what is `--url` here.
  const last = `--${word.slice(word.lastIndexOf("-") + 1)}`;
  return (longer ?? line.flags.find(({ flag }) => flag === last))?.flag ?? null;
}

function flagNames({ flags }: CommandLine): string[] {
  return flags.map(({ flag }) => flag.slice(2));
}

function usage({ command }: CommandLine, message: string, remedy: string | null = null): SvcError {
  return new SvcError("USAGE", {
    message,
    remedy: remedy ?? phrase`Run ${svc(`${command} --help`)} for its arguments and flags.`,
  });
}
