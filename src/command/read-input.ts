// Reads the inputs of commands: files, standard input with `-`, or text on the command line itself.

import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { polledBytes, readFileWithin, whyUnreadable } from "../base/files/read-file.ts";
import { checkWasm } from "../base/files/wasm-file.ts";
import { atShell, flag, phrase, type Wording } from "../base/phrase.ts";
import type { CapsuleText } from "../debugger/walk/open-capsule.ts";
import { isDemoWord, readDemo } from "./demo-capsules.ts";
import type { InputShell } from "./shell.ts";

export const STDIN = "-";
/** The name of an input that is the word itself. */
export const COMMAND_LINE = "the command line";
const MAXIMUM_INPUT_BYTES = 64 * 1024 * 1024;
/** A longer word is not a path, but may be an envelope. */
const LONGEST_PATH = 4096;

export interface Input {
  /** The name of the input: its path, `standard input`, or `the command line`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The words for errors: the words before the name, and the setting that names the input. */
export interface InputWords {
  readonly label: string;
  readonly flag: string;
}

/**
 * Reads an input. `word` is the name of a file, `-`, or a demo such as `demo:wrong-signer`. Throws
 * FILE_UNREADABLE, and USAGE for an unknown demo.
 */
export async function readInput(
  shell: InputShell,
  word: string,
  words: InputWords | null = null,
  maximumBytes = MAXIMUM_INPUT_BYTES,
): Promise<Input> {
  if (word === STDIN) {
    const remedy = `Check what is piped into svc; the limit is ${maximumBytes} bytes.`;
    const bytes = await readStdin(shell, { maximumBytes, remedy });
    return { name: "standard input", bytes };
  }
  if (isDemoWord(word)) return { name: word, bytes: await readDemo(word) };
  const name = resolve(shell.facts.workingDirectory, word);
  try {
    return { name, bytes: await readFileWithin(name, { signal: shell.signal, maximumBytes }) };
  } catch (cause) {
    const where = words === null ? "" : phrase` in ${flag(words.flag)}`;
    const remedy = phrase`Check the path${where} and its permissions.${atShell(" `-` is standard input.")}`;
    throw unreadable(`${words?.label ?? ""}${name}`, remedy, cause, name);
  }
}

/** The text of a file or of standard input, or the word itself if there is no such file. */
export async function readTextInput(
  shell: InputShell,
  word: string,
  mayBeText = (_word: string) => true,
): Promise<Input & { text: string }> {
  const isPath = word === STDIN || (word.length <= LONGEST_PATH && (await isFile(shell, word)));
  const input =
    isPath || !mayBeText(word)
      ? await readInput(shell, word)
      : { name: COMMAND_LINE, bytes: new TextEncoder().encode(word) };
  return { ...input, text: new TextDecoder().decode(input.bytes) };
}

/** Base64 from a file, standard input or the word itself, without spaces and line breaks. */
export async function readBase64Input(
  shell: InputShell,
  word: string,
): ReturnType<typeof readTextInput> {
  const input = await readTextInput(shell, word, (text) => {
    if (/^[A-Za-z0-9+/]{20,}={0,2}$/.test(text)) return true;
    if (/[./\\]/.test(text)) return false;
    throw new SvcError("FILE_UNREADABLE", {
      message: `"${text.slice(0, 100)}" is neither XDR in base64 nor a file.`,
      remedy: "Pass the complete base64, the path of a file that has it, or - for standard input.",
    });
  });
  return { ...input, text: input.text.replace(/\s+/g, "") };
}

async function isFile({ facts }: InputShell, word: string): Promise<boolean> {
  const status = await stat(resolve(facts.workingDirectory, word)).catch(() => null);
  return status?.isDirectory() === false;
}

/** Reads the capsule of --from. Throws FILE_UNREADABLE. */
export async function readCapsule(shell: InputShell, word: string): Promise<CapsuleText> {
  const { name, bytes } = await readInput(shell, word, { label: "The capsule ", flag: "from" });
  return { name, text: new TextDecoder().decode(bytes) };
}

export interface NamedFile {
  readonly path: string;
  /** The content of the file in errors, such as `overrides`. */
  readonly label: string;
  /** The setting with the path, such as `overrideWasm`; null if it is a word of the command. */
  readonly flag: string | null;
  /** The directory of a relative path (default: the working directory). */
  readonly directory?: string;
}

/** Reads a file that the user names. Throws FILE_UNREADABLE. */
export async function readUserFile(
  { facts, signal }: InputShell,
  { path, label, flag: setting, directory = facts.workingDirectory }: NamedFile,
): Promise<Uint8Array<ArrayBuffer>> {
  const limits = { signal, maximumBytes: MAXIMUM_INPUT_BYTES };
  try {
    return await readFileWithin(resolve(directory, path), limits);
  } catch (cause) {
    const where = setting === null ? "" : phrase` in ${flag(setting)}`;
    const remedy = phrase`Check the path${where}, and its permissions.`;
    throw unreadable(`The ${label} file ${path}`, remedy, cause);
  }
}

/** Reads a build of a contract. Throws FILE_UNREADABLE and FILE_INVALID. */
export async function readWasmFile(
  shell: InputShell,
  path: string,
  flag: string | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const wasm = await readUserFile(shell, { path, label: "wasm", flag });
  checkWasm(wasm, path);
  return wasm;
}

/**
 * Reads every wasm file in the directory of --code, without its subdirectories. Throws
 * FILE_UNREADABLE.
 */
export async function readCode(
  shell: InputShell,
  directory: string,
): Promise<{ readonly file: string; readonly bytes: Uint8Array }[]> {
  const names = await readdir(resolve(shell.facts.workingDirectory, directory)).catch((cause) => {
    const remedy = phrase`Check the path in ${flag("code")}, and its permissions.`;
    throw unreadable(`The directory ${directory}`, remedy, cause);
  });
  const files: { file: string; bytes: Uint8Array }[] = [];
  for (const name of names.filter((each) => each.endsWith(".wasm")).sort()) {
    const path = join(directory, name);
    const kind = await stat(resolve(shell.facts.workingDirectory, path)).catch(() => null);
    if (kind?.isFile() !== true) continue;
    files.push({
      file: path,
      bytes: await readUserFile(shell, { path, label: "wasm", flag: "code" }),
    });
  }
  return files;
}

export interface StdinLimit {
  readonly maximumBytes: number;
  /** The remedy of the error if the input exceeds the limit. */
  readonly remedy: string;
}

/** Reads standard input. Throws USAGE beyond the limit, and FILE_UNREADABLE. */
export async function readStdin(
  { facts, signal }: InputShell,
  { maximumBytes, remedy }: StdinLimit,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of polledBytes(facts.stdin(), "/dev/stdin", signal)) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > maximumBytes) break;
    }
  } catch (cause) {
    throw unreadable("Standard input", "Check what is piped into svc.", cause);
  }
  if (bytes <= maximumBytes) return Buffer.concat(pieces);
  const message = `Standard input is larger than ${maximumBytes / 1024 / 1024} MiB.`;
  throw new SvcError("USAGE", { message, remedy });
}

/** The error of an unreadable input. `path` is set if the whole message can be about a file. */
function unreadable(label: string, remedy: Wording, cause: unknown, path?: string): SvcError {
  const why = whyUnreadable(cause);
  const isMissing = path !== undefined && systemCodeOf(cause) === "ENOENT";
  const message = isMissing ? `There is no file ${path}.` : `${label} cannot be read (${why}).`;
  return new SvcError("FILE_UNREADABLE", { message, remedy, cause });
}
