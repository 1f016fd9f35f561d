// The definitions of the command line, for the shell completions and the manual page that are
// generated from them.

import type { ArgDef } from "citty";
import { positionalChoices, VARIADIC } from "./arguments/check-arguments.ts";
import { PUBLIC_COMMANDS } from "./commands.ts";
import type { Shell } from "./shell.ts";

export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagWords[];
  readonly positionals: readonly PositionalWords[];
}

export interface FlagWords {
  /** Without the dashes. */
  readonly name: string;
  /** One letter, or null. */
  readonly alias: string | null;
  readonly description: string;
  readonly value: FlagValue | null;
}

export interface FlagValue {
  readonly hint: string;
  /** Empty: any value. */
  readonly choices: readonly string[];
  readonly kind: "choice" | "file" | "directory" | "text";
}

export interface PositionalWords {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly many: boolean;
  /** Empty: any word. */
  readonly choices: readonly string[];
}

/** The commands, in the order of `svc --help`. */
export async function readCommandLine(): Promise<CommandWords[]> {
  const commands: CommandWords[] = [];
  for (const { name, summary, load } of PUBLIC_COMMANDS) {
    const { definition } = await load(NO_SHELL);
    const entries = Object.entries(definition);
    commands.push({
      name,
      summary,
      flags: entries.filter(([, flag]) => flag.type !== "positional").map(flagWords),
      positionals: entries.filter(([, slot]) => slot.type === "positional").map(positionalWords),
    });
  }
  return commands;
}

/** Only a running command uses its shell, not its definition. */
const NO_SHELL = new Proxy({} as Shell, {
  get: (_, name) => {
    throw new Error(`the definition of a command uses ${String(name)} of the shell`);
  },
});

function flagWords([name, flag]: [string, ArgDef]): FlagWords {
  const alias = "alias" in flag && typeof flag.alias === "string" ? flag.alias : null;
  return { name, alias, description: flag.description ?? "", value: flagValue(flag) };
}

function flagValue(flag: ArgDef): FlagValue | null {
  if (flag.type === "boolean") return null;
  const hint = flag.valueHint ?? "VALUE";
  if (flag.type === "enum") return { hint, choices: flag.options ?? [], kind: "choice" };
  const kind = /^FILE\b/.test(hint) ? "file" : /^DIR/.test(hint) ? "directory" : "text";
  return { hint, choices: [], kind };
}

function positionalWords([name, slot]: [string, ArgDef]): PositionalWords {
  return {
    name,
    description: slot.description ?? "",
    required: slot.required !== false,
    many: slot.valueHint === VARIADIC,
    choices: positionalChoices(slot),
  };
}
