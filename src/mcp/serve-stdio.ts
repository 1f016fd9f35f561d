// The server over standard input and output, until the client closes its end.

import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type ServerOptions } from "./mcp-server.ts";

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** What was wrong with a message, for the log. */
  readonly onError: (error: Error) => void;
}

/** A larger message ends the connection; the largest that is useful is an envelope. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Resolves when the client has left, or the signal is aborted. */
export async function serveOverStdio(
  options: ServerOptions,
  { input, output, onError }: StdioStreams,
): Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MOST_MESSAGE_BYTES });
  const closed = finished(input, { signal: options.signal }).catch(() => {});
  const handle = serveStdio(() => createMcpServer(options), { transport, onerror: onError });
  await closed;
  await handle.close();
  // An input that is still open would keep the process alive.
  input.destroy();
}
