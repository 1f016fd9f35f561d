// Words the problems of a document, field by field. The schema consists of strict objects.

import type { BaseIssue, GenericSchema, InferOutput } from "valibot";
import { safeParse } from "valibot";
import { beginningOf } from "../own-text.ts";
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
  readonly type?: string;
}

/** Returns the parsed document. Throws the error that `invalid` makes of the first problem. */
export function checkDocument<Schema extends GenericSchema>(
  schema: Schema,
  document: unknown,
  invalid: (why: string) => Error,
  /** False: the caller notes more fields than those of the schema. */
  { isNoted = true }: { readonly isNoted?: boolean } = {},
): InferOutput<Schema> {
  const parsed = safeParse(schema, document);
  if (parsed.success) return parsed.output;
  const { issues } = parsed;
  const refused = invalid(fieldProblems(schema, [issues[0]])[0] ?? issues[0].message);
  throw isNoted ? noteFields(refused, () => problemsByField(schema, issues)) : refused;
}

/** The keys from the document to one of its fields. */
export type FieldPath = readonly string[];

/** Names a field in the words of those who wrote the document: a file, flags or a form. */
export type NameField = (path: FieldPath) => string;

/**
 * Returns clauses such as `limits.write is not a known field; did you mean "writeBytes"?`.
 * `nameField`: how a clause names a field (default: by its path).
 */
export function fieldProblems(
  schema: object,
  issues: readonly BaseIssue<unknown>[],
  nameField: NameField = fieldPathName,
): string[] {
  return issues.map((issue) => problemOf(schema as Described, issue, nameField));
}

export function fieldPathOf({ path }: BaseIssue<unknown>): FieldPath {
  return (path ?? []).map(({ key }) => String(key));
}

/** `limits.writeBytes`. Whoever wrote the document named the fields that are not known. */
export function fieldPathName(path: FieldPath): string {
  const shown = path.map((key) =>
    PLAIN_KEY.test(key) ? key : JSON.stringify(beginningOf(key, LONGEST_KEY)),
  );
  return shown.length === 0 ? "the document" : shown.join(".");
}

/** One field of an input that is wrong. */
export interface FieldProblem {
  /** Its path, such as `record.ledger.sequence`. */
  readonly field: string;
  readonly problem: string;
  readonly expected: string;
}

const noted = new WeakMap<Error, () => readonly FieldProblem[]>();

/** Keeps the wrong fields of an error for `--strict-validation`, unless some are known. */
export function noteFields<Refused extends Error>(
  error: Refused,
  fields: () => readonly FieldProblem[],
): Refused {
  if (!noted.has(error)) noted.set(error, fields);
  return error;
}

/** Null: the fields of the error are not known. */
export function notedFields(error: Error): readonly FieldProblem[] | null {
  return noted.get(error)?.() ?? null;
}

/** Returns all problems, with what was expected in the place of each. */
export function problemsByField(
  schema: object,
  issues: readonly BaseIssue<unknown>[],
): FieldProblem[] {
  return issues.map((issue) => {
    const path = fieldPathName(fieldPathOf(issue));
    const inside = withinOption(issue);
    if (inside !== undefined) {
      const [only] = problemsByField({}, [inside]);
      if (only !== undefined) return { ...only, field: `${path}.${only.field}` };
    }
    if (isUnknown(issue)) {
      const near = fieldMeant(schema as Described, issue);
      const expected = near === null ? "no such field" : `no such field; did you mean "${near}"?`;
      return { field: path, problem: "is not a known field", expected };
    }
    if (isMissing(issue)) {
      const expected = isOwn(issue) ? issue.message : typeAt(schema as Described, issue);
      return { field: path, problem: "is missing", expected };
    }
    const expected = isOwn(issue) ? issue.message : `must be ${choicesOf(issue)}`;
    return { field: path, problem: `is ${shownValue(issue.received)}`, expected };
  });
}

const MOST_SHOWN = 60;

function shownValue(received: string): string {
  return received.length > MOST_SHOWN ? `${beginningOf(received, MOST_SHOWN)}…` : received;
}

/** The type of a field that is missing. */
function typeAt(schema: Described, { path }: BaseIssue<unknown>): string {
  let at: Described | undefined = schema;
  for (const { key, input } of path ?? []) {
    const object: Described | undefined = optionOf(plain(at), input);
    at = object?.entries?.[String(key)] ?? object?.item ?? object?.value;
  }
  return `must be ${NAMED[plain(at)?.type ?? ""] ?? "there"}`;
}

const NAMED: Readonly<Record<string, string>> = {
  strict_object: "an object",
  object: "an object",
  array: "an array",
  string: "a string",
  number: "a number",
  boolean: "true or false",
};

function problemOf(schema: Described, issue: BaseIssue<unknown>, nameField: NameField): string {
  const path = nameField(fieldPathOf(issue));
  const inside = withinOption(issue);
  if (inside !== undefined) {
    const outer = fieldPathOf(issue);
    return problemOf({}, inside, (inner) => nameField([...outer, ...inner]));
  }
  const isSentence = isOwn(issue) && !isUnknown(issue) && !isMissing(issue);
  return `${path}${isSentence ? ":" : ""} ${fieldProblem(schema, issue)}`;
}

/** Returns the problem of one field as a predicate, such as `must be a string`. */
export function fieldProblem(schema: object, issue: BaseIssue<unknown>): string {
  if (isUnknown(issue)) {
    const near = fieldMeant(schema as Described, issue);
    return `is not a known field${near === null ? "" : `; did you mean "${near}"?`}`;
  }
  if (isMissing(issue)) return "is missing";
  return isOwn(issue) ? issue.message : `must be ${choicesOf(issue)}`;
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

/** No name of a field has more. */
const LONGEST_KEY = 80;
const PLAIN_KEY = /^[^\s"`\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]{1,80}$/u;

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
