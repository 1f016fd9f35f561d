// What was made of texts, for code that makes the same of the same texts again and again.

export class Remembered<Value> {
  private readonly values = new Map<string, Value>();
  private characters = 0;

  /** Longer texts, and what `make` throws for, are not remembered. */
  constructor(private readonly limitCharacters: number) {}

  of(text: string, make: (text: string) => Value): Value {
    const known = this.values.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    if (text.length > this.limitCharacters) return value;
    this.characters += text.length;
    if (this.characters > this.limitCharacters) {
      this.values.clear();
      this.characters = text.length;
    }
    this.values.set(text, value);
    return value;
  }
}
