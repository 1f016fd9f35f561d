// Computes the I-th of N pieces of a range from N and the range. It is a pure function, so that
// processes agree without talking to each other. The pieces share no ledger and leave none out.

import type { Range } from "./verify-ledgers.ts";

/** Lakes store 1 or 64 ledgers in an object. An object in two pieces would be read twice. */
const ALIGNMENT = 64;

/**
 * The ledgers of a piece. `shard` counts from 1. There must be at least as many ledgers as shards.
 */
export function splitRange({ first, last }: Range, shard: number, shards: number): Range {
  const ledgers = last - first + 1;
  const step = ledgers >= 2 * ALIGNMENT * shards ? ALIGNMENT : 1;
  const beginning = (index: number): number => {
    if (index === 0) return first;
    if (index === shards) return last + 1;
    const even = first + Number((BigInt(ledgers) * BigInt(index)) / BigInt(shards));
    return even - (even % step);
  };
  return { first: beginning(shard - 1), last: beginning(shard) - 1 };
}
