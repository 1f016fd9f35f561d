// Renders help without color: examples first, then the flags in groups, with the most wanted ones
// first.

import { describeFlag } from "../../base/settings/check-rules.ts";
import { describeSetting, SETTING_GROUPS } from "../../base/settings/setting.ts";
import { labelOf, shownFlagsOf, usageOfWord, wordsOf } from "../../command/command.ts";
import { COMMAND_GROUPS, type CommandPage, type CommandSummary } from "../../command/shell.ts";
import { atWidth, wrap } from "../../report/text/layout.ts";

/** A longer label has a line of its own. */
const LONGEST_LABEL = 31;
const LONGEST_EXAMPLE = 48;
/** The indentation of texts below labels, if the terminal is too narrow for two columns. */
const INDENT = 6;
const NARROW_COLUMNS = 60;

const HEADINGS: Readonly<Record<string, string>> = {
  "What if": "What if: run it again with these values instead, and show the differences",
  CI: "CI: exit with code 7 if the answer is not as expected",
};

interface HelpOptions {
  /** `svc`, or `stellar svc` if it was called by that name. */
  readonly program: string;
  /** The columns of the terminal; 0 if there is none. */
  readonly columns?: number;
}

type HelpRow = readonly [label: string, text: string];

/** The help of a command. `inside` has the commands whose names begin with the name of this one. */
export function renderHelp(
  { name, summary, settings, examples = [], helpEnd }: CommandPage,
  inside: readonly CommandSummary[],
  { program, columns = 0 }: HelpOptions,
): string {
  const words = wordsOf(settings);
  const usages = words.map(([word, setting]) => usageOfWord(word, setting));
  const flags = Map.groupBy(shownFlagsOf(settings), ({ setting }) => setting.group ?? "Flags");
  return atWidth(columns, () =>
    together([
      wrap(`usage: ${[program, name, ...usages].join(" ")} [flags]`, "", INDENT),
      wrap(summary),
      rows(
        examples.map(([line, meaning]) => [`${program} ${name} ${line}`.trim(), meaning]),
        columns,
        LONGEST_EXAMPLE,
      ),
      rows(
        words.map(([word, setting]) => [setting.usage ?? word, describeSetting(setting)]),
        columns,
      ),
      headed("Commands", inside.map(commandRow), columns),
      ...SETTING_GROUPS.map((group) => {
        const shown = flags.get(group) ?? [];
        const described = shown.map((flag): HelpRow => [labelOf(flag), describeFlag(flag.setting)]);
        return headed(group, described, columns);
      }),
      helpEnd === undefined ? [] : wrap(helpEnd),
    ]),
  );
}

/**
 * The text of `svc --help`, or the commands of a group such as `svc hsm`, which is not a command
 * itself.
 */
export function renderOverview(
  commands: readonly CommandSummary[],
  name: string,
  { program, columns = 0 }: HelpOptions,
): string {
  const footer = `Run \`${program} help <command>\` for the flags and examples of a command.`;
  return atWidth(columns, () => {
    if (name !== "")
      return together([
        [`usage: ${program} ${name} <command> [flags]`],
        rows(commands.map(commandRow), columns),
        wrap(footer),
      ]);
    const groups = Map.groupBy(commands, ({ group }) => group);
    return together([
      [`usage: ${program} <command> [flags]`],
      wrap(
        "Debugs a Stellar smart-contract (Soroban) transaction: what happened, why, and what would " +
          "have made it succeed. Proves the answer by replaying the transaction.",
      ),
      [`Start with: ${program} demo, or ${program} debug <hash>`],
      ...COMMAND_GROUPS.map((each) =>
        headed(each, (groups.get(each) ?? []).map(commandRow), columns),
      ),
      wrap(footer),
    ]);
  });
}

function commandRow({ name, summary }: CommandSummary): HelpRow {
  return [name, summary];
}

function together(sections: readonly (readonly string[])[]): string {
  const shown = sections.filter((lines) => lines.length > 0);
  return `${shown.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function headed(heading: string, shown: readonly HelpRow[], columns: number): string[] {
  return shown.length === 0 ? [] : [...wrap(HEADINGS[heading] ?? heading), ...rows(shown, columns)];
}

/** Rows of labels and texts. The texts are in one column, as near to the labels as possible. */
function rows(shown: readonly HelpRow[], columns: number, longest = LONGEST_LABEL): string[] {
  const isNarrow = columns > 0 && columns < NARROW_COLUMNS;
  const lengths = shown.map(([label]) => label.length).filter((length) => length <= longest);
  const width = isNarrow ? INDENT : Math.max(0, ...lengths) + 4;
  return shown.flatMap(([label, text]) => {
    const [first = "", ...more] = wrap(text, " ".repeat(width));
    if (label.length + 4 > width) return [...wrap(label, "  ", 4), first, ...more];
    return [`  ${label}`.padEnd(width) + first.slice(width), ...more];
  });
}
