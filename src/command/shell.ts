// The part of the process that commands may use. main.ts passes the real process, and tests pass
// their own; no other code reads argv, the environment or a terminal.

import type { CheckedSettings, Facts } from "../base/settings/check-rules.ts";
import type { Settings } from "../base/settings/setting.ts";
import type { Log } from "../base/terminal/log.ts";
import type { Output } from "../base/terminal/output.ts";
import type { TerminalProcess } from "../base/terminal/terminal.ts";
import type { TimeLimits } from "../base/time-limits.ts";
import type { ProofOptions, Prove } from "../debugger/setup/open-proofs.ts";
import type { Config } from "../sources/network-settings.ts";

/** The facts that main.ts takes from the process. */
export interface ProcessFacts {
  /** The name by which svc was called: `stellar svc` for stellar-cli's `stellar-svc`. */
  readonly program: "svc" | "stellar svc";
  /** The words after the executable. */
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The running executable; svc searches svc-sim next to it. */
  readonly executablePath: string;
  /** The command that starts svc again. For a compiled svc it is only the path. */
  readonly selfCommand: readonly string[];
  /**
   * Starts the command again in this process, before anything is read; null if svc is not compiled.
   */
  readonly restart: ((environment: ProcessFacts["environment"]) => void) | null;
  readonly stdin: () => ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly stdinIsTerminal: () => boolean;
  readonly stdoutIsTerminal: () => boolean;
  readonly stderrIsTerminal: () => boolean;
  /** The columns of stdout; 0 if it is not a terminal, or does not know its width. */
  readonly stdoutColumns: () => number;
  /** The same for stderr. */
  readonly stderrColumns: () => number;
  /** The process with its terminal; only the interactive view uses it. */
  readonly terminal: () => TerminalProcess;
  /** Opens stderr. It is called only if something is written. */
  readonly stderr: () => NodeJS.WriteStream;
  /** Aborted with INTERRUPTED by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** The signals that end svc if they have no listener. */
  readonly signals: {
    readonly on: (name: "SIGHUP" | "SIGUSR1", listener: () => void) => unknown;
  };
}

/** The groups of commands in the help, in their order. */
export const COMMAND_GROUPS = [
  "Debug",
  "Check many",
  "Serve",
  "Sign",
  "This installation",
] as const;

export interface CommandSummary {
  readonly name: string;
  readonly summary: string;
  /** Null if it is listed only in the help of the command with the first of its words. */
  readonly group: (typeof COMMAND_GROUPS)[number] | null;
}

/** A command, for its help, its completions and the manual page. */
export interface CommandPage extends Omit<CommandSummary, "group"> {
  readonly settings: Settings;
  /** Facts that rules between settings may name beside settings. */
  readonly facts?: (args: CheckedSettings) => Facts;
  readonly examples?: readonly Example[];
  /** The last paragraph of the help. */
  readonly helpEnd?: string;
}

/** The words after the command's name. */
export type Example = readonly [words: string, meaning: string];

/** The form of errors on the two streams of a command. */
export interface ErrorStreams {
  /** True if stdout is one document a line with --json. */
  readonly printsLines?: boolean;
  /** True if stderr is a log: one JSON object a line. */
  readonly logsLines?: (words: readonly string[]) => boolean;
}

export interface Shell {
  /** Every command, for the completions. */
  readonly commandPages: () => Promise<readonly CommandPage[]>;
  readonly facts: ProcessFacts;
  readonly output: Output;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly time: TimeLimits;
  /** True if stdout is one JSON document. */
  readonly json: boolean;
  /** True if errors show their causes. */
  readonly debug: boolean;
  /** True for more details in the text report, and on stderr unless with --quiet. */
  readonly verbose: boolean;
  /** 1 for -v or --verbose: the trace. 2 for comparisons and messages too. 3 for host calls too. */
  readonly verbosity: 0 | 1 | 2 | 3;
  /** True if stdout accepts colors. */
  readonly color: () => boolean;
  /** True if stderr accepts colors. */
  readonly errorColor: () => boolean;
}

/**
 * The part of a shell that reads inputs. The signal interrupts reading: a FIFO may have no writer,
 * and a device no end.
 */
export type InputShell = Pick<Shell, "facts" | "signal">;

/**
 * A signal that is aborted when the user interrupts, or when the time limit of the run is reached.
 */
export function runSignal(shell: Shell, config: Config): AbortSignal {
  return AbortSignal.any([shell.signal, shell.time.limit(config.timeoutMilliseconds)]);
}

/** A shell whose reading and writing of files ends with the time limit of the run. */
export function withTimeLimit(shell: Shell, config: Config): Shell {
  return { ...shell, signal: runSignal(shell, config) };
}

/** A shell that writes reports to stderr: the capsule of `--save -` has stdout. */
export function onStderr(shell: Shell): Shell {
  const write = async (text: string) => void shell.facts.stderr().write(text);
  return { ...shell, output: { write, readerGone: () => false }, color: () => false };
}

/** The places to search for svc-sim, in addition to the settings. */
export function surroundingsOf({ facts }: Shell) {
  return { executablePath: facts.executablePath, searchPath: facts.environment.PATH };
}

/** The options of openWork that every command has. */
export function workOptions(shell: Shell) {
  return { surroundings: surroundingsOf(shell), progress: shell.log.progress };
}

/** The options of a text report. */
export function textOptions(shell: Shell) {
  const { verbose, verbosity } = shell;
  const columns = shell.facts.stdoutColumns();
  return {
    color: shell.color(),
    columns,
    verbose,
    trace: verbosity >= 1,
    messages: verbosity >= 2,
    hostCalls: verbosity >= 3,
  };
}

/** The archive that `--prove` asks, and the validators whose signatures count. */
export function proofOf(
  shell: Pick<Shell, "facts" | "log" | "time">,
  settings: ProofOptions["settings"],
): ProofOptions {
  const { environment } = shell.facts;
  const byReplays: ProofOptions["byReplays"] = async (...request) => {
    const { stateByReplays } = await import("../verify/state-by-replays.ts");
    return stateByReplays(...request);
  };
  return { settings, environment, byReplays, ...consentOf(shell) };
}

/** The proof that `--prove` asks for; null for none. */
export function proveWish({
  prove,
  ledger,
}: {
  readonly prove: boolean;
  readonly ledger: number | null;
}): Prove | null {
  return prove ? { ledger } : null;
}

/** How to ask the user: on the terminal, if it can show the question and read the answer. */
export function consentOf({ facts, log, time }: Pick<Shell, "facts" | "log" | "time">) {
  const isCi = !["", "0", "false", undefined].includes(facts.environment.CI);
  const asks = !isCi && facts.stdinIsTerminal() && facts.stderrIsTerminal();
  let answer: Promise<boolean> | null = null;
  const ask = async (question: string) => {
    facts.stderr().write(`${question} [y/N] `);
    const reader = facts.stdin().getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return /^\s*y(es)?\s*$/i.test(new TextDecoder().decode(value));
  };
  // The question is asked once, even if several transactions need the download.
  const confirm = (question: string) => (answer ??= ask(question));
  return { confirm: asks ? confirm : undefined, say: log.info, time };
}
