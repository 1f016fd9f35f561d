// What this build of svc is. scripts/build-binaries.ts puts the values in at build time; run from
// source they are unknown.

declare const SVC_VERSION: string | undefined;
declare const SVC_COMMIT: string | undefined;

export const BUILD_INFO = {
  /** One executable, and not Bun running the source. */
  compiled: typeof SVC_VERSION === "string",
  version: typeof SVC_VERSION === "string" ? SVC_VERSION : "0.0.0-source",
  /** Abbreviated commit, `-dirty` appended when the checkout had changes; `unknown` outside git. */
  commit: typeof SVC_COMMIT === "string" ? SVC_COMMIT : "unknown",
  bun: Bun.version,
} as const;
