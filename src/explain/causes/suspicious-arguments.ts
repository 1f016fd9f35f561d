// Finds arguments of the failed call with values that often make code panic: 0, the smallest or
// largest of their type, two that overflow when they are added, or an empty list. Nothing here
// shows whether the code has an operation on them: they are only worth a run with another value.

import type { SpecType } from "../../xdr/contract/contract-spec.ts";
import { mayBe } from "../../xdr/contract/value-kind.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf } from "../../xdr/values/value-parts.ts";
import type { Failure } from "./failure.ts";

const MOST_SUSPECTS = 2;

/** The arguments as ScVals, the strongest suspicion first. */
export function suspiciousArguments({
  call,
  lookup,
}: Pick<Failure, "call" | "lookup">): readonly string[] {
  if (call === null) return [];
  const spec = lookup(call.contract)?.spec ?? null;
  const inputs = spec?.functions.get(call.function ?? "")?.inputs ?? [];
  if (inputs.length !== call.argumentsXdr.length) return [];
  const typedArguments = inputs.flatMap(({ type }, at): TypedArgument[] => {
    const valueXdr = call.argumentsXdr[at] ?? "";
    return mayBe(valueXdr, type, spec) ? [{ type, valueXdr }] : [];
  });
  const numbers = typedArguments.flatMap((each) => numberOf(each) ?? []);
  const suspects = [
    ...numbers.filter(isAtAnEnd),
    ...numbers.filter((number, at) =>
      numbers.slice(at + 1).some((other) => isSumBeyond(number, other)),
    ),
    ...numbers.filter(({ value }) => value === 0n),
    ...typedArguments.filter(isEmptyList),
  ];
  return [...new Set(suspects.map(({ valueXdr }) => valueXdr))].slice(0, MOST_SUSPECTS);
}

interface TypedArgument {
  readonly type: SpecType;
  readonly valueXdr: string;
}

interface GivenNumber extends TypedArgument {
  readonly typeName: string;
  readonly value: bigint;
  readonly least: bigint;
  readonly most: bigint;
}

function numberOf(argument: TypedArgument): GivenNumber | null {
  const typeName = argument.type.kind === "plain" ? argument.type.name : "";
  const [, sign, bits = ""] = /^([ui])(32|64|128|256)$/.exec(typeName) ?? [];
  if (sign === undefined) return null;
  const width = BigInt(bits);
  const [least, most] =
    sign === "u" ? [0n, 2n ** width - 1n] : [-(2n ** (width - 1n)), 2n ** (width - 1n) - 1n];
  return { ...argument, typeName, value: BigInt(showValue(argument.valueXdr)), least, most };
}

function isAtAnEnd({ value, least, most }: GivenNumber): boolean {
  return value === most || (value === least && least !== 0n);
}

function isSumBeyond(left: GivenNumber, right: GivenNumber): boolean {
  const sum = left.value + right.value;
  return left.typeName === right.typeName && (sum < left.least || sum > left.most);
}

function isEmptyList({ type, valueXdr }: TypedArgument): boolean {
  return type.kind === "vec" && elementsOf(valueXdr)?.length === 0;
}
