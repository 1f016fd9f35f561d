// A secret in memory. Its bytes are overwritten at disposal, and no log, JSON or error can show
// them by accident. The text exists only while `use` runs: a JavaScript string cannot be
// overwritten, only garbage-collected.

export class Secret implements Disposable {
  readonly #bytes: Uint8Array;

  /** Takes ownership of the bytes: they are overwritten at disposal. */
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
