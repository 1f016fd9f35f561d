// Moves saved forks in and out in pieces, because a saved fork can be larger than any request or
// answer. Only the last transfers are kept.

import { refusal } from "../rpc/refusal.ts";

/** A piece is 4 MiB in base64. */
export const TRANSFER_PIECE_BYTES = 3 * 1024 * 1024;
const MOST_TRANSFERS = 2;

export class Transfers {
  private readonly kept = new Map<number, Uint8Array[]>();
  private next = 1;
  private readonly maximumBytes: number;

  constructor(maximumBytes: number) {
    this.maximumBytes = maximumBytes;
  }

  /** Begins a transfer of these texts, one after another. */
  begin(texts: Iterable<string>): { readonly id: number; readonly pieces: number } {
    const pieces: Uint8Array[] = [];
    let waiting: Uint8Array[] = [];
    let bytes = 0;
    const end = () => {
      if (bytes > 0) pieces.push(Buffer.concat(waiting));
      waiting = [];
      bytes = 0;
    };
    for (const text of texts) {
      const encoded = Buffer.from(text);
      for (let at = 0; at < encoded.length; ) {
        const part = encoded.subarray(at, at + TRANSFER_PIECE_BYTES - bytes);
        waiting.push(part);
        bytes += part.length;
        at += part.length;
        if (bytes === TRANSFER_PIECE_BYTES) end();
      }
    }
    end();
    return { id: this.keep(pieces), pieces: pieces.length };
  }

  /** Returns a piece. Throws REQUEST_INVALID. */
  piece(id: number, index: number): Uint8Array {
    const pieces = this.find(id);
    const piece = pieces[index];
    if (piece !== undefined) return piece;
    throw refusal(`transfer ${id} has ${pieces.length} pieces`);
  }

  /**
   * Adds a piece, and returns the id of its transfer. An `id` of null begins a new one. Throws
   * REQUEST_INVALID.
   */
  add(id: number | null, piece: Uint8Array): number {
    if (id === null) return this.keep([piece]);
    const pieces = this.find(id);
    const bytes = pieces.reduce((sum, { length }) => sum + length, piece.length);
    if (bytes > this.maximumBytes) throw refusal(`more than ${this.maximumBytes} bytes`);
    pieces.push(piece);
    return id;
  }

  /** Returns the complete text, which is not kept any longer. Throws REQUEST_INVALID. */
  take(id: number): string {
    const text = new TextDecoder().decode(Buffer.concat(this.find(id)));
    this.kept.delete(id);
    return text;
  }

  private keep(pieces: Uint8Array[]): number {
    const id = this.next;
    this.next += 1;
    this.kept.set(id, pieces);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MOST_TRANSFERS) break;
      this.kept.delete(oldest);
    }
    return id;
  }

  private find(id: number): Uint8Array[] {
    const pieces = this.kept.get(id);
    if (pieces !== undefined) return pieces;
    throw refusal(`there is no transfer ${id}: it has ended, or newer transfers replaced it`);
  }
}
