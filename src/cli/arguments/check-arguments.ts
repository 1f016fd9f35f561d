// Checks a command line strictly. citty misreads what it does not know: an unknown flag takes the
// next word as its value, or leaves it as the hash. Every word is therefore checked here first, and
// citty sees only unambiguous command lines.

import type { ArgDef, ArgsDef } from "citty";
import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { SvcError } from "../../base/errors/errors.ts";

/** The hint of a positional that takes any number of words. */
export const VARIADIC = "…";
/** The end of the hint of a flag that can be repeated. */
export const REPEATABLE = " …";
/** Between the words that a positional can be, in its hint. */
const EITHER = "|";

interface Words {
  readonly command: string;
  readonly definition: ArgsDef;
  readonly seen: Set<string>;
  readonly positionals: string[];
}

/** The flags that are given. Throws USAGE, with the closest known word where there is one. */
export function checkArguments(
  command: string,
  definition: ArgsDef,
  rawArgs: readonly string[],
): ReadonlySet<string> {
  const words: Words = { command, definition, seen: new Set(), positionals: [] };
  let index = 0;
  while (index < rawArgs.length) {
    const word = rawArgs[index] ?? "";
    if (word === "--") {
      words.positionals.push(...rawArgs.slice(index + 1));
      break;
    }
    if (word.length > 1 && word.startsWith("-"))
      index += checkFlag(words, word, rawArgs[index + 1]);
    else words.positionals.push(word);
    index += 1;
  }
  checkPositionals(words);
  checkRequired(words);
  return words.seen;
}

function checkRequired(words: Words): void {
  for (const [name, flag] of Object.entries(words.definition)) {
    if (flag.type === "positional" || flag.required !== true || words.seen.has(name)) continue;
    throw usage(words, `--${name} is missing.`, `Add \`--${name} ${flag.valueHint}\`.`);
  }
}

/** Returns the number of further words that the flag took. */
function checkFlag(words: Words, word: string, next: string | undefined): 0 | 1 {
  const equals = word.indexOf("=");
  const written = equals === -1 ? word : word.slice(0, equals);
  const name = flagNamed(words.definition, written);
  if (name === null) throw unknownFlag(words, written);
  const flag = words.definition[name] as ArgDef;
  if (words.seen.has(name) && flag.valueHint?.endsWith(REPEATABLE) !== true)
    throw usage(words, `--${name} cannot be repeated.`);
  words.seen.add(name);
  if (flag.type === "boolean") {
    if (equals !== -1) throw usage(words, `--${name} takes no value.`);
    return 0;
  }
  const value = equals === -1 ? next : word.slice(equals + 1);
  if (value === undefined || value === "") throw usage(words, `--${name} needs a value.`);
  if (equals === -1 && value.length > 1 && value.startsWith("-"))
    throw usage(
      words,
      `--${name} needs a value, but "${value}" looks like a flag.`,
      `If it is the value, write \`--${name}=${value}\`.`,
    );
  if (flag.type === "enum") checkChoice(words, `--${name}`, flag.options ?? [], value);
  return equals === -1 ? 1 : 0;
}

/** `what`: the flag, or the positional in angle brackets. */
function checkChoice(words: Words, what: string, choices: readonly string[], value: string): void {
  if (choices.includes(value)) return;
  const near = nearestWord(value, choices);
  throw usage(
    words,
    `${what} cannot be "${value}".`,
    near === null ? `Use one of ${choices.join(", ")}.` : `Did you mean "${near}"?`,
  );
}

/** The words that the positional can be. Empty: any word. */
export function positionalChoices({ valueHint = "" }: ArgDef): readonly string[] {
  return valueHint.includes(EITHER) ? valueHint.split(EITHER) : [];
}

function checkPositionals(words: Words): void {
  const slots = Object.entries(words.definition).filter(([, slot]) => slot.type === "positional");
  for (const [index, [name, slot]] of slots.entries()) {
    const choices = positionalChoices(slot);
    const word = words.positionals[index];
    if (slot.required !== false && word === undefined)
      throw usage(
        words,
        `<${name}> is missing.`,
        choices.length === 0 ? undefined : `Use one of ${choices.join(", ")}.`,
      );
    if (word !== undefined && choices.length > 0) checkChoice(words, `<${name}>`, choices, word);
  }
  if (slots.at(-1)?.[1].valueHint === VARIADIC) return;
  const surplus = words.positionals[slots.length];
  if (surplus === undefined) return;
  const near = nearestWord(surplus, flagNames(words.definition));
  throw usage(
    words,
    `Unexpected argument "${surplus}".`,
    near === null ? undefined : `Did you mean --${near}?`,
  );
}

function flagNamed(definition: ArgsDef, written: string): string | null {
  for (const [name, flag] of Object.entries(definition)) {
    if (flag.type === "positional") continue;
    if (written === `--${name}`) return name;
    const alias = "alias" in flag ? flag.alias : undefined;
    if (typeof alias === "string" && written === `-${alias}`) return name;
  }
  return null;
}

function flagNames(definition: ArgsDef): string[] {
  return Object.keys(definition).filter((name) => definition[name]?.type !== "positional");
}

function unknownFlag(words: Words, written: string): SvcError {
  const near = nearestWord(written.replace(/^-+/, ""), flagNames(words.definition));
  return usage(
    words,
    `Unknown flag ${written}.`,
    near === null ? undefined : `Did you mean --${near}?`,
  );
}

function usage(words: Words, message: string, remedy?: string): SvcError {
  return new SvcError("USAGE", {
    message,
    remedy: remedy ?? `Run \`svc ${words.command} --help\` for its arguments and flags.`,
  });
}
