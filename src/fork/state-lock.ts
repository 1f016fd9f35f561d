// Allows one fork at a time to use a state file, under all names of the file. The locks belong to
// the system, which releases them with the process, however it ends. The file beside the state that
// carries one of them remains, and is empty.

import { Database } from "bun:sqlite";
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SvcError, usageError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { unwritable } from "../base/files/write-file.ts";
import { flag, phrase } from "../base/phrase.ts";

export interface StateLock extends Disposable {
  /** The path of the file, which need not exist, without links in it. */
  readonly path: string;
  /** Also locks the file that is now at the path. */
  readonly lockFile: () => void;
}

/**
 * Locks the state. `path` is absolute. Throws FORK_STATE_IN_USE, OUTPUT_UNWRITABLE, and USAGE if it
 * is not a file.
 */
export function lockState(path: string): StateLock {
  let lock: Database | null = null;
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    // A pipe or a device keeps no state from which another fork could resume.
    if (status?.isFile() === false)
      throw usageError(`${path} is not a file.`, phrase`Pass a file with ${flag("state")}.`);
    const real = status === undefined ? path : realpathSync(path);
    mkdirSync(dirname(real), { recursive: true });
    lock = new Database(join(dirname(real), `.${basename(real)}.lock`), { create: true });
    // A journal on disk would remain if the process is killed.
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
    const files = openFileLocks(real);
    if (status !== undefined) files.lock();
    return {
      path: real,
      lockFile() {
        try {
          files.lock();
        } catch {
          // The path is locked, and this new file has no other name.
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
      remedy: phrase`Stop that fork, or pass another file with ${flag("state")}.`,
      cause,
      details: { file: path },
    });
  }
}

/**
 * Opens locks of the file itself, which can have several names (hard links). On Linux a socket
 * without a file can have any name, and has one owner. Other systems have no such locks.
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
      // The system may reuse the number of a file that has no name any longer.
      if (locks.at(-1)?.links === 1) locks.pop()?.stop();
      locks.push({ links, stop: () => listener.stop(true) });
    },
    release() {
      for (const { stop } of locks) stop();
    },
  };
}
