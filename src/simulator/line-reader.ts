// Splits a byte stream into lines, with a size limit for each line.

import { concatBytes } from "../base/bytes.ts";

const NEWLINE = 0x0a;
const decoder = new TextDecoder();

export class LineReader {
  private readonly limit: number;
  private pending: Uint8Array[] = [];
  private pendingBytes = 0;

  constructor(limitBytes: number) {
    this.limit = limitBytes;
  }

  /** True after a line was longer than the limit. No more lines follow then. */
  get overflowed(): boolean {
    return this.pendingBytes > this.limit;
  }

  /** The lines that `chunk` completes, without their line breaks. */
  *push(chunk: Uint8Array): Generator<string> {
    let start = 0;
    while (!this.overflowed) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      this.keep(chunk.subarray(start, end));
      start = end + 1;
      if (!this.overflowed) yield this.takeLine();
    }
    if (!this.overflowed) this.keep(chunk.subarray(start));
  }

  /** The text after the last line break, after the last chunk. */
  rest(): string {
    return this.takeLine();
  }

  private keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.pending.push(part);
    this.pendingBytes += part.length;
  }

  private takeLine(): string {
    // The bytes are decoded in one piece, because a character may be split between chunks.
    const bytes = this.pending.length === 1 ? this.pending[0] : concatBytes(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    return decoder.decode(bytes);
  }
}
