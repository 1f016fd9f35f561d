// Messages of the Debug Adapter Protocol on a byte stream: headers, an empty line, and JSON.

export interface Incoming {
  readonly seq: number;
  readonly type: string;
  readonly command: string;
  readonly arguments?: unknown;
}

/** No client sends more than a source file. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;
const MAXIMUM_HEADER_BYTES = 4096;
const SEPARATOR = "\r\n\r\n";

export function frameMessage(message: object): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}${SEPARATOR}${text}`;
}

/** Throws an Error where the stream does not follow the protocol. */
export class MessageReader {
  private pending = Buffer.alloc(0);

  push(chunk: Uint8Array): Incoming[] {
    this.pending = Buffer.concat([this.pending, chunk]);
    const messages: Incoming[] = [];
    for (;;) {
      const headerEnd = this.pending.indexOf(SEPARATOR);
      if (headerEnd === -1) {
        if (this.pending.length > MAXIMUM_HEADER_BYTES) throw new Error("no header of a message");
        return messages;
      }
      const header = this.pending.subarray(0, headerEnd).toString("latin1");
      const length = Number(/^content-length: *(\d{1,9})$/im.exec(header)?.[1] ?? Number.NaN);
      if (!(length <= MAXIMUM_BYTES)) throw new Error("a message without a valid length");
      const start = headerEnd + SEPARATOR.length;
      if (this.pending.length < start + length) return messages;
      const text = this.pending.subarray(start, start + length).toString("utf8");
      this.pending = this.pending.subarray(start + length);
      messages.push(messageOf(text));
    }
  }
}

function messageOf(text: string): Incoming {
  const message: unknown = JSON.parse(text);
  if (typeof message !== "object" || message === null) throw new Error("a message is no object");
  const { seq, type, command } = message as Record<string, unknown>;
  if (typeof seq !== "number" || typeof type !== "string")
    throw new Error("a message without seq and type");
  const known = { ...(message as object), seq, type };
  return { ...known, command: typeof command === "string" ? command : "" };
}
