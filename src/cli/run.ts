// The border to citty: argv in, exit code out. citty's own runner always exits with code 1, prints
// usage on stdout and accepts typos, so commands are found, checked and run here. A command's `run`
// returns its exit code; everything that is thrown is presented as an error.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { type SvcError, usageError } from "../base/errors/errors.ts";
import { type LogLevel, openLog } from "../base/terminal/log.ts";
import { openOutput } from "../base/terminal/output.ts";
import { readWords } from "./arguments/read-words.ts";
import { COMMANDS, PUBLIC_COMMANDS, readCommandPages } from "./commands.ts";
import { renderHelp, renderOverview } from "./present/render-help.ts";
import type { ProcessFacts, Shell } from "./shell.ts";

const HELP_WORDS = ["--help", "-h"];
const VERSION_WORDS = ["--version", "-V"];
const VERBOSITY: ReadonlyMap<string, number> = new Map([
  ["--verbose", 1],
  ["-v", 1],
  ["-vv", 2],
  ["-vvv", 3],
]);

export async function run(facts: ProcessFacts): Promise<number> {
  const shell = openShell(facts);
  try {
    const exitCode = await dispatch(shell);
    shell.log.endProgress();
    // A reader that stops early (`| head -1`) is not an error, and hides no failed expectation.
    return exitCode;
  } catch (thrown) {
    const { presentError } = await import("./present/present-error.ts");
    return await presentError(shell, thrown, COMMANDS.get(facts.argv[0] ?? ""));
  }
}

function openShell(facts: ProcessFacts): Shell {
  // The strict check accepts none of these words as a value, so this search is exact.
  const words = wordsBeforeOperands(facts.argv);
  const verbosity = Math.max(0, ...words.map((word) => VERBOSITY.get(word) ?? 0)) as 0 | 1 | 2 | 3;
  const loud: LogLevel = verbosity > 0 ? "verbose" : "normal";
  const level = words.includes("--quiet") ? "quiet" : loud;
  const { environment, stderr, stderrIsTerminal } = facts;
  const dumbTerminal = environment.TERM === "dumb";
  const plain = (environment.NO_COLOR ?? "") !== "" || dumbTerminal;
  const log = openLog({ level, stderr, isTerminal: stderrIsTerminal, dumbTerminal });
  return {
    commandPages: readCommandPages,
    facts,
    output: openOutput({ beforeWrite: log.endProgress }),
    log,
    signal: facts.signal,
    json: asksForJson(words),
    debug: words.includes("--debug"),
    // --quiet changes only stderr, not the report.
    verbose: verbosity > 0,
    verbosity,
    color: () => !plain && facts.stdoutIsTerminal(),
  };
}

async function dispatch(shell: Shell): Promise<number> {
  const [word, ...rest] = shell.facts.argv;
  if (word !== undefined && HELP_WORDS.includes(word)) {
    await shell.output.write(renderOverview(PUBLIC_COMMANDS, shell.facts.stdoutColumns()));
    return 0;
  }
  if (word !== undefined && VERSION_WORDS.includes(word)) return runEntry(shell, "version", rest);
  if (word === undefined)
    throw usageError(
      "No command was given.",
      `Run \`svc --help\`. The commands are ${commandNames().join(", ")}.`,
    );
  const [second = "", ...others] = rest;
  const both = `${word} ${second}`;
  if (COMMANDS.has(both)) return runEntry(shell, both, others);
  return runEntry(shell, word, rest);
}

async function runEntry(shell: Shell, name: string, rest: readonly string[]): Promise<number> {
  const entry = COMMANDS.get(name);
  if (entry === undefined) throw unknownCommand(name);
  const helpWanted = wordsBeforeOperands(rest).some((word) => HELP_WORDS.includes(word));
  const { command } = await entry.load();
  const { settings, helpEnd } = command;
  if (helpWanted) {
    const page = { name, summary: entry.summary, settings };
    await shell.output.write(renderHelp(page, helpEnd, shell.facts.stdoutColumns()));
    return 0;
  }
  const given = readWords(name, settings, withoutRepeats(rest));
  if (entry.worksLong === true) Bun.unsafe.setJITPolicy(1);
  return command.run(shell, given);
}

function unknownCommand(name: string): SvcError {
  const names = commandNames();
  if (name.startsWith("-"))
    return usageError(
      `Flag ${name} is in the place of a command.`,
      "Write flags after the command, as in `svc debug <hash> --json`.",
    );
  const inside = names.filter((known) => known.startsWith(`${name} `));
  if (inside.length > 0)
    return usageError(
      `svc ${name} is not a complete command.`,
      `Run \`svc ${inside.join("` or `svc ")}\`.`,
    );
  const ends = names.filter((known) => known.endsWith(` ${name}`));
  const near = ends.length > 0 ? ends.join(" or svc ") : nearestWord(name, names);
  return usageError(
    `Unknown command "${name}".`,
    near === null ? `The commands are ${names.join(", ")}.` : `Did you mean svc ${near}?`,
  );
}

function commandNames(): string[] {
  return PUBLIC_COMMANDS.map(({ name }) => name);
}

function asksForJson(words: readonly string[]): boolean {
  if (words.includes("--json") || words.includes("--format=json")) return true;
  return words[words.indexOf("--format") + 1] === "json" && words.includes("--format");
}

/** Only openShell distinguishes `-vv` and `-vvv` from `--verbose`. */
function withoutRepeats(argv: readonly string[]): string[] {
  const flags = wordsBeforeOperands(argv);
  const once = flags.map((word) => (VERBOSITY.has(word) ? "--verbose" : word));
  return [...once, ...argv.slice(flags.length)];
}

function wordsBeforeOperands(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end === -1 ? argv : argv.slice(0, end);
}
