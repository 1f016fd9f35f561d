// A network of a test: a chain of ledgers, recorded or made, and what nodes know beside them. Its
// faces are what svc can ask: nodes that speak Stellar RPC, each standing where the test says, and a
// ledger lake (SEP-54). The third face, a history archive, is in archived-chain.ts, because validators
// sign what it holds.

const METHOD_NOT_FOUND = -32601;
const INVALID_REQUEST = -32600;

export interface LedgerChain {
  readonly passphrase: string;
  readonly first: number;
  /** Returns a LedgerCloseMeta. Asked for ledgers from `first` to what nodes and lake have. */
  readonly bytes: (sequence: number) => Uint8Array;
  /**
   * Returns the answer of getTransaction of a node at that ledger, without the node's range. Null if
   * the node does not find it (default: it finds none).
   */
  readonly transaction?: (hash: string, tip: number) => object | null;
  /** Returns an entry of getLedgerEntries of a node at that ledger, or null (default: no entry). */
  readonly entry?: (keyXdr: string, tip: number) => object | null;
}

/** A node of Stellar RPC. */
export interface MadeNode {
  /** Its latest ledger. */
  readonly tip: () => number;
  /** The oldest ledger that it keeps (default: the chain's first). */
  readonly oldest?: () => number;
  /** False if it refuses every range of getLedgers. */
  readonly hasLedgers?: boolean;
  /** False if it does not know getLedgerEntries. */
  readonly hasEntries?: boolean;
  /** Called for each request. Takes the place of the answer unless it is null. */
  readonly instead?: (method: string) => Response | null;
  /** Changes an answer, or the code of an error. Null: it stays. */
  readonly fault?: (method: string, result: object | number) => Response | object | null;
}

export interface MadeLake {
  readonly ledgersPerBatch: number;
  /** Its latest ledger. */
  readonly last: number;
  /** Changes a ledger. */
  readonly change?: (sequence: number, ledger: Uint8Array) => Uint8Array;
  /** Takes the place of the answer to a request for that path unless it is null. */
  readonly fault?: (path: string) => Response | Promise<Response> | null;
}

export interface Faces {
  /** Finds a node by its name, which is empty for one that is alone. */
  readonly nodes: (name: string) => MadeNode | undefined;
  readonly lake?: MadeLake;
  /** Answers for Horizon, which stands at the ledger of the node of that name. */
  readonly horizon?: (tip: number, path: readonly string[]) => Response;
}

export interface ServedNetwork extends AsyncDisposable {
  /** The address of the node of that name. */
  readonly rpcUrl: (name: string) => string;
  readonly horizonUrl: (name: string) => string;
  readonly lakeUrl: string;
  /** The paths of the requests so far. */
  readonly asked: string[];
}

const LAKE = "lake";

/** Serves the network's faces on loopback. */
export function serveNetwork(chain: LedgerChain, faces: Faces): ServedNetwork {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const segments = pathname.slice(1).split("/");
      const [name = "", api = "", ...rest] = segments[0] === "rpc" ? ["", ...segments] : segments;
      if (name === LAKE && faces.lake) return answerLake(chain, faces.lake, pathname);
      const node = faces.nodes(name);
      if (node === undefined) return new Response("", { status: 404 });
      if (api === "horizon" && faces.horizon) return faces.horizon(node.tip(), rest);
      return answerNode(chain, node, (await request.json()) as RpcRequest);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    rpcUrl: (name) => (name === "" ? `${url}/rpc` : `${url}/${name}/rpc`),
    horizonUrl: (name) => `${url}/${name}/horizon`,
    lakeUrl: `${url}/${LAKE}`,
    asked,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** A LedgerCloseMetaBatch of ledgers that follow each other, compressed, as a lake has it. */
export function lakeObject(first: number, ledgers: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(12);
  for (const [at, value] of [first, first + ledgers.length - 1, ledgers.length].entries())
    head.writeUInt32BE(value, at * 4);
  return new Uint8Array(Bun.zstdCompressSync(Buffer.concat([head, ...ledgers])));
}

async function answerLake(chain: LedgerChain, lake: MadeLake, path: string): Promise<Response> {
  const { ledgersPerBatch, last, change = (_, ledger) => ledger } = lake;
  const faulty = lake.fault?.(path);
  if (faulty) return faulty;
  if (path === `/${LAKE}/.config.json`)
    return Response.json({ ledgersPerBatch, batchesPerPartition: 1, compression: "zstd" });
  const start = Number(/--(\d+)(?:-\d+)?\.xdr\.zst$/.exec(path)?.[1]);
  const first = Math.max(start, chain.first);
  const end = Math.min(start + ledgersPerBatch - 1, last);
  if (!(first <= end)) return new Response("", { status: 404 });
  const ledgers = Array.from({ length: end - first + 1 }, (_, at) =>
    change(first + at, chain.bytes(first + at)),
  );
  return new Response(lakeObject(first, ledgers));
}

interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function answerNode(chain: LedgerChain, node: MadeNode, request: RpcRequest): Response {
  const { id, method } = request;
  const instead = node.instead?.(method);
  if (instead) return instead;
  const honest = resultOf(chain, node, request);
  const result = node.fault?.(method, honest) ?? honest;
  if (result instanceof Response) return result;
  const head = { jsonrpc: "2.0", id };
  if (typeof result !== "number") return Response.json({ ...head, result });
  return Response.json({ ...head, error: { code: result, message: `refused: ${method}` } });
}

/** Returns the result of a request, or the code of an error. */
function resultOf(
  chain: LedgerChain,
  node: MadeNode,
  { method, params = {} }: RpcRequest,
): object | number {
  const latestLedger = node.tip();
  const oldestLedger = node.oldest?.() ?? chain.first;
  const range = { latestLedger, oldestLedger };
  switch (method) {
    case "getTransaction": {
      const found = chain.transaction?.(String(params.hash), latestLedger);
      return { ...(found ?? { status: "NOT_FOUND" }), ...range };
    }
    case "getLedgers": {
      const start = Number(params.startLedger);
      const { limit = 5 } = (params.pagination ?? {}) as { limit?: number };
      const isOfRange = start >= oldestLedger && start <= latestLedger;
      if (node.hasLedgers === false || !isOfRange) return INVALID_REQUEST;
      const end = Math.min(start + limit - 1, latestLedger);
      const ledgers = Array.from({ length: end - start + 1 }, (_, at) => ({
        sequence: start + at,
        metadataXdr: chain.bytes(start + at).toBase64(),
      }));
      return { ledgers, ...range };
    }
    case "getLedgerEntries": {
      if (node.hasEntries === false) return METHOD_NOT_FOUND;
      const keys = params.keys as readonly string[];
      return {
        latestLedger,
        entries: keys.flatMap((key) => chain.entry?.(key, latestLedger) ?? []),
      };
    }
    case "getNetwork":
      return { passphrase: chain.passphrase, protocolVersion: 0 };
    default:
      return METHOD_NOT_FOUND;
  }
}
