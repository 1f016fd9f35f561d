// Numbers that stand for values in the protocol, valid until the session moves.

export class Handles<Value> {
  private readonly values: Value[] = [];

  /** Never zero, which means none. */
  add(value: Value): number {
    return this.values.push(value);
  }

  get(handle: number): Value | undefined {
    return this.values[handle - 1];
  }

  clear(): void {
    this.values.length = 0;
  }
}
