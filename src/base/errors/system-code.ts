// The codes that the operating system or the runtime gives its errors.

/** Returns a code such as `ENOENT`, or null if there is none that a message may show. */
export function systemCodeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : null;
}

/** Patterns for the beginnings of codes of the system and of SQLite. */
const UNWRITABLE: readonly (readonly [RegExp, string])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)/, "disk full"],
  [/^(EROFS|SQLITE_READONLY)/, "read-only"],
  [/^(EACCES|EPERM|SQLITE_PERM)/, "permission denied"],
  [/^(EEXIST|ENOTDIR)/, "not a directory"],
  [/^ENOENT/, "no such directory"],
  [/^(EIO|SQLITE_IOERR)/, "disk error"],
];

/** Says in words why a file cannot be written. An error without words is named by its code. */
export function whyUnwritable(error: unknown): string {
  const code = systemCodeOf(error) ?? "unknown reason";
  return UNWRITABLE.find(([pattern]) => pattern.test(code))?.[1] ?? code;
}

/** Returns the message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
