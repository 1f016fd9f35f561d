// Presents an error on stderr as text or as a line of the daemon's log, and with --json as JSON on
// stdout. Messages may quote nodes and files, so they are neutralized. A stack is shown only for
// internal errors.

import { resolve } from "node:path";
import { systemClock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import { messageOf } from "../base/errors/system-code.ts";
import { nodeAddress } from "../base/http/node-address.ts";
import { AGAIN, flag, phrase, svc } from "../base/phrase.ts";
import { jsonDocument } from "../base/text/json-document.ts";
import { neutralise, neutraliseCommands, neutraliseLines } from "../base/text/neutralise.ts";
import { exitCodeOf } from "../error-catalogue.ts";
import { transactionOfUrl } from "../model/transaction-url.ts";
import { atWidth, wrap } from "../report/text/layout.ts";
import { openStyle } from "../report/text/style.ts";
import type { ErrorStreams, Shell } from "./shell.ts";

const LONGEST_CAUSE_CHAIN = 8;
/** The largest part of a command-line word that an error repeats. */
const LONGEST_WORD = 300;
/** The URL of a node, even if a letter of `https` is missing, because its path may be a secret. */
const NODE_URL = /\bh\w*:\/\/[^\s,"'`]+/gi;

/** An error without a code is a bug in svc. Its text may be minified, so the cause is kept. */
export function asSvcError(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  if (error instanceof DOMException && error.name === "TimeoutError")
    return new SvcError("NETWORK_TIMEOUT", {
      message: "The time limit was reached.",
      remedy: phrase`Raise ${flag("timeout")}, or check the nodes with ${svc("doctor")}.`,
      cause: error,
    });
  return new SvcError("INTERNAL", {
    message: `Internal error in svc (a bug): ${messageOf(error)}`,
    remedy: phrase`${AGAIN} with ${flag("debug")}, and report the output.`,
    cause: error,
  });
}

/**
 * Presents an error and returns the exit code. The text always goes to stderr. With --json the
 * error is also the document on stdout. `command` is undefined if there is none of that name.
 */
export async function presentError(
  shell: Shell,
  thrown: unknown,
  command: ErrorStreams | undefined,
): Promise<number> {
  // An aborted stage may throw anything. The user needs the reason for the abort, unless the error
  // reports what the end has cost.
  const isOfEnd = thrown instanceof SvcError && thrown.details.isOfEnd === true;
  const isReason = shell.signal.aborted && !isOfEnd;
  const whole = asSvcError(isReason ? shell.signal.reason : thrown);
  const { argv, stderr } = shell.facts;
  const shorten = shortenWords(argv);
  const { code, details, cause } = whole;
  const error = new SvcError(code, {
    message: shorten(whole.message),
    remedy: shorten(whole.remedy),
    cause,
    details,
  });
  const debug = shell.debug || error.code === "INTERNAL";
  const text = (shown: SvcError) => {
    // Before a daemon begins its log, the reader is the person who wrote the command line.
    const isLogged = shown.code !== "USAGE" && command?.logsLines?.(argv) === true;
    if (!isLogged) {
      const { errorColor, facts } = shell;
      return renderErrorText(shown, {
        debug,
        color: errorColor(),
        columns: facts.stderrColumns(),
      });
    }
    return renderErrorLog(shown, { debug, unixMilliseconds: systemClock.unixMilliseconds() });
  };
  shell.log.endProgress();
  stderr().write(shorten(text(error)));
  const line = command?.printsLines === true;
  try {
    if (shell.json)
      await shell.output.write(shorten(renderErrorJson(error, { debug: shell.debug, line })));
  } catch (unwritable) {
    stderr().write(text(asSvcError(unwritable)));
  }
  return exitCodeOf(error);
}

/**
 * Shortens the words of the command line in errors: a long word to its beginning, and a URL that
 * may be a node's to the address of the node, wherever it is.
 */
export function shortenWords(argv: readonly string[]): (text: string) => string {
  const urls = argv
    .flatMap((word) => word.match(NODE_URL) ?? [])
    .filter((url) => transactionOfUrl(url) === null)
    .sort((left, right) => right.length - left.length);
  const long = argv.filter(({ length }) => length > LONGEST_WORD);
  return (text) => {
    // A URL that was read as a path has lost a slash.
    const addressed = urls.reduce(
      (said, url) =>
        said
          .replaceAll(url, () => nodeAddress(url))
          .replaceAll(resolve("/", url).slice(1), () => nodeAddress(url)),
      text,
    );
    return long.reduce(shortenWord, addressed);
  };
}

/** The text may contain only the beginning of the word. */
function shortenWord(text: string, word: string): string {
  const start = text.indexOf(word.slice(0, LONGEST_WORD));
  if (start === -1) return text;
  let length = LONGEST_WORD;
  while (length < word.length && text[start + length] === word[length]) length += 1;
  const remainder = text.slice(start + length).replace(/^…/, "");
  return `${text.slice(0, start + LONGEST_WORD / 3)}…${remainder}`;
}

interface ErrorTextOptions {
  readonly debug: boolean;
  readonly color?: boolean;
  /**
   * The columns of the terminal. Without a terminal, lines are not wrapped, because logs are
   * searched by line.
   */
  readonly columns?: number;
}

/** The error as text, which ends with a line break. */
export function renderErrorText(
  error: SvcError,
  { debug, color = false, columns = 0 }: ErrorTextOptions,
): string {
  const style = openStyle(color);
  const broken = (text: string, first: string, indent: number) =>
    columns === 0 ? [`${first}${neutralise(text)}`] : wrap(text, first, indent);
  const lines = atWidth(columns, () => {
    const [head = "", ...more] = `${error.message} [${error.code}]`.split("\n");
    const [, blanks = ""] = /^( *)/.exec(more[0] ?? "") ?? [];
    return [
      ...broken(head, ERROR, 2),
      ...more.flatMap((line) =>
        broken(line.trimStart(), /^ */.exec(line)?.[0] ?? "", blanks.length + 2),
      ),
      ...broken(error.remedy, REMEDY, 4),
    ];
  });
  if (debug) lines.push(...causeLines(error), ...detailLines(error));
  return neutraliseCommands(`${lines.join("\n")}\n`)
    .replace(ERROR.trim(), (word) => style.bad(word))
    .replace(REMEDY.trim(), (words) => style.heading(words));
}

const ERROR = "error: ";
const REMEDY = "  what to do: ";

/** The last line of a daemon's log, with the reason why the daemon ends. */
function renderErrorLog(
  error: SvcError,
  { debug, unixMilliseconds }: { readonly debug: boolean; readonly unixMilliseconds: number },
): string {
  const line = {
    time: new Date(unixMilliseconds).toISOString(),
    level: "error",
    message: "svc ends with an error",
    code: error.code,
    error: neutraliseLines(error.message),
    remedy: neutralise(error.remedy),
    exitCode: exitCodeOf(error),
    ...causesOf(error, debug),
  };
  return jsonDocument(line, undefined, 0);
}

/**
 * One JSON document and a line break. `line` is true if it is one of many, each on its own line.
 */
export function renderErrorJson(
  error: SvcError,
  { debug, line = false }: { readonly debug: boolean; readonly line?: boolean },
): string {
  const { code, message, remedy, details } = error;
  const exitCode = exitCodeOf(error);
  const shown = { code, message, remedy, exitCode, details, ...causesOf(error, debug) };
  if (line) return jsonDocument({ kind: "error", error: shown }, withoutBigInts, 0);
  return jsonDocument({ error: shown }, withoutBigInts);
}

function causesOf(error: SvcError, debug: boolean) {
  return debug ? { causes: causeChain(error).map(causeText) } : {};
}

function causeLines(error: SvcError): string[] {
  return causeChain(error).flatMap((cause) => [
    `  caused by: ${neutraliseLines(causeText(cause))}`,
  ]);
}

function detailLines(error: SvcError): string[] {
  return Object.entries(error.details).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, withoutBigInts);
    return `  ${neutralise(name)}: ${neutraliseLines(text ?? "")}`;
  });
}

function causeChain(error: Error): unknown[] {
  const chain: unknown[] = [];
  let cause = error.cause;
  while (cause !== undefined && cause !== null && chain.length < LONGEST_CAUSE_CHAIN) {
    chain.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return chain;
}

function causeText(cause: unknown): string {
  if (cause instanceof SvcError) return `${cause.message} [${cause.code}]`;
  if (!(cause instanceof Error)) return String(cause);
  const code = (cause as { code?: unknown }).code;
  // Errors of the system and of libraries have a code. An error without one may be a bug in svc.
  return code === undefined ? (cause.stack ?? cause.message) : `${cause.message} (${String(code)})`;
}

function withoutBigInts(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
