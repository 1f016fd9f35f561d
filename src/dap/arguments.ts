// The arguments of the protocol's requests, as far as svc reads them.

import * as v from "valibot";
import { fieldProblems } from "../base/errors/field-problems.ts";

const text = v.string();
const whole = v.pipe(v.number(), v.safeInteger());
const natural = v.pipe(whole, v.minValue(0));
const atMost = (most: number) => v.pipe(natural, v.maxValue(most));
const maybe = v.exactOptional;

/** No request reads more bytes of memory. */
const MOST_BYTES = 1 << 20;
const MOST_INSTRUCTIONS = 10_000;

const SOURCE = v.object({
  name: maybe(text),
  path: maybe(text),
  sourceReference: maybe(natural),
  origin: maybe(text),
});
const WHEN = { condition: maybe(text), hitCondition: maybe(text), logMessage: maybe(text) };
const AT_FRAME = { expression: text, frameId: maybe(natural) };
const MOVE = v.object({ granularity: maybe(text) });

export const ARGUMENTS = {
  // Lines, columns and paths of another form would be shown in the wrong place.
  initialize: v.object({
    linesStartAt1: maybe(v.literal(true)),
    columnsStartAt1: maybe(v.literal(true)),
    pathFormat: maybe(v.literal("path")),
  }),
  stackTrace: v.object({ startFrame: maybe(natural), levels: maybe(natural) }),
  scopes: v.object({ frameId: natural }),
  variables: v.object({
    variablesReference: natural,
    start: maybe(natural),
    count: maybe(natural),
  }),
  evaluate: v.object({ ...AT_FRAME, context: maybe(text) }),
  completions: v.object({ text, column: natural, frameId: maybe(natural) }),
  why: v.object({}),
  origin: v.object(AT_FRAME),
  source: v.object({ source: maybe(SOURCE), sourceReference: natural }),
  gotoTargets: v.object({ source: SOURCE, line: natural }),
  goto: v.object({ targetId: whole }),
  gotoMoment: v.object({ moment: natural }),
  disassemble: v.object({
    memoryReference: text,
    offset: maybe(whole),
    instructionOffset: maybe(whole),
    instructionCount: atMost(MOST_INSTRUCTIONS),
  }),
  readMemory: v.object({
    memoryReference: text,
    offset: maybe(whole),
    count: atMost(MOST_BYTES),
  }),
  dataBreakpointInfo: v.object({ name: text, variablesReference: maybe(natural) }),
  setBreakpoints: v.object({
    source: SOURCE,
    breakpoints: maybe(v.array(v.object({ line: natural, ...WHEN }))),
  }),
  setFunctionBreakpoints: v.object({
    breakpoints: v.array(v.object({ name: text, ...WHEN })),
  }),
  setInstructionBreakpoints: v.object({
    breakpoints: v.array(v.object({ instructionReference: text, offset: maybe(whole), ...WHEN })),
  }),
  setDataBreakpoints: v.object({
    breakpoints: v.array(
      v.object({
        dataId: text,
        accessType: maybe(v.picklist(["read", "write", "readWrite"])),
        ...WHEN,
      }),
    ),
  }),
  setExceptionBreakpoints: v.object({ filters: v.array(text) }),
  continue: MOVE,
  reverseContinue: MOVE,
  next: MOVE,
  stepBack: MOVE,
  stepIn: MOVE,
  stepOut: MOVE,
} as const;

export type RequestCommand = keyof typeof ARGUMENTS;
export type RequestArguments<Of extends RequestCommand> = v.InferOutput<(typeof ARGUMENTS)[Of]>;

/** Throws an Error that names every field with a problem. */
export function readRequestArguments<Of extends RequestCommand>(
  command: Of,
  written: unknown,
): RequestArguments<Of> {
  // Some clients write null for a field that they leave out.
  const present = JSON.parse(JSON.stringify(written ?? {}), (_, value) => value ?? undefined);
  const read = v.safeParse(ARGUMENTS[command], present);
  if (read.success) return read.output as RequestArguments<Of>;
  const problems = fieldProblems(ARGUMENTS[command], read.issues);
  throw new Error(`The request ${command} cannot be answered: ${problems.join(", ")}.`);
}
