// A value that the host reports with an error: its text for people, and what it is. Code decides by
// what it is, and never by what its text looks like: a symbol can be spelled like a number.

import { showValue } from "./value.ts";
import { integerOfValue, typeNameOf } from "./value-parts.ts";

export interface HostValue {
  readonly text: string;
  /** The number, if it is one of any integer type; null for every other value. */
  readonly number: bigint | null;
  readonly isAddress: boolean;
}

export function hostValueOf(scValXdr: string): HostValue {
  return {
    text: showValue(scValXdr),
    number: integerOfValue(scValXdr),
    isAddress: typeNameOf(scValXdr) === "address",
  };
}
