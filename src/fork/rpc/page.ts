// One page of the ledgers that a fork has closed. A page ends when it is large, whatever its limit
// is: a client goes on with the cursor, as with a node. The page is made in portions, so that all
// other clients are answered in between: ledgers may have megabytes, and each is decoded.

import { nextTurn } from "../../base/turns.ts";
import type { Format } from "./refusal.ts";

/** Characters of XDR. As JSON, they become several times as many. */
const MOST_CHARACTERS: Readonly<Record<Format, number>> = {
  base64: 8 * 1024 * 1024,
  json: 2 * 1024 * 1024,
};
/** They are decoded in some milliseconds. */
const PORTION_CHARACTERS = 256 * 1024;

export class AnswerPage {
  private characters = 0;
  private read = 0;

  constructor(private readonly format: Format) {}

  /** The page has enough: what follows is for the next one. */
  get isFull(): boolean {
    return this.characters >= MOST_CHARACTERS[this.format];
  }

  /** So much more is in the page. */
  add(characters: number): void {
    this.characters += characters;
  }

  /** So much is decoded now. Resolves when others had their turn, if it is their turn. */
  async portion(characters: number): Promise<void> {
    this.read += characters;
    if (this.read < PORTION_CHARACTERS) return;
    this.read = 0;
    await nextTurn();
  }
}
