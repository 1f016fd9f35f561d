// The rules between the settings of a command, which are keys of their rows: a flag that would
// have no effect is refused, with the other flag and what to do. Only flags are refused: a variable
// and a settings file serve many commands.

import { type SvcError, usageError } from "../errors/errors.ts";
import { listed } from "../text/listed.ts";
import { sentenceStart } from "../text/sentence.ts";
import { DEFAULT_ORIGIN, isDefault, isFlagOf, originText, type SettingOrigin } from "./origin.ts";
import {
  type Condition,
  describeSetting,
  flagOf,
  type GroupCondition,
  hasValue,
  type Partner,
  type Rules,
  type Setting,
  type Settings,
} from "./setting.ts";

/** A fact that follows from several settings, or from the words of the command line. */
export interface Fact {
  /** Null: the command does not know the fact yet, so no rule about it is checked. */
  readonly value: string | null;
  /** The part of the command line that decides it; null: it is the default. */
  readonly shown: string | null;
}

export type Facts = Readonly<Record<string, Fact>>;

export interface CheckedSettings {
  readonly origins: Readonly<Record<string, SettingOrigin>>;
}

interface CheckedLine {
  readonly settings: Settings;
  readonly values: Readonly<Record<string, unknown>>;
  readonly origins: Readonly<Record<string, SettingOrigin>>;
  readonly facts: Facts;
}

/** A flag without what it needs, and for each of these what excludes it. */
interface Unmet {
  readonly flag: string;
  readonly partners: readonly Partner[];
  readonly blocks: readonly (string | null)[];
}

/** A flag that has no effect, which svc warns of. */
export interface Idle {
  readonly flag: string;
  /** A clause after the flag. */
  readonly reason: string;
  /** The settings and facts that decide it. */
  readonly partners: readonly string[];
}

/**
 * Throws USAGE for the first flag that cannot have an effect, with the reason. Returns those that
 * only deserve a warning.
 */
export function checkRules(
  settings: Settings,
  args: CheckedSettings,
  facts: Facts = {},
): readonly Idle[] {
  const values = args as unknown as CheckedLine["values"];
  const line = { settings, values, origins: args.origins, facts };
  const flags = Object.keys(settings).filter((name) => isFlag(line, name));
  const ruled = flags.flatMap((name) => rulesOf(line, name));
  for (const { flag, notWith = [] } of ruled) {
    const other = notWith.find((partner) => holds(line, partner) === true);
    if (other !== undefined) throw together(flag, shownOf(line, other));
  }
  const unmet = ruled.flatMap(({ flag, onlyWith = [] }) => {
    if (isMet(line, onlyWith)) return [];
    return { flag, partners: onlyWith, blocks: onlyWith.map((partner) => blockOf(line, partner)) };
  });
  // What another flag excludes comes before what is only missing.
  const isBlocked = ({ blocks }: Unmet) => !blocks.includes(null);
  const first = unmet.find(isBlocked) ?? unmet[0];
  if (first !== undefined) throw without(line, first);
  return flags.flatMap((name) => idleOf(line, name));
}

/** `--rpc-url and --horizon-url had no effect with --from.` */
export function idleSentences(idle: readonly Idle[]): string[] {
  return [...Map.groupBy(idle, ({ reason }) => reason)].map(
    ([reason, some]) =>
      `${listed(
        some.map(({ flag }) => flag),
        "and",
      )} had no effect${reason}.`,
  );
}

function idleOf(line: CheckedLine, name: string): Idle[] {
  const { unused, warned: { onlyWith = [], notWith = [] } = {} } = line.settings[name] ?? {};
  const flag = flagOf(name);
  const partners = [...onlyWith, ...notWith].flatMap((partner) =>
    isGroup(partner) ? [] : fullOf(partner).setting,
  );
  if (unused !== undefined) return [{ flag, reason: `: ${unused}`, partners }];
  const other = notWith.find((partner) => holds(line, partner) === true);
  if (other !== undefined) return [{ flag, reason: ` with ${shownOf(line, other)}`, partners }];
  if (isMet(line, onlyWith)) return [];
  return [{ flag, reason: ` without ${listed(onlyWith.map(nameOf), "or")}`, partners }];
}

/** Also where a fact is not known yet. */
function isMet(line: CheckedLine, onlyWith: readonly Partner[]): boolean {
  return onlyWith.length === 0 || onlyWith.some((partner) => holds(line, partner) !== false);
}

/** The help of a flag, its default, its values, and its rules. */
export function describeFlag(row: Setting): string {
  return [describeSetting(row), ...describeRules(row)].join(" ");
}

/** `Only with --prove.`, `Not with --from.`, `No effect with --offline.` */
export function describeRules(row: Setting): string[] {
  const ofValues = Object.entries(row.valueRules ?? {}).flatMap(([value, rules]) =>
    sentencesOf(rules, [`${value}: only`, `${value}: not`]),
  );
  return [
    ...sentencesOf(row, ["Only", "Not"]),
    ...ofValues,
    ...sentencesOf(row.warned ?? {}, ["Only", "No effect"]),
  ];
}

