// Runs the server over standard input and output, until the client closes its end.

import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { nextTurn } from "../base/turns.ts";
import { INVALID_REQUEST, PARSE_ERROR } from "../sources/nodes/json-rpc.ts";
import { type MessageId, openBoundedMessages } from "./bounded-messages.ts";
import { createMcpServer, type ServerOptions } from "./mcp-server.ts";

export interface StdioStreams {
  readonly input: Readable;
  /** The output, which is closed when the client no longer reads. */
  readonly output: Writable;
  /** Receives the problem of a message, for the log. */
  readonly onError: (error: Error) => void;
}

/** The largest useful message contains an envelope. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;
/** A client that waits before the end of its message gets an answer without the message's id. */
const PATIENCE_MILLISECONDS = 500;
const TOO_LARGE = `The message is larger than ${MOST_MESSAGE_BYTES / 1024 / 1024} MiB, the maximum.`;

/** Serves. Resolves after the client has left, or after the signal is aborted. */
export async function serveOverStdio(
  options: ServerOptions,
  { input, output, onError }: StdioStreams,
): Promise<void> {
  const messages = new PassThrough();
  const transport = new StdioServerTransport(messages, output, {
    maxBufferSize: MOST_MESSAGE_BYTES + 1,
  });
  const handle = serveStdio(() => createMcpServer(options), { transport, onerror: onError });
  const refusal = openRefusal((text) => void output.write(text));
  const arrived: Uint8Array[] = [];
  const receive = openBoundedMessages(MOST_MESSAGE_BYTES, {
    message: (bytes) => arrived.push(bytes),
    grewTooLarge() {
      onError(new Error(TOO_LARGE));
      refusal.expect();
    },
    passedOver: refusal.answer,
  });
  const ended = new AbortController();
  const end = () => {
    ended.abort();
    // An open input would keep the process alive.
    input.destroy();
  };
  options.signal.addEventListener("abort", end, { once: true });
  output.once("close", end);
  try {
    if (options.signal.aborted) return;
    for await (const bytes of input) {
      receive(bytes);
      for (const message of arrived.splice(0)) {
        const refused = refusalOf(message);
        if (refused === null) messages.write(message);
        else {
          onError(new Error(refused.message));
          output.write(answerText(refused.id, refused.code, refused.message));
        }
        await handled(output, ended.signal);
      }
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    options.signal.removeEventListener("abort", end);
    refusal.stop();
    end();
    await handle.close();
  }
}

interface RefusedLine {
  readonly id: MessageId;
  readonly code: number;
  readonly message: string;
}

/** Returns why a line is not a message. The SDK would ignore it, and its client would wait. */
function refusalOf(line: Uint8Array): RefusedLine | null {
  const text = decoder.decode(line).trim();
  if (text === "") return null;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { id: null, code: PARSE_ERROR, message: "The message is not JSON." };
  }
  const { jsonrpc, id, method, result, error } = Object(read) as Readonly<Record<string, unknown>>;
  const isKnown = typeof method === "string" || result !== undefined || error !== undefined;
  if (jsonrpc === "2.0" && isKnown) return null;
  const own = typeof id === "string" || typeof id === "number" ? id : null;
  return { id: own, code: INVALID_REQUEST, message: "The message is not one of JSON-RPC 2.0." };
}

function answerText(id: MessageId, code: number, message: string): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`;
}

const decoder = new TextDecoder();

/**
 * A client that sends more than it reads has to wait, so that its answers do not fill the memory.
 */
async function handled(output: Writable, signal: AbortSignal): Promise<void> {
  await nextTurn();
  if (output.writableNeedDrain) await once(output, "drain", { signal });
}

/** Answers a message that is too large, even if its end never comes. */
function openRefusal(write: (text: string) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAnswered = false;
  const answer = (id: MessageId) => write(answerText(id, INVALID_REQUEST, TOO_LARGE));
  return {
    expect() {
      isAnswered = false;
      timer = setTimeout(() => {
        isAnswered = true;
        answer(null);
      }, PATIENCE_MILLISECONDS);
    },
    answer(id: MessageId) {
      clearTimeout(timer);
      if (!isAnswered || id !== null) answer(id);
    },
    stop: () => clearTimeout(timer),
  };
}
