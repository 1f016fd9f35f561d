// What the interface of a new build has other than that of the old one, in sentences.

import { grouped } from "../base/text/grouped.ts";
import { quotedText } from "../base/text/neutralise.ts";
import { readContractMeta } from "../xdr/contract/contract-meta.ts";
import {
  type ContractSpec,
  readContractSpec,
  type SpecDefinition,
  type SpecFunction,
  showName,
  showSpecType,
} from "../xdr/contract/contract-spec.ts";
import { valuesIn } from "../xdr/contract/wasm-sections.ts";

const SHOWN_VERSION = 60;

export function interfaceDifference(before: Uint8Array, after: Uint8Array): string[] {
  const [was, is] = [readContractSpec(before), readContractSpec(after)];
  const size =
    before.length === after.length
      ? []
      : [`Size: ${grouped(before.length)} bytes before, ${grouped(after.length)} now.`];
  return [...size, ...builtWith(before, after), ...specDifference(was, is)];
}

function builtWith(before: Uint8Array, after: Uint8Array): string[] {
  const sdk = (wasm: Uint8Array) => readContractMeta(wasm).get("rssdkver") ?? "unknown";
  const shown = (wasm: Uint8Array) => quotedText(sdk(wasm), SHOWN_VERSION);
  const [was, is] = [protocolOf(before), protocolOf(after)];
  return [
    ...(sdk(before) === sdk(after) ? [] : [`SDK: ${shown(before)} before, ${shown(after)} now.`]),
    ...(was === is ? [] : [`Needs protocol ${is ?? "unknown"}; before ${was ?? "unknown"}.`]),
  ];
}

/** The protocol that the code needs; null if it does not say. */
export function protocolOf(wasm: Uint8Array): number | null {
  const [environment] = valuesIn(wasm, "contractenvmetav0", "ScEnvMetaEntry", 1);
  return environment?.interfaceVersion.protocol ?? null;
}

function specDifference(was: ContractSpec | null, is: ContractSpec | null): string[] {
  if (was === null || is === null)
    return was === is ? [] : ["Only one of the builds has a specification."];
  const errors = ({ errors }: ContractSpec) =>
    new Map(
      errors.map(({ of, name, value }) => [`${showName(of)}::${showName(name)}`, `${value}`]),
    );
  const events = ({ events }: ContractSpec) =>
    new Map(events.map((event) => [showName(event.name), JSON.stringify(event)]));
  const functions = ({ functions }: ContractSpec) =>
    new Map([...functions.values()].map((each) => [showName(each.name), signatureOf(each)]));
  const types = ({ types }: ContractSpec) =>
    new Map([...types.values()].map((each) => [showName(each.name), definitionOf(each)]));
  return [
    ...differenceOf("Function", functions(was), functions(is), true),
    ...differenceOf("Type", types(was), types(is), true),
    ...differenceOf("Error", errors(was), errors(is), true),
    ...differenceOf("Event", events(was), events(is), false),
  ];
}

function differenceOf(
  kind: string,
  was: ReadonlyMap<string, string>,
  is: ReadonlyMap<string, string>,
  shows: boolean,
): string[] {
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [before, after] = [was.get(name), is.get(name)];
    if (before === after) return [];
    if (after === undefined) return [`${kind} ${name} is gone.`];
    if (before === undefined) return [`${kind} ${name} is new.`];
    return [`${kind} ${name} is different${shows ? `: ${before} before, ${after} now` : ""}.`];
  });
}

function signatureOf({ inputs, output }: SpecFunction): string {
  const list = inputs.map((input) => `${showName(input.name)}: ${showSpecType(input.type)}`);
  return `(${list.join(", ")})${output === null ? "" : ` -> ${showSpecType(output)}`}`;
}

function definitionOf(definition: SpecDefinition): string {
  switch (definition.kind) {
    case "struct":
      return `{${definition.fields.map(({ name, type }) => `${showName(name)}: ${showSpecType(type)}`).join(", ")}}`;
    case "union":
      return [...definition.cases]
        .map(([name, types]) => `${showName(name)}(${types.map(showSpecType).join(", ")})`)
        .join(" | ");
    default:
      return definition.cases.map(({ name, value }) => `${showName(name)} = ${value}`).join(", ");
  }
}
