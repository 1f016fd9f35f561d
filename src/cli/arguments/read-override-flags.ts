// The overrides of svc debug: the file of --override, and the --override-… flags. A flag overrides
// the file.

import { dirname, resolve } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";
import type { OverriddenWasm, Overrides } from "../../model/overrides.ts";
import type { WrittenOverrides } from "../../overrides/read-overrides.ts";
import type { Shell } from "../shell.ts";
import { REPEATABLE } from "./check-arguments.ts";
import { type ParsedFlags, textFlag } from "./common-flags.ts";
import { OVERRIDE_FLAGS } from "./override-flags.ts";
import { repeatedFlag } from "./repeated-flag.ts";
import { readUserFile } from "./user-file.ts";

type FlagName = keyof typeof OVERRIDE_FLAGS;

/** The flags with one number or time, and the field of the document that each one sets. */
const SINGLE: readonly (readonly [flag: FlagName, section: "ledger" | "limits", field: string])[] =
  [
    ["override-close-time", "ledger", "closeTime"],
    ["override-ledger", "ledger", "sequence"],
    ["override-protocol", "ledger", "protocolVersion"],
    ["override-instructions", "limits", "instructions"],
    ["override-read-bytes", "limits", "diskReadBytes"],
    ["override-write-bytes", "limits", "writeBytes"],
    ["override-resource-fee", "limits", "resourceFeeStroops"],
    ["override-memory", "limits", "memoryBytes"],
    ["override-events", "limits", "eventsBytes"],
  ];

/**
 * Null without overrides. `rawArgs`: as typed, for flags that can be repeated.
 * Throws USAGE, FILE_UNREADABLE and FILE_INVALID, with every invalid field.
 */
export async function readOverrideFlags(
  shell: Shell,
  args: ParsedFlags,
  rawArgs: readonly string[],
): Promise<Overrides | null> {
  const names = Object.keys(OVERRIDE_FLAGS) as FlagName[];
  if (names.every((name) => args[name] === undefined)) return null;
  if (args.interactive === true)
    throw usage(
      "-i and overrides cannot be used together: the interactive view shows only what the chain ran.",
      "Remove `-i`, or remove the overrides.",
    );
  if (args.fix === true)
    throw usage(
      "--fix and overrides cannot be used together: --fix prints only the fix.",
      "Remove `--fix`, or remove the overrides.",
    );
  const file = textFlag(args, "override");
  const fromFile = file === undefined ? EMPTY : await ofFile(shell, file);
  const fromFlags = await ofFlags(shell, args, rawArgs);
  const overridden = new Set(fromFlags.entries.map(({ keyXdr }) => keyXdr));
  return {
    ledger: { ...fromFile.ledger, ...fromFlags.ledger },
    limits: { ...fromFile.limits, ...fromFlags.limits },
    arguments: new Map([...fromFile.arguments, ...fromFlags.arguments]),
    wasm: new Map([...fromFile.wasm, ...fromFlags.wasm]),
    entries: [
      ...fromFile.entries.filter(({ keyXdr }) => !overridden.has(keyXdr)),
      ...fromFlags.entries,
    ],
  };
}

const EMPTY: Overrides = {
  ledger: {},
  limits: {},
  arguments: new Map(),
  wasm: new Map(),
  entries: [],
};

async function ofFile(shell: Shell, path: string): Promise<Overrides> {
  const { readOverrides } = await import("../../overrides/read-overrides.ts");
  const content = await readUserFile(shell, { path, what: "overrides", flag: "--override" });
  const invalid = (why: string, cause?: unknown) =>
    new SvcError("FILE_INVALID", {
      message: `${path} is not a valid overrides file: ${why}.`,
      remedy: "Correct the file; docs/what-if.md describes every field.",
      ...(cause === undefined ? {} : { cause }),
      details: { file: path },
    });
  let document: unknown;
  try {
    document = JSON.parse(content.toString("utf8"));
  } catch (cause) {
    throw invalid("the file is not JSON", cause);
  }
  const read = readOverrides(document);
  if ("problems" in read) throw invalid(read.problems.join("; "));
  const directory = dirname(resolve(shell.facts.workingDirectory, path));
  return withWasm(shell, read, { directory, flag: "--override" });
}

