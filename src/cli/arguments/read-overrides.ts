// Reads the overrides of svc debug: the file of --override, and the --override-… flags. A flag
// overrides the file.

import { dirname, resolve } from "node:path";
import { utf8Text } from "../../base/bytes.ts";
import { fileInvalid, parseJsonText, type SvcError, usageError } from "../../base/errors/errors.ts";
import { type FieldPath, fieldPathName, noteFields } from "../../base/errors/field-problems.ts";
import { bareFlag, flag, phrase, svc } from "../../base/phrase.ts";
import { isDefault } from "../../base/settings/origin.ts";
import type { Resolved } from "../../base/settings/setting.ts";
import { flagOf } from "../../base/settings/setting.ts";
import { readUserFile } from "../../command/read-input.ts";
import type { Shell } from "../../command/shell.ts";
import {
  NO_OVERRIDES,
  type OverriddenWasm,
  type Overrides,
  placeOfEntry,
} from "../../model/overrides.ts";
import type { WrittenOverrides } from "../../overrides/read-overrides.ts";
import { OVERRIDES } from "./override-settings.ts";

type OverrideName = keyof typeof OVERRIDES;
type OverrideArguments = Resolved<typeof OVERRIDES>;

/** The settings with one number or time, each with the field of the document that it sets. */
const SINGLE = Object.entries(OVERRIDES).flatMap(([name, setting]) =>
  "sets" in setting ? [[name as OverrideName, ...setting.sets] as const] : [],
);

/**
 * Reads the overrides; null if there are none. Throws USAGE, FILE_UNREADABLE and FILE_INVALID, with
 * every invalid field.
 */
export async function readOverrideFlags(
  shell: Shell,
  args: OverrideArguments,
): Promise<Overrides | null> {
  const names = Object.keys(OVERRIDES) as OverrideName[];
  if (names.every((name) => isDefault(args.origins[name]))) return null;
  const fromFile = args.override === null ? NO_OVERRIDES : await ofFile(shell, args.override);
  const fromFlags = await ofFlags(shell, args);
  const overridden = new Set(fromFlags.entries.map(placeOfEntry));
  return {
    ledger: { ...fromFile.ledger, ...fromFlags.ledger },
    limits: { ...fromFile.limits, ...fromFlags.limits },
    arguments: new Map([...fromFile.arguments, ...fromFlags.arguments]),
    wasm: new Map([...fromFile.wasm, ...fromFlags.wasm]),
    entries: [
      ...fromFile.entries.filter((entry) => !overridden.has(placeOfEntry(entry))),
      ...fromFlags.entries,
    ],
  };
}

async function ofFile(shell: Shell, path: string): Promise<Overrides> {
  const { readOverrides } = await import("../../overrides/read-overrides.ts");
  const content = await readUserFile(shell, { path, label: "overrides", flag: "override" });
  const remedy = "Correct the file. Its fields are ledger, limits, arguments, wasm and entries.";
  const invalid = (why: string, cause?: unknown) =>
    fileInvalid(path, `${path} is not a valid overrides file: ${why}.`, remedy, cause);
  const read = readOverrides(parseJsonText(utf8Text(content), invalid));
  if ("problems" in read) throw noteFields(invalid(read.problems.join("; ")), () => read.fields);
  const directory = dirname(resolve(shell.facts.workingDirectory, path));
  return withWasm(shell, read, { directory, flag: "override" });
}

