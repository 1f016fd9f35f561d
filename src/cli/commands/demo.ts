// svc demo: lists the failed transactions that svc carries, and debugs one of them.

import type { Resolved, Settings } from "../../base/settings/setting.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { type Command, type CommandLineValues, refuseIdle } from "../../command/command.ts";
import { COMMON } from "../../command/common-settings.ts";
import { DEMOS, demoNamed, demoWord } from "../../command/demo-capsules.ts";
import type { Lent } from "../../command/lending.ts";
import type { Shell } from "../../command/shell.ts";
import { DEBUG_OF_DEMOS, factsOfDebug } from "../arguments/debug-settings.ts";

const DEMO = {
  name: {
    word: "one",
    suggestions: DEMOS.map(({ name }) => name),
    help: "Demo to debug (default: list all).",
  },
  ...DEBUG_OF_DEMOS,
} as const satisfies Settings;

type DemoArguments = Resolved<typeof DEBUG_OF_DEMOS>;

/** The columns between a name and its summary. */
const GAP = 2;

export const command: Command = {
  settings: DEMO,
  facts: (args) => factsOfDebug({ ...(args as DemoArguments), from: null, hash: ["demo"] }),
  examples: [
    ["", "List the demos."],
    ["contract-error", "Show why the transaction failed."],
    ["stale-footprint --fix", "Print the fix, proven by a run, and the envelope to sign."],
    ["overflow-in-callee -i", "Browse calls, state and events in the terminal."],
  ],
  helpEnd:
    "A demo is a capsule: `svc debug demo:NAME` is the same, and `svc fork --from demo:NAME --offline` " +
    "forks the moment before its transaction.",
  run: async (shell: Shell, { name, ...values }: CommandLineValues, lent: Lent) => {
    if (typeof name === "string") {
      const { command: debug } = await import("./debug.ts");
      return debug.run(shell, { ...values, hash: [demoWord(demoNamed(name).name)] }, lent);
    }
    refuseIdle(writtenFlags(values), OF_LIST, {
      lacking: "the name of a demo",
      toDo: "Name a demo",
    });
    const list = DEMOS.map(({ name, summary }) => ({ name, summary }));
    await shell.output.write(shell.json ? jsonDocument({ format: 1, demos: list }) : listed());
    return 0;
  },
};

const OF_LIST: ReadonlySet<string> = new Set(Object.keys(COMMON));

/** The flags of the command line. A flag that is absent has no value, or false. */
function writtenFlags(values: CommandLineValues): string[] {
  return Object.keys(values).filter((name) => {
    const value = values[name];
    return name in DEBUG_OF_DEMOS && value !== undefined && value !== null && value !== false;
  });
}

function listed(): string {
  const width = Math.max(...DEMOS.map(({ name }) => name.length)) + GAP;
  const rows = DEMOS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return [
    "Failed transactions to try svc on. They need no network.",
    "",
    ...rows,
    "",
    "Begin with: svc demo contract-error",
    "",
  ].join("\n");
}
