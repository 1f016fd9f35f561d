// The formats of svc debug's report and the names of its sections, separate so that reading a command
// line loads no renderer.

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
/** For `--show`, in the order of the report. One name can stand for several sections. */
export const SECTION_NAMES = [
  "what-if",
  "cause",
  "remedy",
  "fix",
  "next",
  "difference",
  "caveats",
  "failed-runs",
  "calls",
  "logs",
  "tokens",
  "changes",
  "authorization",
  "events",
  "resources",
  "fees",
  "transaction",
  "addresses",
  "costs",
  "comparisons",
  "inputs",
] as const;

/** `calls` for `diagnostic-calls` too, `what-if` for `what-if-costs`. */
export function isNamed(section: string, name: string): boolean {
  return section === name || section.endsWith(`-${name}`) || section.startsWith(`${name}-`);
}
