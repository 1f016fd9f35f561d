// Words the problems of a document, field by field. The schema consists of strict objects.

import type { BaseIssue, GenericSchema, InferOutput } from "valibot";
import { getDotPath, safeParse } from "valibot";
import { nearestWord } from "./did-you-mean.ts";

/**
 * The properties of a valibot schema that this file reads. Each kind of schema has only some of
 * them.
 */
interface Described {
  readonly entries?: Readonly<Record<string, Described>>;
  readonly item?: Described;
  readonly value?: Described;
  readonly wrapped?: Described;
  /** The field that tells the options of a variant apart. */
  readonly key?: string;
  readonly options?: readonly Described[];
  readonly literal?: unknown;
}

/** Returns the parsed document. Throws the error that `invalid` makes of the first problem. */
export function checkDocument<Schema extends GenericSchema>(
  schema: Schema,
  document: unknown,
  invalid: (why: string) => Error,
): InferOutput<Schema> {
  const parsed = safeParse(schema, document);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw invalid(fieldProblems(schema, [issue])[0] ?? issue.message);
}

/** Returns clauses such as `limits.write is not a known field; did you mean "writeBytes"?`. */
export function fieldProblems(schema: object, issues: readonly BaseIssue<unknown>[]): string[] {
  return issues.map((issue) => problemOf(schema as Described, issue));
}

function problemOf(schema: Described, issue: BaseIssue<unknown>): string {
  const path = getDotPath(issue) ?? "the document";
  const inside = withinOption(issue);
  if (inside !== undefined) return `${path}.${problemOf({}, inside)}`;
  if (isUnknown(issue)) {
    const near = fieldMeant(schema, issue);
    return `${path} is not a known field${near === null ? "" : `; did you mean "${near}"?`}`;
  }
  if (isMissing(issue)) return `${path} is missing`;
  return isOwn(issue) ? `${path}: ${issue.message}` : `${path} must be ${choicesOf(issue)}`;
}

/**
 * Returns the problem of a settings file as a predicate, and the name that the user probably meant.
 */
export function settingProblem(
  schema: object,
  issue: BaseIssue<unknown>,
): { readonly problem: string; readonly meant: string | null } {
  if (isUnknown(issue))
    return { problem: "is not a setting", meant: fieldMeant(schema as Described, issue) };
  if (isMissing(issue)) return { problem: "is missing", meant: null };
  return { problem: isOwn(issue) ? issue.message : `must be ${choicesOf(issue)}`, meant: null };
}

/** Finds the problem within that option of a union which has the input's form, array or object. */
function withinOption({ input, issues }: BaseIssue<unknown>): BaseIssue<unknown> | undefined {
  const form = Array.isArray(input) ? "array" : "object";
  return issues?.find(({ path }) => path?.[0]?.type === form);
}

/** True if the schema has a message of its own instead of valibot's default. */
function isOwn({ message }: BaseIssue<unknown>): boolean {
  return !message.startsWith("Invalid ");
}

const TYPES: Readonly<Record<string, string>> = {
  Object: "an object",
  Array: "an array",
  boolean: "true or false",
  string: "a string",
  number: "a number",
  safe_integer: "a whole number",
};

/** Turns `("json" | "slack")`, as valibot writes it, into `json or slack`. */
function choicesOf({ expected, type }: BaseIssue<unknown>): string {
  const choices = (expected ?? TYPES[type] ?? "valid").replace(/["()]/g, "").split(" | ");
  return choices.map((choice) => TYPES[choice] ?? choice).join(" or ");
}

/** The issue of a strict object expects "never" of an unknown field. */
function isUnknown({ expected }: BaseIssue<unknown>): boolean {
  return expected === "never";
}

function isMissing({ kind, received }: BaseIssue<unknown>): boolean {
  return kind === "schema" && received === "undefined";
}

/** Returns the field of the same object that has the nearest name. */
function fieldMeant(schema: Described, issue: BaseIssue<unknown>): string | null {
  const path = issue.path ?? [];
  let at: Described | undefined = schema;
  for (const { key, input } of path.slice(0, -1)) {
    const object: Described | undefined = optionOf(plain(at), input);
    at = object?.entries?.[String(key)] ?? object?.item ?? object?.value;
  }
  const last = path.at(-1);
  const fields = Object.keys(optionOf(plain(at), last?.input)?.entries ?? {});
  return nearestWord(String(last?.key ?? ""), fields);
}

/** Returns the option of a variant that `input` belongs to. */
function optionOf(schema: Described | undefined, input: unknown): Described | undefined {
  const { key, options } = schema ?? {};
  if (key === undefined || options === undefined) return schema;
  const value = (input as Readonly<Record<string, unknown>>)[key];
  return options.find(({ entries }) => entries?.[key]?.literal === value);
}

/** Unwraps optional and nullable values. */
function plain(schema: Described | undefined): Described | undefined {
  return schema?.wrapped === undefined ? schema : plain(schema.wrapped);
}
