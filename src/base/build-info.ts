// The version and the commit of this build of svc. scripts/build-binaries.ts sets the values; a run
// from source does not know them.

declare const SVC_VERSION: string | undefined;
declare const SVC_COMMIT: string | undefined;

export const BUILD_INFO = {
  /** False: Bun runs the source. */
  compiled: typeof SVC_VERSION === "string",
  version: typeof SVC_VERSION === "string" ? SVC_VERSION : "0.0.0-source",
  /** Short commit hash, with `-dirty` when the checkout had changes; `unknown` outside git. */
  commit: typeof SVC_COMMIT === "string" ? SVC_COMMIT : "unknown",
} as const;