async function ofFlags(
  shell: Shell,
  args: ParsedFlags,
  rawArgs: readonly string[],
): Promise<Overrides> {
  const { readOverrides } = await import("../../overrides/read-overrides.ts");
  const every = (name: FlagName) => repeatedFlag(rawArgs, name);
  const balances = every("override-balance").map((value) => {
    const [account, balance] = halves("override-balance", value, "=");
    return { account, balance };
  });
  const entries = every("override-entry").map((value) => {
    const [ledgerKey, entry] = halves("override-entry", value, ":");
    return entry === "removed" ? { ledgerKey, remove: true } : { ledgerKey, entry };
  });
  const named = (name: FlagName) => every(name).map((value) => halves(name, value, "="));
  const read = readOverrides({
    format: 1,
    ledger: sectionOf(args, "ledger"),
    limits: sectionOf(args, "limits"),
    arguments: Object.fromEntries(
      named("override-argument").map(([name, value]) => [name, jsonOrText(value)]),
    ),
    wasm: Object.fromEntries(named("override-wasm")),
    entries: [...balances, ...entries],
  });
  const flagOf = (problem: string) => asFlag(problem, balances.length);
  if ("problems" in read) throw usage(`${read.problems.map(flagOf).join("; ")}.`);
  const renamed = read.entries.map((entry) => ({ ...entry, field: flagOf(entry.field) }));
  return withWasm(shell, { ...read, entries: renamed }, { flag: "--override-wasm" });
}

function sectionOf(args: ParsedFlags, section: "ledger" | "limits"): Record<string, unknown> {
  const given = SINGLE.flatMap(([flag, of, field]) => {
    const value = of === section ? textFlag(args, flag) : undefined;
    if (value === undefined) return [];
    const isNumber = /^\d{1,15}$/.test(value);
    return [[field, isNumber ? Number(value) : value] as const];
  });
  return Object.fromEntries(given);
}

/** `limits.writeBytes: …` → `--override-write-bytes: …`. */
function asFlag(problem: string, balances: number): string {
  for (const [flag, section, field] of SINGLE)
    if (problem.startsWith(`${section}.${field}`))
      return problem.replace(`${section}.${field}`, `--${flag}`);
  return problem
    .replace(/\bentries\.(\d+)(\.(balance|account|entry|ledgerKey))?/g, (_, position) =>
      Number(position) < balances ? "--override-balance" : "--override-entry",
    )
    .replace(/^wasm\./, "--override-wasm ")
    .replace(/^arguments\./, "--override-argument ");
}

function halves(name: FlagName, value: string, mark: "=" | ":"): [string, string] {
  const at = value.indexOf(mark);
  if (at < 1 || at === value.length - 1)
    throw usage(`--${name} "${value}" is not valid.`, `Write \`--${name} ${hintOf(name)}\`.`);
  return [value.slice(0, at), value.slice(at + 1)];
}

function hintOf(name: FlagName): string {
  return OVERRIDE_FLAGS[name].valueHint.replace(REPEATABLE, "");
}

/** Digits stay text: a JSON number would lose some. */
function jsonOrText(value: string): unknown {
  if (/^-?\d+$/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** No network accepts larger code. */
const MAXIMUM_WASM_BYTES = 1024 * 1024;

async function withWasm(
  shell: Shell,
  { wasmFiles, ...overrides }: WrittenOverrides,
  named: { readonly flag: string; readonly directory?: string },
): Promise<Overrides> {
  const wasm = new Map<string, OverriddenWasm>();
  for (const [contract, file] of wasmFiles) {
    const bytes = await readUserFile(shell, { path: file, what: "contract code", ...named });
    if (bytes.length > MAXIMUM_WASM_BYTES)
      throw new SvcError("FILE_INVALID", {
        message: `${file} is too large for contract code: ${bytes.length} bytes.`,
        remedy: "Pass the wasm of a contract.",
        details: { file },
      });
    wasm.set(contract, { file, bytes });
  }
  return { ...overrides, wasm };
}

function usage(message: string, remedy = "docs/what-if.md describes every form."): SvcError {
  return new SvcError("USAGE", { message, remedy });
}
