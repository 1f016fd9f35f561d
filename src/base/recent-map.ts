// A map that can forget what was not used for long. It has two generations: what is written or read
// is in the young one, and `forgetUnused` drops the old one. Nothing is forgotten in between.

export class RecentMap<Value> {
  private young = new Map<string, Value>();
  private old = new Map<string, Value>();
  private readonly sizeOf: (value: Value) => number;
  /** Characters of the keys in the young generation, with the sizes of their values. */
  characters = 0;

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
  }

  delete(key: string): void {
    const value = this.young.get(key);
    if (value !== undefined) this.characters -= key.length + this.sizeOf(value);
    this.young.delete(key);
    this.old.delete(key);
  }

  /** Each key once. */
  *entries(): Generator<[string, Value]> {
    yield* this.young;
    for (const entry of this.old) if (!this.young.has(entry[0])) yield entry;
  }

  forgetUnused(): void {
    this.old = this.young;
    this.young = new Map();
    this.characters = 0;
  }
}
