// A command: its settings, and the work that it does with their values.

import { resolve } from "node:path";
import { SvcError, usageError } from "../base/errors/errors.ts";
import { readSmallFile, whyUnreadable } from "../base/files/read-file.ts";
import {
  type CheckedSettings,
  checkRules,
  type Facts,
  type Idle,
  idleSentences,
} from "../base/settings/check-rules.ts";
import { readConfigFile } from "../base/settings/config-file.ts";
import { isDefault, rankOf } from "../base/settings/origin.ts";
import {
  type ConfigFile,
  type FileRefusal,
  flagOf,
  type Resolved,
  readSettings,
  type Setting,
  type Settings,
} from "../base/settings/setting.ts";
import { ARCHIVE_SETTINGS } from "../history-archive/archive-settings.ts";
import { networkOfPassphrase } from "../model/networks.ts";
import { NETWORK_SETTINGS, type NetworkValues } from "../sources/network-settings.ts";
import { onForkOf, resolveNetwork } from "../sources/resolve-network.ts";
import type { Lent } from "./lending.ts";
import type { CommandPage, CommandSummary, ErrorStreams, Shell } from "./shell.ts";
import { inFields } from "./strict-fields.ts";

/** A fork on this machine answers within milliseconds. Any other node is asked again later. */
const FORK_MILLISECONDS = 2_000;

export interface Command extends Pick<CommandPage, "settings" | "facts" | "examples" | "helpEnd"> {
  /**
   * Runs the command, and returns its exit code. `values` are those on the command line, by the
   * names of settings. `lent` has what fronts and products lend to this command.
   */
  run(shell: Shell, values: CommandLineValues, lent: Lent): Promise<number>;
  /**
   * Puts the words of the command line in the order of flags and operands (default: as written).
   */
  readonly arrange?: (words: readonly string[]) => readonly string[];
}

/** A command in the table of commands, which loads it only when it runs. */
export interface CommandEntry extends ErrorStreams, Omit<CommandSummary, "name"> {
  /** True if only svc itself starts the command, so that it is not in help or completions. */
  readonly hidden?: boolean;
  /** True if the command runs so long that the engine should compile code as early as usual. */
  readonly worksLong?: boolean;
  readonly load: () => Promise<{ readonly command: Command }>;
}

export type CommandLineValues = Readonly<Record<string, unknown>>;

/** The values of all settings, from the command line, variables and the settings file. */
export type Arguments<Rows> = Resolved<Rows> & {
  /** Null if there is no file, and for a command without --config. */
  readonly file: ConfigFile | null;
};

export interface Flag {
  /** The name of the setting. */
  readonly name: string;
  /** `--horizon-url`. */
  readonly flag: string;
  /** `-v`. */
  readonly alias: string | null;
  /** The hint of the value; null if the flag takes none. */
  readonly hint: string | null;
  readonly setting: Setting;
}

export function defineCommand<Rows extends Settings>(
  settings: Rows,
  run: (shell: Shell, args: Arguments<Rows>, lent: Lent) => Promise<number>,
  {
    facts,
    ...help
  }: Pick<Command, "examples" | "helpEnd" | "arrange"> & {
    /** The facts that rules may name besides settings. */
    readonly facts?: (args: Resolved<Rows>) => Facts;
  } = {},
): Command {
  const factsOf = facts as Command["facts"];
  return {
    settings,
    ...help,
    ...(factsOf && { facts: factsOf }),
    run: async (shell, values, lent) => {
      const args = await onFork(shell, readArguments(shell, settings, values, factsOf));
      if (!("strictValidation" in args)) return run(shell, args, lent);
      try {
        return await run(shell, args, lent);
      } catch (error) {
        throw inFields(error, args.strictValidation === true);
      }
    },
  };
}

/**
 * The arguments with the network of the fork that their node is: no other node knows its
 * transactions.
 */
export async function onFork<Read extends object>(
  { signal }: Pick<Shell, "signal">,
  args: Read,
): Promise<Read> {
  if (!("rpcUrl" in args)) return args;
  const settings = args as unknown as NetworkValues;
  const { rpcUrl, rpcHeader: rpcHeaders, origins } = settings;
  const [url = "", ...others] = rpcUrl ?? [];
  // A fork is on this machine, or on a machine of the same private network.
  const mayBe = url.startsWith("http://") && others.length === 0 && rankOf(origins.rpcUrl) <= 1;
  if (!mayBe || !isDefault(origins.horizonUrl)) return args;
  // With a custom passphrase, svc always asks only the named nodes.
  const { networkPassphrase } = settings;
  if (networkPassphrase !== null && networkOfPassphrase(networkPassphrase) === null) return args;
  const { openConfiguredHttp } = await import("../debugger/setup/open-nodes.ts");
  const { passphraseOfFork } = await import("../sources/nodes/fork-node.ts");
  const connection = { timeoutMilliseconds: FORK_MILLISECONDS, rpcUrls: [url], rpcHeaders };
  const http = openConfiguredHttp(connection);
  return onForkOf(args, await passphraseOfFork({ http, url }, { signal }));
}

