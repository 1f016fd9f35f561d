// A state of following that cannot be written, or not even opened: the disk and the permissions are
// at fault, not what is saved: the remedy never moves it away.

import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";

/** The beginnings of codes of the system and of SQLite. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)/, "disk full"],
  [/^(EROFS|SQLITE_READONLY)/, "read-only"],
  [/^(EACCES|EPERM|SQLITE_PERM)/, "permission denied"],
  [/^(EEXIST|ENOTDIR)/, "not a directory"],
  [/^ENOENT/, "no such directory"],
  [/^(EIO|SQLITE_IOERR)/, "disk error"],
];

export function stateUnwritable(path: string, cause: unknown): SvcError {
  const code = systemCodeOf(cause) ?? "unknown reason";
  const [, reason] = REASONS.find(([pattern]) => pattern.test(code)) ?? [null, code];
  return new SvcError("FOLLOW_STATE_UNWRITABLE", {
    message: `The state in ${path} cannot be written (${reason}).`,
    remedy: remedyOf(reason),
    cause,
    details: { path, reason, code },
  });
}

function remedyOf(reason: string): string {
  if (reason === "not a directory") return "Set a directory with `--state`.";
  const first =
    reason === "disk full"
      ? "Free space or make the volume larger"
      : "Check the directory, its permissions and the disk";
  return `${first}, then start svc again: nothing is lost.`;
}
