// Every address of the report in full, to copy from.

import type { NamedAddress } from "../../model/explanation.ts";
import { wrap } from "./layout.ts";

/** A report is read by people. Further rows are only in --json. */
const SHOWN_ADDRESSES = 60;

export function addressLines(addresses: readonly NamedAddress[]): string[] {
  const lines = addresses.slice(0, SHOWN_ADDRESSES).flatMap(({ short, address, label }) => {
    const lines = wrap(`${short} ${address}`, "  ", 4);
    return label === null ? lines : [...lines, ...wrap(label, "    ")];
  });
  const omitted = addresses.length - SHOWN_ADDRESSES;
  return omitted > 0 ? [...lines, `  (${omitted} more addresses; see --json)`] : lines;
}
