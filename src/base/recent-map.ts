// A map that can forget what was not used for long. It has two generations: what is written or read
// is in the young one, and `forgetUnused` drops the old one. Nothing is forgotten in between.

export class RecentMap<Value> {
  private young = new Map<string, Value>();
  private old = new Map<string, Value>();
  private readonly sizeOf: (value: Value) => number;
  /** Characters of the keys and values in the young generation. */
  characters = 0;
  /** Keys that were used or changed since `takeTouched`; null: not asked for. */
  private touched: Set<string> | null = null;

  constructor(sizeOf: (value: Value) => number) {
    this.sizeOf = sizeOf;
  }

  get(key: string): Value | undefined {
    const value = this.young.get(key);
    if (value !== undefined || this.old.size === 0) return value;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    const before = this.young.get(key);
    this.characters += this.sizeOf(value);
    this.characters += before === undefined ? key.length : -this.sizeOf(before);
    this.young.set(key, value);
    this.touched?.add(key);
  }

  /** Without use, of the generation before. */
  setOld(key: string, value: Value): void {
    this.old.set(key, value);
  }

  /** From now on `takeTouched` has something to say. */
  track(): void {
    this.touched ??= new Set();
  }

  /** The keys that were used or changed since the last call, each once; undefined: gone. */
  *takeTouched(): Generator<readonly [string, Value | undefined]> {
    const { touched, young, old } = this;
    if (touched === null) return;
    this.touched = new Set();
    for (const key of touched) yield [key, young.has(key) ? young.get(key) : old.get(key)];
  }

  /** True if the key was there. */
  delete(key: string): boolean {
    const value = this.young.get(key);
    if (value !== undefined) this.characters -= key.length + this.sizeOf(value);
    const wasYoung = this.young.delete(key);
    this.touched?.add(key);
    return this.old.delete(key) || wasYoung;
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
    this.touched?.clear();
    this.characters = 0;
  }

  /** Each key once. */
  *entries(): Generator<[string, Value]> {
    yield* this.young;
    for (const entry of this.old) if (!this.young.has(entry[0])) yield entry;
  }

  /** True if something was forgotten. */
  forgetUnused(): boolean {
    const forgets = this.old.size > 0;
    this.old = this.young;
    this.young = new Map();
    this.characters = 0;
    return forgets;
  }
}
