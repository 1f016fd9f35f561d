// Reads one response of svc-sim: JSON text → Execution or SvcError. Invariant: all output of
// svc-sim passes the schema before other code uses it.

import * as v from "valibot";
import { type Execution, executionSchema } from "../model/execution.ts";
import { badAnswer, type SimulatorRun, simulatorError } from "./simulator-error.ts";
import { errorResponseSchema } from "./wire-schema.ts";

/** The part of a response that is checked when svc passes the response on. */
const envelopeSchema = v.object({
  id: v.number(),
  format: v.literal(1),
  outcome: v.object({ kind: v.string() }),
});

/** The beginning of a line of svc-sim. */
const ID = /^\{"id":(\d+),/;
/** The beginning of the line of an execution. The line of an error differs. */
const EXECUTION = /^\{"id":\d+,(?="format":1,"host":\{)/;
/** The end of that line. A line that was cut at another brace ends differently. */
const EXECUTION_END = /,"host_nanoseconds":\d+\}$/;
const LONGEST_END = 48;

/**
 * The number of the request that a line answers; NaN if there is none. Throws
 * SIMULATOR_INVALID_JSON.
 */
export function idOf(line: string, run: SimulatorRun): number {
  const begin = ID.exec(line)?.[1];
  if (begin !== undefined) return Number(begin);
  const id = (parseJson(line, run) as { id?: unknown } | null)?.id;
  return typeof id === "number" ? id : Number.NaN;
}

/** Reads a line with `read`. Throws SIMULATOR_INVALID_JSON, and what `read` throws. */
export function parsed<Answer>(
  read: (document: unknown, line: string, run: SimulatorRun) => Answer,
): (line: string, run: SimulatorRun) => Answer {
  return (line, run) => read(parseJson(line, run), line, run);
}

/** Parses a JSON document. Throws SIMULATOR_INVALID_JSON if `text` is not one. */
export function parseJson(text: string, run: SimulatorRun): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badAnswer("is not JSON", text, run, cause);
  }
}

/**
 * Reads a response. Throws the error that svc-sim reports, with a code of the catalogue, or
 * SIMULATOR_INVALID_JSON if the document is neither a response nor an error. `text` is only shown
 * in messages.
 */
export function readResponse(document: unknown, text: string, run: SimulatorRun): Execution {
  const execution = readAnswer(executionSchema, document, text, run);
  const problem = profileProblem(execution);
  if (problem !== null) throw badAnswer(problem, text, run);
  return execution;
}

/**
 * Reads the answer of either build of svc-sim by its schema. Throws the errors of `readResponse`.
 */
export function readAnswer<Answer>(
  schema: v.GenericSchema<unknown, Answer>,
  document: unknown,
  text: string,
  run: SimulatorRun,
): Answer {
  if (isObject(document) && "error" in document) {
    const failure = v.safeParse(errorResponseSchema, document);
    if (!failure.success) throw badAnswer(firstIssue(failure.issues), text, run);
    throw simulatorError(failure.output.error, run);
  }
  const parsed = v.safeParse(schema, document, { abortEarly: true });
  if (!parsed.success) throw badAnswer(firstIssue(parsed.issues), text, run);
  return parsed.output;
}

/**
 * Returns the response as svc-sim wrote it, without its `id`. The beginning and the end of a line
 * identify an execution, which passes unread. Throws the errors of `readResponse`.
 */
export function readWire(line: string, run: SimulatorRun): string {
  const begin = EXECUTION.exec(line)?.[0];
  if (begin !== undefined && EXECUTION_END.test(line.slice(-LONGEST_END)))
    return `{${line.slice(begin.length)}`;
  const document = parseJson(line, run);
  if (isObject(document) && "error" in document) readResponse(document, line, run);
  const parsed = v.safeParse(envelopeSchema, document);
  if (!parsed.success) throw badAnswer(firstIssue(parsed.issues), line, run);
  const id = `{"id":${parsed.output.id},`;
  if (line.startsWith(id)) return `{${line.slice(id.length)}`;
  throw badAnswer("does not begin with its `id`", line, run);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function firstIssue(issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  const path = v.getDotPath(issues[0]) ?? "the document";
  return `does not follow the protocol at \`${path}\`: ${issues[0].message}`;
}

/**
 * The problem of a profile whose sums differ from the metered totals, because it would be
 * misleading.
 */
function profileProblem({ profile, metrics }: Execution): string | null {
  if (profile === null) return null;
  for (const [part, metric] of [
    ["cpu", "cpu_insn"],
    ["memory", "mem_byte"],
  ] as const) {
    const sum = profile.reduce((total, stack) => total + BigInt(stack[part]), 0n);
    if (String(sum) !== metrics[metric])
      return `has a profile with ${sum} of \`${part}\`, but \`${metric}\` is ${metrics[metric]}`;
  }
  return null;
}
