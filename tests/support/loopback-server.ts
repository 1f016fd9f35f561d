// A real HTTP server on loopback that plays the recorded network as Horizon and Stellar RPC, with
// switches in the path: http://127.0.0.1:<port>/<switches>/horizon and …/rpc, switches separated by
// commas, `plain` for none. By hand: bun tests/support/loopback-server.ts --port 8000
//
//   no-meta         Horizon leaves result_meta_xdr out
//   no-headers      Horizon has no ledgers
//   past-retention  RPC has no transactions any more, but still has ledgers
//   no-ledgers      RPC does not have getLedgers
//   no-entries      RPC does not have getLedgerEntries
//   entries-at=N    getLedgerEntries answers for ledger N (default: the last one)
//   omit=N          getLedgerEntries leaves out the N-th key (modulo their number)
//   tip=N           the latest ledger of RPC is N, in getLedgerEntries and getTransaction
//   first-broken=N  the first N requests are answered with 503
//   session=NAME    RPC answers as in this recorded session; Horizon has nothing
//   wrong-envelope, wrong-result, wrong-header, wrong-fee   lies
//   …and every name of faults.ts and lies.ts

import { parseArgs } from "node:util";
import { FAULTS } from "./faults.ts";
import { answerHorizon } from "./horizon-routes.ts";
import { LIES } from "./lies.ts";
import { RecordedNetwork } from "./recorded-network.ts";
import { answerRpc } from "./rpc-routes.ts";

/** Name → value, empty for those without. */
export type Switches = ReadonlyMap<string, string>;

export interface Loopback extends AsyncDisposable {
  readonly network: RecordedNetwork;
  /** Method and path, or JSON-RPC method, of every request so far. */
  readonly requests: string[];
  url(api: "horizon" | "rpc", switches?: string): string;
}

export interface LoopbackOptions {
  readonly port?: number;
  /** Default: as it was recorded. */
  readonly network?: RecordedNetwork;
}

export function openLoopback(options: LoopbackOptions = {}): Loopback {
  const { network = new RecordedNetwork() } = options;
  const requests: string[] = [];
  const broken = new Map<string, number>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: options.port ?? 0,
    idleTimeout: 0,
    fetch: toPages(async (request) => {
      const { pathname } = new URL(request.url);
      const [, switchText = "", api = "", ...rest] = pathname.split("/");
      const switches = readSwitches(switchText);
      const lies = [...switches].flatMap(([name, argument]) => {
        const lie = LIES[name];
        return lie === undefined ? [] : [{ lie, argument }];
      });
      const call = lies.length === 0 ? null : request.clone();
      const told = () =>
        api === "horizon"
          ? answerHorizon(network, switches, `/${rest.join("/")}`, requests)
          : answerRpc(network, switches, request, requests);
      const honest = async () => {
        const answer = await told();
        if (call === null || !answer.ok) return answer;
        const body = (await answer.json()) as Record<string, unknown>;
        const method =
          api === "horizon" ? null : String(((await call.json()) as { method: unknown }).method);
        const result = (method === null ? body : body.result) as
          | Record<string, unknown>
          | undefined;
        if (result !== undefined)
          for (const { lie, argument } of lies) lie(result, method, argument);
        return Response.json(body);
      };
      const toBreak = Number(switches.get("first-broken") ?? 0);
      const brokenSoFar = broken.get(switchText) ?? 0;
      if (brokenSoFar < toBreak) {
        broken.set(switchText, brokenSoFar + 1);
        return new Response("busy", { status: 503 });
      }
      for (const name of switches.keys()) {
        const fault = FAULTS[name];
        if (fault !== undefined) return fault(honest);
      }
      return honest();
    }),
  });
  return {
    network,
    requests,
    url: (api, switches = "plain") => `http://127.0.0.1:${server.port}/${switches}/${api}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Horizon and Stellar RPC let any page ask them. */
function toPages(answer: (request: Request) => Promise<Response>) {
  return async (request: Request): Promise<Response> => {
    const allowed = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: allowed });
    const response = await answer(request);
    for (const [name, value] of Object.entries(allowed)) response.headers.set(name, value);
    return response;
  };
}

function readSwitches(text: string): Switches {
  return new Map(
    text.split(",").map((each) => {
      const [name = "", value = ""] = each.split("=");
      return [name, value];
    }),
  );
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Bun.argv.slice(2),
    options: { port: { type: "string", default: "0" } },
  });
  const loopback = openLoopback({ port: Number(values.port) });
  const [first] = loopback.network.transactions.filter(({ status }) => status === "FAILED");
  process.stdout.write(
    [
      `--horizon-url ${loopback.url("horizon")}`,
      `--rpc-url ${loopback.url("rpc")}`,
      `--network-passphrase "${loopback.network.passphrase}"`,
      `a transaction that failed: ${first?.hash} (${first?.name})`,
      "",
    ].join("\n"),
  );
}
