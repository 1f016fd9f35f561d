// A TCP server on loopback that answers every request with given bytes, for answers that no HTTP
// library would send: half an answer, no HTTP, a closed connection.

export interface RawServer extends Disposable {
  readonly url: string;
  readonly connections: () => number;
}

export function openRawServer(reply: (write: (text: string) => void) => "end" | "keep"): RawServer {
  let connections = 0;
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open() {
        connections += 1;
      },
      data(socket) {
        if (reply((text) => socket.write(text)) === "end") socket.end();
      },
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    connections: () => connections,
    [Symbol.dispose]: () => server.stop(true),
  };
}
