// Numbers that represent values in the protocol. They are valid until the session moves.

export class Handles<Value> {
  private readonly values = new Map<number, Value>();
  private last = 0;

  /**
   * Returns a new number. It is never zero, which means none in the protocol, and never the number
   * of an earlier value.
   */
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
