// DiagnosticEvents and ContractEvents: the errors and core_metrics among them, and the parts of one
// event. stellar-core, InvokeHostFunctionOpFrame.cpp, metricsEvent: topics `core_metrics`, name;
// data a u64.

import { decodeBase64, readBase64, XdrCursor } from "../reader/cursor.ts";
import { SCV } from "../reader/scval-type.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { encodeStrkey } from "../reader/strkey.ts";
import { decode } from "../reader/value.ts";
import { uint64At } from "../reader/words.ts";
import { isSymbol, symbolOf } from "../values/value-parts.ts";
import { type ErrorFacts, readError } from "../values/value-text.ts";

export type EventKind = "system" | "contract" | "diagnostic";

export interface EventFacts {
  readonly kind: EventKind;
  /** Strkey, or null. */
  readonly contract: string | null;
  /** ScVals. */
  readonly topicsXdr: readonly string[];
  readonly dataXdr: string;
}

const contractEvent = shapeOf("ContractEvent");
const diagnosticEvent = shapeOf("DiagnosticEvent");
const scVal = shapeOf("ScVal");
const KINDS: readonly EventKind[] = ["system", "contract", "diagnostic"];

/** `core_metrics` as an ScVal symbol, to recognize these events without decoding. */
const CORE_METRICS_TOPIC = "AAAADwAAAAxjb3JlX21ldHJpY3MAAAAP";
/** inSuccessfulContractCall, ext, no contract id, type, body version and topic count: 24 bytes. */
const CORE_METRICS_TOPIC_OFFSET = 32;

export function readContractEvent(eventXdr: string): EventFacts {
  return readBase64(eventXdr, "ContractEvent", readEvent);
}

/** `kept`: the call that it belongs to was not rolled back. */
export function readDiagnosticEvent(eventXdr: string): EventFacts & { readonly kept: boolean } {
  return readBase64(eventXdr, "DiagnosticEvent", (cursor) => {
    const kept = cursor.boolean("inSuccessfulContractCall");
    return { ...readEvent(cursor), kept };
  });
}

/** True for stellar-core's own metric events. */
export function isCoreMetric(diagnosticXdr: string): boolean {
  return diagnosticXdr.startsWith(CORE_METRICS_TOPIC, CORE_METRICS_TOPIC_OFFSET);
}

/** `core_metrics` by name, including times; empty when the node reported none. */
export function readCoreMetrics(diagnosticsXdr: readonly string[]): Map<string, string> {
  const metrics = new Map<string, string>();
  for (const xdr of diagnosticsXdr) {
    if (!isCoreMetric(xdr)) continue;
    const bytes = decodeBase64(xdr, "DiagnosticEvent");
    const valueAt = bytes.length - VALUE_SIZE;
    const name = nameOfMetric(xdr, bytes);
    if (name !== null) metrics.set(name, uint64At(bytes, valueAt).toString());
  }
  return metrics;
}

/** An event is the same each time up to its value, and an invocation has about twenty of them. */
const metricNames = new Map<string, string | null>();
const MAXIMUM_METRIC_NAMES = 200;
const VALUE_SIZE = 8;

/** Null when the event's value is not a u64. */
function nameOfMetric(xdr: string, bytes: Uint8Array): string | null {
  const known = metricNames.get(prefixOf(xdr, bytes));
  if (known !== undefined) return known;
  const cursor = new XdrCursor(xdrSource(bytes));
  cursor.skip(diagnosticEvent);
  cursor.done("DiagnosticEvent");
  // The second topic; the first is known.
  cursor.at = 44;
  const name = symbolOf(cursor.takeBase64(scVal)) ?? "";
  const holdsNumber = cursor.int32() === SCV.u64 && cursor.at === bytes.length - VALUE_SIZE;
  if (metricNames.size < MAXIMUM_METRIC_NAMES) {
    metricNames.set(prefixOf(xdr, bytes), holdsNumber ? name : null);
  }
  return holdsNumber ? name : null;
}

/** The part before the value: in complete groups of base64, then byte by byte. */
function prefixOf(xdr: string, bytes: Uint8Array): string {
  const before = bytes.length - VALUE_SIZE;
  const groups = xdr.slice(0, 4 * Math.floor(before / 3));
  return `${groups}.${bytes[before - 2]}.${bytes[before - 1]}.${bytes.length}`;
}

/** The errors in `error` events, in order; the last one ended the call. */
export function readDiagnosticErrors(diagnosticsXdr: readonly string[]): ErrorFacts[] {
  const errors: ErrorFacts[] = [];
  for (const xdr of diagnosticsXdr) {
    if (isCoreMetric(xdr)) continue;
    const event = readDiagnosticEvent(xdr);
    const [name, error] = event.kind === "diagnostic" ? event.topicsXdr : [];
    if (name === undefined || error === undefined || !isSymbol(name, "error")) continue;
    const facts = errorOf(error);
    if (facts !== null) errors.push(facts);
  }
  return errors;
}

/** The error in an ScVal; null for another value. */
export function errorOf(scValXdr: string): ErrorFacts | null {
  const value = decode("ScVal", scValXdr);
  return value.type === SCV.error ? readError(value.error) : null;
}

function readEvent(cursor: XdrCursor): EventFacts {
  const start = cursor.at;
  cursor.skip(contractEvent);
  const end = cursor.at;
  cursor.at = start;
  cursor.int32();
  const contract = cursor.boolean("contractID")
    ? encodeStrkey("contract", cursor.opaque(32))
    : null;
  const kind = KINDS[cursor.int32()] ?? "diagnostic";
  cursor.int32();
  const topicsXdr = cursor.base64Array(scVal);
  const dataXdr = cursor.takeBase64(scVal);
  cursor.at = end;
  return { kind, contract, topicsXdr, dataXdr };
}
