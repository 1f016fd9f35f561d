// The code that the system or the runtime gives an error.

/** A code such as `ENOENT`; null where there is none that a message may show. */
export function systemCodeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : null;
}

/** What was thrown, in words. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
