// A setting is one row: its names, the values it takes, its default and its meaning. Flags with
// their types, the help, the completions, the manual page and the tables of the documents are made
// from rows; each row is beside the feature that it belongs to. The sources of a value, highest
// first, are flag, SVC_* variable, settings file, STELLAR_* variable and default.

import * as v from "valibot";
import { nearestWord } from "../errors/did-you-mean.ts";
import { SvcError } from "../errors/errors.ts";
import { flagOf } from "../flag-name.ts";
import { flag, type Hole, phrase } from "../phrase.ts";
import { DEFAULT_ORIGIN, originInWords, type SettingOrigin } from "./origin.ts";

export interface ConfigFile {
  readonly path: string;
  /** True if svc found it in the working directory, so that no flag named it. */
  readonly isFound?: boolean;
  /** Setting name → unchecked value. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Why a file that no flag named may not have a setting: a predicate, and what to do instead. */
export type FileRefusal = readonly [what: string, instead: string];

/** The groups of flags in the help, in their order. */
export const SETTING_GROUPS = [
  "Input",
  "Flags",
  "Output",
  "What if",
  "CI",
  "Token",
  "Network",
  "General",
] as const;

/** Another setting of the same command, or a fact that the command finds out from its words. */
export interface Condition {
  readonly setting: string;
  /** One of these values counts (default: any value that was set). */
  readonly is?: readonly string[];
  /** Any value but these counts. */
  readonly not?: readonly string[];
  /** The property of the value that counts. */
  readonly part?: string;
  /** Words for the help and for errors (default: the flag); empty: not in the help. */
  readonly words?: string;
}

/** The settings of that group. */
export interface GroupCondition {
  readonly group: (typeof SETTING_GROUPS)[number];
  readonly words: string;
}

export type Partner = string | Condition | GroupCondition;

/** The rules between the settings of a command; check-rules.ts enforces them. */
export interface Rules {
  /** The flag has an effect only with one of these. */
  readonly onlyWith?: readonly Partner[];
  /** The flag cannot be used together with any of these. */
  readonly notWith?: readonly Partner[];
}

export interface Setting extends Rules {
  /** Rules that svc only warns of: scripts give every command the same nodes. */
  readonly warned?: Rules;
  /** Why the flag has no effect in this command, a clause. svc warns of it, and no help has it. */
  readonly unused?: string;
  /** The rules of single values. */
  readonly valueRules?: Readonly<Record<string, Rules>>;
  /** Sentences. The default is added to the first one. */
  readonly help: string;
  /** The word for the value in the help. A flag without a hint is a switch. */
  readonly hint?: string;
  /** A word of the command line without a flag: one, or any number. */
  readonly word?: "one" | "many";
  /** The words as a usage writes them, like `CONTRACT [FUNCTION]` (default: the row's name). */
  readonly usage?: string;
  /** One letter. */
  readonly alias?: string;
  /** The value of one occurrence (default: any text, or a switch). */
  readonly schema?: v.GenericSchema;
  /** Values to complete and to suggest, where the schema takes others too. */
  readonly suggestions?: readonly string[];
  /** The default as a user writes it; the schema reads it. */
  readonly default?: string;
  /** Words for the help, where there is no default and the value is null. */
  readonly otherwise?: string;
  readonly variable?: `SVC_${string}`;
  /** A variable of stellar-cli, which says the same: below all of svc's own. */
  readonly sharedVariable?: `STELLAR_${string}`;
  /** The section of settings files that has it under its name; empty: the top. */
  readonly file?: string | undefined;
  /** Why a file that svc finds by itself may not have it. */
  readonly refusal?: FileRefusal;
  readonly repeats?: true;
  /** False: only variables and files have it. */
  readonly flag?: false;
  readonly required?: true;
  /** The default is `Flags`. */
  readonly group?: (typeof SETTING_GROUPS)[number];
}

export type Settings = Readonly<Record<string, Setting>>;

type ValueOfOne<Row> = Row extends { readonly schema: infer Schema extends v.GenericSchema }
  ? v.InferOutput<Schema>
  : Row extends { readonly hint: string } | { readonly word: string }
    ? string
    : boolean;

type SettingValue<Row> = Row extends { readonly repeats: true } | { readonly word: "many" }
  ? readonly ValueOfOne<Row>[]
  : Row extends { readonly default: string } | { readonly required: true }
    ? ValueOfOne<Row>
    : ValueOfOne<Row> extends boolean
      ? boolean
      : ValueOfOne<Row> | null;

/** Null: not set, and without a default. */
export type Values<Rows> = { readonly [Name in keyof Rows]: SettingValue<Rows[Name]> };

/** Values with the source of each. */
export type Resolved<Rows> = Values<Rows> & {
  readonly origins: Readonly<Record<keyof Rows, SettingOrigin>>;
};

/** The variables of a process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingLayers {
  /** By the names of rows; absent or undefined where a flag was not given. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  readonly file: ConfigFile | null;
}

/** Throws USAGE for a bad flag, CONFIG_INVALID for a bad variable or file. */
export function readSettings<Rows extends Settings>(
  rows: Rows,
  { flags, environment, file }: SettingLayers,
): Resolved<Rows> {
  const values: Record<string, unknown> = {};
  const origins: Record<string, SettingOrigin> = {};
  for (const [name, row] of Object.entries(rows)) {
    const { variable, sharedVariable, default: fallback } = row;
    const inFile = row.file === undefined ? undefined : valueInFile(file, row.file, name);
    // In shells and container files an empty variable means "not set".
    const ofVariable = (each = "") => environment[each] || undefined;
    const layers: [SettingOrigin, unknown][] = [
      [
        row.word === undefined ? { kind: "flag", setting: name } : { kind: "word", name },
        flags[name],
      ],
      [{ kind: "variable", name: variable ?? "" }, ofVariable(variable)],
      [{ kind: "file", path: file?.path ?? "" }, inFile],
      [{ kind: "shared-variable", name: sharedVariable ?? "" }, ofVariable(sharedVariable)],
      [DEFAULT_ORIGIN, fallback],
    ];
    const [origin, value] = layers.find(([, each]) => each !== undefined) ?? [DEFAULT_ORIGIN];
    origins[name] = origin;
    const read = (each: unknown) => parse(name, row, origin, each);
    if (value === undefined) values[name] = isMany(row) ? [] : hasValue(row) ? null : false;
    else values[name] = isMany(row) ? listed(value).map(read) : read(value);
  }
  return Object.freeze({ ...values, origins: Object.freeze(origins) }) as Resolved<Rows>;
}

/**
 * Rows that have a variable each, `horizonUrl` → `SVC_HORIZON_URL`, and that section of settings
 * files.
 */
export function withVariables<Rows extends Settings>(
  prefix: `SVC_${string}`,
  rows: Rows,
  file?: string,
): Rows {
  const named = Object.entries(rows).map(([name, row]) => {
    const words = name.replace(/[A-Z]/g, "_$&").toUpperCase();
    return [name, { variable: `${prefix}${words}`, file, ...row }];
  });
  return Object.fromEntries(named) as Rows;
}

export function inGroup<Rows extends Settings>(group: Setting["group"], rows: Rows): Rows {
  const grouped = Object.entries(rows).map(([name, row]) => [name, { group, ...row }]);
  return Object.fromEntries(grouped) as Rows;
}

export { flagOf };

/** What completes; empty: any value. */
export function completedValues(row: Setting): readonly string[] {
  return row.suggestions ?? choicesOf(row);
}

/** Empty: any value. */
export function choicesOf({ schema }: Setting): readonly string[] {
  const { type, options } = (schema ?? {}) as { type?: string; options?: readonly string[] };
  return type === "picklist" ? (options ?? []) : [];
}

/** The default in words; null: none. */
export function defaultOf({ default: fallback, otherwise, hint }: Setting): string | null {
  if (fallback === undefined) return otherwise ?? null;
  return hint === "MIB" ? `${fallback} MiB` : fallback;
}

/** The help, with the default and the values. */
export function describeSetting(row: Setting): string {
  const fallback = hasValue(row) ? defaultOf(row) : null;
  const choices = choicesOf(row);
  const help =
    fallback === null ? row.help : row.help.replace(/\.(?= |$)/, ` (default: ${fallback}).`);
  return choices.length === 0 ? help : `${help} One of ${choices.join(", ")}.`;
}

/** A switch has none. */
export function hasValue({ hint, word }: Setting): boolean {
  return hint !== undefined || word !== undefined;
}

/** A variable has one on each line. */
function listed(value: unknown): readonly unknown[] {
  if (typeof value === "string") return value.split("\n").filter((line) => line.trim() !== "");
  return Array.isArray(value) ? value : [value];
}

function valueInFile(file: ConfigFile | null, section: string, name: string): unknown {
  if (section === "") return file?.settings[name];
  return (file?.settings[section] as ConfigFile["settings"] | undefined)?.[name];
}

function isMany({ repeats, word }: Setting): boolean {
  return repeats === true || word === "many";
}

function parse(name: string, row: Setting, origin: SettingOrigin, value: unknown): unknown {
  const { schema } = row;
  if (schema === undefined) return value;
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const isFlag = origin.kind === "flag";
  const isGiven = isFlag || origin.kind === "word";
  const where: string | Hole =
    origin.kind === "file" ? `${name} in ${origin.path}` : originInWords(origin);
  const choices = choicesOf(row);
  if (typeof value === "string" && choices.length > 0) {
    const near = nearestWord(value, choices);
    throw new SvcError(isGiven ? "USAGE" : "CONFIG_INVALID", {
      message: phrase`${where} cannot be "${value}".`,
      remedy: near === null ? `Use one of ${choices.join(", ")}.` : `Did you mean "${near}"?`,
    });
  }
  // URLs, paths and texts may contain secrets.
  const repeated = /URL|FILE|DIR|TEXT|TIME/.test(row.hint ?? "TEXT") ? "" : ` "${String(value)}"`;
  throw new SvcError(isGiven ? "USAGE" : "CONFIG_INVALID", {
    message: phrase`${where}${repeated} ${parsed.issues[0].message}.`,
    remedy: isGiven
      ? phrase`Write ${isFlag ? flag(name, row.hint ?? null) : `\`<${name}>\``}. ${describeSetting(row)}`
      : phrase`Correct ${where}, or use the flag instead.`,
  });
}

export const text = v.pipe(
  v.string("must be text"),
  v.nonEmpty("must not be empty"),
  v.maxLength(4096, "is too long"),
);

/** A directory. The name - is standard output elsewhere; a directory of that name is `./-`. */
export const directory = v.pipe(
  text,
  v.check((value) => value !== "-", "is a directory, and - is standard output"),
);

export function wholeNumber(least: number, most: number) {
  const problem = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.number(problem),
    v.integer(problem),
    v.minValue(least, problem),
    v.maxValue(most, problem),
  );
}

/** A whole number, or its digits: flags and variables are text. */
export function integer(least: number, most: number) {
  const isDigits = (value: unknown) => typeof value === "string" && /^\d{1,10}$/.test(value);
  return v.pipe(
    v.unknown(),
    v.transform((value) => (isDigits(value) ? Number(value) : value)),
    wholeNumber(least, most),
  );
}

/** Bytes. */
export function mebibytes(least: number, most: number) {
  return v.pipe(
    integer(least, most),
    v.transform((value) => value * 1024 * 1024),
  );
}

/** A switch that a variable may set. */
export const yesOrNo = v.pipe(
  v.union(
    [v.boolean(), v.picklist(["true", "false", "1", "0"], "must be true or false")],
    "must be true or false",
  ),
  v.transform((value) => value === true || value === "true" || value === "1"),
);

const DURATION = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)?$/;
const UNIT_MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const LONGEST_DURATION_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Milliseconds. */
export const duration = v.pipe(
  v.union([v.number(), v.string()], "must be a time such as 30, 30s, 500ms or 2m"),
  v.transform((value) => durationMilliseconds(String(value))),
  v.number("must be a time such as 30, 30s, 500ms or 2m"),
  v.minValue(1, "must be longer than 0"),
  v.maxValue(LONGEST_DURATION_MILLISECONDS, "must be at most a day"),
);

function durationMilliseconds(written: string): number {
  const match = DURATION.exec(written.trim());
  if (match === null) return Number.NaN;
  return Math.round(Number(match[1]) * (UNIT_MILLISECONDS[match[2] ?? "s"] ?? Number.NaN));
}
