// --tracing around one run: loaded only when it was asked for, sent when the report is out.

import type { Tracing } from "../report/otlp/open-tracing.ts";
import type { ParsedFlags } from "./arguments/common-flags.ts";
import type { Shell } from "./shell.ts";

export interface RunTracing extends AsyncDisposable {
  /** Null when nobody asked, or OTEL_SDK_DISABLED says no. */
  readonly tracing: Tracing | null;
}

/** Throws CONFIG_INVALID naming the OTEL_ variable. */
export async function openRunTracing(shell: Shell, args: ParsedFlags): Promise<RunTracing> {
  if (args.tracing !== true) return { tracing: null, async [Symbol.asyncDispose]() {} };
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
