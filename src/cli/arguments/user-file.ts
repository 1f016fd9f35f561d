// Reads files that the user passes with a flag.

import { resolve } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";
import { readFileWithin, whyUnreadable } from "../../base/files/read-file.ts";
import { checkWasm } from "../../base/files/wasm-file.ts";
import type { InputShell } from "../shell.ts";
import { MAXIMUM_INPUT_BYTES } from "./read-input.ts";

export interface NamedFile {
  readonly path: string;
  /** The content, for errors: `overrides`. */
  readonly what: string;
  /** The flag that has the path. */
  readonly flag: string;
  /** The directory of a relative path (default: the working directory). */
  readonly directory?: string;
}

/** Throws FILE_UNREADABLE. */
export async function readUserFile(
  { facts, signal }: InputShell,
  { path, what, flag, directory = facts.workingDirectory }: NamedFile,
): Promise<Buffer> {
  const limits = { signal, maximumBytes: MAXIMUM_INPUT_BYTES };
  try {
    return await readFileWithin(resolve(directory, path), limits);
  } catch (cause) {
    throw new SvcError("FILE_UNREADABLE", {
      message: `The ${what} file ${path} cannot be read (${whyUnreadable(cause)}).`,
      remedy: `Check the path in \`${flag}\`, and its permissions.`,
      cause,
    });
  }
}

/** A build of a contract. Throws FILE_UNREADABLE and FILE_INVALID. */
export async function readWasmFile(shell: InputShell, path: string, flag: string): Promise<Buffer> {
  const wasm = await readUserFile(shell, { path, what: "wasm", flag });
  checkWasm(wasm, path);
  return wasm;
}
