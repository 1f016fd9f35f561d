// A client with little overhead: one HTTP/1.1 connection, one request after the other, answers with
// a content length.

export interface Connection extends AsyncDisposable {
  send(method: string, path: string, body?: string): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const HEAD_END = "\r\n\r\n";

export async function openConnection(port: number): Promise<Connection> {
  let pending = Promise.withResolvers<Answer>();
  let received: Uint8Array = new Uint8Array();
  let unsent: Uint8Array = new Uint8Array();
  const push = (to: Bun.Socket) => {
    unsent = unsent.subarray(Math.max(0, to.write(unsent)));
  };
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_, chunk) {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const answer = answerIn(Buffer.from(received.buffer, received.byteOffset, received.length));
        if (answer === null) return;
        received = new Uint8Array();
        pending.resolve(answer);
      },
      drain: push,
      close: () => pending.reject(new Error("the daemon closed the connection")),
    },
  });
  return {
    send(method, path, body = "") {
      pending = Promise.withResolvers();
      const length = Buffer.byteLength(body);
      const type = body === "" ? "" : "content-type: application/json\r\n";
      const head = `${method} ${path} HTTP/1.1\r\nhost: svc\r\n${type}content-length: ${length}`;
      unsent = Buffer.from(`${head}${HEAD_END}${body}`);
      push(socket);
      return pending.promise;
    },
    async [Symbol.asyncDispose]() {
      pending.promise.catch(() => {});
      socket.terminate();
    },
  };
}

/** Null when the answer is incomplete. */
function answerIn(received: Buffer): Answer | null {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const head = received.toString("latin1", 0, headEnd);
  const begin = headEnd + HEAD_END.length;
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.NaN);
  if (received.length < begin + length) return null;
  const status = Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
  return { status, text: received.toString("utf8", begin, begin + length) };
}