/** Reads the arguments of a command. Throws USAGE, FILE_UNREADABLE, CONFIG_INVALID. */
export function readArguments<Rows extends Settings>(
  shell: Shell,
  settings: Rows,
  values: CommandLineValues,
  factsOf: CommandPage["facts"] = () => ({}),
): Arguments<Rows> {
  const { environment, workingDirectory } = shell.facts;
  const named = (values.config as string | undefined) ?? (environment.SVC_CONFIG || undefined);
  const file =
    "config" in settings ? readConfigFile({ named, workingDirectory, known: FILE_SETTINGS }) : null;
  const args = { ...readSettings(settings, { flags: values, environment, file }), file };
  if (!("network" in settings)) return checked(shell, settings, args, factsOf);
  const foundFile = file?.isFound === true ? file.path : null;
  const readSecret = (path: string) => secretOf(resolve(workingDirectory, path));
  const resolved = resolveNetwork(args as typeof args & NetworkValues, {
    environment,
    foundFile,
    readSecret,
  });
  // A network that stellar-cli has saved includes its node.
  return checked(shell, settings, resolved, factsOf);
}

/** Checks the rules. Throws USAGE for a flag that cannot have an effect, and warns of others. */
function checked<Read extends CheckedSettings>(
  { log }: Shell,
  settings: Settings,
  args: Read,
  factsOf: NonNullable<CommandPage["facts"]>,
): Read {
  for (const text of idleSentences(checkRules(settings, args, factsOf(args)))) log.warn(text);
  return args;
}

/** Checks the rules again with what the command found out from its words (`known`). */
export function checkFacts(
  { log }: Shell,
  settings: Settings,
  args: CheckedSettings,
  known: Facts,
  others: Facts = {},
): void {
  const idle = checkRules(settings, args, { ...others, ...known });
  const isNew = ({ partners }: Idle) => partners.some((name) => name in known);
  for (const text of idleSentences(idle.filter(isNew))) log.warn(text);
}

/**
 * Throws USAGE for the first of these flags that is not among `effective`. `lacking` names what the
 * command line lacks: without it, only these flags have an effect.
 */
export function refuseIdle(
  flags: readonly string[],
  effective: ReadonlySet<string>,
  { lacking, toDo }: { readonly lacking: string; readonly toDo: string },
): void {
  const idle = flags.find((name) => !effective.has(name));
  if (idle === undefined) return;
  const flag = flagOf(idle);
  throw usageError(`${flag} has no effect without ${lacking}.`, `${toDo}, or remove \`${flag}\`.`);
}

/** Reads a secret from a file. Throws FILE_UNREADABLE. No message contains a part of the secret. */
function secretOf(path: string): string {
  try {
    const secret = readSmallFile(path).trim();
    if (/^[\t\x20-\x7e]+$/.test(secret)) return secret;
  } catch (cause) {
    throw unreadableSecret(path, whyUnreadable(cause), cause);
  }
  throw unreadableSecret(path, "a header is one line of printable ASCII");
}

function unreadableSecret(path: string, why: string, cause?: unknown): SvcError {
  return new SvcError("FILE_UNREADABLE", {
    message: `The file ${path} of an RPC header cannot be read (${why}).`,
    remedy: "Check the path after `@` in the header, and its permissions.",
    cause,
  });
}

/**
 * The settings and sections of a file, with those that only a file that the user names may have.
 */
const FILE_SETTINGS: Readonly<Record<string, FileRefusal | null>> = {
  ...Object.fromEntries(
    Object.entries<Setting>({ ...NETWORK_SETTINGS, ...ARCHIVE_SETTINGS }).map(
      ([name, { refusal = null }]) => [name, refusal],
    ),
  ),
  daemon: ["sets who may connect (daemon)", "use flags"],
  follow: ["sets where alerts are sent (follow)", "pass the file"],
  labels: ["sets names for addresses (labels)", "use `--label`"],
};

export function flagsOf(settings: Settings): Flag[] {
  return Object.entries(settings).flatMap(([name, setting]) => {
    const { alias, hint, repeats, word, flag } = setting;
    if (word !== undefined || flag === false) return [];
    return {
      name,
      flag: flagOf(name),
      alias: alias === undefined ? null : `-${alias}`,
      hint: hint === undefined ? null : `${hint}${repeats === true ? " …" : ""}`,
      setting,
    };
  });
}

/** The flags in the help, the manual page and completions. */
export function shownFlagsOf(settings: Settings): Flag[] {
  return flagsOf(settings).filter(({ setting }) => setting.unused === undefined);
}

export function wordsOf(settings: Settings): [name: string, setting: Setting][] {
  return Object.entries(settings).filter(([, { word }]) => word !== undefined);
}

/** A row of `wordsOf` in a usage, such as `<hash>`, `[files…]` or `CONTRACT [FUNCTION]`. */
export function usageOfWord(name: string, { word, usage, required }: Setting): string {
  if (usage !== undefined) return usage;
  const shown = `${name}${word === "many" ? "…" : ""}`;
  return required === true ? `<${shown}>` : `[${shown}]`;
}

/** The label of a flag, such as `-v, --verbose` or `--horizon-url URL,…`. */
export function labelOf({ flag, alias, hint }: Flag): string {
  return `${alias === null ? "" : `${alias}, `}${flag}${hint === null ? "" : ` ${hint}`}`;
}
