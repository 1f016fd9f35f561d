// The call of `svc rehearse --first`, such as `migrate(5, admin=G…)`: a function of a new build with
// its arguments, by name or in order, in the forms that stellar-cli takes.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { SvcError, usageError } from "../base/errors/errors.ts";
import { counted } from "../base/text/counted.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { decodeContractId } from "../base/text/strkey.ts";
import type { CallBeforehand } from "../debugger/what-if/call-beforehand.ts";
import { scValOf } from "../debugger/what-if/written-argument.ts";
import { argumentOfText } from "../xdr/contract/argument-text.ts";
import {
  type ContractSpec,
  type SpecFunction,
  showSpecType,
  showUnread,
} from "../xdr/contract/contract-spec.ts";
import { NotWritten } from "../xdr/reader/from-json.ts";
import type { NewBuilds } from "./new-builds.ts";

export interface FirstCall extends CallBeforehand {
  /** Strkey. */
  readonly contract: string;
  /** The call as the user wrote it. */
  readonly text: string;
}

const CALL = /^(?:(\w+)\.)?(\w{1,32})\((.*)\)$/s;

/** Throws USAGE with the place in the text. */
export function readFirstCall(text: string, builds: NewBuilds): FirstCall {
  const [, written, name, list = ""] = CALL.exec(text.trim()) ?? [];
  if (name === undefined)
    throw usageError(
      `--first "${neutralise(text)}" is not a call.`,
      "Write it as `--first 'migrate(5, admin=G…)'`.",
    );
  const [only, ...others] = builds.keys();
  if (written === undefined && others.length > 0)
    throw usageError(
      "--first does not say which of the contracts it calls.",
      `Write it as \`--first '${only}.${name}(…)'\`.`,
    );
  const contract = written ?? only ?? "";
  const build = builds.get(contract);
  const contractId = decodeContractId(contract);
  if (build === undefined || contractId === null)
    throw usageError(
      `--first calls ${contract}, which has no new build.`,
      "Call one of the contracts that get a new build.",
    );
  const { spec } = build;
  const described = spec?.functions.get(name) ?? null;
  if (spec === null || described === null) throw noFunction(name, spec);
  const argumentsXdr = argumentsOf(described, spec, partsOf(list));
  return { contract, contractId, function: name, argumentsXdr, text: text.trim() };
}

function noFunction(name: string, spec: ContractSpec | null) {
  if (spec === null)
    return usageError(
      "--first needs a build with a specification.",
      "Use a build whose specification was not removed.",
    );
  const names = [...spec.functions.keys()];
  const near = nearestWord(name, names);
  if (spec.unread !== undefined)
    return usageError(
      `--first calls ${neutralise(name)}, which is not in the specification. ${showUnread(spec.unread)}`,
      "Use a build with a smaller specification.",
    );
  return usageError(
    `--first calls ${neutralise(name)}, which the new build does not have.`,
    near === null
      ? `Its functions are: ${names.map(neutralise).join(", ")}.`
      : `Did you mean \`${near}\`?`,
  );
}

const NAMED = /^(\w+)\s*=\s*(.*)$/s;

function argumentsOf(
  { name, inputs }: SpecFunction,
  spec: ContractSpec,
  parts: readonly string[],
): string[] {
  const takes = inputs.map((input) => `${neutralise(input.name)}: ${showSpecType(input.type)}`);
  const wrong = (message: string) =>
    usageError(message, `Its arguments are: ${takes.join(", ") || "none"}.`);
  if (parts.length !== inputs.length)
    throw wrong(
      `--first: ${neutralise(name)} takes ${counted(inputs.length, "argument")}, not ${parts.length}.`,
    );
  const texts = new Map<string, string>();
  for (const [index, part] of parts.entries()) {
    const [, key, value] = NAMED.exec(part) ?? [];
    const isNamed = key !== undefined && inputs.some((input) => input.name === key);
    texts.set(isNamed ? key : (inputs[index]?.name ?? ""), isNamed ? (value ?? "") : part);
  }
  return inputs.map(({ name: input, type }) => {
    const text = texts.get(input);
    if (text === undefined) throw wrong(`--first lacks the argument \`${neutralise(input)}\`.`);
    try {
      const value = argumentOfText(text, type, { spec, addressOf: () => null }, `\`${input}\``);
      return scValOf(value, input, type, spec);
    } catch (problem) {
      if (problem instanceof NotWritten) throw wrong(`--first: argument ${problem.message}.`);
      if (problem instanceof SvcError && problem.code === "OVERRIDE_IMPOSSIBLE")
        throw wrong(`--first: ${problem.message}`);
      throw problem;
    }
  });
}

/** The parts between commas that are in no quotes or brackets. */
function partsOf(list: string): string[] {
  const parts: string[] = [];
  let [depth, begin, quoted] = [0, 0, false];
  for (let at = 0; at < list.length; at += 1) {
    const character = list[at] ?? "";
    if (quoted && character === "\\") at += 1;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if ("[{(".includes(character)) depth += 1;
    else if ("]})".includes(character)) depth -= 1;
    else if (character === "," && depth === 0) {
      parts.push(list.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  const last = list.slice(begin).trim();
  return parts.length === 0 && last === "" ? [] : [...parts, last];
}
