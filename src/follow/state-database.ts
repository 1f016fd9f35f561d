// The SQLite database of a state of following. Every failure of SQLite becomes an error of svc.
// Invariants: only one process uses the state at a time; a full or failing disk is not reported as
// a damaged state; a file that lost its content is never begun anew.

import { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf, whyUnwritable } from "../base/errors/system-code.ts";
import { flag, phrase, type Wording } from "../base/phrase.ts";

type ColumnValue = string | number | null;

export interface Statement<Row> {
  get(...values: ColumnValue[]): Row | null;
  all(...values: ColumnValue[]): Row[];
  run(...values: ColumnValue[]): void;
  iterate(): Iterable<Row>;
}

/**
 * The database. All its methods, and those of its statements, throw FOLLOW_STATE_INVALID or
 * FOLLOW_STATE_UNWRITABLE.
 */
export interface StateDatabase extends Disposable {
  readonly path: string;
  run(statement: string): void;
  query<Row>(statement: string): Statement<Row>;
  /** Saves all changes that `work` makes, or none. */
  transact<Result>(work: () => Result): Result;
}

const FILE = "follow.sqlite";
const UNWRITABLE = /^(E[A-Z]+|SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM)\w*)$/;

export function openStateDatabase(directory: string): StateDatabase {
  const path = join(directory, FILE);
  const guard = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (cause) {
      throw stateError(path, cause);
    }
  };
  const database = guard(() => open(directory, path));
  return {
    path,
    run: (statement) => guard(() => void database.run(statement)),
    query<Row>(text: string): Statement<Row> {
      const statement = guard(() => database.query<Row, ColumnValue[]>(text));
      return {
        get: (...values) => guard(() => statement.get(...values)),
        all: (...values) => guard(() => statement.all(...values)),
        run: (...values) => guard(() => void statement.run(...values)),
        *iterate() {
          const rows = guard(() => statement.iterate());
          for (;;) {
            const step = guard(() => rows.next());
            if (step.done === true) return;
            yield step.value;
          }
        },
      };
    },
    transact: (work) => guard(() => database.transaction(work)()),
    [Symbol.dispose]: () => database.close(),
  };
}

function open(directory: string, path: string): Database {
  mkdirSync(directory, { recursive: true });
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) create(path);
  else if (status.size === 0) throw stateInvalid(path, "is empty: its content was lost");
  const database = openFile(path);
  try {
    // One process holds the file from its first statement until it ends, however it ends.
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    database.run("PRAGMA journal_mode = WAL");
    database.run("PRAGMA synchronous = FULL");
    database.run("BEGIN EXCLUSIVE; COMMIT");
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/**
 * Creates a state. The file is renamed into place after it has content, so that an empty file is
 * always an error.
 */
function create(path: string): void {
  const beginning = `${path}.${process.pid}.new`;
  {
    using database = openFile(beginning);
    database.run("PRAGMA journal_mode = WAL");
  }
  try {
    linkSync(beginning, path);
  } catch {
    // Another process created it first, or the file system has no links.
    if (!existsSync(path)) renameSync(beginning, path);
  } finally {
    rmSync(beginning, { force: true });
  }
}

/** Opens the file. SQLite does not report why it cannot open a file; the system does. */
function openFile(path: string): Database {
  try {
    return new Database(path, { create: true, strict: true });
  } catch (cause) {
    closeSync(openSync(path, "a"));
    throw cause;
  }
}

function stateError(path: string, cause: unknown): unknown {
  if (cause instanceof SvcError) return cause;
  const code = systemCodeOf(cause) ?? "";
  if (UNWRITABLE.test(code)) return stateUnwritable(path, cause);
  if (code.startsWith("SQLITE_BUSY")) {
    return new SvcError("FOLLOW_STATE_INVALID", {
      message: `Another process uses the state in ${path}.`,
      remedy: phrase`Stop it, or set another directory with ${flag("state")}.`,
      cause,
    });
  }
  if (code.startsWith("SQLITE_CORRUPT")) return stateInvalid(path, "is damaged", cause);
  if (code.startsWith("SQLITE_")) return stateInvalid(path, "is not a state of svc", cause);
  return cause;
}

export function stateInvalid(path: string, why: string, cause?: unknown): SvcError {
  return new SvcError("FOLLOW_STATE_INVALID", {
    message: `The state in ${path} ${why}.`,
    remedy: phrase`Set another directory with ${flag("state")}, or move the file away to begin anew.`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * The error of a state that cannot be written or opened. The disk or the permissions are the
 * reason, not the saved data, so the remedy never moves the state away.
 */
function stateUnwritable(path: string, cause: unknown): SvcError {
  const code = systemCodeOf(cause) ?? "unknown reason";
  const reason = whyUnwritable(cause);
  return new SvcError("FOLLOW_STATE_UNWRITABLE", {
    message: `The state in ${path} cannot be written (${reason}).`,
    remedy: remedyOf(reason),
    cause,
    details: { path, reason, code },
  });
}

function remedyOf(reason: string): Wording {
  if (reason === "not a directory") return phrase`Set a directory with ${flag("state")}.`;
  const first =
    reason === "disk full"
      ? "Free space or make the volume larger"
      : "Check the directory, its permissions and the disk";
  return `${first}, then start svc again: nothing is lost.`;
}
