// Files that the user names with a flag.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";
import type { Shell } from "../shell.ts";

export interface NamedFile {
  readonly path: string;
  /** What it is, for errors: `overrides`. */
  readonly what: string;
  /** Where it was named. */
  readonly flag: string;
  /** Directory that the path is relative to; the working one when absent. */
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
      message: `The ${what} ${path} cannot be read (${(cause as { code?: string }).code}).`,
      remedy: `Check the path given with ${flag}, and its permissions.`,
      cause,
    });
  }
}
