// Compares the interface of a new build with that of the old one.

import { quotedText } from "../base/text/neutralise.ts";
import { readContractMeta } from "../xdr/contract/contract-meta.ts";
import {
  type ContractSpec,
  readContractSpec,
  type SpecDefinition,
  type SpecFunction,
  showName,
  showSpecType,
  type UnreadSpec,
} from "../xdr/contract/contract-spec.ts";
import { valuesIn } from "../xdr/contract/wasm-sections.ts";

const SHOWN_VERSION = 60;

export type InterfaceDifference =
  /** In bytes. */
  | { readonly kind: "size"; readonly before: number; readonly after: number }
  /** The version of the SDK; null if the code does not say it. */
  | { readonly kind: "sdk"; readonly before: string | null; readonly after: string | null }
  /** The protocol that the code needs; null if it does not say it. */
  | { readonly kind: "protocol"; readonly before: number | null; readonly after: number | null }
  /** Only one of the builds has a specification. */
  | { readonly kind: "specification"; readonly only: "before" | "after" }
  /** A part of a specification was not read, so it can have more definitions than are compared. */
  | { readonly kind: "unread"; readonly of: "before" | "after"; readonly unread: UnreadSpec }
  | DefinitionDifference;

export interface DefinitionDifference {
  readonly kind: "function" | "type" | "error" | "event";
  readonly name: string;
  readonly change: "gone" | "new" | "different";
  /** The definitions, if they are different; null for an event, and if it is gone or new. */
  readonly before: string | null;
  readonly after: string | null;
}

export function interfaceDifference(before: Uint8Array, after: Uint8Array): InterfaceDifference[] {
  const [was, is] = [readContractSpec(before), readContractSpec(after)];
  const [bytesBefore, bytesAfter] = [before.length, after.length];
  return [
    ...(bytesBefore === bytesAfter
      ? []
      : [{ kind: "size", before: bytesBefore, after: bytesAfter } as const]),
    ...builtWith(before, after),
    ...specDifference(was, is),
  ];
}

function builtWith(before: Uint8Array, after: Uint8Array): InterfaceDifference[] {
  const [sdkBefore, sdkAfter] = [before, after].map(sdkOf) as [string | null, string | null];
  const [was, is] = [protocolOf(before), protocolOf(after)];
  return [
    ...(sdkBefore === sdkAfter
      ? []
      : [{ kind: "sdk", before: sdkBefore, after: sdkAfter } as const]),
    ...(was === is ? [] : [{ kind: "protocol", before: was, after: is } as const]),
  ];
}

function sdkOf(wasm: Uint8Array): string | null {
  const version = readContractMeta(wasm).get("rssdkver");
  return version === undefined ? null : quotedText(version, SHOWN_VERSION);
}

/** The protocol that the code needs; null if it does not say. */
export function protocolOf(wasm: Uint8Array): number | null {
  const [environment] = valuesIn(wasm, "contractenvmetav0", "ScEnvMetaEntry", 1);
  return environment?.interfaceVersion.protocol ?? null;
}

function specDifference(was: ContractSpec | null, is: ContractSpec | null): InterfaceDifference[] {
  if (was === null || is === null) {
    const only = was === null ? "after" : "before";
    return was === is ? [] : [{ kind: "specification", only }];
  }
  const errors = ({ errors }: ContractSpec) =>
    new Map(
      errors.map(({ of, name, value }) => {
        const shown = `${showName(of)}::${showName(name)}`;
        return [JSON.stringify([of, name]), { shown, definition: `${value}` }] as const;
      }),
    );
  const events = ({ events }: ContractSpec) => defined(events, (event) => JSON.stringify(event));
  const functions = ({ functions }: ContractSpec) => defined(functions.values(), signatureOf);
  const types = ({ types }: ContractSpec) => defined(types.values(), definitionOf);
  const notRead = (of: "before" | "after", { unread }: ContractSpec) =>
    unread === undefined ? [] : [{ kind: "unread", of, unread } as const];
  const all = [
    ...differenceOf("function", functions(was), functions(is), true),
    ...differenceOf("type", types(was), types(is), true),
    ...differenceOf("error", errors(was), errors(is), true),
    ...differenceOf("event", events(was), events(is), false),
  ];
  // A definition that is missing in a specification may be in the part of it that was not read.
  const isShown = ({ change }: DefinitionDifference) =>
    (change !== "gone" || is.unread === undefined) &&
    (change !== "new" || was.unread === undefined);
  return [...notRead("before", was), ...notRead("after", is), ...all.filter(isShown)];
}

interface Definition {
  readonly shown: string;
  readonly definition: string;
}

/** The definitions by their names. Long names are shown with their beginning alone. */
function defined<Each extends { readonly name: string }>(
  all: Iterable<Each>,
  text: (each: Each) => string,
): ReadonlyMap<string, Definition> {
  return new Map(
    [...all].map((each) => [each.name, { shown: showName(each.name), definition: text(each) }]),
  );
}

function differenceOf(
  kind: DefinitionDifference["kind"],
  was: ReadonlyMap<string, Definition>,
  is: ReadonlyMap<string, Definition>,
  shows: boolean,
): DefinitionDifference[] {
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key): DefinitionDifference[] => {
    const [before, after] = [was.get(key)?.definition, is.get(key)?.definition];
    const name = (was.get(key) ?? is.get(key))?.shown ?? "";
    if (before === after) return [];
    const hidden = { before: null, after: null };
    if (after === undefined) return [{ kind, name, change: "gone", ...hidden }];
    if (before === undefined) return [{ kind, name, change: "new", ...hidden }];
    return [{ kind, name, change: "different", ...(shows ? { before, after } : hidden) }];
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
