// Frames messages of the Debug Adapter Protocol on a byte stream: headers, an empty line, and JSON.

import { SvcError } from "../base/errors/errors.ts";
import { phrase, svc } from "../base/phrase.ts";

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

/**
 * Splits a stream into messages. Throws DEBUG_PROTOCOL_INVALID if the stream does not follow the
 * protocol.
 */
export class MessageReader {
  private pending = Buffer.alloc(0);

  push(chunk: Uint8Array): Incoming[] {
    this.pending = Buffer.concat([this.pending, chunk]);
    const messages: Incoming[] = [];
    for (;;) {
      const headerEnd = this.pending.indexOf(SEPARATOR);
      if (headerEnd === -1) {
        if (this.pending.length > MAXIMUM_HEADER_BYTES) throw invalid("A message has no header");
        return messages;
      }
      const header = this.pending.subarray(0, headerEnd).toString("latin1");
      const length = Number(/^content-length: *(\d{1,9})$/im.exec(header)?.[1] ?? Number.NaN);
      if (!(length <= MAXIMUM_BYTES)) throw invalid("A message has no valid Content-Length");
      const start = headerEnd + SEPARATOR.length;
      if (this.pending.length < start + length) return messages;
      const text = this.pending.subarray(start, start + length).toString("utf8");
      this.pending = this.pending.subarray(start + length);
      messages.push(messageOf(text));
    }
  }
}

function messageOf(text: string): Incoming {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (cause) {
    throw invalid("A message is not JSON", cause);
  }
  const fields = typeof message === "object" && message !== null ? message : {};
  const { seq, type, command } = fields as Record<string, unknown>;
  if (typeof seq !== "number" || typeof type !== "string")
    throw invalid("A message has no seq and type");
  return { ...fields, seq, type, command: typeof command === "string" ? command : "" };
}

function invalid(message: string, cause?: unknown): SvcError {
  return new SvcError("DEBUG_PROTOCOL_INVALID", {
    message: `${message}: the client does not follow the Debug Adapter Protocol.`,
    remedy: phrase`Start ${svc("dap")} from an editor's debugger, or connect the editor to ${svc("dap --port")}.`,
    cause,
  });
}
