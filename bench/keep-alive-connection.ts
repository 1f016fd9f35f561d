// A client with little overhead: one HTTP/1.1 connection, one request after the other, answers with
// a content length.

export interface Connection extends AsyncDisposable {
  /** Rejects when the connection is closed before the answer is complete. */
  send(method: string, path: string, body?: string): Promise<Answer>;
  /** No request can be sent any more. */
  closed(): boolean;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The other side closes the connection after this answer. */
  readonly closes: boolean;
}

export interface ConnectionOptions {
  readonly host?: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

const HEAD_END = "\r\n\r\n";

export async function openConnection(
  port: number,
  { host = "127.0.0.1", headers = {} }: ConnectionOptions = {},
): Promise<Connection> {
  let pending = Promise.withResolvers<Answer>();
  let received: Uint8Array = new Uint8Array();
  let unsent: Uint8Array = new Uint8Array();
  let closed = false;
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const push = (to: Bun.Socket) => {
    unsent = unsent.subarray(Math.max(0, to.write(unsent)));
  };
  const end = () => {
    closed = true;
    // Between two requests, nobody waits for this.
    pending.promise.catch(() => {});
    pending.reject(new Error("the daemon closed the connection"));
  };
  const socket = await Bun.connect({
    hostname: host,
    port,
    socket: {
      data(_, chunk) {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const answer = answerIn(Buffer.from(received.buffer, received.byteOffset, received.length));
        if (answer === null) return;
        received = new Uint8Array();
        closed ||= answer.closes;
        pending.resolve(answer);
      },
      drain: push,
      end,
      close: end,
    },
  });
  return {
    closed: () => closed,
    send(method, path, body = "") {
      pending = Promise.withResolvers();
      const length = Buffer.byteLength(body);
      const type = body === "" ? "" : "content-type: application/json\r\n";
      const first = `${method} ${path} HTTP/1.1\r\nhost: svc\r\n${more.join("")}${type}`;
      unsent = Buffer.from(`${first}content-length: ${length}${HEAD_END}${body}`);
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
  const closes = /^connection: close\r?$/im.test(head);
  return { status, text: received.toString("utf8", begin, begin + length), closes };
}
