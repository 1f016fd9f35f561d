// The answers of svc-sim about a transaction that it recorded for stepping (src/svc-sim/README.md,
// Stepping).

import * as v from "valibot";
import { type Parsed, wireObject } from "../base/wire.ts";

const text = v.string();
const textOrNull = v.nullable(text);
const moment = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const count = moment;
const decimal = v.pipe(text, v.regex(/^\d{1,20}$/, "must be a decimal integer in a string"));

const callSchema = wireObject({
  frame: count,
  moment,
  function: text,
  arguments_xdr: v.array(textOrNull),
  result_xdr: textOrNull,
  failed: v.boolean(),
  /** The end of a failed call that undoes the effects of this one. */
  undone_at: v.nullable(moment),
  cpu_before: decimal,
  cpu_after: decimal,
  memory_before: decimal,
  memory_after: decimal,
});
export type RecordedCall = Parsed<typeof callSchema>;

const frameSchema = wireObject({
  kind: v.picklist(["host", "wasm", "asset"]),
  parent: v.nullable(count),
  contract: textOrNull,
  function: text,
  code: textOrNull,
  arguments_xdr: v.array(textOrNull),
  result_xdr: textOrNull,
  failed: v.boolean(),
  trap: textOrNull,
  not_stepped: textOrNull,
  begins: moment,
  ends: moment,
  last_step: v.nullable(moment),
  cpu_before: decimal,
  cpu_after: decimal,
  memory_before: decimal,
  memory_after: decimal,
});
export type RecordedFrame = Parsed<typeof frameSchema>;

export const traceSchema = wireObject({
  moments: count,
  instructions: count,
  bytes: count,
  codes: v.array(
    wireObject({
      hash: text,
      files: v.array(text),
      lines_from: v.nullable(v.picklist(["contract", "given_wasm"])),
    }),
  ),
  frames: v.array(frameSchema),
  calls: v.array(callSchema),
});
export type ExecutionTrace = Parsed<typeof traceSchema>;

const placeSchema = wireObject({
  function: textOrNull,
  file: textOrNull,
  line: v.nullable(count),
  column: v.nullable(count),
});

const stackSchema = wireObject({
  frames: v.array(
    wireObject({
      frame: count,
      part: v.picklist(["enter", "steps", "exit"]),
      functions: v.array(
        wireObject({ index: count, name: text, address: count, sources: v.array(placeSchema) }),
      ),
      host_call: v.nullable(callSchema),
      fuel: v.nullable(count),
      cpu: decimal,
      memory: decimal,
    }),
  ),
});
export type TravelStack = Parsed<typeof stackSchema>["frames"];

const wasmValues = v.array(wireObject({ type: text, value: text, xdr: textOrNull }));

const sourceVariableSchema = wireObject({
  depth: count,
  name: text,
  type: text,
  /** A value with parts shows the name of its type. Null if the value is unknown at that moment. */
  value: textOrNull,
  xdr: textOrNull,
  address: v.nullable(count),
});
export type SourceVariable = Parsed<typeof sourceVariableSchema>;

const disassemblyLineSchema = wireObject({
  address: count,
  text,
  /** Such as `local.set`. */
  opcode: text,
  /** The local, the global, the function or the label that the instruction names. */
  index: v.exactOptional(count),
  /** The number that a constant pushes. */
  constant: v.exactOptional(text),
});

/** The answer to each request. */
export const TRAVEL_ANSWERS = {
  seek: wireObject({
    moment,
    reason: v.picklist(["step", "breakpoint", "until", "start", "end"]),
    /** The number of inlined functions that begin there, and that the user has not entered. */
    hidden: count,
  }),
  state: stackSchema,
  variables: wireObject({
    locals: wasmValues,
    globals: wasmValues,
    operands: wasmValues,
  }),
  /** The variables of the source. A part of a value follows the value, and is deeper. */
  source_variables: wireObject({ variables: v.array(sourceVariableSchema) }),
  memory: wireObject({ bytes_base64: text, memory_bytes: count }),
  disassembly: wireObject({
    name: text,
    header: text,
    lines: v.array(disassemblyLineSchema),
  }),
  functions: wireObject({
    functions: v.array(
      wireObject({ index: count, name: text, exported: textOrNull, address: count, end: count }),
    ),
  }),
  /** Address, file and line. */
  lines: wireObject({ rows: v.array(v.tuple([count, count, count])) }),
} as const;

export type TravelKind = keyof typeof TRAVEL_ANSWERS;
export type TravelAnswer<Kind extends TravelKind> = Parsed<(typeof TRAVEL_ANSWERS)[Kind]>;
export type WasmFunction = TravelAnswer<"functions">["functions"][number];
