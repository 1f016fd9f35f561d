// Reads DiagnosticEvents and ContractEvents: the errors and core_metrics among them, and the parts
// of one event. A core_metrics event has the topics `core_metrics` and a name, and a u64 as data
// (stellar-core, InvokeHostFunctionOpFrame.cpp, metricsEvent).

import { ofTexts } from "../../base/recently-used.ts";
import { encodeStrkey } from "../../base/text/strkey.ts";
import { readBase64, type XdrCursor } from "../reader/cursor.ts";
import { SCV } from "../reader/scval-type.ts";
import { shapeOf } from "../reader/shape.ts";
import { decode } from "../reader/value.ts";
import { symbolOf, u64Of } from "../values/value-parts.ts";
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
const scVal = shapeOf("ScVal");
const KINDS: readonly EventKind[] = ["system", "contract", "diagnostic"];

/** `core_metrics` as an ScVal symbol, to recognize these events without decoding them. */
const CORE_METRICS_TOPIC = "AAAADwAAAAxjb3JlX21ldHJpY3MAAAAP";
/**
 * The bytes before the topics: inSuccessfulContractCall, ext, no contract id, type, body version
 * and topic count (24 bytes).
 */
const CORE_METRICS_TOPIC_OFFSET = 32;
/** `fork` as an ScVal symbol, the first topic of a fork's own event. */
const FORK_TOPIC = "AAAADwAAAARmb3Jr";

export function readContractEvent(eventXdr: string): EventFacts {
  return readBase64(eventXdr, "ContractEvent", readEvent);
}

/** `kept` is true if the call of the event was not rolled back. */
type DiagnosticFacts = EventFacts & { readonly kept: boolean };

/** Every stage looks for errors, calls or metrics among the same events. */
const diagnostics = ofTexts<DiagnosticFacts>(2 ** 18);

export function readDiagnosticEvent(eventXdr: string): DiagnosticFacts {
  return diagnostics.of(eventXdr, () =>
    readBase64(eventXdr, "DiagnosticEvent", (cursor) => {
      const kept = cursor.boolean("inSuccessfulContractCall");
      return { ...readEvent(cursor), kept };
    }),
  );
}

/** True for the metric events of stellar-core. */
export function isCoreMetric(diagnosticXdr: string): boolean {
  return diagnosticXdr.startsWith(CORE_METRICS_TOPIC, CORE_METRICS_TOPIC_OFFSET);
}

/** True for events of stellar-core or a fork, which no contract host writes. */
export function isOfApplier(diagnosticXdr: string): boolean {
  return (
    isCoreMetric(diagnosticXdr) || diagnosticXdr.startsWith(FORK_TOPIC, CORE_METRICS_TOPIC_OFFSET)
  );
}

/**
 * Returns the accounts (G…) whose missing signatures a fork waived. The list is empty on a network.
 */
export function waivedSigners(diagnosticsXdr: readonly string[]): string[] {
  return diagnosticsXdr.flatMap((xdr) => {
    if (!xdr.startsWith(FORK_TOPIC, CORE_METRICS_TOPIC_OFFSET)) return [];
    const { topicsXdr, dataXdr, contract } = readDiagnosticEvent(xdr);
    const data = decode("ScVal", dataXdr);
    const isIt = contract === null && symbolOf(topicsXdr[1] ?? "") === "waived_signatures";
    if (!isIt || data.type !== SCV.vec) return [];
    return (data.vec ?? []).flatMap((each) =>
      each.type === SCV.address && each.address.type === 0
        ? encodeStrkey("account", each.address.accountId.ed25519)
        : [],
    );
  });
}

/**
 * Returns the `core_metrics` by name, including times. The map is empty if the node reported none.
 */
export function readCoreMetrics(diagnosticsXdr: readonly string[]): Map<string, string> {
  const metrics = new Map<string, string>();
  for (const xdr of diagnosticsXdr.filter(isCoreMetric)) {
    const { topicsXdr, dataXdr } = readDiagnosticEvent(xdr);
    const name = symbolOf(topicsXdr[1] ?? "");
    const value = u64Of(dataXdr);
    if (name !== null && value !== null) metrics.set(name, String(value));
  }
  return metrics;
}

/** Returns the error in an ScVal, or null for another value. */
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
