// The OpenTelemetry environment variables that svc has to read. The exporter reads
// OTEL_EXPORTER_OTLP_* itself, but svc needs them for its warnings, and the packages ignore the SDK
// switch and the log level.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/

import { SvcError } from "../../base/errors/errors.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { Environment } from "../../base/settings/setting.ts";

export type DiagnosticLevel = "none" | "error" | "warn" | "info" | "debug" | "verbose";

/** The longest wait for a collector at exit, because `--tracing` must not slow down svc. */
const LONGEST_TIMEOUT_MILLISECONDS = 1500;

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

/** Throws CONFIG_INVALID with the name of the variable. The packages would ignore the error. */
export function readExporterSettings(environment: Environment): {
  /** The value of OTEL_SDK_DISABLED. */
  readonly disabled: boolean;
  /** The public part of the collector's address. */
  readonly collector: string;
  readonly timeoutMilliseconds: number;
  readonly diagnosticLevel: DiagnosticLevel;
  /** A requested protocol that svc does not support; null otherwise. */
  readonly otherProtocol: string | null;
} {
  const value = (name: string) => environment[name]?.trim() || undefined;
  const exporter = (name: string): [string, string | undefined] => {
    const own = `OTEL_EXPORTER_OTLP_TRACES_${name}`;
    const shared = `OTEL_EXPORTER_OTLP_${name}`;
    return value(own) === undefined ? [shared, value(shared)] : [own, value(own)];
  };
  const [endpointName, endpoint = DEFAULT_ENDPOINT] = exporter("ENDPOINT");
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw invalid(endpointName, "is not an http:// or https:// URL");
  const [timeoutName, timeout] = exporter("TIMEOUT");
  if (timeout !== undefined && !/^[1-9]\d{0,8}$/.test(timeout))
    throw invalid(timeoutName, "is not a number of milliseconds");
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
    remedy: phrase`Correct ${name}, or run without ${flag("tracing")}.`,
  });
}
