// A value that the host reports with an error: its text for people, and what it is. Code decides by
// what it is, and never by what its text looks like: a symbol can be spelled like a number.

import { showValue } from "./value.ts";
import { plainOf, typeNameOf } from "./value-parts.ts";

export interface HostValue {
  readonly text: string;
  /** The number, if it is one of any integer type; null for every other value. */
  readonly number: bigint | null;
  readonly isAddress: boolean;
}

/** Reads an ScVal. Its `text` is that of the value, if nobody wrote another one. */
export function hostValueOf(scValXdr: string, text = showValue(scValXdr)): HostValue {
  const plain = plainOf(scValXdr);
  const number = typeof plain === "bigint" ? plain : null;
  return { text, number, isAddress: typeNameOf(scValXdr) === "address" };
}
