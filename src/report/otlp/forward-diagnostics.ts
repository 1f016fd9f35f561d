// Shows OpenTelemetry's own messages if OTEL_LOG_LEVEL is set. They can contain URLs and large
// objects: only the public part of URLs is shown, and objects are cut.

import { type DiagLogFunction, DiagLogLevel, diag } from "@opentelemetry/api";
import { nodeAddress } from "../../base/http/node-address.ts";
import type { DiagnosticLevel } from "./exporter-settings.ts";

const LEVELS: Readonly<Record<DiagnosticLevel, DiagLogLevel>> = {
  none: DiagLogLevel.NONE,
  error: DiagLogLevel.ERROR,
  warn: DiagLogLevel.WARN,
  info: DiagLogLevel.INFO,
  debug: DiagLogLevel.DEBUG,
  verbose: DiagLogLevel.VERBOSE,
};
const LONGEST_MESSAGE = 500;

/** `none` turns the messages off again. */
export function forwardDiagnostics(level: DiagnosticLevel, write: (text: string) => void): void {
  diag.disable();
  if (level === "none") return;
  const forward =
    (name: string): DiagLogFunction =>
    (...words: readonly unknown[]) =>
      write(`opentelemetry ${name}: ${words.map(shown).join(" ").slice(0, LONGEST_MESSAGE)}`);
  const logger = {
    error: forward("error"),
    warn: forward("warn"),
    info: forward("info"),
    debug: forward("debug"),
    verbose: forward("verbose"),
  };
  diag.setLogger(logger, { logLevel: LEVELS[level], suppressOverrideMessage: true });
}

function shown(word: unknown): string {
  const text =
    typeof word === "string" ? word : word instanceof Error ? word.message : kindOf(word);
  return text.replace(/https?:\/\/[^\s'"]+/g, nodeAddress);
}

/** Spans and requests contain each other, so a line only has their number. */
function kindOf(word: unknown): string {
  return Array.isArray(word) ? `(${word.length} items)` : `(${typeof word})`;
}
