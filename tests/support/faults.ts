// The answers of a broken or hostile node. Each fault takes the correct answer and changes it.

import { gzipSync } from "node:zlib";

export type Fault = (honest: () => Response | Promise<Response>) => Response | Promise<Response>;

const ENDLESS_CHUNK = new Uint8Array(64 * 1024).fill(0x20);
const BOMB_BYTES = 512 * 1024 * 1024;
let bomb: Uint8Array<ArrayBuffer> | null = null;

export const FAULTS: Readonly<Record<string, Fault>> = {
  html: () =>
    new Response("<!doctype html><html><body>Welcome</body></html>", {
      headers: { "content-type": "text/html" },
    }),
  endless: () => new Response(new ReadableStream({ pull: (out) => out.enqueue(ENDLESS_CHUNK) })),
  truncated: async (honest) => {
    const text = await (await honest()).text();
    return new Response(text.slice(0, text.length >> 1), {
      headers: { "content-type": "application/json" },
    });
  },
  empty: () => new Response(""),
  "rate-limited": () =>
    Response.json(
      { title: "Rate Limit Exceeded" },
      {
        status: 429,
        headers: {
          "retry-after": "3600",
          "x-ratelimit-limit": "3600",
          "x-ratelimit-remaining": "0",
          "x-ratelimit-reset": "1800",
        },
      },
    ),
  "status-500": () => new Response("oops", { status: 500 }),
  "status-503": () => new Response("<html>busy</html>", { status: 503 }),
  silent: () => new Promise<Response>(() => {}),
  drip: () =>
    new Response(
      new ReadableStream({
        async pull(out) {
          await Bun.sleep(50);
          out.enqueue(new Uint8Array([0x20]));
        },
      }),
    ),
  "gzip-bomb": () => {
    bomb ??= new Uint8Array(gzipSync(Buffer.alloc(BOMB_BYTES)));
    return new Response(bomb, {
      headers: { "content-encoding": "gzip", "content-type": "application/json" },
    });
  },
};
