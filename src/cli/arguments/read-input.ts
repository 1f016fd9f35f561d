// The input of a command: the bytes of a file, of standard input with `-`, or text on the command
// line itself.

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";
import { readFileWithin, whyUnreadable } from "../../base/files/read-file.ts";
import type { InputShell } from "../shell.ts";
import { readStdin } from "./read-stdin.ts";

export const STDIN = "-";
/** Name of an input that is the word itself. */
export const COMMAND_LINE = "the command line";
export const MAXIMUM_INPUT_BYTES = 64 * 1024 * 1024;
/** A longer word is not a path, but may be an envelope. */
const LONGEST_PATH = 4096;

export interface Input {
  /** For people: the path, `standard input`, or `the command line`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** For errors: what stands before the name, and the flag that has it. */
export interface InputWords {
  readonly what: string;
  readonly flag: string;
}

/** `word` is a file's name or `-`. Throws FILE_UNREADABLE. */
export async function readInput(
  shell: InputShell,
  word: string,
  words: InputWords | null = null,
): Promise<Input> {
  const maximumBytes = MAXIMUM_INPUT_BYTES;
  if (word === STDIN) {
    const remedy = `Check what is piped into svc; the limit is ${maximumBytes} bytes.`;
    const bytes = await readStdin(shell, { maximumBytes, remedy });
    return { name: "standard input", bytes };
  }
  const name = resolve(shell.facts.workingDirectory, word);
  try {
    return { name, bytes: await readFileWithin(name, { signal: shell.signal, maximumBytes }) };
  } catch (cause) {
    const where = words === null ? "" : ` in \`${words.flag}\``;
    throw new SvcError("FILE_UNREADABLE", {
      message: `${words?.what ?? ""}${name} cannot be read (${whyUnreadable(cause)}).`,
      remedy: `Check the path${where} and its permissions. \`-\` is standard input.`,
      cause,
    });
  }
}

/** Base64 from a file, standard input or the word itself; spaces and line breaks are removed. */
export async function readBase64Input(
  shell: InputShell,
  word: string,
): Promise<Input & { text: string }> {
  const itself = word !== STDIN && (word.length > LONGEST_PATH || !(await isFile(shell, word)));
  const onCommandLine = itself && /^[A-Za-z0-9+/]{20,}={0,2}$/.test(word);
  const input = onCommandLine
    ? { name: COMMAND_LINE, bytes: new TextEncoder().encode(word) }
    : await readInput(shell, word);
  return { ...input, text: new TextDecoder().decode(input.bytes).replace(/\s+/g, "") };
}

/** The text of a file or of standard input, or the word itself if there is no such file. */
export async function readTextInput(
  shell: InputShell,
  word: string,
): Promise<Input & { text: string }> {
  const isPath = word === STDIN || (word.length <= LONGEST_PATH && (await isFile(shell, word)));
  const input = isPath
    ? await readInput(shell, word)
    : { name: COMMAND_LINE, bytes: new TextEncoder().encode(word) };
  return { ...input, text: new TextDecoder().decode(input.bytes) };
}

async function isFile({ facts }: InputShell, word: string): Promise<boolean> {
  const found = await stat(resolve(facts.workingDirectory, word)).catch(() => null);
  return found?.isDirectory() === false;
}
