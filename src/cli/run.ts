// Runs a command line: argv in, exit code out. citty's own runner always exits with code 1, prints
// usage on stdout and accepts typos, so this file finds, checks and runs commands. A command's
// `run` returns its exit code. Everything that is thrown is presented as an error.

import { EXIT } from "../base/errors/base-errors.ts";
import { nearestWord } from "../base/errors/did-you-mean.ts";
import { type SvcError, usageError } from "../base/errors/errors.ts";
import { phrase, svc } from "../base/phrase.ts";
import { type LogLevel, openLog } from "../base/terminal/log.ts";
import { openOutput } from "../base/terminal/output.ts";
import { openTimeLimits } from "../base/time-limits.ts";
import { flagsOf } from "../command/command.ts";
import { COMMON } from "../command/common-settings.ts";
import type { ProcessFacts, Shell } from "../command/shell.ts";
import { stellarLineOfWords } from "../command/stellar-line.ts";
import { readWords } from "./arguments/read-words.ts";
import {
  COMMANDS,
  commandsInside,
  OVERVIEW,
  PUBLIC_COMMANDS,
  readCommandPages,
} from "./commands.ts";
import { LENT } from "./lent.ts";
import { renderHelp, renderOverview } from "./present/render-help.ts";

const HELP_WORDS = ["--help", "-h"];
const VERSION_WORDS = ["--version", "-V"];
const VERBOSITY = /^(?:--verbose|-(v+))$/;
const MAXIMUM_VERBOSITY = 3;

export async function run(processFacts: ProcessFacts): Promise<number> {
  const facts = { ...processFacts, argv: commandFirst(processFacts.argv) };
  const shell = openShell(facts);
  try {
    const exitCode = await dispatch(shell);
    shell.log.endProgress();
    // A reader that stops early (`| head -1`) is not an error, and hides no failed expectation.
    return exitCode;
  } catch (thrown) {
    const { presentError } = await import("../command/present-error.ts");
    return await presentError(shell, thrown, COMMANDS.get(facts.argv[0] ?? ""));
  }
}

function openShell(facts: ProcessFacts): Shell {
  // The strict check accepts none of these words as a value, so this search is exact.
  const words = wordsBeforeOperands(facts.argv);
  const levels = words.map((word) => VERBOSITY.exec(word)).filter((match) => match !== null);
  const most = Math.max(0, ...levels.map(([, letters = "v"]) => letters.length));
  const verbosity = Math.min(most, MAXIMUM_VERBOSITY) as 0 | 1 | 2 | 3;
  const loud: LogLevel = verbosity > 0 ? "verbose" : "normal";
  const level = words.some((word) => word === "--quiet" || word === "-q") ? "quiet" : loud;
  const { environment, stderr, stderrIsTerminal } = facts;
  const dumbTerminal = environment.TERM === "dumb";
  const colorOf = (isTerminal: () => boolean) => () => {
    const mode = valueIn(words, "--color");
    if (mode === "always" || mode === "never") return mode === "always";
    if ((environment.NO_COLOR ?? "") !== "" || dumbTerminal) return false;
    return !["", "0", "false"].includes(environment.FORCE_COLOR ?? "") || isTerminal();
  };
  const errorColor = colorOf(stderrIsTerminal);
  const log = openLog({
    level,
    stderr,
    isTerminal: stderrIsTerminal,
    color: errorColor,
    dumbTerminal,
  });
  return {
    commandPages: readCommandPages,
    facts,
    output: openOutput({ beforeWrite: log.endProgress }),
    log,
    signal: facts.signal,
    time: openTimeLimits(),
    json: asksForJson(words),
    debug: words.includes("--debug"),
    // --quiet changes only stderr, not the report.
    verbose: verbosity > 0,
    verbosity,
    color: colorOf(facts.stdoutIsTerminal),
    errorColor,
  };
}

async function dispatch(shell: Shell): Promise<number> {
  const [word, ...argumentWords] = shell.facts.argv;
  if (word === undefined || HELP_WORDS.includes(word)) return showOverview(shell, "", word);
  if (VERSION_WORDS.includes(word)) return runEntry(shell, "version", argumentWords);
  if (word === "help") return runEntry(shell, argumentWords.join(" "), ["--help"]);
  const [second = "", ...others] = argumentWords;
  const both = `${word} ${second}`;
  if (COMMANDS.has(both)) return runEntry(shell, both, others);
  return runEntry(shell, word, argumentWords);
}

/** Shows all commands, or those of a group such as `hsm`. */
async function showOverview(shell: Shell, group: string, word: string | undefined) {
  const commands = group === "" ? OVERVIEW : commandsInside(group);
  await shell.output.write(renderOverview(commands, group, helpOptions(shell)));
  // A script that names no command by mistake must not seem to succeed.
  return word === undefined && !shell.facts.stdoutIsTerminal() ? EXIT.usage : 0;
}

