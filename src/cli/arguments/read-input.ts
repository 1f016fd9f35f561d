// The input of a command: the bytes of a file, of standard input with `-`, or text on the command
// line itself.

import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";
import type { Shell } from "../shell.ts";
import { readStdin } from "./read-stdin.ts";

const STDIN = "-";
const MAXIMUM_BYTES = 64 * 1024 * 1024;
/** A longer word is not a path, but may be an envelope. */
const LONGEST_PATH = 4096;

export interface Input {
  /** For people: the path, `standard input`, or `the command line`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** `word` is a file's name or `-`. Throws FILE_UNREADABLE. */
export async function readInput(shell: Shell, word: string): Promise<Input> {
  if (word === STDIN) {
    const limit = {
      maximumBytes: MAXIMUM_BYTES,
      remedy: `Check what is piped into svc; the limit is ${MAXIMUM_BYTES} bytes.`,
    };
    return { name: "standard input", bytes: await readStdin(shell, limit) };
  }
  const name = resolve(shell.facts.workingDirectory, word);
  try {
    if ((await stat(name)).size > MAXIMUM_BYTES) throw tooLarge(name);
    return { name, bytes: await readFile(name) };
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw new SvcError("FILE_UNREADABLE", {
      message: `${name} cannot be read (${(cause as { code?: string }).code}).`,
      remedy: "Check the path and its permissions. `-` is standard input.",
      cause,
    });
  }
}

/** Base64 from a file, standard input or the word itself; spaces and line breaks are removed. */
export async function readBase64Input(
  shell: Shell,
  word: string,
): Promise<Input & { text: string }> {
  const itself = word !== STDIN && (word.length > LONGEST_PATH || !(await isFile(shell, word)));
  const onCommandLine = itself && /^[A-Za-z0-9+/]{20,}={0,2}$/.test(word);
  const input = onCommandLine
    ? { name: "the command line", bytes: new TextEncoder().encode(word) }
    : await readInput(shell, word);
  return { ...input, text: new TextDecoder().decode(input.bytes).replace(/\s+/g, "") };
}

/** The text of a file or of standard input, or the word itself if there is no such file. */
export async function readTextInput(shell: Shell, word: string): Promise<Input & { text: string }> {
  const isPath = word === STDIN || (word.length <= LONGEST_PATH && (await isFile(shell, word)));
  const input = isPath
    ? await readInput(shell, word)
    : { name: "the command line", bytes: new TextEncoder().encode(word) };
  return { ...input, text: new TextDecoder().decode(input.bytes) };
}

async function isFile({ facts }: Shell, word: string): Promise<boolean> {
  return Bun.file(resolve(facts.workingDirectory, word)).exists();
}

function tooLarge(name: string): SvcError {
  return new SvcError("FILE_UNREADABLE", {
    message: `${name} is larger than ${MAXIMUM_BYTES} bytes.`,
    remedy: "Check the path: svc reads no file of this size.",
  });
}
