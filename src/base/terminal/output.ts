// The only writer of stdout and of output files. Stdout has the report and nothing else.
// When the reader closes its end (`svc … | head -1`), svc ends quietly: that is not an error.

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { SvcError } from "../errors/errors.ts";

export interface Output {
  /** Resolves when the reader has all of the text, or has closed its end. */
  write(text: string): Promise<void>;
  /** True once the reader has closed its end. */
  readerGone(): boolean;
}

/** `beforeWrite`: clears the line of the terminal. */
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
 * Writes through the stream and not with Bun.write. On a pipe with a slow reader, Bun.write starts
 * the text again after the first 64 KiB (Bun 1.4.5, after any access to process.stdout).
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
 * Writes a complete file or none: a temporary name in the same directory, then a rename.
 * `name` is a bare file name, so that no file is written outside the directory. Returns the path.
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
    // Exclusive: never follows a link that somebody created under the temporary name.
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
