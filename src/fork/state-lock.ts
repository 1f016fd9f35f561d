// One fork at a time for a state file. The lock is one of the system, which gives it up with the
// process, however that ends; the file beside the state that carries it stays, and is empty.

import { Database } from "bun:sqlite";
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { unwritable } from "../base/files/write-file.ts";

/** `path`: absolute. Throws FORK_STATE_IN_USE, and OUTPUT_UNWRITABLE. */
export function lockState(path: string): Disposable {
  let lock: Database | null = null;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // A pipe or a device keeps no state that another fork could go on with.
    if (found?.isFile() === false) return { [Symbol.dispose]() {} };
    const real = found === undefined ? path : realpathSync(path);
    mkdirSync(dirname(real), { recursive: true });
    lock = new Database(join(dirname(real), `.${basename(real)}.lock`), { create: true });
    // A journal on disk would stay where the process is killed.
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
    return lock;
  } catch (cause) {
    lock?.close();
    if (!systemCodeOf(cause)?.startsWith("SQLITE_BUSY")) throw unwritable(path, cause);
    throw new SvcError("FORK_STATE_IN_USE", {
      message: `Another fork keeps its state in ${path}.`,
      remedy: "Stop that fork, or pass another file with `--state`.",
      cause,
      details: { file: path },
    });
  }
}
