// The settings of every command, as rows: what any of them says must be what svc then does.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { defaultOf, describeSetting, readSettings } from "../../src/base/settings/setting.ts";
import { readWords } from "../../src/cli/arguments/read-words.ts";
import { readCommandPages } from "../../src/cli/commands.ts";
import { flagsOf, wordsOf } from "../../src/command/command.ts";

const PAGES = await readCommandPages();
const NOTHING = { flags: {}, environment: {}, file: null };

test("names and letters are used once, defaults are values, and words are sentences", () => {
  for (const { name, settings } of PAGES) {
    const spellings = flagsOf(settings).flatMap(({ flag, alias }) => [flag, alias ?? flag]);
    const letters = spellings.filter((word) => !word.startsWith("--"));
    expect([name, new Set(letters).size]).toEqual([name, letters.length]);
    const values: Readonly<Record<string, unknown>> = readSettings(settings, NOTHING);
    for (const [setting, row] of Object.entries(settings)) {
      expect([name, setting, row.help]).toEqual([name, setting, expect.stringMatching(/\.$/)]);
      if (row.default !== undefined) {
        expect([name, setting, values[setting]]).not.toEqual([name, setting, null]);
        expect(describeSetting(row)).toContain(`(default: ${defaultOf(row)})`);
      }
    }
    const many = wordsOf(settings).findIndex(([, { word }]) => word === "many");
    expect([name, many]).toEqual([name, many === -1 ? -1 : wordsOf(settings).length - 1]);
  }
});

// A help text is the remedy of a wrong value, too: "Write `--timeout TIME`. Maximum wait for …".
test("each help text stands alone: it needs no other line", () => {
  const first = /^[A-Z`]/;
  const leaning =
    /^(?:That|It|Its|They|Their|Those|These|There|Then|So|Of|What|Which|Where|By|With|Above|Below)\b/;
  const elsewhere =
    /\b(?:likewise|the same way|as above|see above|that (?:directory|file|flag))\b/i;
  for (const { name, settings, summary } of PAGES)
    for (const [setting, help] of [
      ["summary", summary],
      ...Object.entries(settings).map(([each, row]) => [each, describeSetting(row)] as const),
    ] as const) {
      const faults = [
        ...(first.test(help) ? [] : ["begins with a small letter"]),
        ...(/[.)]$/.test(help) ? [] : ["is no sentence"]),
        ...(leaning.test(help) ? ["begins with a word that refers to something else"] : []),
        ...(elsewhere.test(help) ? ["refers to another line"] : []),
      ];
      expect([name, setting, help, faults]).toEqual([name, setting, help, []]);
    }
});

test("what is given on a command line is what a command gets, in any order and spelling", () => {
  const page = PAGES.find(({ name }) => name === "debug");
  if (page === undefined) throw new Error("no debug");
  const flags = flagsOf(page.settings);
  const value = fc.stringMatching(/^[^-\s][^\s]{0,8}$/);
  const given = fc.uniqueArray(
    fc.record({ flag: fc.constantFrom(...flags), value, joined: fc.boolean() }),
    { selector: ({ flag }) => flag.name },
  );
  fc.assert(
    fc.property(given, fc.array(value, { maxLength: 3 }), (list, hashes) => {
      const words = list.flatMap(({ flag: { flag, hint }, value: text, joined }) => {
        if (hint === null) return [flag];
        return joined ? [`${flag}=${text}`] : [flag, text];
      });
      const expected = list.map(({ flag: { name, hint, setting }, value: text }) => {
        if (hint === null) return [name, true] as const;
        return [name, setting.repeats === true ? [text] : text] as const;
      });
      expect(readWords("debug", page.settings, [...words, ...hashes])).toEqual({
        ...Object.fromEntries(expected),
        hash: hashes,
      });
    }),
  );
});
