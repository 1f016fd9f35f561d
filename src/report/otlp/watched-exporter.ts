// The OTLP exporter with an account of what it lost, so that one warning can say it at the end.

import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";

/** What `export` reports; 0 is success (ExportResultCode of @opentelemetry/core). */
const SUCCESS = 0;

export interface Losses {
  /** Spans handed over. */
  given: number;
  /** Spans that the collector has taken. */
  taken: number;
  /** Why the first ones were not; null when nothing failed yet. */
  reason: string | null;
}

export class WatchedExporter extends OTLPTraceExporter {
  readonly losses: Losses = { given: 0, taken: 0, reason: null };

  override export(...[spans, done]: Parameters<OTLPTraceExporter["export"]>): void {
    this.losses.given += spans.length;
    super.export(spans, (result) => {
      if (result.code === SUCCESS) this.losses.taken += spans.length;
      else this.losses.reason ??= reasonOf(result.error);
      done(result);
    });
  }
}

/** A short word: messages may hold the URL with its secrets, or what the collector answered. */
function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  if (typeof code === "number") return `status ${code}`;
  if (typeof code === "string" && /^\w{1,40}$/.test(code)) return code;
  const message = error instanceof Error ? error.message : "";
  return /timed? ?out/i.test(message) ? "no answer in time" : "the export failed";
}
