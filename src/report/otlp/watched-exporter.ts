// The OTLP exporter with a count of the spans that it lost, for one warning at the end.

import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";

/** The result of `export`; 0 is success (ExportResultCode of @opentelemetry/core). */
const SUCCESS = 0;

export class WatchedExporter extends OTLPTraceExporter {
  readonly losses: {
    /** Spans passed to the exporter. */
    given: number;
    /** Spans that the collector accepted. */
    taken: number;
    /** The reason of the first failure; null when nothing failed yet. */
    reason: string | null;
  } = { given: 0, taken: 0, reason: null };

  override export(...[spans, done]: Parameters<OTLPTraceExporter["export"]>): void {
    this.losses.given += spans.length;
    super.export(spans, (result) => {
      if (result.code === SUCCESS) this.losses.taken += spans.length;
      else this.losses.reason ??= reasonOf(result.error);
      done(result);
    });
  }
}

/** Only a short reason: messages may contain the URL with its secrets, or a response body. */
function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  if (typeof code === "number") return `status ${code}`;
  if (typeof code === "string" && /^\w{1,40}$/.test(code)) return code;
  const message = error instanceof Error ? error.message : "";
  return /timed? ?out/i.test(message) ? "no response in time" : "the export failed";
}