async function ofFlags(shell: Shell, args: OverrideArguments): Promise<Overrides> {
  const { readOverrides } = await import("../../overrides/read-overrides.ts");
  const balances = args.overrideBalance.map((value) => {
    const [account, balance] = halves("overrideBalance", value, "=");
    return { account, balance };
  });
  const entries = args.overrideEntry.map((value) => {
    if (value.startsWith("{")) return jsonOrText(value);
    const [ledgerKey, entry] = halves("overrideEntry", value, ":");
    return entry === "removed" ? { ledgerKey, remove: true } : { ledgerKey, entry };
  });
  const named = (name: "overrideArgument" | "overrideWasm") =>
    args[name].map((value) => halves(name, value, "="));
  const document = {
    format: 1,
    ledger: sectionOf(args, "ledger"),
    limits: sectionOf(args, "limits"),
    arguments: Object.fromEntries(
      named("overrideArgument").map(([name, value]) => [name, jsonOrText(value)]),
    ),
    wasm: Object.fromEntries(named("overrideWasm")),
    entries: [...balances, ...entries],
  };
  const read = readOverrides(document, (path) => flagNameOf(path, balances.length));
  if ("problems" in read) {
    const [first] = read.paths;
    throw invalidFlags(
      read.problems,
      first === undefined ? null : settingOf(first, balances.length),
    );
  }
  return withWasm(shell, read, { flag: "overrideWasm" });
}

function sectionOf(args: OverrideArguments, section: "ledger" | "limits"): Record<string, unknown> {
  const fields = SINGLE.flatMap(([name, of, field]) => {
    const value = of === section ? args[name] : null;
    if (typeof value !== "string") return [];
    const isNumber = /^\d{1,15}$/.test(value);
    return [[field, isNumber ? Number(value) : value] as const];
  });
  return Object.fromEntries(fields);
}

/** The flag that sets a field of the document. `balances`: how many entries are balances. */
function settingOf([section, field]: FieldPath, balances: number): OverrideName | null {
  if (section === "wasm") return "overrideWasm";
  if (section === "arguments") return "overrideArgument";
  if (section === "entries") return Number(field) < balances ? "overrideBalance" : "overrideEntry";
  return SINGLE.find(([, ...sets]) => sets[0] === section && sets[1] === field)?.[0] ?? null;
}

/** `--override-write-bytes`; with the key of an argument or a contract, `--override-wasm C…`. */
function flagNameOf(path: FieldPath, balances: number): string {
  const name = settingOf(path, balances);
  if (name === null) return fieldPathName(path);
  const [section, ...keys] = path;
  const isKeyed = section === "wasm" || section === "arguments";
  return isKeyed && keys.length > 0 ? `${flagOf(name)} ${fieldPathName(keys)}` : flagOf(name);
}

function halves(name: OverrideName, value: string, mark: "=" | ":"): [string, string] {
  const at = value.indexOf(mark);
  if (at < 1 || at === value.length - 1)
    throw usageError(
      phrase`${bareFlag(name)} "${value}" is not valid.`,
      phrase`Write ${flag(name, OVERRIDES[name].hint)}.`,
    );
  return [value.slice(0, at), value.slice(at + 1)];
}

/** Digits remain text, because a JSON number would lose some. */
function jsonOrText(value: string): unknown {
  if (/^-?\d+$/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The largest code that a network accepts. */
const MAXIMUM_WASM_BYTES = 1024 * 1024;

async function withWasm(
  shell: Shell,
  { wasmFiles, ...overrides }: WrittenOverrides,
  named: { readonly flag: string; readonly directory?: string },
): Promise<Overrides> {
  const wasm = new Map<string, OverriddenWasm>();
  for (const [contract, file] of wasmFiles) {
    const bytes = await readUserFile(shell, { path: file, label: "contract code", ...named });
    if (bytes.length > MAXIMUM_WASM_BYTES)
      throw fileInvalid(
        file,
        `${file} is too large for contract code: ${bytes.length} bytes.`,
        "Pass the wasm of a contract.",
      );
    wasm.set(contract, { file, bytes });
  }
  return { ...overrides, wasm };
}

/** The error of invalid flags. It shows the form of `name`, the first flag that is wrong. */
function invalidFlags(problems: readonly string[], name: OverrideName | null): SvcError {
  const remedy =
    name === null
      ? phrase`Correct the overrides; ${svc("debug --help")} lists every form.`
      : phrase`Write ${flag(name, OVERRIDES[name].hint)}. ${OVERRIDES[name].help}`;
  return usageError(`${problems.join("; ")}.`, remedy);
}
