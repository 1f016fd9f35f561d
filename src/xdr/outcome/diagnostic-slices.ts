// The DiagnosticEvents of a meta as ranges of its bytes, core metrics apart: stellar-core writes
// them last (InvokeHostFunctionOpFrame.cpp, metricsEvent); they differ in a name and a number only.

import { XdrCursor } from "../reader/cursor.ts";
import { SCV } from "../reader/scval-type.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { uint32At } from "../reader/words.ts";

export interface DiagnosticSlices {
  /** The number of all events. */
  readonly count: number;
  /** The number of events that are not core metrics, and their places. */
  readonly events: number;
  readonly eventBytes: Uint8Array;
  /** The u64 values of all core metrics but times, by name; null: one is missing or unknown. */
  readonly metrics: readonly Uint8Array[] | null;
}

const NONE: DiagnosticSlices = {
  count: 0,
  events: 0,
  eventBytes: new Uint8Array(0),
  metrics: null,
};

/** In the order of their names. */
const METRICS = [
  "cpu_insn",
  "emit_event",
  "emit_event_byte",
  "ledger_read_byte",
  "ledger_write_byte",
  "max_emit_event_byte",
  "max_rw_code_byte",
  "max_rw_data_byte",
  "max_rw_key_byte",
  "mem_byte",
  "read_code_byte",
  "read_data_byte",
  "read_entry",
  "read_key_byte",
  "write_code_byte",
  "write_data_byte",
  "write_entry",
  "write_key_byte",
].map(latin);
const TIME = latin("_nsecs");

/**
 * Extension, contract, type, body, two topics, of which the first is the symbol `core_metrics`, and
 * the type of the second, a symbol. The word before says whether the call succeeded.
 */
const METRIC_HEAD = Uint8Array.fromHex(
  `${"00000000".repeat(2)}0000000200000000000000020000000f0000000c636f72655f6d6574726963730000000f`,
);
/** The name's length comes before it. */
const NAME_AT = 4 + METRIC_HEAD.length + 4;
const VALUE_SIZE = 8;

const diagnosticEvent = shapeOf("DiagnosticEvent");

/**
 * `at`: where the array begins; the meta has been walked before. Null where another event follows a
 * core metric.
 */
export function sliceDiagnostics(meta: Uint8Array, at: number | null): DiagnosticSlices | null {
  if (at === null) return NONE;
  const cursor = new XdrCursor(xdrSource(meta), at);
  const count = cursor.length("diagnostics");
  const start = cursor.at;
  let events = 0;
  for (; events < count && !isMetric(meta, cursor.at); events += 1) cursor.skip(diagnosticEvent);
  const eventBytes = meta.subarray(start, cursor.at);
  const values = new Array<Uint8Array | undefined>(METRICS.length);
  let known = 0;
  let complete = true;
  for (let i = events; i < count; i += 1) {
    const from = cursor.at;
    if (!isMetric(meta, from)) return null;
    cursor.skip(diagnosticEvent);
    const value = cursor.at - VALUE_SIZE;
    const length = nameLength(meta, from, value);
    if (endsWith(meta, from + NAME_AT, length, TIME)) continue;
    const index = METRICS.findIndex((name) => equals(meta, from + NAME_AT, length, name));
    if (index === -1 || values[index] !== undefined) complete = false;
    else {
      values[index] = meta.subarray(value, cursor.at);
      known += 1;
    }
  }
  const all = complete && known === METRICS.length;
  return { count, events, eventBytes, metrics: all ? (values as Uint8Array[]) : null };
}

function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function isMetric(meta: Uint8Array, at: number): boolean {
  for (let i = 0; i < METRIC_HEAD.length; i += 1) {
    if (meta[at + 4 + i] !== METRIC_HEAD[i]) return false;
  }
  return true;
}

/** `value`: where the last eight bytes of the event begin. 0 when they are not a u64. */
function nameLength(meta: Uint8Array, from: number, value: number): number {
  const length = uint32At(meta, from + NAME_AT - 4);
  const typeAt = from + NAME_AT + ((length + 3) & ~3);
  return typeAt === value - 4 && uint32At(meta, typeAt) === SCV.u64 ? length : 0;
}

function endsWith(meta: Uint8Array, at: number, length: number, end: Uint8Array): boolean {
  return length >= end.length && equals(meta, at + length - end.length, end.length, end);
}

function equals(meta: Uint8Array, at: number, length: number, name: Uint8Array): boolean {
  if (length !== name.length) return false;
  for (let i = 0; i < length; i += 1) if (meta[at + i] !== name[i]) return false;
  return true;
}
