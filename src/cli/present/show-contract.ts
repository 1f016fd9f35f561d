// Lists the functions of a contract with their documentation, or shows one of them.

import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { usageError } from "../../base/errors/errors.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import type { DescribedContract } from "../../command/lending.ts";
import type { Shell } from "../../command/shell.ts";
import { atWidth, wrap } from "../../report/text/layout.ts";
import {
  type ContractSpec,
  type SpecFunction,
  type SpecType,
  showName,
  showSpecType,
  showUnread,
} from "../../xdr/contract/contract-spec.ts";

const INDENT = "    ";

/** Throws USAGE for a function that the contract does not have. */
export async function showContract(
  shell: Shell,
  { contract, state, spec }: DescribedContract,
  only: string | null,
): Promise<void> {
  const functions = [...(spec?.functions.values() ?? [])];
  const matchingFunctions = functions.filter(
    ({ name }) => name === only || name.replaceAll("_", "-") === only,
  );
  if (only !== null && matchingFunctions.length === 0) {
    if (spec?.unread !== undefined)
      throw usageError(
        `The specification does not have ${showName(only)}. ${showUnread(spec.unread)}`,
        "Name one of the functions that `svc call CONTRACT` lists.",
      );
    const near = nearestWord(
      only,
      functions.map(({ name }) => name),
    );
    throw usageError(
      `The contract has no function ${showName(only)}.`,
      near === null ? "Name one of its functions." : `Did you mean \`${near}\`?`,
    );
  }
  const shown = only === null ? functions : matchingFunctions;
  const unread = spec?.unread ?? null;
  if (shell.json) {
    await shell.output.write(
      jsonDocument({ format: 1, contract, state, functions: shown, unread }),
    );
    return;
  }
  const columns = shell.facts.stdoutColumns();
  const lines = atWidth(columns, () => {
    if (spec === null)
      return wrap("The contract's code has no specification, so its functions have no names here.");
    const title = contract === null ? "Functions" : `Functions of ${contract}, on ${state}`;
    return [
      ...(only === null ? [title, ""] : []),
      ...shown.flatMap((each) => [...functionLines(each), ...(only === null ? [] : usage(each))]),
      ...(only === null ? [] : typeLines(matchingFunctions, spec)),
      ...(unread === null ? [] : ["", ...wrap(showUnread(unread))]),
    ];
  });
  await shell.output.write(`${lines.join("\n")}\n`);
}

function functionLines({ name, doc = "", inputs, output }: SpecFunction): string[] {
  const list = inputs.map((input) => `${showName(input.name)}: ${showSpecType(input.type)}`);
  const returned = output === null ? "" : ` -> ${showSpecType(output)}`;
  const signature = `${showName(name)}(${list.join(", ")})${returned}`;
  return [...wrap(signature, "  ", 4), ...(doc === "" ? [] : wrap(doc, INDENT))];
}

function usage({ name, inputs }: SpecFunction): string[] {
  const flags = inputs.map((input) => `--${showName(input.name)} <${showSpecType(input.type)}>`);
  return ["", ...wrap(["svc call CONTRACT", showName(name), ...flags].join(" "), "  ", 4)];
}

/** The types of the contract that a function takes, also those within others. */
function typeLines(functions: readonly SpecFunction[], spec: ContractSpec): string[] {
  const names = new Set<string>();
  const open = functions.flatMap(({ inputs }) => inputs.map(({ type }) => type));
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    const definition = type.kind === "named" ? spec.types.get(type.name) : undefined;
    if (type.kind === "named" && names.has(type.name)) continue;
    if (type.kind === "named") names.add(type.name);
    open.push(...partsOf(type), ...(definition === undefined ? [] : partsOfDefinition(definition)));
  }
  const lines = [...names].flatMap((name) => {
    const definition = spec.types.get(name);
    return definition === undefined ? [] : wrap(definitionText(name, definition), "  ", 4);
  });
  return lines.length === 0 ? [] : ["", ...lines];
}

function partsOf(type: SpecType): readonly SpecType[] {
  switch (type.kind) {
    case "option":
    case "vec":
      return [type.element];
    case "map":
      return [type.key, type.value];
    case "tuple":
      return type.elements;
    default:
      return [];
  }
}

function partsOfDefinition(definition: Definition): readonly SpecType[] {
  if (definition.kind === "struct") return definition.fields.map(({ type }) => type);
  return definition.kind === "union" ? [...definition.cases.values()].flat() : [];
}

type Definition = NonNullable<ReturnType<ContractSpec["types"]["get"]>>;

function definitionText(name: string, definition: Definition): string {
  const shown = showName(name);
  switch (definition.kind) {
    case "struct": {
      const fields = definition.fields.map(
        (field) => `${showName(field.name)}: ${showSpecType(field.type)}`,
      );
      return `${shown} is an object with ${fields.join(", ")}`;
    }
    case "union": {
      const cases = [...definition.cases].map(([each, types]) =>
        types.length === 0
          ? showName(each)
          : `${showName(each)}(${types.map(showSpecType).join(", ")})`,
      );
      return `${shown} is one of ${cases.join(", ")}`;
    }
    default: {
      const cases = definition.cases.map((each) => `${showName(each.name)} = ${each.value}`);
      return `${shown} is one of ${cases.join(", ")}`;
    }
  }
}
