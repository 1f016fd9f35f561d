// The sources of a setting, highest first: flag, SVC_* environment variable, file. An error about a
// value names its source, and repeats the value only where it cannot be a secret.

import * as v from "valibot";
import { SvcError } from "../errors/errors.ts";

export interface SettingDefinition {
  readonly flag: string;
  readonly variable: string;
  readonly schema: v.GenericSchema;
  /** An error may repeat the value. URLs and paths may contain secrets. */
  readonly shown?: boolean;
}

export interface SettingLayers<Name extends string> {
  /** By setting name; undefined when the flag was not given. */
  readonly flags: Readonly<Partial<Record<Name, unknown>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Unchecked values by setting name. */
  readonly file: {
    readonly path: string;
    readonly settings: Readonly<Record<string, unknown>>;
  } | null;
}

export interface FoundSettings<Name extends string> {
  /** Parsed; absent where no layer has the setting. */
  readonly values: Readonly<Partial<Record<Name, unknown>>>;
  /** `--network`, `SVC_NETWORK`, a file's path, `default`. */
  readonly origins: Readonly<Record<Name, string>>;
  /** The layer of each value; 0 is the highest. */
  readonly ranks: Readonly<Record<Name, number>>;
}

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

export const nonEmpty = v.pipe(
  v.string("must be text"),
  v.nonEmpty("must not be empty"),
  v.maxLength(4096, "is too long"),
);

export function place(flag: string, variable: string) {
  return { flag, variable };
}

/** Throws USAGE for a bad flag, CONFIG_INVALID for a bad variable or file. */
export function readSettings<Name extends string>(
  definitions: Readonly<Record<Name, SettingDefinition>>,
  { flags, environment, file }: SettingLayers<Name>,
): FoundSettings<Name> {
  const values: Partial<Record<Name, unknown>> = {};
  const origins = {} as Record<Name, string>;
  const ranks = {} as Record<Name, number>;
  for (const name of Object.keys(definitions) as Name[]) {
    const definition = definitions[name];
    const layers: [string, unknown][] = [
      [definition.flag, flags[name]],
      // In shells and container files an empty variable means "not set".
      [definition.variable, environment[definition.variable] || undefined],
      [file?.path ?? "", file?.settings[name]],
    ];
    const rank = layers.findIndex(([, value]) => value !== undefined);
    const layer = layers[rank];
    ranks[name] = layer === undefined ? layers.length : rank;
    origins[name] = layer?.[0] ?? "default";
    if (layer !== undefined) values[name] = parse(name, definition, layer[0], layer[1]);
  }
  return { values, origins, ranks };
}

export function configInvalid(message: string, remedy: string): SvcError {
  return new SvcError("CONFIG_INVALID", { message, remedy });
}

function parse(
  name: string,
  { schema, shown }: SettingDefinition,
  origin: string,
  value: unknown,
): unknown {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const repeated = shown === true ? ` "${String(value)}"` : "";
  const problem = parsed.issues[0].message;
  if (origin.startsWith("--"))
    throw new SvcError("USAGE", {
      message: `${origin}${repeated} ${problem}.`,
      remedy: "Run the command with `--help` to see the values of each flag.",
    });
  const where = origin.startsWith("SVC_") ? origin : `${name} in ${origin}`;
  throw configInvalid(
    `${where}${repeated} ${problem}.`,
    `Correct ${where}, or use the flag instead.`,
  );
}

function durationMilliseconds(text: string): number {
  const match = DURATION.exec(text.trim());
  if (match === null) return Number.NaN;
  return Math.round(Number(match[1]) * (UNIT_MILLISECONDS[match[2] ?? "s"] ?? Number.NaN));
}
