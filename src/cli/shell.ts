// What a command is given of the process around it. main.ts takes it from the process, tests make
// their own; nothing below reads argv, the environment or a terminal by itself.

import type { Config } from "../base/settings/config.ts";
import type { Log } from "../base/terminal/log.ts";
import type { Output } from "../base/terminal/output.ts";
import type { TerminalProcess } from "../base/terminal/terminal.ts";

/** The process as main.ts sees it. */
export interface ProcessFacts {
  /** Without the executable. */
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The running executable: svc-sim is looked for beside it. */
  readonly executablePath: string;
  /** The words that start svc again: of a compiled svc its own path alone. */
  readonly selfCommand: readonly string[];
  readonly stdin: () => ReadableStream<Uint8Array>;
  readonly stdoutIsTerminal: () => boolean;
  /** The process with its terminal: asked for only by the interactive view. */
  readonly terminal: () => TerminalProcess;
  /** Opens the stream: asked for only when something is written. */
  readonly stderr: () => NodeJS.WriteStream;
  /** Aborted with INTERRUPTED by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

export interface Shell {
  readonly facts: ProcessFacts;
  readonly output: Output;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Stdout is one JSON document. */
  readonly json: boolean;
  /** Errors show their causes. */
  readonly debug: boolean;
  /** Say more in the text report; on stderr too, unless with --quiet. */
  readonly verbose: boolean;
  /** How much more: 1 with -v or --verbose, 2 with host calls, 3 with storage in full. */
  readonly verbosity: 0 | 1 | 2 | 3;
  /** Does stdout take colour? */
  readonly color: () => boolean;
}

/** Aborted when the user interrupts, or when all that the run may wait is used up. */
export function runSignal(shell: Shell, config: Config): AbortSignal {
  return AbortSignal.any([shell.signal, AbortSignal.timeout(config.timeoutMilliseconds)]);
}

/** Where svc-sim may be found, besides what the settings say. */
export function surroundingsOf({ facts }: Shell) {
  return { executablePath: facts.executablePath, searchPath: facts.environment.PATH };
}

/** How a text report is drawn. */
export function textOptions(shell: Shell) {
  const { verbose, verbosity } = shell;
  return { color: shell.color(), verbose, hostCalls: verbosity >= 2, storage: verbosity === 3 };
}
