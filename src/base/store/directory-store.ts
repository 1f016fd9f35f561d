// A directory in which each document is a file.

import { rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { utf8Text } from "../bytes.ts";
import { SvcError } from "../errors/errors.ts";
import { systemCodeOf } from "../errors/system-code.ts";
import { readFileWithin, whyUnreadable } from "../files/read-file.ts";
import { writeOutputFile } from "../files/write-file.ts";
import type { Store } from "./store.ts";

/** A document of a long piece of work has some megabytes. */
const MAXIMUM_BYTES = 2 ** 30;

/** Its `write` throws OUTPUT_UNWRITABLE; the other methods throw FILE_UNREADABLE. */
export function openDirectoryStore(
  directory: string,
  options: { readonly signal: AbortSignal },
): Store {
  return {
    name: directory,
    async read(name) {
      const path = join(directory, name);
      const limits = { signal: options.signal, maximumBytes: MAXIMUM_BYTES };
      const bytes = await orNull(path, () => readFileWithin(path, limits));
      return bytes === null ? null : utf8Text(bytes);
    },
    async write(name, text) {
      await writeOutputFile(directory, name, text, options);
    },
    async remove(name) {
      rmSync(join(directory, name), { force: true });
    },
    async list() {
      const entries = await orNull(directory, () => readdir(directory, { withFileTypes: true }));
      const files = (entries ?? []).filter((entry) => entry.isFile());
      return files.map(({ name }) => name).sort();
    },
  };
}

/** Returns null if the path does not exist. */
async function orNull<T>(path: string, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (cause) {
    if (systemCodeOf(cause) === "ENOENT") return null;
    throw new SvcError("FILE_UNREADABLE", {
      message: `${path} cannot be read (${whyUnreadable(cause)}).`,
      remedy: "Check the path and its permissions.",
      cause,
      details: { file: path },
    });
  }
}
