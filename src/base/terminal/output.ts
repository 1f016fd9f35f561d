// The only writer of stdout and of output files. Stdout is the report and nothing else.
// A reader that went away (`svc … | head -1`) is a quiet end, not an error.

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { SvcError } from "../errors/errors.ts";

export interface Output {
  /** Resolves when all of the text has been handed to the reader, or when the reader is gone. */
  write(text: string): Promise<void>;
  /** True once the reader has closed its end. */
  readerGone(): boolean;
}

/** `beforeWrite`: clears what else stands on the terminal's line. */
export function openOutput(hooks: { readonly beforeWrite: () => void }): Output {
  let gone = false;
  return {
    readerGone: () => gone,
    async write(text) {
      if (gone || text === "") return;
      hooks.beforeWrite();
      try {
        await writeStdout(text);
      } catch (error) {
        if (systemCode(error) !== "EPIPE") throw unwritable("standard output", error);
        gone = true;
      }
    },
  };
}

/**
 * Through the stream, not Bun.write: that one, on a pipe whose reader is slow, begins the text anew
 * after the first 64 KiB (Bun 1.4.5, once process.stdout has been looked at).
 */
function writeStdout(text: string): Promise<void> {
  const { stdout } = process;
  return new Promise((resolve, reject) => {
    // An error reaches the callback as well; without a listener it would end the process.
    const ignore = () => {};
    stdout.once("error", ignore);
    stdout.write(text, (error) => {
      if (error) return reject(error);
      stdout.off("error", ignore);
      resolve();
    });
  });
}

/**
 * Writes a file whole or not at all: a temporary name in the same directory, then a rename.
 * `name` is a bare file name, so nothing lands outside the directory. Returns the path.
 * Throws OUTPUT_UNWRITABLE.
 */
export async function writeFileWhole(
  directory: string,
  name: string,
  content: string | Uint8Array,
): Promise<string> {
  if (
    name === "" ||
    name === "." ||
    name === ".." ||
    basename(name) !== name ||
    /[\\\0]/.test(name)
  )
    throw unwritable(`a file named ${JSON.stringify(name)}`, undefined);
  const path = join(resolve(directory), name);
  const temporary = join(resolve(directory), `.${name}.${crypto.randomUUID()}.part`);
  let temporaryExists = false;
  try {
    mkdirSync(directory, { recursive: true });
    // Exclusive: never follows a link that somebody left under the temporary name.
    const file = await open(temporary, "wx", 0o644);
    temporaryExists = true;
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    renameSync(temporary, path);
  } catch (error) {
    if (temporaryExists) rmSync(temporary, { force: true });
    throw unwritable(path, error);
  }
  return path;
}

function unwritable(what: string, cause: unknown): SvcError {
  const reason = systemCode(cause);
  return new SvcError("OUTPUT_UNWRITABLE", {
    message: `Cannot write ${what}${reason === null ? "" : ` (${reason})`}.`,
    remedy: "Check that the directory exists, is writable and has free space.",
    ...(cause === undefined ? {} : { cause }),
  });
}

function systemCode(error: unknown): string | null {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : null;
}
