// The code that the system or the runtime gives an error.

/** A code such as `ENOENT`; null where there is none that a message may show. */
export function systemCodeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : null;
}

/** The beginnings of codes of the system and of SQLite. */
const UNWRITABLE: readonly (readonly [RegExp, string])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)/, "disk full"],
  [/^(EROFS|SQLITE_READONLY)/, "read-only"],
  [/^(EACCES|EPERM|SQLITE_PERM)/, "permission denied"],
  [/^(EEXIST|ENOTDIR)/, "not a directory"],
  [/^ENOENT/, "no such directory"],
  [/^(EIO|SQLITE_IOERR)/, "disk error"],
];

/** Why a file cannot be written, in words, or the code of an error that has no words. */
export function whyUnwritable(error: unknown): string {
  const code = systemCodeOf(error) ?? "unknown reason";
  return UNWRITABLE.find(([pattern]) => pattern.test(code))?.[1] ?? code;
}

/** What was thrown, in words. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
