// Reads files that the user passes with a flag.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";
import type { Shell } from "../shell.ts";

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
  { facts }: Shell,
  { path, what, flag, directory = facts.workingDirectory }: NamedFile,
): Promise<Buffer> {
  try {
    return await readFile(resolve(directory, path));
  } catch (cause) {
    throw new SvcError("FILE_UNREADABLE", {
      message: `The ${what} file ${path} cannot be read (${(cause as { code?: string }).code}).`,
      remedy: `Check the path in \`${flag}\`, and its permissions.`,
      cause,
    });
  }
}
