// What of OpenTelemetry's environment variables is left to svc: the exporter reads
// OTEL_EXPORTER_OTLP_* itself, but whether and where to is said in warnings, and neither the SDK
// switch nor the log level is heeded by the packages.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/

import { SvcError } from "../../base/errors/errors.ts";
import { nodeAddress } from "../../base/http/node-address.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type DiagnosticLevel = "none" | "error" | "warn" | "info" | "debug" | "verbose";

export interface ExporterSettings {
  /** OTEL_SDK_DISABLED. */
  readonly disabled: boolean;
  /** Public part of the collector's address. */
  readonly collector: string;
  readonly timeoutMilliseconds: number;
  readonly diagnosticLevel: DiagnosticLevel;
  /** A protocol was asked for that svc does not speak; null otherwise. */
  readonly otherProtocol: string | null;
}

/** No exit waits longer for a collector: `--tracing` must not slow what it observes. */
export const LONGEST_TIMEOUT_MILLISECONDS = 1500;

const DEFAULT_ENDPOINT = "http://localhost:4318";
const LEVELS: Readonly<Record<string, DiagnosticLevel>> = {
  none: "none",
  error: "error",
  warn: "warn",
  info: "info",
  debug: "debug",
  verbose: "verbose",
  all: "verbose",
};

/** Throws CONFIG_INVALID naming the variable: the packages would go on without it. */
export function readExporterSettings(environment: Environment): ExporterSettings {
  const value = (name: string) => environment[name]?.trim() || undefined;
  const exporter = (name: string): [string, string | undefined] => {
    const own = `OTEL_EXPORTER_OTLP_TRACES_${name}`;
    const shared = `OTEL_EXPORTER_OTLP_${name}`;
    return value(own) === undefined ? [shared, value(shared)] : [own, value(own)];
  };
  const [endpointName, endpoint = DEFAULT_ENDPOINT] = exporter("ENDPOINT");
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw invalid(endpointName, "is no http:// or https:// URL");
  const [timeoutName, timeout] = exporter("TIMEOUT");
  if (timeout !== undefined && !/^[1-9]\d{0,8}$/.test(timeout))
    throw invalid(timeoutName, "is no number of milliseconds");
  const [, protocol = "http/json"] = exporter("PROTOCOL");
  const level = value("OTEL_LOG_LEVEL")?.toLowerCase() ?? "none";
  const diagnosticLevel = LEVELS[level];
  if (diagnosticLevel === undefined)
    throw invalid("OTEL_LOG_LEVEL", `must be one of ${Object.keys(LEVELS).join(", ")}`);
  return {
    disabled: value("OTEL_SDK_DISABLED")?.toLowerCase() === "true",
    collector: nodeAddress(endpoint),
    timeoutMilliseconds: Math.min(
      Number(timeout ?? LONGEST_TIMEOUT_MILLISECONDS),
      LONGEST_TIMEOUT_MILLISECONDS,
    ),
    diagnosticLevel,
    otherProtocol: protocol === "http/json" ? null : protocol,
  };
}

function invalid(name: string, problem: string): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: `${name} ${problem}.`,
    remedy: `Correct ${name}, or run without --tracing.`,
  });
}
