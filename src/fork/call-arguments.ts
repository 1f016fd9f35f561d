// The arguments of a call as its user wrote them, as JSON or as words, in the order of the function
// and with the types of the contract's specification.

import { utf8Text } from "../base/bytes.ts";
import { nearestWord } from "../base/errors/did-you-mean.ts";
import { SvcError, usageError } from "../base/errors/errors.ts";
import { counted } from "../base/text/counted.ts";
import { neutralise } from "../base/text/neutralise.ts";
import type { ArgumentWord, CallArguments } from "../command/lending.ts";
import { scValOf } from "../debugger/what-if/written-argument.ts";
import { argumentOfText } from "../xdr/contract/argument-text.ts";
import {
  type ContractSpec,
  type SpecField,
  type SpecFunction,
  type SpecType,
  showName,
  showSpecType,
  showUnread,
} from "../xdr/contract/contract-spec.ts";
import { NotWritten } from "../xdr/reader/from-json.ts";

/**
 * Returns the arguments as ScVals. `filled` replaces the names of the fork's own addresses. Throws
 * USAGE with the argument and the place in it.
 */
export function readCallArguments(
  spec: ContractSpec | null,
  name: string,
  values: CallArguments,
  filled: (value: unknown) => unknown,
): string[] {
  const described = spec?.functions.get(name) ?? null;
  const placed =
    values.kind === "json"
      ? placedJson(described, name, values.value)
      : placedWords(spec, described, name, values);
  return placed.map(({ named, type, value }) =>
    readable(described, () => scValOf(filled(value), named, type, spec)),
  );
}

/** The function's own name. As with stellar-cli, hyphens may stand for underscores. Throws USAGE. */
export function functionNamed(spec: ContractSpec | null, functionName: string): string {
  if (spec === null || spec.functions.has(functionName)) return functionName;
  const written = functionName.replaceAll("-", "_");
  if (spec.functions.has(written)) return written;
  // The function may be in the part of the specification that was not read.
  if (spec.unread !== undefined) return functionName;
  const near = nearestWord(functionName, [...spec.functions.keys()]);
  throw usageError(
    `The contract has no function ${neutralise(functionName)}.`,
    near === null
      ? `Its functions are: ${[...spec.functions.keys()].map(neutralise).join(", ")}.`
      : `Did you mean \`${near}\`?`,
  );
}

interface PlacedArgument {
  /** The name of the argument, or its position. */
  readonly named: string;
  readonly type: SpecType | null;
  readonly value: unknown;
}

/** JSON arguments in the function's order. Throws USAGE if one is missing or unknown. */
function placedJson(
  described: SpecFunction | null,
  name: string,
  written: unknown,
): PlacedArgument[] {
  const inputs = described?.inputs ?? [];
  const isList = Array.isArray(written);
  const values: readonly unknown[] = isList
    ? written
    : inputs.map((input) => (written as Record<string, unknown>)[input.name]);
  const unknown = isList
    ? undefined
    : Object.keys(written as object).find((key) => !inputs.some((input) => input.name === key));
  if (unknown !== undefined || (described !== null && values.length !== inputs.length))
    throw wrongArguments(name, inputs, unknown ?? null, values.length);
  return values.map((value, index) => {
    const input = inputs[index];
    if (input !== undefined && value === undefined && absent(input.type) === null)
      throw missingArgument(name, input, inputs);
    return { named: input?.name ?? String(index), type: input?.type ?? null, value };
  });
}

/**
 * Words in the function's order, by name or by position. As with stellar-cli, an absent `Option` is
 * nothing and an absent `bool` is false. Throws USAGE.
 */
function placedWords(
  spec: ContractSpec | null,
  described: SpecFunction | null,
  name: string,
  { words, addressOf, taken }: Extract<CallArguments, { kind: "words" }>,
): PlacedArgument[] {
  const reading = { spec, addressOf };
  const byPosition = words.filter((word) => word.name === null);
  const byName = words.filter((word) => word.name !== null);
  if (described === null) {
    if (byName.length > 0)
      throw usageError(
        spec?.unread === undefined
          ? "The contract has no specification, so its arguments have no names."
          : `The specification does not have ${showName(name)}. ${showUnread(spec.unread)}`,
        'Pass them in order, as {"scval": …} with the JSON of SEP-51 or {"xdr": "…"} with base64.',
      );
    return byPosition.map(({ value }, index) => ({
      named: String(index),
      type: null,
      value: jsonOf(value),
    }));
  }
  const { inputs } = described;
  const inputOf = new Map<SpecField, ArgumentWord>();
  for (const word of byName) {
    const input = inputs.find((each) => isNamed(each, word.name ?? ""));
    if (input === undefined) throw wrongArguments(name, inputs, word.name, words.length);
    if (inputOf.has(input))
      throw usageError(`\`${neutralise(input.name)}\` is given twice.`, "Pass it once.");
    inputOf.set(input, word);
  }
  const unnamedInputs = inputs.filter((input) => !inputOf.has(input));
  const unclear = unnamedInputs.find((input) => taken.some((name) => isNamed(input, name)));
  if (unclear !== undefined) throw unclearFlag(name, unclear);
  if (byPosition.length > unnamedInputs.length)
    throw wrongArguments(name, inputs, null, words.length);
  for (const [index, word] of byPosition.entries()) {
    const input = unnamedInputs[index];
    if (input !== undefined) inputOf.set(input, word);
  }
  return inputs.map((input) => {
    const { name: named, type } = input;
    const word = inputOf.get(input) ?? absent(type);
    if (word === null) throw missingArgument(name, input, inputs);
    return { named, type, value: givenValue(word, input, reading) };
  });
}

