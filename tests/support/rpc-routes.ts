// Stellar RPC's part of the loopback server.

import { isSettingKey } from "../../src/xdr/reader/keys.ts";
import type { Switches } from "./loopback-server.ts";
import { type RecordedNetwork, type RpcEntry, recordedSessions } from "./recorded-network.ts";
import { events, feeStats, send, sentTransaction, transactions } from "./rpc-chain-routes.ts";

interface Call {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const MAXIMUM_KEYS = 200;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
const RETAINED_WHEN_PAST = 10;

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export async function answerRpc(
  network: RecordedNetwork,
  switches: Switches,
  request: Request,
  requests: string[],
): Promise<Response> {
  const call = (await request.json()) as Call;
  requests.push(call.method ?? "");
  const head = { jsonrpc: "2.0", id: call.id ?? null };
  try {
    return Response.json({ ...head, result: dispatch(network, switches, call) });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return Response.json({ ...head, error: { code: error.code, message: error.message } });
  }
}

function dispatch(network: RecordedNetwork, switches: Switches, call: Call): unknown {
  const session = switches.get("session");
  if (session !== undefined) return replay(session, call);
  const parameters = call.params ?? {};
  const latest = network.latestLedger;
  const oldest = switches.has("past-retention") ? latest - RETAINED_WHEN_PAST : 71;
  const range = { latestLedger: latest, oldestLedger: oldest };
  switch (call.method) {
    case "getTransaction": {
      const hash = String(parameters.hash);
      const found = sentTransaction(network, hash) ?? transaction(network, switches, hash);
      return { ...found, ...range, ...tip(network, switches) };
    }
    case "getLedgers":
      if (switches.has("no-ledgers")) break;
      return { ...ledgers(network, parameters), ...range };
    case "getLedgerEntries":
      if (switches.has("no-entries")) break;
      return ledgerEntries(network, switches, parameters);
    case "getHealth":
      return { status: "healthy", ledgerRetentionWindow: 120_960, ...range };
    case "getNetwork":
      return { passphrase: network.passphrase, protocolVersion: network.protocolVersion };
    case "getVersionInfo": {
      const { protocolVersion } = network;
      return { version: `${protocolVersion}.0.0`, protocolVersion };
    }
    case "getLatestLedger": {
      const { sequence, hash, headerXdr, metadataXdr } = ledger(network, latest) ?? {};
      const whole = switches.has("no-ledgers") ? {} : { metadataXdr };
      const { protocolVersion } = network;
      return { id: hash, sequence, protocolVersion, headerXdr: bare(headerXdr), ...whole };
    }
    case "getTransactions":
      return transactions(network, parameters);
    case "getEvents":
      return events(network, parameters);
    case "getFeeStats":
      return feeStats(network);
    case "sendTransaction":
      try {
        return send(network, parameters);
      } catch {
        throw new RpcError(INVALID_PARAMS, "invalid_xdr");
      }
    default:
  }
  throw new RpcError(METHOD_NOT_FOUND, `method not found: ${call.method}`);
}

/** The answer of the recorded session to exactly this call. */
function replay(name: string, { method, params }: Call): unknown {
  const session = recordedSessions().find((each) => each.name === name);
  const found = session?.recorded.find(
    (each) => each.method === method && Bun.deepEquals(each.params ?? {}, params ?? {}),
  );
  if (found !== undefined) return found.result;
  throw new RpcError(METHOD_NOT_FOUND, `not recorded: ${method}`);
}

function transaction(network: RecordedNetwork, switches: Switches, hash: string) {
  const found = network.transactions.find((each) => each.hash === hash);
  if (found === undefined || switches.has("past-retention")) {
    return { status: "NOT_FOUND", txHash: hash };
  }
  const result = { ...network.file(found).rpcGetTransaction.result };
  const other = network.transactions.find((each) => each !== found && each.result === found.result);
  const otherResult = other === undefined ? {} : network.file(other).rpcGetTransaction.result;
  if (switches.has("wrong-envelope")) result.envelopeXdr = otherResult.envelopeXdr;
  if (switches.has("wrong-result")) result.resultXdr = otherResult.resultXdr;
  return result;
}

/**
 * The recorded settings are the last ones. A node at an earlier ledger had the same settings, so
 * that simulations compute the same from them.
 */
function notAfter(ledger: number): (entry: RpcEntry) => RpcEntry {
  return (entry) => ({
    ...entry,
    lastModifiedLedgerSeq: Math.min(entry.lastModifiedLedgerSeq, ledger),
  });
}

/** The latest ledger of the node; with `tip=N`, it may be a ledger that was not recorded itself. */
function tip(network: RecordedNetwork, switches: Switches) {
  const latestLedger = Number(switches.get("tip") ?? network.latestLedger);
  const latestLedgerCloseTime = network.closeTime(latestLedger);
  return switches.has("tip") ? { latestLedger, latestLedgerCloseTime } : { latestLedgerCloseTime };
}

function ledgers(network: RecordedNetwork, parameters: Readonly<Record<string, unknown>>) {
  const start = Number(parameters.startLedger);
  const { limit = 50 } = (parameters.pagination ?? {}) as { limit?: number };
  if (ledger(network, start) === null) {
    throw new RpcError(INVALID_REQUEST, "start ledger must be between the oldest and the latest");
  }
  const found: unknown[] = [];
  for (let sequence = start; found.length < limit; sequence += 1) {
    const next = ledger(network, sequence);
    if (next === null) break;
    found.push(next);
  }
  return { ledgers: found, cursor: String(start + found.length - 1) };
}

function ledgerEntries(
  network: RecordedNetwork,
  switches: Switches,
  parameters: Readonly<Record<string, unknown>>,
) {
  const keys = parameters.keys as string[];
  if (keys.length > MAXIMUM_KEYS) throw new RpcError(INVALID_PARAMS, "too many keys");
  if (keys.some((key) => Buffer.from(key, "base64").readInt32BE(0) === 9)) {
    throw new RpcError(INVALID_PARAMS, "ledger ttl entries cannot be queried directly");
  }
  if (new Set(keys).size < keys.length) throw new RpcError(INVALID_PARAMS, "duplicate keys");
  const at = switches.get("tip") ?? switches.get("entries-at");
  const latestLedger = Number(at ?? network.latestLedger);
  const entries = network.entries(asked(keys, switches), latestLedger);
  return {
    latestLedger,
    entries: switches.has("tip") ? entries.map(notAfter(latestLedger)) : entries,
  };
}

/** getLedgers has a LedgerHeaderHistoryEntry, and getLatestLedger the LedgerHeader inside it. */
function bare(headerXdr: unknown): string {
  return Buffer.from(String(headerXdr), "base64").subarray(32, -4).toString("base64");
}

/** With `omit=N` the answer leaves out the N-th of the keys that are no settings, in their order. */
function asked(keys: readonly string[], switches: Switches): string[] {
  const candidates = keys.filter((key) => !isSettingKey(key)).toSorted();
  const omitted = candidates[Number(switches.get("omit") ?? Number.NaN) % candidates.length];
  return keys.filter((key) => key !== omitted);
}

function ledger(network: RecordedNetwork, sequence: number) {
  return network.ledger(sequence)?.rpc.result.ledgers[0] ?? null;
}
