// What svc-sim answers about a transaction that it recorded for stepping (src/svc-sim/README.md,
// Stepping), as valibot schemas. The wire has their keys in snake_case.

import * as v from "valibot";

const text = v.string();
const textOrNull = v.nullable(text);
const moment = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const count = moment;
const decimal = v.pipe(text, v.regex(/^\d{1,20}$/, "must be a decimal integer in a string"));

const callSchema = v.object({
  frame: count,
  moment,
  function: text,
  argumentsXdr: v.array(textOrNull),
  resultXdr: textOrNull,
  failed: v.boolean(),
  cpuBefore: decimal,
  cpuAfter: decimal,
  memoryBefore: decimal,
  memoryAfter: decimal,
});
export type RecordedCall = v.InferOutput<typeof callSchema>;

const frameSchema = v.object({
  kind: v.picklist(["host", "wasm", "asset"]),
  parent: v.nullable(count),
  contract: textOrNull,
  function: text,
  code: textOrNull,
  argumentsXdr: v.array(textOrNull),
  resultXdr: textOrNull,
  failed: v.boolean(),
  trap: textOrNull,
  notStepped: textOrNull,
  begins: moment,
  ends: moment,
  lastStep: v.nullable(moment),
  cpuBefore: decimal,
  cpuAfter: decimal,
  memoryBefore: decimal,
  memoryAfter: decimal,
});
export type RecordedFrame = v.InferOutput<typeof frameSchema>;

export const recordSchema = v.object({
  moments: count,
  instructions: count,
  bytes: count,
  codes: v.array(
    v.object({
      hash: text,
      files: v.array(text),
      linesFrom: v.nullable(v.picklist(["contract", "given_wasm"])),
    }),
  ),
  frames: v.array(frameSchema),
  calls: v.array(callSchema),
});
export type TravelRecord = v.InferOutput<typeof recordSchema>;

const placeSchema = v.object({
  function: textOrNull,
  file: textOrNull,
  line: v.nullable(count),
  column: v.nullable(count),
});

const stackSchema = v.object({
  frames: v.array(
    v.object({
      frame: count,
      part: v.picklist(["enter", "steps", "exit"]),
      functions: v.array(
        v.object({ index: count, name: text, address: count, sources: v.array(placeSchema) }),
      ),
      hostCall: v.nullable(callSchema),
      fuel: v.nullable(count),
      cpu: decimal,
      memory: decimal,
    }),
  ),
});
export type TravelStack = v.InferOutput<typeof stackSchema>["frames"];

const wasmValues = v.array(v.object({ type: text, value: text, xdr: textOrNull }));

const sourceVariableSchema = v.object({
  depth: count,
  name: text,
  type: text,
  /** Of what has parts: the name of its type. Null: not known there. */
  value: textOrNull,
  xdr: textOrNull,
  address: v.nullable(count),
});
export type SourceVariable = v.InferOutput<typeof sourceVariableSchema>;

/** Each request, and what answers it. */
export const TRAVELS = {
  seek: v.object({
    moment,
    reason: v.picklist(["step", "breakpoint", "until", "start", "end"]),
  }),
  state: stackSchema,
  variables: v.object({
    locals: wasmValues,
    globals: wasmValues,
    operands: wasmValues,
  }),
  /** The variables of the source; a part of a value is deeper than the value, and behind it. */
  source_variables: v.object({ variables: v.array(sourceVariableSchema) }),
  memory: v.object({ bytesBase64: text, memoryBytes: count }),
  disassembly: v.object({
    name: text,
    header: text,
    lines: v.array(v.object({ address: count, text })),
  }),
  functions: v.object({
    functions: v.array(
      v.object({ index: count, name: text, exported: textOrNull, address: count, end: count }),
    ),
  }),
  /** Address, file and line. */
  lines: v.object({ rows: v.array(v.tuple([count, count, count])) }),
} as const;

export type TravelKind = keyof typeof TRAVELS;
export type Travelled<Kind extends TravelKind> = v.InferOutput<(typeof TRAVELS)[Kind]>;
export type WasmFunction = Travelled<"functions">["functions"][number];
