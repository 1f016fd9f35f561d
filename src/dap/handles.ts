// Numbers that stand for values in the protocol, valid until the session moves.

export class Handles<Value> {
  private readonly values = new Map<number, Value>();
  private last = 0;

  /** Never zero, which means none, and never a number that was another value's. */
  add(value: Value): number {
    this.last += 1;
    this.values.set(this.last, value);
    return this.last;
  }

  get(handle: number): Value | undefined {
    return this.values.get(handle);
  }

  clear(): void {
    this.values.clear();
  }
}
