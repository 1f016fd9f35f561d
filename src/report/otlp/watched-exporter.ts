// The OTLP exporter, which counts the spans that it loses for one warning at the end.

import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";

/** The result code of a successful export (ExportResultCode of @opentelemetry/core). */
const SUCCESS = 0;

type ExportArguments = Parameters<OTLPTraceExporter["export"]>;

export class WatchedExporter extends OTLPTraceExporter {
  readonly losses: {
    /** The spans that were passed to the exporter. */
    offered: number;
    /** The spans that the collector accepted. */
    accepted: number;
    /** The reason of the first failure; null if nothing has failed yet. */
    reason: string | null;
  } = { offered: 0, accepted: 0, reason: null };

  override export(spans: ExportArguments[0], done: ExportArguments[1]): void {
    this.losses.offered += spans.length;
    super.export(spans, (result) => {
      if (result.code === SUCCESS) this.losses.accepted += spans.length;
      else this.losses.reason ??= reasonOf(result.error);
      done(result);
    });
  }
}

/** Returns only a short reason, because a message may contain the URL with its secrets. */
function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  if (typeof code === "number") return `status ${code}`;
  if (typeof code === "string" && /^\w{1,40}$/.test(code)) return code;
  const message = error instanceof Error ? error.message : "";
  return /timed? ?out/i.test(message) ? "no response in time" : "the export failed";
}
