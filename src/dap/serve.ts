// A session on a pair of streams, and sessions on a loopback port, as many as there are clients.

import { SvcError } from "../base/errors/errors.ts";
import { Adapter, type AdapterDependencies } from "./adapter.ts";
import { frameMessage, MessageReader } from "./framing.ts";

type Open = AdapterDependencies["open"];

export interface Streams {
  readonly input: ReadableStream<Uint8Array>;
  readonly write: (text: string) => Promise<void>;
}

/**
 * Ends when the client disconnects or leaves, or at `signal`. Throws DEBUG_PROTOCOL_INVALID when the
 * client breaks the protocol.
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
    // Another error is that of a broken stream, which counts as its end.
    if (error instanceof SvcError) broken = error;
  });
  await Promise.race([left, adapter.done, interrupted]);
  await adapter.close();
  await written;
  void reader.cancel().catch(() => {});
  if (broken !== null) throw broken;
}

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** `port` 0: any free one. `warn`: told of clients that break the protocol. */
export function listen(
  port: number,
  open: Open,
  { signal, warn }: { readonly signal: AbortSignal; readonly warn: (text: string) => void },
): Listening {
  interface Client {
    readonly adapter: Adapter;
    readonly messages: MessageReader;
    pending: Buffer;
  }
  const clients = new Set<Client>();
  const flush = (socket: Bun.Socket<Client>) => {
    const sent = socket.write(socket.data.pending);
    socket.data.pending = socket.data.pending.subarray(Math.max(sent, 0));
  };
  const leave = (client: Client) => {
    clients.delete(client);
    void client.adapter.close();
  };
  const server = Bun.listen<Client>({
    hostname: "127.0.0.1",
    port,
    socket: {
      open(socket) {
        const send = (message: object) => {
          const { data } = socket;
          data.pending = Buffer.concat([data.pending, Buffer.from(frameMessage(message))]);
          flush(socket);
        };
        const adapter = new Adapter({ send, open });
        socket.data = { adapter, messages: new MessageReader(), pending: Buffer.alloc(0) };
        clients.add(socket.data);
        void adapter.done.then(() => socket.end());
      },
      data(socket, chunk) {
        try {
          for (const message of socket.data.messages.push(chunk)) socket.data.adapter.take(message);
        } catch (error) {
          warn(error instanceof Error ? error.message : String(error));
          socket.end();
          leave(socket.data);
        }
      },
      drain: flush,
      close: (socket) => leave(socket.data),
      error: (socket) => leave(socket.data),
    },
  });
  const close = async () => {
    server.stop(true);
    await Promise.all([...clients].map(({ adapter }) => adapter.close()));
  };
  signal.addEventListener("abort", () => void close(), { once: true });
  return { port: server.port, close };
}
