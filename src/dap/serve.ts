// Serves a session on a pair of streams, or on a loopback port one session for each client.

import { type AddressInfo, createServer } from "node:net";
import { Readable } from "node:stream";
import { SvcError } from "../base/errors/errors.ts";
import { messageOf } from "../base/errors/system-code.ts";
import { Adapter, type AdapterDependencies } from "./adapter.ts";
import { frameMessage, MessageReader } from "./framing.ts";

type Open = AdapterDependencies["open"];

export interface Streams {
  readonly input: ReadableStream<Uint8Array>;
  readonly write: (text: string) => Promise<void>;
}

/**
 * Ends when the client disconnects or leaves, or when `signal` aborts. Throws
 * DEBUG_PROTOCOL_INVALID if the client breaks the protocol.
 */
export async function serveStreams(
  { input, write }: Streams,
  open: Open,
  signal: AbortSignal,
): Promise<void> {
  let written: Promise<void> = Promise.resolve();
  const send = (message: object) => {
    written = written.then(() => write(frameMessage(message))).catch(() => {});
  };
  const adapter = new Adapter({ send, open });
  const reader = input.getReader();
  const interrupted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const messages = new MessageReader();
  const read = async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      for (const message of messages.push(value)) adapter.take(message);
    }
  };
  let broken: SvcError | null = null;
  const left = read().catch((error) => {
    // Any other error comes from a broken stream, which counts as its end.
    if (error instanceof SvcError) broken = error;
  });
  await Promise.race([left, adapter.done, interrupted]);
  await adapter.close();
  await written;
  void reader.cancel().catch(() => {});
  if (broken !== null) throw broken;
}

/** Port 0 means any free port. `warn` gets the errors of clients that break the protocol. */
export async function listenForEditors(
  port: number,
  open: Open,
  { signal, warn }: { readonly signal: AbortSignal; readonly warn: (text: string) => void },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const closing = new AbortController();
  const sessions = new Set<Promise<void>>();
  const server = createServer((socket) => {
    // A broken connection ends its stream.
    socket.on("error", () => {});
    const streams = {
      input: Readable.toWeb(socket) as ReadableStream<Uint8Array>,
      write: (text: string) => new Promise<void>((done) => socket.write(text, () => done())),
    };
    const session = serveStreams(streams, open, closing.signal)
      .catch((error) => warn(messageOf(error)))
      .finally(() => {
        socket.destroySoon();
        sessions.delete(session);
      });
    sessions.add(session);
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(port, "127.0.0.1", listening);
  });
  const close = async () => {
    closing.abort();
    server.close();
    await Promise.all(sessions);
  };
  signal.addEventListener("abort", () => void close(), { once: true });
  return { port: (server.address() as AddressInfo).port, close };
}