async function runEntry(shell: Shell, name: string, written: readonly string[]): Promise<number> {
  const entry = COMMANDS.get(name);
  if (entry === undefined) {
    refuseStellarLine("", [...name.split(" "), ...written]);
    const [word] = written;
    const isGroup = name === "" || commandsInside(name).length > 0;
    if (isGroup && (word === undefined || HELP_WORDS.includes(word)))
      return showOverview(shell, name, word);
    throw unknownCommand(isGroup ? `${name} ${word}` : name);
  }
  const { command } = await entry.load();
  const words = command.arrange?.(written) ?? written;
  const helpWanted = wordsBeforeOperands(words).some((word) => HELP_WORDS.includes(word));
  if (helpWanted) {
    const page = { name, summary: entry.summary, ...command };
    await shell.output.write(renderHelp(page, commandsInside(name), helpOptions(shell)));
    return 0;
  }
  refuseStellarLine(name, written);
  const processFacts = readWords(name, command.settings, withoutRepeats(words));
  if (entry.worksLong === true) Bun.unsafe.setJITPolicy(1);
  return command.run(shell, processFacts, LENT);
}

/**
 * Throws USAGE for a pasted line of stellar-cli. `svc call` reads one of them, and a text of `svc
 * explain` can begin with one and go on with what it printed.
 */
function refuseStellarLine(name: string, words: readonly string[]): void {
  const line = stellarLineOfWords(words);
  const isText = name === "explain" && words.some((word) => /\s/.test(word));
  const isCall = name === "call" && line?.command === "contract invoke";
  if (line !== null && !isText && !isCall) throw usageError(line.message, line.remedy);
}

/** Flags may be before the command. A word after a flag that takes a value is not a command. */
function commandFirst(argv: readonly string[]): readonly string[] {
  if (argv[0]?.startsWith("-") !== true) return argv;
  const isCommand = (word: string) =>
    word === "help" || [...COMMANDS.keys()].some((name) => name.split(" ")[0] === word);
  const isValue = (word = "") => word.startsWith("--") && !word.includes("=") && !isSwitch(word);
  const places = argv.flatMap((word, place) => (isCommand(word) ? place : []));
  const place = places.find((each) => !isValue(argv[each - 1])) ?? places[0];
  if (place === undefined) return argv;
  const second = COMMANDS.has(`${argv[place]} ${argv[place + 1]}`) ? 2 : 1;
  const command = argv.slice(place, place + second);
  return [...command, ...argv.slice(0, place), ...argv.slice(place + second)];
}

function isSwitch(word: string): boolean {
  return flagsOf(COMMON).some(({ flag, hint }) => flag === word && hint === null);
}

function helpOptions({ facts: { program, stdoutColumns } }: Shell) {
  return { program, columns: stdoutColumns() };
}

/** The form of a hash, a URL or a capsule. */
const SUBJECT_OF_DEBUG = /^(?:0x)?[0-9a-f]{64}$|^https?:\/\/|\.(?:json|html)$/i;

function unknownCommand(name: string): SvcError {
  const names = commandNames();
  if (name.startsWith("-"))
    return usageError(
      `There is no command after ${name}.`,
      phrase`Write one, as in ${svc("debug <hash>")}. ${svc("--help")} has all commands.`,
    );
  if (SUBJECT_OF_DEBUG.test(name))
    return usageError("A transaction is not a command.", phrase`Run ${svc(`debug ${name}`)}.`);
  const ends = names.filter((known) => known.endsWith(` ${name}`));
  const near = ends.length > 0 ? ends.join(" or svc ") : nearestWord(name, names);
  return usageError(
    `Unknown command "${name}".`,
    near === null
      ? phrase`${svc("debug <hash>")} debugs a transaction; ${svc("--help")} has all commands.`
      : `Did you mean svc ${near}?`,
  );
}

function commandNames(): string[] {
  return PUBLIC_COMMANDS.map(({ name }) => name);
}

function asksForJson(words: readonly string[]): boolean {
  return words.includes("--json") || valueIn(words, "--format") === "json";
}

function valueIn(words: readonly string[], flag: string): string | undefined {
  const place = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  return words[place] === flag ? words[place + 1] : words[place]?.slice(flag.length + 1);
}

/** Only openShell distinguishes `-vv` from `--verbose`. */
function withoutRepeats(argv: readonly string[]): string[] {
  const flags = wordsBeforeOperands(argv);
  const once = flags.map((word) => (VERBOSITY.test(word) ? "--verbose" : word));
  return [...once, ...argv.slice(flags.length)];
}

function wordsBeforeOperands(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end === -1 ? argv : argv.slice(0, end);
}
