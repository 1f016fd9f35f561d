// Reads a helper's output stream with a limit: what was written last stays, memory does not grow.

/** Keeps the last `limit` characters of a stream; never rejects. */
export class TextTail {
  private text = "";
  private readonly limit: number;
  private readonly ended: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array>, limit: number) {
    this.limit = limit;
    this.ended = this.drain(stream);
  }

  toString(): string {
    return this.text;
  }

  /** Settles when the stream has ended, or when the time is over. */
  async endedWithin(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const time = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([this.ended, time]);
    clearTimeout(timer);
  }

  private async drain(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of stream) {
        // One chunk may be larger than the limit; cut before and after joining.
        const tail = chunk.subarray(Math.max(0, chunk.length - this.limit));
        this.text = (this.text + decoder.decode(tail, { stream: true })).slice(-this.limit);
      }
    } catch {
      // A stream that breaks ends; what was read stays.
    }
  }
}
