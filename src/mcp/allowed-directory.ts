// The one directory in which agents may name files. Names and links must not lead out of it.

import { lstatSync, realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { SvcError } from "../base/errors/errors.ts";

export interface AllowedDirectory {
  readonly path: string;
  /** The path of a file in it. Throws FILE_NOT_ALLOWED, FILE_UNREADABLE. */
  readonly existing: (name: string) => string;
  /** A bare name that no file in it has. Throws FILE_NOT_ALLOWED. */
  readonly fresh: (name: string) => string;
}

/** So that an agent cannot create a hook, a script or a settings file. */
const CAPSULE_NAME = /^[A-Za-z0-9][\w.-]{0,200}\.capsule\.json$/;

/** Throws FILE_UNREADABLE. */
export function openAllowedDirectory(directory: string): AllowedDirectory {
  const path = realOf(directory, "the allowed directory");
  return {
    path,
    existing(name) {
      const real = realOf(resolve(path, name), "the file");
      if (real.startsWith(path.endsWith(sep) ? path : `${path}${sep}`)) return real;
      throw notAllowed("The file is not in the allowed directory.");
    },
    fresh(name) {
      if (!CAPSULE_NAME.test(name))
        throw notAllowed("The name of a capsule must be a plain file name with .capsule.json.");
      // Of a link, too, which may lead nowhere.
      if (lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined)
        throw notAllowed(`${name} exists already, and no file is overwritten.`);
      return name;
    },
  };
}

function realOf(path: string, what: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new SvcError("FILE_UNREADABLE", {
      message: `Cannot find ${what} (${(cause as { code?: string }).code}).`,
      remedy: "Check the path and its permissions.",
      cause,
    });
  }
}

function notAllowed(message: string): SvcError {
  return new SvcError("FILE_NOT_ALLOWED", {
    message,
    remedy: "Use another name in the directory of `--allow-directory`.",
  });
}
