// The formats of svc debug's report. By itself, so that a command line is read without any renderer.

export const REPORT_FORMATS = ["text", "json", "markdown", "junit", "sarif", "github"] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];
