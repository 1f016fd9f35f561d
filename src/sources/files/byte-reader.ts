// Buffers an asynchronous byte stream so that exact lengths can be read. It reads only what it
// needs, so a slow reader slows the source down, and the buffer stays small.

export class ByteReader {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private buffer = new Uint8Array(1 << 16);
  private start = 0;
  private end = 0;
  private ended = false;
  /** The number of bytes that were taken or skipped. */
  position = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  get available(): number {
    return this.end - this.start;
  }

  /** Reads until `length` bytes are buffered. False if the stream ends before that. */
  async fill(length: number): Promise<boolean> {
    while (this.available < length && !this.ended) {
      const next = await this.chunks.next();
      if (next.done === true) this.ended = true;
      else this.append(next.value);
    }
    return this.available >= length;
  }

  /** The buffered bytes, without a copy. They are valid until the next fill. */
  peek(): Uint8Array {
    return this.buffer.subarray(this.start, this.end);
  }

  /** A copy of the next bytes, which must have been filled. */
  take(length: number): Uint8Array {
    const bytes = this.buffer.slice(this.start, this.start + length);
    this.skip(length);
    return bytes;
  }

  skip(length: number): void {
    this.start += length;
    this.position += length;
  }

  /** Releases the source, even before its end. */
  async close(): Promise<void> {
    this.ended = true;
    await this.chunks.return?.();
  }

  private append(chunk: Uint8Array): void {
    const length = this.available + chunk.length;
    if (this.end + chunk.length > this.buffer.length) {
      const target = length > this.buffer.length ? new Uint8Array(roomFor(length)) : this.buffer;
      target.set(this.buffer.subarray(this.start, this.end));
      this.buffer = target;
      this.start = 0;
      this.end = length - chunk.length;
    }
    this.buffer.set(chunk, this.end);
    this.end += chunk.length;
  }
}

function roomFor(length: number): number {
  let size = 1 << 16;
  while (size < length) size *= 2;
  return size;
}
