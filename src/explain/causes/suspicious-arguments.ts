// Arguments of the failed call with values that often make code panic: 0, the smallest or largest
// of their type, two that do not add up within it, or nothing in a list. They show that a panic is
// possible, not that it happened there.

import { grouped } from "../../base/text/grouped.ts";
import type { SpecType } from "../../xdr/contract/contract-spec.ts";
import { mayBe } from "../../xdr/contract/value-kind.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf } from "../../xdr/values/value-parts.ts";
import type { Failure } from "./failure.ts";

export interface Suspect {
  /** In the specification of the contract of the failed call. */
  readonly name: string;
  readonly valueXdr: string;
  /** A clause, without a full stop. */
  readonly why: string;
}

const SHOWN_SUSPECTS = 2;

/** The strongest suspicion first. */
export function suspiciousArguments({ call, lookup }: Pick<Failure, "call" | "lookup">): Suspect[] {
  if (call === null) return [];
  const spec = lookup(call.contract)?.spec ?? null;
  const inputs = spec?.functions.get(call.function ?? "")?.inputs ?? [];
  if (inputs.length !== call.argumentsXdr.length) return [];
  const given = inputs.flatMap(({ name, type }, at): Given[] => {
    const valueXdr = call.argumentsXdr[at] ?? "";
    return mayBe(valueXdr, type, spec) ? [{ name, type, valueXdr }] : [];
  });
  const numbers = given.flatMap((each) => numberOf(each) ?? []);
  const found = [
    ...numbers.flatMap(atTheEnd),
    ...sumsBeyond(numbers),
    ...numbers.flatMap(zero),
    ...given.flatMap(empty),
  ];
  const isFirst = ({ name }: Suspect, at: number) =>
    found.findIndex((each) => each.name === name) === at;
  return found.filter(isFirst).slice(0, SHOWN_SUSPECTS);
}

interface Given {
  readonly name: string;
  readonly type: SpecType;
  readonly valueXdr: string;
}

interface GivenNumber extends Given {
  readonly typeName: string;
  readonly value: bigint;
  readonly least: bigint;
  readonly most: bigint;
}

function numberOf(given: Given): GivenNumber | null {
  const typeName = given.type.kind === "plain" ? given.type.name : "";
  const [, sign, bits = ""] = /^([ui])(32|64|128|256)$/.exec(typeName) ?? [];
  if (sign === undefined) return null;
  const width = BigInt(bits);
  const [least, most] =
    sign === "u" ? [0n, 2n ** width - 1n] : [-(2n ** (width - 1n)), 2n ** (width - 1n) - 1n];
  return { ...given, typeName, value: BigInt(showValue(given.valueXdr)), least, most };
}

function suspect({ name, valueXdr }: Given, why: string): Suspect {
  return { name, valueXdr, why };
}

function atTheEnd(number: GivenNumber): Suspect[] {
  const { name, value, typeName, least, most } = number;
  const shown = `(${grouped(value)})`;
  if (value === most)
    return [
      suspect(number, `\`${name}\` is the largest ${typeName} ${shown}; adding to it overflows`),
    ];
  if (value !== least || least === 0n) return [];
  const why = `\`${name}\` is the smallest ${typeName} ${shown}; subtracting from it overflows`;
  return [suspect(number, why)];
}

function sumsBeyond(numbers: readonly GivenNumber[]): Suspect[] {
  return numbers.flatMap((one, at) =>
    numbers.slice(at + 1).flatMap((other) => {
      const sum = one.value + other.value;
      if (one.typeName !== other.typeName || (sum >= one.least && sum <= one.most)) return [];
      const why = `the sum of \`${one.name}\` and \`${other.name}\` does not fit ${withArticle(one.typeName)}`;
      return [suspect(one, why)];
    }),
  );
}

/** `a u32`, `an i128`: a type's name that begins with u is spoken as a consonant. */
export function withArticle(typeName: string): string {
  return `${/^[aeio]/i.test(typeName) ? "an" : "a"} ${typeName}`;
}

function zero(number: GivenNumber): Suspect[] {
  if (number.value !== 0n) return [];
  return [suspect(number, `\`${number.name}\` is 0; dividing by it panics`)];
}

function empty(given: Given): Suspect[] {
  if (given.type.kind !== "vec" || elementsOf(given.valueXdr)?.length !== 0) return [];
  return [suspect(given, `\`${given.name}\` is empty; reading an element of it panics`)];
}
