// Values for the arguments of contracts that nobody here wrote: plausible ones by the types and the
// names of their specification, and neighbours of them with one thing changed.

import type { ContractSpec, SpecType } from "../../../src/xdr/contract/contract-spec.ts";

export type Json = ReturnType<typeof JSON.parse>;

/** Addresses that exist in the made network. */
export interface People {
  /** The source account, which signs for all. */
  readonly source: string;
  readonly token: string;
  readonly contract: string;
  readonly others: readonly string[];
}

/** Numbers from a seed, so that a run can be made again (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Maker {
  readonly spec: ContractSpec;
  readonly people: People;
  readonly random: () => number;
  /** The close time of the ledger. */
  readonly unixSeconds: number;
  readonly ledger: number;
}

const TOKEN = /token|asset|coin|lp|share|collateral|currency|base|quote|underlying/i;
const OTHER = /^to$|recipient|spender|dest|new_|receiver|beneficiary|contract|factory|oracle|pool/i;
const TIME = /time|deadline|expir|end|until|start|unlock/i;
const MOST_DEPTH = 6;

/** The ScVal in the JSON of SEP-51. */
export function madeValue(type: SpecType, name: string, maker: Maker, depth = 0): Json {
  const { spec, random } = maker;
  const within = (of: SpecType, at = name) => madeValue(of, at, maker, depth + 1);
  const some = (of: SpecType, most: number) =>
    Array.from({ length: depth > MOST_DEPTH ? 0 : 1 + Math.floor(random() * most) }, () =>
      within(of),
    );
  switch (type.kind) {
    case "plain":
      return plain(type.name, name, maker);
    case "bytes":
      return {
        bytes: Math.floor(random() * 200)
          .toString(16)
          .padStart(2, "0")
          .repeat(type.size),
      };
    case "option":
      return random() < 0.3 ? "void" : within(type.element);
    case "vec":
      return { vec: some(type.element, 3) };
    case "tuple":
      return { vec: type.elements.map((each) => within(each)) };
    case "map":
      return { map: [{ key: within(type.key), val: within(type.value) }] };
    case "result":
      return within(type.ok);
    case "named": {
      const found = spec.types.get(type.name);
      if (found?.kind === "struct") {
        const isTuple = found.fields.every(({ name: field }) => /^\d+$/.test(field));
        if (isTuple) return { vec: found.fields.map((field) => within(field.type)) };
        const fields = found.fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
        return {
          map: fields.map((field) => ({
            key: { symbol: field.name },
            val: within(field.type, field.name),
          })),
        };
      }
      if (found?.kind === "union") {
        const [chosen, types] = pick([...found.cases], random);
        return { vec: [{ symbol: chosen }, ...types.map((each) => within(each))] };
      }
      if (found?.kind === "enum") return { u32: pick(found.cases, random).value };
      return { u32: 1 };
    }
  }
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T;
}

function plain(type: string, name: string, maker: Maker): Json {
  const { people, random, unixSeconds, ledger } = maker;
  switch (type) {
    case "bool":
      return { bool: random() < 0.5 };
    case "u32":
    case "i32":
      if (/ledger/i.test(name)) return { [type]: ledger + 1000 };
      if (/decimal/i.test(name)) return { [type]: 7 };
      if (/fee|bps|percent|rate/i.test(name)) return { [type]: pick([10, 30, 100], random) };
      return { [type]: pick([0, 1, 1, 2, 3, 10, 100], random) };
    case "u64":
    case "i64":
    case "timepoint":
    case "duration":
      if (TIME.test(name)) return { [type]: `${unixSeconds + pick([100, 1000, 100_000], random)}` };
      return { [type]: `${pick([0, 1, 1, 2, 60, 3600], random)}` };
    case "u128":
    case "i128":
    case "u256":
    case "i256":
      if (/min|least/i.test(name)) return { [type]: `${pick([0, 1], random)}` };
      if (/max|desired|limit/i.test(name))
        return { [type]: `${pick([10_000_000, 10 ** 9], random)}` };
      return { [type]: `${pick([1, 100, 1000, 1_000_000, 10_000_000], random)}` };
    case "address":
    case "muxed_address":
      if (TOKEN.test(name) && random() < 0.8) return { address: people.token };
      if (OTHER.test(name) && random() < 0.7)
        return { address: pick([people.contract, ...people.others], random) };
      return { address: random() < 0.8 ? people.source : pick(people.others, random) };
    case "symbol":
      return { symbol: pick(["abc", "USDC", "Admin"], random) };
    case "string":
      return { string: pick(["abc", "USDC"], random) };
    case "bytes":
      return { bytes: "07".repeat(32) };
    case "void":
      return "void";
    default:
      return { u32: pick([1, 2], random) };
  }
}

/** A value with one thing different, and what that is. */
export interface Changed {
  readonly what: string;
  readonly value: Json;
}

const BITS: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = Object.fromEntries(
  [32, 64, 128, 256].flatMap((bits) => [
    [`u${bits}`, [0n, 2n ** BigInt(bits) - 1n]],
    [`i${bits}`, [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]],
  ]),
);

/** Every value with one number, address, symbol, flag or length changed, at any depth. */
export function changesOf(value: Json, at: string, others: readonly string[]): Changed[] {
  if (typeof value !== "object" || value === null) return [];
  const [[type, held] = ["", null]] = Object.entries<Json>(value);
  const to = (other: Json, what: string): Changed => ({
    what: `${at} ${what}`,
    value: { [type]: other },
  });
  const bits = BITS[type];
  if (bits !== undefined) {
    const [least, most] = bits;
    const own = BigInt(held);
    const wanted = [0n, -1n, 1n, own + 1n, own * 1000n + 7n, 5_001n, least, most, most / 3n];
    const known = [...new Set(wanted)].filter((x) => x >= least && x <= most && x !== own);
    const is32 = type === "u32" || type === "i32";
    return known.map((x) => to(is32 ? Number(x) : `${x}`, `is ${x}`));
  }
  switch (type) {
    case "timepoint":
    case "duration":
      return ["0", "1"].map((x) => to(x, `is ${x}`));
    case "bool":
      return [to(!held, `is ${!held}`)];
    case "address":
      return others.filter((x) => x !== held).map((x) => to(x, `is ${x}`));
    case "symbol":
    case "string":
      return ["Nope", "LongNameOfNothing"].map((x) => to(x, `is ${x}`));
    case "bytes":
      return [to("", "is empty"), to("ee".repeat(held.length / 2), "is ee…")];
    case "vec": {
      const items = held as Json[];
      const within = items.flatMap((item, i) =>
        changesOf(item, `${at}[${i}]`, others).map(({ what, value: changed }) => ({
          what,
          value: { vec: items.with(i, changed) },
        })),
      );
      const isVariant = items.length > 0 && items[0]?.symbol !== undefined;
      if (isVariant) return within;
      const more = items.slice(0, 1);
      return [to([], "is empty"), to([...items, ...more], "has one more"), ...within];
    }
    case "map": {
      const items = held as { key: Json; val: Json }[];
      return items.flatMap((item, i) =>
        changesOf(item.val, `${at}.${item.key.symbol ?? i}`, others).map((changed) => ({
          what: changed.what,
          value: { map: items.with(i, { ...item, val: changed.value }) },
        })),
      );
    }
    default:
      return [];
  }
}
