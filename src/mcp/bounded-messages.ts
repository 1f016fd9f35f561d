// Splits the bytes of a client into messages, one a line. A message that is too large is skipped
// without using memory. Only its id is read, for the error that answers it.

import { positionOfByte } from "../base/json-bounds.ts";

const NEWLINE = 0x0a;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const LONGEST_ID_BYTES = 1_000;

export type MessageId = string | number | null;

export interface MessageReceiver {
  /** Called with a message and its line break. */
  readonly message: (bytes: Uint8Array) => void;
  /** Called after a message has exceeded the limit. */
  readonly grewTooLarge: () => void;
  /** Called at the end of that message; null if no id was found. */
  readonly passedOver: (id: MessageId) => void;
}

/** Takes the bytes in pieces. `maximumBytes` is the limit of a message without its line break. */
export function openBoundedMessages(
  maximumBytes: number,
  receiver: MessageReceiver,
): (bytes: Uint8Array) => void {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let id: ReturnType<typeof openIdFinder> | null = null;
  const take = (piece: Uint8Array) => {
    if (piece.length === 0) return;
    if (id !== null) {
      id.read(piece);
      return;
    }
    pieces.push(piece);
    bytes += piece.length;
    if (bytes <= maximumBytes) return;
    id = openIdFinder();
    for (const each of pieces) id.read(each);
    pieces = [];
    receiver.grewTooLarge();
  };
  const end = (lineBreak: Uint8Array) => {
    if (id === null) receiver.message(Buffer.concat([...pieces, lineBreak]));
    else receiver.passedOver(id.found());
    pieces = [];
    bytes = 0;
    id = null;
  };
  return (received) => {
    let from = 0;
    for (;;) {
      const at = received.indexOf(NEWLINE, from);
      take(received.subarray(from, at === -1 ? received.length : at));
      if (at === -1) return;
      end(received.subarray(at, at + 1));
      from = at + 1;
    }
  };
}

/** Finds the member `id` of a JSON object, wherever it is. The bytes may be anything. */
function openIdFinder() {
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  /** The bytes of the current key of the object, or of the value of `id`; null in another value. */
  let text: number[] | null = [];
  let isKey = true;
  let written = "";
  const endMember = () => {
    if (!isKey && text !== null && written === "") written = Buffer.from(text).toString();
    text = [];
    isKey = true;
  };
  const readPlain = (byte: number) => {
    if (depth === 1 && (byte === COMMA || byte === CLOSE_OBJECT)) endMember();
    else if (depth === 1 && byte === COLON) {
      text =
        isKey &&
        Buffer.from(text ?? [])
          .toString()
          .trim() === '"id"'
          ? []
          : null;
      isKey = false;
    } else text?.push(byte);
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth === 1) text = [];
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  };
  return {
    read(bytes: Uint8Array): void {
      let [quote, backslash] = [-1, -1];
      for (let at = 0; at < bytes.length; at += 1) {
        if (text !== null && text.length > LONGEST_ID_BYTES) text = null;
        // Most bytes of a large message are in a long string, which a search can skip.
        if (isString && !isEscaped && text === null) {
          if (quote < at) quote = positionOfByte(bytes, QUOTE, at);
          if (backslash < at) backslash = positionOfByte(bytes, BACKSLASH, at);
          at = Math.min(quote, backslash);
          if (at === bytes.length) return;
        }
        const byte = bytes[at] as number;
        if (!isString) {
          isString = byte === QUOTE;
          readPlain(byte);
          continue;
        }
        text?.push(byte);
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isString = false;
      }
    },
    found(): MessageId {
      try {
        const id: unknown = JSON.parse(written);
        return typeof id === "string" || typeof id === "number" ? id : null;
      } catch {
        return null;
      }
    },
  };
}
