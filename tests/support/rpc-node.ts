// Stellar RPC's methods that svc uses, over ledgers and entries that a test has made.

const METHOD_NOT_FOUND = -32601;
export const INVALID_REQUEST = -32600;

/** What a node knows that stands at its latest ledger. */
export interface RpcNode {
  readonly passphrase: string;
  readonly oldestLedger: number;
  readonly latestLedger: number;
  /** A LedgerCloseMeta. The ledger is one of the node's range. */
  readonly ledger: (sequence: number) => Uint8Array;
  /** The answer of getTransaction, without the node's range. */
  readonly transaction: (hash: string) => object;
  /** An entry of getLedgerEntries, or null; null for a node that does not have the method. */
  readonly entry: ((keyXdr: string) => object | null) | null;
}

export interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Returns the result of a request, or the code of an error. */
export function resultOf(node: RpcNode, { method, params = {} }: RpcRequest): object | number {
  const { passphrase, oldestLedger, latestLedger } = node;
  const range = { latestLedger, oldestLedger };
  switch (method) {
    case "getTransaction":
      return { ...node.transaction(String(params.hash)), ...range };
    case "getLedgers": {
      const start = Number(params.startLedger);
      const { limit = 5 } = (params.pagination ?? {}) as { limit?: number };
      if (start < oldestLedger || start > latestLedger) return INVALID_REQUEST;
      const end = Math.min(start + limit - 1, latestLedger);
      const ledgers = Array.from({ length: end - start + 1 }, (_, index) => ({
        sequence: start + index,
        metadataXdr: node.ledger(start + index).toBase64(),
      }));
      return { ledgers, ...range };
    }
    case "getLedgerEntries": {
      const { entry } = node;
      if (entry === null) return METHOD_NOT_FOUND;
      const keys = params.keys as readonly string[];
      return { latestLedger, entries: keys.flatMap((key) => entry(key) ?? []) };
    }
    case "getNetwork":
      return { passphrase, protocolVersion: 0 };
    default:
      return METHOD_NOT_FOUND;
  }
}

/** Returns the response to a request with that result, or with that code of an error. */
export function answerOf({ id, method }: RpcRequest, result: object | number): Response {
  const head = { jsonrpc: "2.0", id };
  if (typeof result !== "number") return Response.json({ ...head, result });
  return Response.json({ ...head, error: { code: result, message: `refused: ${method}` } });
}
