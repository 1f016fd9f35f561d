// The calls of a rehearsal, of which there can be very many, in little memory. What each call has
// of its own is in bytes outside of the JavaScript heap; what many have in common is kept once.

import {
  type CallFiles,
  COSTS,
  type CostName,
  type CostPair,
  type GroupKind,
  type RehearsedCall,
  type RehearsedCalls,
} from "./rehearsal.ts";

type Own = "hash" | "ledger" | "applicationOrder" | "files" | "costs";
type Common = Omit<RehearsedCall, Own>;

const COST_NAMES = Object.keys(COSTS) as CostName[];
const HASH_BYTES = 32;
const [LEDGER_AT, ORDER_AT, COMMON_AT, FILES_AT, COSTS_AT] = [32, 36, 40, 44, 48];
const RECORD_BYTES = COSTS_AT + COST_NAMES.length * 16;
const RECORDS_IN_BLOCK = 1024;
/** Applications are numbered from 1. */
const NO_ORDER = 0;
const REMOVED = 0xffff_ffff;
const NO_FILES = JSON.stringify(null);
/** The bytes of a hash that are a number; more are not exact. */
const NUMBER_BYTES = 6;

export class CallList {
  private readonly blocks: DataView[] = [];
  private records = 0;
  /** The number of the record, by the beginning of its hash. */
  private readonly numbers = new Map<number, number>();
  private readonly commons = new DistinctTexts();
  private readonly files = new DistinctTexts();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /**
   * Adds a call, or replaces the one with its hash. A call that nodes and files have is of the
   * files. One of several files has the first ones by name, in whatever order they are read.
   */
  set({ hash, ledger, applicationOrder, files, costs, ...common }: RehearsedCall): void {
    const known = this.find(hash);
    const number = known ?? this.append(hash);
    const [view, at] = this.place(number);
    const isNew = known === null || view.getUint32(at + COMMON_AT) === REMOVED;
    if (isNew) this.count += 1;
    const textOfFiles = JSON.stringify(files);
    const earlier = isNew ? NO_FILES : this.files.at(view.getUint32(at + FILES_AT));
    const isFirst = earlier === NO_FILES || (files !== null && textOfFiles < earlier);
    view.setUint32(at + LEDGER_AT, ledger);
    view.setUint32(at + ORDER_AT, applicationOrder ?? NO_ORDER);
    view.setUint32(at + COMMON_AT, this.commons.numberOf(JSON.stringify(common)));
    if (isFirst) view.setUint32(at + FILES_AT, this.files.numberOf(textOfFiles));
    for (const [index, name] of COST_NAMES.entries()) {
      const [before, after] = costs?.[name] ?? [Number.NaN, Number.NaN];
      view.setFloat64(at + COSTS_AT + index * 16, before);
      view.setFloat64(at + COSTS_AT + index * 16 + 8, after);
    }
  }

  delete(hash: string): void {
    const number = this.find(hash);
    if (number === null) return;
    const [view, at] = this.place(number);
    if (view.getUint32(at + COMMON_AT) === REMOVED) return;
    view.setUint32(at + COMMON_AT, REMOVED);
    this.count -= 1;
  }

  has(hash: string): boolean {
    const number = this.find(hash);
    if (number === null) return false;
    const [view, at] = this.place(number);
    return view.getUint32(at + COMMON_AT) !== REMOVED;
  }

  /** Null if there is no call with the hash. */
  groupOf(hash: string): GroupKind | null {
    const number = this.find(hash);
    return number === null || !this.has(hash) ? null : this.read(number).group;
  }

  /** The calls in the order of the chain; only the latest ones if `last` is a number. */
  inOrder(last: number | null): RehearsedCalls {
    const kept = Array.from({ length: this.records }, (_, number) => number).filter((number) => {
      const [view, at] = this.place(number);
      return view.getUint32(at + COMMON_AT) !== REMOVED;
    });
    const sorted = Uint32Array.from(kept).sort((left, right) => this.compare(left, right));
    const chosen = last === null ? sorted : sorted.slice(-last);
    const callAt = (number: number) => this.read(number);
    return {
      length: chosen.length,
      *[Symbol.iterator]() {
        for (const number of chosen) yield callAt(number);
      },
    };
  }

  private compare(left: number, right: number): number {
    const [[one, oneAt], [other, otherAt]] = [this.place(left), this.place(right)];
    const apart = (offset: number) =>
      one.getUint32(oneAt + offset) - other.getUint32(otherAt + offset);
    const byPlace = apart(LEDGER_AT) || apart(ORDER_AT);
    if (byPlace !== 0) return byPlace;
    return this.hashAt(left) < this.hashAt(right) ? -1 : 1;
  }

  private read(number: number): RehearsedCall {
    const [view, at] = this.place(number);
    const order = view.getUint32(at + ORDER_AT);
    const pairs = COST_NAMES.map((name, index): [CostName, CostPair] => {
      const place = at + COSTS_AT + index * 16;
      return [name, [view.getFloat64(place), view.getFloat64(place + 8)]];
    });
    const hasCosts = pairs.every(([, [before]]) => !Number.isNaN(before));
    const text = this.commons.at(view.getUint32(at + COMMON_AT));
    const { contract, function: name, reached, ...rest } = JSON.parse(text) as Common;
    const files = JSON.parse(this.files.at(view.getUint32(at + FILES_AT))) as CallFiles | null;
    const costs = Object.fromEntries(pairs) as NonNullable<RehearsedCall["costs"]>;
    return {
      hash: this.hashAt(number),
      ledger: view.getUint32(at + LEDGER_AT),
      applicationOrder: order === NO_ORDER ? null : order,
      contract,
      function: name,
      reached,
      ...rest,
      costs: hasCosts ? costs : null,
      files,
    };
  }

  private append(hash: string): number {
    const number = this.records;
    this.records += 1;
    if (number % RECORDS_IN_BLOCK === 0)
      this.blocks.push(new DataView(new ArrayBuffer(RECORD_BYTES * RECORDS_IN_BLOCK)));
    const [view, at] = this.place(number);
    const bytes = Uint8Array.fromHex(hash);
    for (const [index, byte] of bytes.entries()) view.setUint8(at + index, byte);
    view.setUint32(at + COMMON_AT, REMOVED);
    let key = keyOf(hash);
    while (this.numbers.has(key)) key = nextKey(key);
    this.numbers.set(key, number);
    return number;
  }

  /** Null if there was never a call with the hash. */
  private find(hash: string): number | null {
    for (let key = keyOf(hash); ; key = nextKey(key)) {
      const number = this.numbers.get(key);
      if (number === undefined) return null;
      if (this.hashAt(number) === hash) return number;
    }
  }

  private hashAt(number: number): string {
    const [view, at] = this.place(number);
    return new Uint8Array(view.buffer, at, HASH_BYTES).toHex();
  }

  private place(number: number): [DataView, number] {
    const view = this.blocks[Math.floor(number / RECORDS_IN_BLOCK)];
    if (view === undefined) throw new Error(`there is no record ${number}`);
    return [view, (number % RECORDS_IN_BLOCK) * RECORD_BYTES];
  }
}

/** Texts that many calls have in common, each of them once. */
class DistinctTexts {
  private readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();

  at(number: number): string {
    return this.texts[number] ?? "";
  }

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

function keyOf(hash: string): number {
  return Number.parseInt(hash.slice(0, NUMBER_BYTES * 2), 16);
}

/** The key after one that another hash has. */
function nextKey(key: number): number {
  return key + 2 ** (NUMBER_BYTES * 8 - 1);
}
