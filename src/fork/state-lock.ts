// One fork at a time for a state file, under whatever names the file has. The locks are ones of the
// system, which gives them up with the process, however that ends. The file beside the state that
// carries one of them stays, and is empty.

import { Database } from "bun:sqlite";
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SvcError, usageError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { unwritable } from "../base/files/write-file.ts";

export interface StateLock extends Disposable {
  /** The file, which need not be there, without links in its path. */
  readonly path: string;
  /** Locks the file that is now under the path, too. */
  readonly lockFile: () => void;
}

/** `path`: absolute. Throws FORK_STATE_IN_USE, OUTPUT_UNWRITABLE, and USAGE for what is no file. */
export function lockState(path: string): StateLock {
  let lock: Database | null = null;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // A pipe or a device keeps no state that another fork could go on with.
    if (found?.isFile() === false)
      throw usageError(`${path} is not a file.`, "Pass a file with `--state`.");
    const real = found === undefined ? path : realpathSync(path);
    mkdirSync(dirname(real), { recursive: true });
    lock = new Database(join(dirname(real), `.${basename(real)}.lock`), { create: true });
    // A journal on disk would stay where the process is killed.
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
    const files = openFileLocks(real);
    if (found !== undefined) files.lock();
    return {
      path: real,
      lockFile() {
        try {
          files.lock();
        } catch {
          // The path is locked, and nothing else has this new file under another name.
        }
      },
      [Symbol.dispose]() {
        files.release();
        lock?.close();
      },
    };
  } catch (cause) {
    lock?.close();
    if (cause instanceof SvcError) throw cause;
    const code = systemCodeOf(cause);
    if (!code?.startsWith("SQLITE_BUSY") && code !== "EADDRINUSE") throw unwritable(path, cause);
    throw new SvcError("FORK_STATE_IN_USE", {
      message: `Another fork keeps its state in ${path}.`,
      remedy: "Stop that fork, or pass another file with `--state`.",
      cause,
      details: { file: path },
    });
  }
}

/**
 * Of the file itself, which can have several names (hard links). On Linux a socket without a file
 * has any name, and one owner; other systems have none of that kind.
 */
function openFileLocks(path: string) {
  const locks: { readonly links: number; readonly stop: () => void }[] = [];
  return {
    lock() {
      if (process.platform !== "linux") return;
      const { dev, ino, nlink: links } = statSync(path);
      const unix = `\0svc-fork-state:${dev}:${ino}`;
      const listener = Bun.listen({ unix, socket: { data() {} } });
      listener.unref();
      // The system may give the number of a file without a name to another one.
      if (locks.at(-1)?.links === 1) locks.pop()?.stop();
      locks.push({ links, stop: () => listener.stop(true) });
    },
    release() {
      for (const { stop } of locks) stop();
    },
  };
}
