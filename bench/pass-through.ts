// The least that a server on this runtime can take for a simulation: a body goes to svc-sim as it
// is, and its answer back. Nothing is parsed, checked, limited, counted or logged.

import { SIMULATOR_BINARY } from "../scripts/ensure-built.ts";

if (import.meta.main) serve(Number(process.argv[2]));

export interface PassThrough extends Disposable {
  readonly pid: number;
  readonly port: number;
}

export async function startPassThrough(workers: number): Promise<PassThrough> {
  const command = [process.execPath, import.meta.path, String(workers)];
  const server = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  const { value } = await server.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  return { pid: server.pid, port, [Symbol.dispose]: () => server.kill() };
}

type Answer = (line: Uint8Array) => void;

function serve(count: number): void {
  const workers = Array.from({ length: count }, () => {
    const waiting: Answer[] = [];
    const { stdin, stdout } = Bun.spawn([SIMULATOR_BINARY, "serve"], {
      stdin: "pipe",
      stdout: "pipe",
    });
    void passBack(stdout, waiting);
    return { stdin, waiting };
  });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.bytes();
      const { stdin, waiting } = workers.reduce((one, other) =>
        other.waiting.length < one.waiting.length ? other : one,
      );
      const { promise, resolve } = Promise.withResolvers<Uint8Array>();
      waiting.push(resolve);
      stdin.write(body);
      stdin.write("\n");
      stdin.flush();
      return new Response(await promise, { headers: { "content-type": "application/json" } });
    },
  });
  process.stdout.write(`${server.port}\n`);
}

/** svc-sim answers in order. */
async function passBack(stdout: ReadableStream<Uint8Array>, waiting: Answer[]): Promise<void> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of stdout) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      waiting.shift()?.(rest.slice(0, end));
      rest = rest.subarray(end + 1);
    }
  }
}
