// A secret in memory: bytes that are overwritten when it is disposed of, and that no printing, JSON
// or error can show by accident. The text exists only while `use` runs; it is the garbage
// collector's then, since a JavaScript string cannot be overwritten.

export class Secret implements Disposable {
  readonly #bytes: Uint8Array;

  /** Takes the bytes over: they are overwritten with it. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.#bytes.length === 0;
  }

  use<Result>(action: (text: string) => Result): Result {
    return action(new TextDecoder().decode(this.#bytes));
  }

  [Symbol.dispose](): void {
    this.#bytes.fill(0);
  }
}
