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
