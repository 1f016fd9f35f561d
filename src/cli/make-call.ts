// Turns the flags and words of `svc call` into the calls that a fork makes.

import { parseJsonText, usageError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import { isFlagOf } from "../base/settings/origin.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { addressHint, decodeAccountKey, decodeContractId } from "../base/text/strkey.ts";
import { flagsOf } from "../command/command.ts";
import type { ArgumentWord, ForkOfCalls, WantedCalls } from "../command/lending.ts";
import { openStateArchive } from "../command/open-state-archive.ts";
import { readInput, readUserFile, readWasmFile } from "../command/read-input.ts";
import type { Shell } from "../command/shell.ts";
import { configOf } from "../sources/network-settings.ts";
import { savedLabels } from "../sources/stellar-cli.ts";
import { CALL, type CallArgs } from "./arguments/call-settings.ts";
import type { CallWords, WrittenArgument } from "./arguments/call-words.ts";

export interface CallPlace {
  readonly fork: ForkOfCalls;
  /** Strkey; the name of the file if the contract is one. */
  readonly contract: string;
  /** The content of the file; null for a contract that is on the fork. */
  readonly wasm: Uint8Array | null;
}

/** A saved fork may have that size. */
const MOST_FILE_BYTES = 512 * 1024 * 1024;

/** The contract, and the fork that it is called on. Throws USAGE, FILE_UNREADABLE, FILE_INVALID. */
export async function placeOf(shell: Shell, args: CallArgs, contract: string): Promise<CallPlace> {
  const isFile = decodeContractId(contract) === null && contract.endsWith(".wasm");
  if (args.constructorArgs !== null && !isFile)
    throw usageError(
      "--constructor-args is for a wasm file, but the contract is already deployed.",
      phrase`Remove ${flag("constructorArgs")}.`,
    );
  const wasm = isFile ? await readWasmFile(shell, contract, null) : null;
  const address = isFile ? contract : contractOf(shell, contract);
  return { fork: await forkOf(shell, args, isFile), contract: address, wasm };
}

function contractOf({ facts }: Shell, written: string): string {
  if (decodeContractId(written) !== null) return written;
  const saved = addressesByName(facts.environment).get(written);
  if (saved !== undefined && decodeContractId(saved) !== null) return saved;
  throw usageError(
    `"${neutralise(written)}" is neither a contract (C…)${addressHint(written)}, nor a wasm file, nor a name that stellar-cli has saved for a contract.`,
    "Write the contract's address first, then the function: `svc call C… FUNCTION`.",
  );
}

/** The addresses by the names that stellar-cli has saved. A name of two addresses is left out. */
function addressesByName(environment: Shell["facts"]["environment"]): Map<string, string> {
  const names = new Map<string, string>();
  const twice = new Set<string>();
  for (const [address, { name }] of savedLabels(environment)) {
    if (names.has(name)) twice.add(name);
    names.set(name, address);
  }
  for (const name of twice) names.delete(name);
  return names;
}

async function forkOf(shell: Shell, args: CallArgs, isFile: boolean): Promise<ForkOfCalls> {
  const { on, ledger, prove, origins } = args;
  if (on !== null) {
    const words = { label: "The file ", flag: "on" };
    const { name, bytes } = await readInput(shell, on, words, MOST_FILE_BYTES);
    return { kind: "file", name, text: new TextDecoder().decode(bytes) };
  }
  if (isFile && ledger === null && !prove && !namesNetwork(origins)) return { kind: "empty" };
  const archive = (ledger: number | null) =>
    openStateArchive(shell, configOf(args), { ...args, ledger });
  return { kind: "network", ledger, archive: prove ? archive : null };
}

function namesNetwork(origins: CallArgs["origins"]): boolean {
  return (["network", "networkPassphrase", "rpcUrl"] as const).some((name) =>
    isFlagOf(origins[name], name),
  );
}

/** Throws USAGE, FILE_UNREADABLE. */
export async function wantedCall(
  shell: Shell,
  args: CallArgs,
  words: CallWords,
  { fork, contract, wasm }: CallPlace,
): Promise<WantedCalls> {
  const names = addressesByName(shell.facts.environment);
  const addressOf = (name: string) => names.get(name) ?? null;
  const account = args.as === null ? undefined : accountOf(args.as, addressOf);
  const written = await Promise.all(words.arguments.map((each) => argumentOf(shell, each)));
  return {
    fork,
    namesNetwork: namesNetwork(args.origins),
    deployed: wasm && { wasm, ...constructorArguments(args) },
    calls: [
      {
        contract: wasm === null ? contract : undefined,
        function: words.function ?? "",
        account,
        arguments: {
          kind: "words",
          words: written,
          addressOf,
          taken: words.isSeparated ? [] : givenFlags(args),
        },
      },
    ],
  };
}

/** The flags of svc on the command line. One of them could be meant as an argument. */
function givenFlags({ origins }: CallArgs): string[] {
  return flagsOf(CALL).flatMap(({ name, flag: written }) =>
    isFlagOf(origins[name as keyof typeof origins], name) ? [written.slice(2)] : [],
  );
}

function accountOf(written: string, addressOf: (name: string) => string | null): string | number {
  // An account of the fork.
  if (/^@\d$/.test(written)) return Number(written[1]);
  if (decodeAccountKey(written) !== null) return written;
  const saved = addressOf(written) ?? written;
  if (decodeAccountKey(saved) !== null) return saved;
  if (decodeContractId(saved) !== null)
    throw usageError(
      `--as ${saved} is a contract. A transaction comes from an account (G…); a contract account authorizes with its own code.`,
      "Leave out `--as`. The report says whether the call needs the contract's authorization.",
    );
  throw usageError(
    `--as "${neutralise(written)}" is neither an account (G…)${addressHint(written)} nor a name whose address svc can read.`,
    "Pass the address. svc opens no file with a secret key: `stellar keys address NAME` prints the address.",
  );
}

function constructorArguments({ constructorArgs }: CallArgs) {
  if (constructorArgs === null) return {};
  const invalid = () =>
    usageError(
      "--constructor-args is not valid JSON.",
      'Write an object or a list: `--constructor-args \'{"admin": "@0"}\'`.',
    );
  const value = parseJsonText(constructorArgs, invalid);
  if (typeof value !== "object" || value === null) throw invalid();
  return { arguments: { kind: "json", value } as const };
}

const FILE_PATH = /^(.+)[-_]file[-_]path$/;

/** `--name-file-path PATH` reads the value from a file, as with stellar-cli. */
async function argumentOf(shell: Shell, { name, value }: WrittenArgument): Promise<ArgumentWord> {
  const [, of] = FILE_PATH.exec(name ?? "") ?? [];
  if (of === undefined || value === null) return { name, value };
  const bytes = await readUserFile(shell, { path: value, label: "argument", flag: name ?? "" });
  return { name: of, value: { file: value, bytes } };
}

/** The words of the `svc call` that makes the call again. */
export function callAgain(args: CallArgs, words: CallWords): string[] {
  const { origins } = args;
  const flagWords = flagsOf(CALL).flatMap(({ name, flag: written, hint, setting }) => {
    const isGiven = isFlagOf(origins[name as keyof typeof origins], name);
    const isOfCall = setting.group === "Input" || name === "network";
    if (!isGiven || !isOfCall) return [];
    const value = (args as unknown as Record<string, unknown>)[name];
    return hint === null ? [written] : [written, String(value)];
  });
  const spoken = words.arguments.flatMap(({ name, value }) => [
    ...(name === null ? [] : [`--${name}`]),
    ...(value === null ? [] : [value]),
  ]);
  return [...flagWords, words.contract ?? "", words.function ?? "", ...spoken];
}
