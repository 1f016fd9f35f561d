// The only importer of consola. Every byte goes to stderr, which is for people: progress, warnings
// and errors, never the report. Text is neutralized here, since it may quote the chain. Creating a
// stream object of Node takes longer than svc takes to start, so stderr is opened at the first
// write. `consola/core` opens no stream by itself.

import { createConsola } from "consola/core";
import { neutralise, neutraliseCommands, neutraliseLines } from "../text/neutralise.ts";

export type LogLevel = "quiet" | "normal" | "verbose";

export interface Log {
  error(text: string): void;
  warn(text: string): void;
  info(text: string): void;
  /** Shown only with `--verbose`. */
  detail(text: string): void;
  /** Shows the current activity on one line that is redrawn. Without a terminal it is a detail. */
  progress(text: string): void;
  /** Removes the progress line. */
  endProgress(): void;
}

// consola's numbers: 0 error, 1 warn, 3 info, 4 debug.
const LEVELS: Record<LogLevel, number> = { quiet: 0, normal: 3, verbose: 4 };
/** People cannot read faster than this. */
const REDRAW_MILLISECONDS = 100;
const CLEAR_LINE = "\r\u001b[K";

export function openLog(options: {
  readonly level: LogLevel;
  /** Opens stderr. */
  readonly stderr: () => NodeJS.WriteStream;
  readonly isTerminal: () => boolean;
  readonly color?: () => boolean;
  /** True if the terminal cannot move its cursor. Progress is then not drawn. */
  readonly dumbTerminal: boolean;
}): Log {
  let progressShown = false;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const endProgress = () => {
    if (progressShown) options.stderr().write(CLEAR_LINE);
    progressShown = false;
  };
  const logger = createConsola({
    level: LEVELS[options.level],
    reporters: [
      {
        log: ({ type, args }) => {
          endProgress();
          const text = `${prefix(type)}${neutraliseLines(args.join(" "))}\n`;
          const safe = neutraliseCommands(text);
          const color = options.color?.() === true ? COLORS[type] : undefined;
          options.stderr().write(color === undefined ? safe : safe.replace(/^\w+:/, color));
        },
      },
    ],
  });
  let drawsProgress: boolean | null = null;
  const showsProgress = () => {
    // Cached, because a long run reports its progress thousands of times.
    drawsProgress ??= options.level !== "quiet" && !options.dumbTerminal && options.isTerminal();
    return drawsProgress;
  };
  return {
    error: (text) => logger.error(text),
    warn: (text) => logger.warn(text),
    info: (text) => logger.info(text),
    detail: (text) => logger.debug(text),
    progress(text) {
      if (!showsProgress()) {
        logger.debug(text);
        return;
      }
      const now = performance.now();
      if (now - drawnAt < REDRAW_MILLISECONDS) return;
      drawnAt = now;
      const { stderr } = options;
      // A terminal that does not know its size reports 0.
      const width = (stderr().columns || 80) - 1;
      stderr().write(CLEAR_LINE + neutralise(text).slice(0, width));
      progressShown = true;
    },
    endProgress,
  };
}

/** Colors the word before the text, red or yellow. */
const COLORS: Readonly<Record<string, string>> = {
  error: "\u001b[31m$&\u001b[0m",
  warn: "\u001b[33m$&\u001b[0m",
};

function prefix(type: string): string {
  if (type === "error") return "error: ";
  if (type === "warn") return "warning: ";
  return "";
}
