// The user's names for addresses, from the settings file and from flags.

import * as v from "valibot";
import { configInvalid, usageError } from "../base/errors/errors.ts";
import { bareFlag, flag, phrase } from "../base/phrase.ts";
import type { ConfigFile } from "../base/settings/setting.ts";
import { isStrkeyForm } from "../base/text/strkey.ts";

/** A name of an address. */
export interface Label {
  readonly name: string;
  /**
   * True if another program has saved the name. Such a label does not hide what the chain shows. It
   * is shown with an `@`, with which no name from the chain begins.
   */
  readonly isSaved: boolean;
}

/** By address. */
export type Labels = ReadonlyMap<string, Label>;

const LONGEST_NAME = 40;
const address = v.pipe(
  v.string(),
  v.check((text) => isStrkeyForm(text), "an address must be a strkey (G…, C…, M…, W…)"),
);
const name = v.pipe(
  v.string("a name must be text"),
  v.minLength(1, "a name must not be empty"),
  v.maxLength(LONGEST_NAME, `a name must have at most ${LONGEST_NAME} characters`),
);
const schema = v.record(address, name);

/**
 * Reads the labels of `--label` and of `labels` in the settings file. A flag overrides the file.
 */
export function readLabels(flags: readonly string[], file: ConfigFile | null): Labels {
  const ofFile = file === null ? [] : labelsOfFile(file.settings.labels, file.path);
  return new Map([...ofFile, ...ownLabels(flags.map(labelOfFlag))]);
}

/** Reads the `labels` of the file at `path`. Throws CONFIG_INVALID. */
export function labelsOfFile(labels: unknown, path: string): Labels {
  const parsed = v.safeParse(schema, labels ?? {});
  if (parsed.success && !Array.isArray(labels)) return ownLabels(Object.entries(parsed.output));
  const problem = parsed.success ? "they must be an object" : parsed.issues[0].message;
  throw configInvalid(
    `The labels in ${path} are not valid: ${problem}.`,
    'Write "labels": { "G…": "treasury" }.',
  );
}

/** The user's own names. */
export function ownLabels(names: readonly (readonly [address: string, name: string])[]): Labels {
  return new Map(names.map(([of, own]) => [of, { name: own, isSaved: false }]));
}

/** Keeps the names that can be shown, of those that another program has saved. */
export function readableLabels(
  saved: readonly (readonly [address: string, name: string])[],
): Labels {
  const readable = saved.filter((label) => v.is(schema, Object.fromEntries([label])));
  return new Map(readable.map(([of, own]) => [of, { name: own, isSaved: true }]));
}

/** Reads `ADDRESS=NAME` as it was typed. Throws USAGE. */
export function labelOfFlag(written: string): readonly [address: string, name: string] {
  const equals = Math.max(0, written.indexOf("="));
  const label = [written.slice(0, equals), written.slice(equals + 1)] as const;
  const parsed = v.safeParse(schema, Object.fromEntries([label]));
  if (parsed.success) return label;
  throw usageError(
    phrase`${bareFlag("label")} "${written}" is not valid: ${parsed.issues[0].message}.`,
    phrase`Write ${flag("label", "ADDRESS=NAME")}.`,
  );
}
