// The rules between flags are keys of rows. For each command and each pair of its flags: either the
// command line is accepted, all that the rows state about both flags holds, and svc names a flag that
// has no effect; or it is refused with an error that names both flags and says what to do.

import { expect, test } from "bun:test";
import * as v from "valibot";
import { SvcError } from "../../src/base/errors/errors.ts";
import { checkRules, type Facts, partnersOf } from "../../src/base/settings/check-rules.ts";
import {
  choicesOf,
  flagOf,
  type Partner,
  type Rules,
  readSettings,
  type Setting,
} from "../../src/base/settings/setting.ts";
import { readWords } from "../../src/cli/arguments/read-words.ts";
import { readCommandPages } from "../../src/cli/commands.ts";
import { type Flag, flagsOf, wordsOf } from "../../src/command/command.ts";
import type { CommandPage } from "../../src/command/shell.ts";

const PAGES = (await readCommandPages()).filter(({ name }) => name !== "help");
/** Facts that a command finds out from its words. */
const FACTS_OF_WORDS: Readonly<Record<string, readonly Facts[]>> = {
  "sign verify": [
    kind("envelope", "an envelope"),
    kind("payload signature", "the signature of a file"),
    kind("document", "a signed document"),
  ],
  debug: [{}, { from: { value: "tx.json", shown: "the capsule tx.json" } }],
  verify: [kind("files", "ledger files"), kind("range", "a range of ledgers")],
  rehearse: [kind("capsules", "capsules"), kind("files", "ledger files"), kind("nodes", "hashes")],
  "verify plan": [kind("files", "ledger files"), kind("range", "a range of ledgers")],
};
/** Flags that read nothing else of the command line. */
const ALWAYS = new Set(["help"]);
/** Values for flags whose schema says little. */
const VALUES = [
  ...[
    "5",
    "25",
    "100",
    "x",
    "30s",
    "1/2",
    "cause",
    "01",
    "text=report.txt",
    "a=b",
    "A: b",
    "https://node.example",
  ],
  "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ",
  "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC",
  `5:${"a".repeat(64)}`,
];
/** Values that a rule names, beside those of the schema. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  save: ["-", "tx.json"],
  host: ["127.0.0.1", "0.0.0.0"],
  report: ["text=report.txt", "json=report.json", "html=report.html"],
};

function kind(value: string, shown: string): Facts {
  return { kind: { value, shown } };
}

interface Written {
  readonly flag: Flag;
  readonly value: string | null;
}

function samplesOf(flag: Flag): Written[] {
  if (flag.hint === null) return [{ flag, value: null }];
  const values = sampleValues.get(flag.setting) ?? valuesFor(flag);
  sampleValues.set(flag.setting, values);
  return values.map((value) => ({ flag, value }));
}

const sampleValues = new Map<Setting, readonly string[]>();

function valuesFor(flag: Flag): readonly string[] {
  const { schema } = flag.setting;
  const accepts = (value: string) => schema === undefined || v.safeParse(schema, value).success;
  const more = (MORE[flag.name] ?? []).filter(accepts);
  const own = [...more, ...choicesOf(flag.setting)];
  const found = VALUES.find(accepts);
  const values = own.length > 0 ? own : found === undefined ? [] : [found];
  expect([flag.flag, values.length > 0, values.every(accepts)]).toEqual([flag.flag, true, true]);
  return values;
}

function wordsFor({ settings }: CommandPage, written: readonly Written[]): string[] {
  const given = new Set(written.map(({ flag }) => flag.name));
  const required = flagsOf(settings)
    .filter(({ name, setting }) => setting.required === true && !given.has(name))
    .flatMap((flag) => samplesOf(flag).slice(0, 1));
  const words = wordsOf(settings)
    .filter(([, { required: isRequired }]) => isRequired === true)
    .map(([, row]) => choicesOf(row)[0] ?? "5");
  const flags = [...required, ...written].map(({ flag, value }) =>
    value === null ? flag.flag : `${flag.flag}=${value}`,
  );
  return [...words, ...flags];
}

/** The refusal, or the flags that svc warns of. */
function read(
  page: CommandPage,
  written: readonly Written[],
  facts: Facts,
): SvcError | readonly string[] {
  try {
    const { settings } = page;
    const flags = readWords(page.name, settings, wordsFor(page, written));
    const args = readSettings(settings, { flags, environment: {}, file: null });
    const idle = checkRules(settings, args, { ...page.facts?.(args), ...facts });
    return idle.map(({ flag }) => flag);
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}

function isAccepted(page: CommandPage, written: readonly Written[], facts: Facts): boolean {
  return !(read(page, written, facts) instanceof SvcError);
}

/** The flags with those that they need, in every way that their rules allow. */
function completions(page: CommandPage, written: readonly Written[], depth = 0): Written[][] {
  const flags = flagsOf(page.settings);
  const has = (partner: Partner) =>
    typeof partner === "object" && "group" in partner
      ? false
      : written.some(({ flag, value }) => isOf(partner, flag, value));
  if (depth > 4) return [[...written]];
  const free = flags
    .filter(({ name }) => !written.some(({ flag }) => flag.name === name))
    .flatMap(samplesOf);
  // A fact that follows from no flag, such as the kind of the inputs, has none to add.
  const added = written
    .flatMap(({ flag, value }) => ruledBy(flag.setting, value))
    .filter(({ onlyWith = [] }) => onlyWith.length > 0 && !onlyWith.some(has))
    .map(({ onlyWith = [] }) =>
      free.filter(({ flag, value }) => onlyWith.some((partner) => isOf(partner, flag, value))),
    )
    .find((some) => some.length > 0);
  if (added === undefined) return [[...written]];
  return added.flatMap((more) => completions(page, [...written, more], depth + 1));
}

function ruledBy(row: Setting, value: string | null): readonly Rules[] {
  const ofValue = value === null ? undefined : row.valueRules?.[value];
  return ofValue === undefined ? [row] : [row, ofValue];
}

function isOf(partner: Partner, flag: Flag, value: string | null): boolean {
  if (typeof partner === "string") return partner === flag.name;
  if ("group" in partner) return flag.setting.group === partner.group;
  const { setting, is, not, part } = partner;
  if (setting !== flag.name) return false;
  const read = part === undefined ? (value ?? "") : ((value ?? "").split("=")[0] ?? "");
  if (is !== undefined) return is.includes(read);
  return not === undefined || !not.includes(read);
}

/** A flag as the error may show it: alone, or with its value. */
function isNamed(error: SvcError, flag: Flag): boolean {
  return new RegExp(`${flag.flag}(?![a-z-])`).test(error.message);
}

for (const page of PAGES)
  test(`svc ${page.name}: each pair of flags has an effect, or is refused with both names`, () => {
    const flags = flagsOf(page.settings).filter(({ name }) => !ALWAYS.has(name));
    const samples = flags.flatMap(samplesOf);
    for (const facts of FACTS_OF_WORDS[page.name] ?? [{}])
      for (const [index, one] of samples.entries())
        for (const other of samples.slice(index + 1)) {
          if (one.flag.name === other.flag.name) continue;
          checkPair(page, one, other, facts);
        }
  }, 60_000);

function checkPair(page: CommandPage, one: Written, other: Written, facts: Facts): void {
  const where = wordsFor(page, [one, other]).join(" ");
  const tried = completions(page, [one, other]);
  const accepted = tried.find((line) => isAccepted(page, line, facts));
  if (accepted !== undefined) {
    const idle = read(page, accepted, facts) as readonly string[];
    const against = (rules: readonly Rules[]) =>
      rules
        .flatMap(({ notWith = [] }) => notWith)
        .filter((partner) => accepted.some((each) => isOf(partner, each.flag, each.value)));
    for (const { flag, value } of accepted) {
      const { warned = {}, unused } = flag.setting;
      expect([where, against(ruledBy(flag.setting, value))]).toEqual([where, []]);
      if (against([warned]).length > 0 || unused !== undefined)
        expect([where, idle]).toEqual([where, expect.arrayContaining([flag.flag])]);
    }
    return;
  }
  const error = read(page, [one, other], facts);
  if (!(error instanceof SvcError))
    throw new Error(`${where} is accepted, but not with what it needs`);
  expect([where, error.code]).toEqual([where, "USAGE"]);
  expect([where, error.remedy]).toEqual([where, expect.stringMatching(/^(Remove|Add) `--.*\.$/)]);
  // A flag that the inputs alone exclude is refused with their kind.
  const excluded = [one, other].filter(
    (each) => !completions(page, [each]).some((line) => isAccepted(page, line, facts)),
  );
  const named = [one, other].filter(({ flag }) => isNamed(error, flag));
  const { shown } = facts.kind ?? facts.from ?? {};
  const least = excluded.length > 0 && shown && error.message.includes(shown) ? 1 : 2;
  expect([where, error.message, named.length >= least]).toEqual([where, error.message, true]);
}

test("every rule names a setting or a fact of its command, and the help shows it", () => {
  for (const { name, settings, facts } of PAGES) {
    const known = new Set([...Object.keys(settings), "kind"]);
    const args = readSettings(settings, { flags: {}, environment: {}, file: null });
    for (const fact of Object.keys(facts?.(args) ?? {})) known.add(fact);
    for (const [setting, row] of Object.entries(settings))
      for (const partner of partnersOf(row)) {
        if (typeof partner === "object" && "group" in partner) continue;
        const partnerName = typeof partner === "string" ? partner : partner.setting;
        const isKnown = known.has(partnerName);
        expect([name, flagOf(setting), partnerName, isKnown]).toEqual([
          ...[name, flagOf(setting), partnerName],
          true,
        ]);
      }
  }
});