function sentencesOf(
  { onlyWith = [], notWith = [] }: Rules,
  [only, not]: readonly [only: string, not: string],
): string[] {
  const sentence = (begin: string, partners: readonly Partner[]) => {
    const names = partners.map(nameOf).filter((name) => name !== "");
    return names.length === 0 ? [] : [`${begin} with ${listed(names, "or")}.`];
  };
  return [...sentence(only, onlyWith), ...sentence(not, notWith)];
}

/** Every setting or fact that a rule of the row names. */
export function partnersOf(row: Setting): readonly Partner[] {
  const all: readonly Rules[] = [row, row.warned ?? {}, ...Object.values(row.valueRules ?? {})];
  return all.flatMap(({ onlyWith = [], notWith = [] }) => [...onlyWith, ...notWith]);
}

/** Rows that all have these rules too. A row has one list of what it needs. */
export function withRules<Rows extends Settings>(rules: Rules, rows: Rows): Rows {
  const entries = Object.entries(rows).map(([name, row]) => [name, joined(row, rules)]);
  return Object.fromEntries(entries) as Rows;
}

/** Rows with rules that svc only warns of. */
export function withWarnings<Rows extends Settings>(warned: Rules, rows: Rows): Rows {
  const entries = Object.entries(rows).map(([name, row]) => [name, { ...row, warned }]);
  return Object.fromEntries(entries) as Rows;
}

/** Rows whose flags have no effect in this command. */
export function unusedRows<Rows extends Settings>(unused: string, rows: Rows): Rows {
  const entries = Object.entries(rows).map(([name, row]) => [name, { ...row, unused }]);
  return Object.fromEntries(entries) as Rows;
}

function joined(row: Setting, { onlyWith = [], notWith = [] }: Rules): Setting {
  if (onlyWith.length > 0 && row.onlyWith !== undefined)
    throw new Error(`Two lists of what a setting needs: ${row.help}`);
  return {
    ...row,
    ...(onlyWith.length > 0 && { onlyWith }),
    ...(notWith.length > 0 && { notWith: [...(row.notWith ?? []), ...notWith] }),
  };
}

function isFlag({ origins, settings }: CheckedLine, name: string): boolean {
  return settings[name]?.word === undefined && isFlagOf(origins[name], name);
}

/** The rules of the flag, and those of the value that it has, with the flag as it was written. */
function rulesOf(line: CheckedLine, name: string): (Rules & { readonly flag: string })[] {
  const row: Rules & Pick<Setting, "valueRules"> = line.settings[name] ?? {};
  const { valueRules = {}, onlyWith = [], notWith = [] } = row;
  const flag = flagOf(name);
  const ofValues = valuesOf(line, { setting: name }).map((value) => ({
    flag: `${flag} ${value}`,
    ...valueRules[value],
  }));
  return [{ flag, onlyWith, notWith }, ...ofValues];
}

/** Null: not known yet. */
function holds(line: CheckedLine, partner: Partner): boolean | null {
  if (isGroup(partner))
    return Object.entries(line.settings).some(
      ([name, { group }]) => group === partner.group && isSet(line, name),
    );
  const condition = fullOf(partner);
  const { setting, is, not } = condition;
  const fact = line.facts[setting];
  if (fact === undefined && !(setting in line.settings)) return null;
  if (fact !== undefined && fact.value === null) return null;
  const values = valuesOf(line, condition);
  if (is !== undefined) return values.some((value) => is.includes(value));
  if (not !== undefined) return values.some((value) => !not.includes(value));
  return fact === undefined ? isSet(line, setting) : fact.shown !== null;
}

function isSet({ values, origins }: CheckedLine, name: string): boolean {
  const value = values[name] ?? null;
  if (isDefault(origins[name] ?? DEFAULT_ORIGIN) || value === null || value === false) return false;
  return !Array.isArray(value) || value.length > 0;
}

function valuesOf({ facts, values }: CheckedLine, { setting, part }: Condition): readonly string[] {
  const fact = facts[setting];
  if (fact !== undefined) return fact.value === null ? [] : [fact.value];
  const value = values[setting] ?? null;
  const all: readonly unknown[] = Array.isArray(value) ? value : value === null ? [] : [value];
  const read = (each: unknown) =>
    part === undefined ? each : (each as Readonly<Record<string, unknown>>)[part];
  return all.map((each) => String(read(each)));
}

function together(flag: string, other: string): SvcError {
  return usageError(`${flag} and ${other} cannot be used together.`, removing(flag, other));
}

