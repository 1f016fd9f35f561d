// The only directory in which agents may name files. Names and links must not lead out of it, and
// an error reveals nothing about files outside.

import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { readFileWithin, whyUnreadable } from "../base/files/read-file.ts";
import { flag, phrase } from "../base/phrase.ts";

export type AllowedDirectory = ReturnType<typeof openAllowedDirectory>;

/** With this pattern, an agent cannot create a hook, a script or a settings file. */
const CAPSULE_NAME = /^[A-Za-z0-9][\w.-]{0,200}\.capsule\.json$/;
const MAXIMUM_BYTES = 64 * 1024 * 1024;

/**
 * Opens the directory. If it has `mostFiles` files and directories, no more are created. Throws
 * FILE_UNREADABLE.
 */
export function openAllowedDirectory(directory: string, mostFiles = Number.POSITIVE_INFINITY) {
  const path = realOf(directory, "The allowed directory");
  if (!statSync(path).isDirectory())
    throw unreadable("The allowed directory is not a directory.", undefined);
  const isInside = (file: string) =>
    [path, resolve(directory)].some((each) =>
      file.startsWith(each.endsWith(sep) ? each : `${each}${sep}`),
    );
  const existing = (name: string): string => {
    const file = resolve(path, name);
    // This check comes before the file is searched, so that no answer shows whether a file outside
    // exists.
    const real = isInside(file) ? realOf(file, "The file") : null;
    if (real !== null && isInside(real)) return real;
    throw notAllowed("The file is not in the allowed directory.");
  };
  const check = (name: string) => {
    if (!CAPSULE_NAME.test(name))
      throw notAllowed("The name of a capsule must be a plain file name with .capsule.json.");
    // This also finds a link that leads nowhere.
    if (lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined)
      throw notAllowed(`${name} already exists, and svc overwrites no file.`);
    if (mostFiles !== Number.POSITIVE_INFINITY && readdirSync(path).length >= mostFiles)
      throw notAllowed(`The allowed directory has ${mostFiles} files, the maximum.`);
  };
  return {
    /** Reads a file in it. Throws FILE_NOT_ALLOWED, FILE_UNREADABLE. */
    async read(name: string, { signal }: { readonly signal: AbortSignal }) {
      const file = existing(name);
      try {
        const bytes = await readFileWithin(file, { signal, maximumBytes: MAXIMUM_BYTES });
        return { name, text: new TextDecoder().decode(bytes) };
      } catch (cause) {
        throw unreadable(`The file cannot be read (${whyUnreadable(cause)}).`, cause);
      }
    },
    /** Throws FILE_NOT_ALLOWED if `create` cannot create this file. */
    check,
    /** Creates a file, and returns its path. Throws FILE_NOT_ALLOWED, OUTPUT_UNWRITABLE. */
    async create(name: string, text: string): Promise<string> {
      check(name);
      const file = join(path, name);
      await createFile(file, name, text);
      return file;
    },
  };
}

/**
 * Creates a file exclusively: two calls with one name create one file, and links are not followed.
 */
async function createFile(path: string, name: string, text: string): Promise<void> {
  try {
    const file = await open(path, "wx");
    try {
      await file.writeFile(text);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    if (code === "EEXIST") throw notAllowed(`${name} already exists, and svc overwrites no file.`);
    throw new SvcError("OUTPUT_UNWRITABLE", {
      message: `Cannot write ${name} (${code}).`,
      remedy: "Check the permissions of the allowed directory, and its free space.",
      cause,
    });
  }
}

function realOf(path: string, label: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw unreadable(`${label} cannot be found (${systemCodeOf(cause)}).`, cause);
  }
}

function unreadable(message: string, cause: unknown): SvcError {
  return new SvcError("FILE_UNREADABLE", {
    message,
    remedy: "Check the path and its permissions.",
    httpRemedy: "Use the name of a file in the allowed directory, or the hash.",
    cause,
  });
}

function notAllowed(message: string): SvcError {
  return new SvcError("FILE_NOT_ALLOWED", {
    message,
    remedy: phrase`Use another name in the directory of ${flag("allowDirectory")}.`,
    httpRemedy: "Use the name, without a directory, of a file that does not exist yet.",
  });
}
