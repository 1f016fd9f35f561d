// One page of the ledgers that a fork has closed. A page ends when it is large, whatever its limit
// is, and a client continues with the cursor, as with a node. The page is made in portions, so that
// other clients are answered in between: ledgers may have megabytes, and each is decoded.

import { nextTurn } from "../../base/turns.ts";
import type { Format } from "./refusal.ts";

/** The limit in characters of XDR. JSON takes several times as many. */
const MOST_CHARACTERS: Readonly<Record<Format, number>> = {
  base64: 8 * 1024 * 1024,
  json: 2 * 1024 * 1024,
};
/** A portion is decoded in some milliseconds. */
const PORTION_CHARACTERS = 256 * 1024;

export class AnswerPage {
  private characters = 0;
  private read = 0;

  constructor(private readonly format: Format) {}

  /** True if the page is full. The rest is for the next one. */
  get isFull(): boolean {
    return this.characters >= MOST_CHARACTERS[this.format];
  }

  /** Adds characters to the page. */
  add(characters: number): void {
    this.characters += characters;
  }

  /** Counts decoded characters. Resolves after others had their turn, if it is their turn. */
  async portion(characters: number): Promise<void> {
    this.read += characters;
    if (this.read < PORTION_CHARACTERS) return;
    this.read = 0;
    await nextTurn();
  }
}