/** Only what is a flag can be removed. */
function removing(flag: string, other: string, or = ""): string {
  const flags = [flag, other].filter((each) => each.startsWith("--"));
  return `Remove ${listed(
    flags.map((each) => `\`${each}\``),
    "or",
  )}${or}.`;
}

function without(line: CheckedLine, { flag, partners, blocks }: Unmet): SvcError {
  const needs = listed(partners.map(nameOf), "or");
  const possible = partners.filter((_, index) => blocks[index] === null);
  const additions = possible.map((partner) => `\`${writtenOf(line, partner)}\``);
  const add = `add ${listed(additions, "or")}`;
  const block = blocks.find((each) => each !== null);
  if (block)
    return usageError(
      `${flag} and ${block} cannot be used together: ${flag} has an effect only with ${needs}.`,
      removing(flag, block, possible.length === 0 ? "" : `, or ${add}`),
    );
  return usageError(
    `${flag} has no effect without ${needs}.`,
    `${sentenceStart(add)}, or remove \`${flag}\`.`,
  );
}

/**
 * The part of the command line with which the partner cannot be given, or not what the partner
 * needs in turn; null: it can be. `seen`: the settings on the way.
 */
function blockOf(line: CheckedLine, partner: Partner, seen: readonly string[] = []): string | null {
  if (isGroup(partner)) return null;
  const { setting } = fullOf(partner);
  if (seen.includes(setting)) return null;
  const fact = line.facts[setting];
  if (fact !== undefined) return fact.shown;
  // Another value of the partner was given.
  const isRepeatable = line.settings[setting]?.repeats === true;
  if (isFlag(line, setting) && !isRepeatable) return shownOf(line, partner);
  const excluding = Object.keys(line.settings).find(
    (name) =>
      isFlag(line, name) &&
      rulesOf(line, name).some(({ notWith = [] }) => notWith.some((each) => names(each, setting))),
  );
  if (excluding !== undefined) return flagOf(excluding);
  const { notWith = [], onlyWith = [] } = line.settings[setting] ?? {};
  const excluded = notWith.find((each) => holds(line, each) === true);
  if (excluded !== undefined) return shownOf(line, excluded);
  const wanting = flagThatNeedsOther(line, setting);
  if (wanting !== null) return wanting;
  if (onlyWith.some((each) => holds(line, each) !== false)) return null;
  const blocks = onlyWith.map((each) => blockOf(line, each, [...seen, setting]));
  return blocks.includes(null) ? null : (blocks[0] ?? null);
}

/** A flag of the line that still needs a setting, of which each excludes this one. */
function flagThatNeedsOther(line: CheckedLine, setting: string): string | null {
  const { settings } = line;
  const excludes = (left: string, right: string) =>
    settings[left]?.notWith?.some((partner) => names(partner, right)) === true;
  const isExcluded = (partner: Partner) => {
    if (isGroup(partner)) return false;
    const { setting: other } = fullOf(partner);
    return excludes(setting, other) || excludes(other, setting);
  };
  const flagNames = Object.keys(settings).filter((name) => isFlag(line, name));
  for (const { flag, onlyWith = [] } of flagNames.flatMap((name) => rulesOf(line, name))) {
    if (!isMet(line, onlyWith) && onlyWith.every(isExcluded)) return flag;
  }
  return null;
}

function names(partner: Partner, setting: string): boolean {
  if (isGroup(partner)) return false;
  return fullOf(partner).setting === setting;
}

/** The partner as it is on the command line, or where else it is set. */
function shownOf(line: CheckedLine, partner: Partner): string {
  if (isGroup(partner)) {
    const name = Object.keys(line.settings).find(
      (each) => line.settings[each]?.group === partner.group && isSet(line, each),
    );
    return name === undefined ? partner.words : flagOf(name);
  }
  const { setting, is, not } = fullOf(partner);
  const fact = line.facts[setting];
  if (fact !== undefined) return fact.shown ?? nameOf(partner);
  const origin = line.origins[setting] ?? DEFAULT_ORIGIN;
  if (isDefault(origin)) return nameOf(partner);
  const text = originText(origin);
  if (origin.kind === "file" || origin.kind === "saved") return `${setting} in ${text}`;
  if (origin.kind !== "flag") return text;
  const [value] = is === undefined && not === undefined ? [] : valuesOf(line, fullOf(partner));
  return value === undefined ? text : `${text} ${value}`;
}

function fullOf(partner: string | Condition): Condition {
  return typeof partner === "string" ? { setting: partner } : partner;
}

/** The partner as a user writes it: `--from FILE`. */
function writtenOf({ settings }: CheckedLine, partner: Partner): string {
  if (isGroup(partner)) return partner.words;
  const { setting, is, words } = fullOf(partner);
  const row = settings[setting];
  if (row === undefined || row.word !== undefined || words?.startsWith("--"))
    return nameOf(partner);
  const value = is?.[0] ?? (hasValue(row) ? row.hint : undefined);
  return value === undefined ? flagOf(setting) : `${flagOf(setting)} ${value}`;
}

/** The partner in the help. */
function nameOf(partner: Partner): string {
  if (isGroup(partner)) return partner.words;
  const { setting, is, words } = fullOf(partner);
  if (words !== undefined) return words;
  return is === undefined ? flagOf(setting) : `${flagOf(setting)} ${is.join(" or ")}`;
}

function isGroup(partner: Partner): partner is GroupCondition {
  return typeof partner === "object" && "group" in partner;
}
