// A directory as a store. It is made when the first document is written.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../errors/errors.ts";
import { writeOutputFile } from "../files/write-file.ts";
import type { Store } from "./store.ts";

/** Throws OUTPUT_UNWRITABLE from `write`, FILE_UNREADABLE from the others. */
export function openDirectoryStore(
  directory: string,
  options: { readonly signal: AbortSignal },
): Store {
  return {
    name: directory,
    async read(name) {
      return orNull(join(directory, name), () => readFileSync(join(directory, name), "utf8"));
    },
    async write(name, text) {
      await writeOutputFile(directory, name, text, options);
    },
    async remove(name) {
      rmSync(join(directory, name), { force: true });
    },
    async list() {
      const entries = orNull(directory, () => readdirSync(directory, { withFileTypes: true }));
      const files = (entries ?? []).filter((entry) => entry.isFile());
      return files.map(({ name }) => name).sort();
    },
  };
}

/** Null where there is nothing. */
function orNull<T>(path: string, read: () => T): T | null {
  try {
    return read();
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    if (code === "ENOENT") return null;
    throw new SvcError("FILE_UNREADABLE", {
      message: `${path} cannot be read (${code ?? String(cause)}).`,
      remedy: "Check the path and its permissions.",
      cause,
      details: { file: path },
    });
  }
}
