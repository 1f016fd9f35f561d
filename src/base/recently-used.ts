// A map that keeps what was used last. Each value has a weight. When all weights together exceed
// the limit, the values that were not used for longest are forgotten.

export interface Keeping<Key, Value> {
  /** The most that all values may weigh. A value that alone weighs more is not kept. */
  readonly weight: number;
  /** Returns the weight of a value, which is the same each time. */
  readonly weigh: (value: Value, key: Key) => number;
  /** Receives each value that is forgotten to make room. */
  readonly forgotten?: (value: Value, key: Key) => void;
  /**
   * The newest values have no order among them as long as they weigh no more than this together
   * (default: 0, an exact order). The use of one of them costs one look-up and moves nothing.
   */
  readonly slack?: number;
}

export class RecentlyUsed<Key, Value> {
  private readonly newest = new Map<Key, Value>();
  /** The others in the order of use. */
  private readonly older = new Map<Key, Value>();
  private newestWeight = 0;
  private readonly slack: number;
  /** The weight of all values together. */
  weight = 0;

  constructor(private readonly keeping: Keeping<Key, Value>) {
    this.slack = keeping.slack ?? 0;
  }

  get size(): number {
    return this.newest.size + this.older.size;
  }

  /** Marks the value as used. */
  get(key: Key): Value | undefined {
    const value = this.newest.get(key);
    return value === undefined ? this.olderValue(key) : value;
  }

  private olderValue(key: Key): Value | undefined {
    const value = this.older.get(key);
    if (value === undefined) return undefined;
    this.older.delete(key);
    this.add(key, value, this.keeping.weigh(value, key));
    return value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    const weight = this.keeping.weigh(value, key);
    if (weight > this.keeping.weight) return;
    this.weight += weight;
    this.add(key, value, weight);
    if (this.weight > this.keeping.weight) this.trim(this.keeping.weight - this.slack / 2);
  }

  /** Returns the value of the key, which is made if it is not kept. A failure is not kept. */
  of(key: Key, make: (key: Key) => Value): Value {
    const known = this.newest.get(key) ?? this.olderValue(key);
    if (known !== undefined) return known;
    const value = make(key);
    this.set(key, value);
    return value;
  }

  delete(key: Key): void {
    const newest = this.newest.get(key);
    const value = newest ?? this.older.get(key);
    if (value === undefined) return;
    const weight = this.keeping.weigh(value, key);
    this.weight -= weight;
    if (newest !== undefined) this.newestWeight -= weight;
    this.newest.delete(key);
    this.older.delete(key);
  }

  /** Forgets the oldest values until the rest weighs and counts no more than this. */
  trim(weight: number, size = Number.POSITIVE_INFINITY): void {
    if (this.weight <= weight && this.size <= size) return;
    this.order();
    for (const [key, value] of this.older) {
      this.delete(key);
      this.keeping.forgotten?.(value, key);
      if (this.weight <= weight && this.size <= size) return;
    }
  }

  /** The oldest first, as far as there is an order. */
  *entries(): Generator<[Key, Value]> {
    yield* this.older;
    yield* this.newest;
  }

  private add(key: Key, value: Value, weight: number): void {
    this.newest.set(key, value);
    this.newestWeight += weight;
    if (this.newestWeight > this.slack) this.order();
  }

  /** The newest come after all others. */
  private order(): void {
    for (const [key, value] of this.newest) this.older.set(key, value);
    this.newest.clear();
    this.newestWeight = 0;
  }
}

/** A memory of so many values, whatever each weighs. */
export function ofMost<Key, Value>(most: number): RecentlyUsed<Key, Value> {
  return new RecentlyUsed<Key, Value>({ weight: most, weigh: () => 1 });
}

/**
 * What was made of texts, for code that makes the same of the same texts again and again. A look-up
 * has to be fast, so there is no order before the limit is reached.
 */
export function ofTexts<Value>(limitCharacters: number): RecentlyUsed<string, Value> {
  return new RecentlyUsed<string, Value>({
    weight: limitCharacters,
    weigh: (_, text) => text.length,
    slack: limitCharacters,
  });
}
