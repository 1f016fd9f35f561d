// The formats of svc debug's report, separate so that reading a command line loads no renderer.

export const REPORT_FORMATS = [
  "text",
  "json",
  "markdown",
  "html",
  "junit",
  "sarif",
  "github",
] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What `--fix` prints; `xdr` is only the envelopes. */
export const FIX_FORMATS = ["text", "json", "xdr"] as const;

export type FixFormat = (typeof FIX_FORMATS)[number];

export type DebugFormat = ReportFormat | FixFormat;
