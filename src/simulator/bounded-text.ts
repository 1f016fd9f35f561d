// Reads the output stream of a process with a limit: only the end of the text is kept.

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

  /** Settles when the stream has ended, or after this time. */
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
      // A broken stream counts as its end; the text so far is kept.
    }
  }
}
