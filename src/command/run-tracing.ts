// Traces one run with --tracing. This is loaded only with the flag, and sends the trace after the
// report is written.

import type { Tracing } from "../report/otlp/open-tracing.ts";
import type { Shell } from "./shell.ts";

export interface RunTracing extends AsyncDisposable {
  /** Null without --tracing, or with OTEL_SDK_DISABLED. */
  readonly tracing: Tracing | null;
}

/** Opens the tracing. Throws CONFIG_INVALID with the name of the OTEL_ variable. */
export async function openRunTracing(shell: Shell, isEnabled: boolean): Promise<RunTracing> {
  if (!isEnabled) return { tracing: null, async [Symbol.asyncDispose]() {} };
  const { openTracing } = await import("../report/otlp/open-tracing.ts");
  const tracing = openTracing({
    environment: shell.facts.environment,
    diagnose: (text) => shell.log.info(text),
    warn: (text) => shell.log.warn(text),
  });
  return {
    tracing,
    async [Symbol.asyncDispose]() {
      const problem = await tracing?.close();
      if (problem) shell.log.warn(problem);
    },
  };
}