function isNamed({ name }: SpecField, written: string): boolean {
  return name === written || name.replaceAll("_", "-") === written;
}

function absent(type: SpecType): ArgumentWord | null {
  if (type.kind === "option") return { name: null, value: "null" };
  const isFlag = type.kind === "plain" && type.name === "bool";
  return isFlag ? { name: null, value: "false" } : null;
}

function givenValue(
  { value }: ArgumentWord,
  { name, type }: SpecField,
  reading: Parameters<typeof argumentOfText>[2],
): unknown {
  const isBytes = type.kind === "bytes" || (type.kind === "plain" && type.name === "bytes");
  if (value !== null && typeof value === "object")
    return isBytes
      ? value.bytes.toHex()
      : textArgument(utf8Text(value.bytes).trim(), { name, type }, reading);
  if (value !== null) return textArgument(value, { name, type }, reading);
  if (type.kind === "plain" && type.name === "bool") return true;
  throw usageError(
    `\`${neutralise(name)}\` has no value.`,
    `Write --${neutralise(name)} followed by a value of type ${showSpecType(type)}.`,
  );
}

function textArgument(
  text: string,
  { name, type }: SpecField,
  reading: Parameters<typeof argumentOfText>[2],
): unknown {
  const written = jsonOf(text);
  // These forms hold a value of any type.
  if (isSelfDescribing(written)) return written;
  try {
    return argumentOfText(text, type, reading, `\`${neutralise(name)}\``);
  } catch (problem) {
    if (!(problem instanceof NotWritten)) throw problem;
    throw usageError(`Argument ${problem.message}.`, "Correct the value.");
  }
}

function isSelfDescribing(written: unknown): boolean {
  if (typeof written !== "object" || written === null) return false;
  const [key, ...others] = Object.keys(written);
  return others.length === 0 && (key === "scval" || key === "xdr");
}

function jsonOf(value: ArgumentWord["value"]): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** An argument that cannot be read is a mistake of the user, whoever reads it. */
function readable<Read>(described: SpecFunction | null, read: () => Read): Read {
  try {
    return read();
  } catch (problem) {
    if (!(problem instanceof SvcError) || problem.code !== "OVERRIDE_IMPOSSIBLE") throw problem;
    const takes =
      described === null ? "" : ` The arguments are: ${inputsInWords(described.inputs)}.`;
    const { message, cause } = problem;
    const remedy = described === null ? problem.remedy : `Correct the value.${takes}`;
    throw new SvcError("USAGE", { message, remedy, cause });
  }
}

export function inputsInWords(inputs: readonly SpecField[]): string {
  const words = inputs.map(({ name, type }) => `${neutralise(name)}: ${showSpecType(type)}`);
  return words.join(", ") || "none";
}

function wrongArguments(
  name: string,
  inputs: readonly SpecField[],
  unknown: string | null,
  count: number,
): SvcError {
  const near =
    unknown === null
      ? null
      : nearestWord(
          unknown,
          inputs.map((input) => input.name),
        );
  const meant = near === null ? "" : ` Did you mean \`${near}\`?`;
  if (inputs.length === 0)
    return usageError(`${neutralise(name)} takes no arguments.`, "Leave the arguments out.");
  return usageError(
    unknown === null
      ? `${neutralise(name)} takes ${counted(inputs.length, "argument")}, not ${count}.`
      : `${neutralise(name)} has no argument \`${neutralise(unknown)}\`.${meant}`,
    `Its arguments are: ${inputsInWords(inputs)}.`,
  );
}

function unclearFlag(name: string, { name: input }: SpecField): SvcError {
  const written = `--${neutralise(input.replaceAll("_", "-"))}`;
  return usageError(
    `${written} is a flag of svc and an argument of ${neutralise(name)}.`,
    "Write the arguments of the function after `--`: `svc call [flags] CONTRACT FUNCTION -- --name value`.",
  );
}

function missingArgument(
  name: string,
  { name: missing, type }: SpecField,
  inputs: readonly SpecField[],
): SvcError {
  return usageError(
    `${neutralise(name)} needs the argument \`${neutralise(missing)}\` of type ${showSpecType(type)}.`,
    `Its arguments are: ${inputsInWords(inputs)}.`,
  );
}
