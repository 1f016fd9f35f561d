// A node on loopback whose answers the test writes itself.

import { openHttp } from "../../src/base/http/http.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";
import { TestClock } from "./test-clock.ts";

export interface ScriptedNode extends AsyncDisposable {
  readonly url: string;
  /** The dependencies of an adapter. */
  readonly dependencies: { readonly http: ReturnType<typeof openHttp>; readonly url: string };
  readonly context: { readonly signal: AbortSignal };
  /** The requested paths and JSON-RPC calls, in order. */
  readonly asked: string[];
  /** For each attempt, in order, whether it counts as a success of the node. */
  readonly succeeded: boolean[];
}

export type Script = (path: string, call: JsonRpcCall | null) => unknown;

export interface JsonRpcCall {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The script returns the JSON-RPC result, or a Response that is sent unchanged. */
export function openNode(script: Script): ScriptedNode {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const call = request.method === "POST" ? ((await request.json()) as JsonRpcCall) : null;
      asked.push(call === null ? pathname + search : call.method);
      const answer = await script(pathname, call);
      if (answer instanceof Response) return answer;
      return Response.json(call === null ? answer : { jsonrpc: "2.0", id: 1, result: answer });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  const clock = new TestClock({ grantedUpTo: 5000 });
  const succeeded: boolean[] = [];
  const http = openHttp({
    clock,
    timeoutMilliseconds: 60_000,
    userAgent: "svc/test",
    observe: (attempt) => succeeded.push(attempt.succeeded),
  });
  return {
    url,
    dependencies: { http, url },
    context: { signal: NEVER_ABORTED },
    asked,
    succeeded,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export function rpcError(code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: 1, error: { code, message } });
}
