// A ledger lake (SEP-54) on loopback, of ledgers that are made when they are asked for, and a node
// beside it that has the entries and no ledgers.

import type { LongChain } from "./long-chain.ts";
import { answerOf, INVALID_REQUEST, type RpcRequest } from "./rpc-node.ts";

export interface Lake extends AsyncDisposable {
  readonly lakeUrl: string;
  readonly rpcUrl: string;
  /** Paths that were asked for. */
  readonly asked: string[];
}

export interface LakeOptions {
  readonly ledgersPerBatch: number;
  readonly last: number;
  /** In the place of a ledger of the chain. */
  readonly change?: (sequence: number, ledger: Uint8Array) => Uint8Array;
  /** In the place of an answer. */
  readonly fault?: (path: string) => Response | Promise<Response> | null;
}

export function serveLake(chain: LongChain, options: LakeOptions): Lake {
  const { ledgersPerBatch, last, change = (_, ledger) => ledger } = options;
  const asked: string[] = [];
  chain.tip = last;
  const batch = (start: number): Uint8Array => {
    const first = Math.max(start, chain.first);
    const end = Math.min(start + ledgersPerBatch - 1, last);
    const parts: Uint8Array[] = [];
    for (let each = first; each <= end; each += 1) parts.push(change(each, chain.bytes(each)));
    const head = Buffer.alloc(12);
    for (const [at, value] of [first, end, parts.length].entries())
      head.writeUInt32BE(value, at * 4);
    return Bun.zstdCompressSync(Buffer.concat([head, ...parts]));
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const faulty = options.fault?.(pathname);
      if (faulty) return faulty;
      if (pathname === "/rpc") return answerRpc(chain, (await request.json()) as RpcRequest);
      if (pathname === "/lake/.config.json") {
        return Response.json({ ledgersPerBatch, batchesPerPartition: 1, compression: "zstd" });
      }
      const found = /--(\d+)(?:-\d+)?\.xdr\.zst$/.exec(pathname);
      const start = Number(found?.[1]);
      if (found === null || start > last || start + ledgersPerBatch <= chain.first) {
        return new Response("", { status: 404 });
      }
      return new Response(new Uint8Array(batch(start)));
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    lakeUrl: `${url}/lake`,
    rpcUrl: `${url}/rpc`,
    asked,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

async function answerRpc(chain: LongChain, request: RpcRequest): Promise<Response> {
  if (request.method === "getLedgers") return answerOf(request, INVALID_REQUEST);
  return fetch(chain.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
}
