// The methods of Stellar RPC, answered from a fork.

import * as v from "valibot";
import { BUILD_INFO } from "../../base/build-info.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { ReportDependencies } from "../../debugger/simulate/report-simulation.ts";
import { leeway, simulateAsRpc } from "../../http-server/routes/simulate-method.ts";
import type { RpcMethod } from "../../http-server/services.ts";
import { FORK_VERSION } from "../../sources/nodes/fork-node.ts";
import type { Run } from "../../tools/tools.ts";
import { toJson } from "../../xdr/reader/to-json.ts";
import { decode } from "../../xdr/reader/value.ts";
import type { Fork } from "../fork.ts";
import { impersonatedBy } from "../impersonated-by.ts";
import type { Refusal } from "../ledger/chain.ts";
import { RETENTION_LEDGERS } from "../ledger-history.ts";
import { getEvents } from "./events.ts";
import { getFeeStats } from "./fee-stats.ts";
import { getLedgerEntries } from "./ledger-entries.ts";
import { rangeOf } from "./ledger-range.ts";
import { getLatestLedger, getLedgers } from "./ledgers.ts";
import { type Format, formatOf, formatSchema, readParameters, refusal } from "./refusal.ts";
import { simulationJson } from "./simulation-json.ts";
import { getTransaction, getTransactions } from "./transactions.ts";

export interface MethodOptions {
  readonly simulation: () => Promise<ReportDependencies>;
}

type Method = (parameters: unknown, run: Run) => unknown;

export function rpcMethods(fork: Fork, options: MethodOptions): Record<string, RpcMethod> {
  const methods: Readonly<Record<string, Method>> = {
    getHealth: () => {
      const { oldestCloseTime, latestCloseTime, ...range } = rangeOf(fork);
      return {
        status: "healthy",
        latestLedger: range.latestLedger,
        latestLedgerCloseTime: latestCloseTime,
        oldestLedger: range.oldestLedger,
        oldestLedgerCloseTime: oldestCloseTime,
        ledgerRetentionWindow: RETENTION_LEDGERS,
      };
    },
    // The client may be in another container, where this machine has another name.
    getNetwork: (_, { origin = "" }) => ({
      friendbotUrl: `${origin}/friendbot`,
      passphrase: fork.chain.networkPassphrase,
      protocolVersion: fork.chain.latest.protocolVersion,
      ...impersonatedBy(fork),
    }),
    getVersionInfo: () => ({
      version: `${FORK_VERSION}${BUILD_INFO.version}`,
      commitHash: BUILD_INFO.commit,
      buildTimestamp: "",
      captiveCoreVersion: "",
      protocolVersion: fork.chain.latest.protocolVersion,
    }),
    getLatestLedger: () => getLatestLedger(fork),
    getLedgers: (parameters) => getLedgers(fork, parameters),
    getLedgerEntries: (parameters, { signal }) => getLedgerEntries(fork, parameters, signal),
    getTransaction: (parameters) => getTransaction(fork, parameters),
    getTransactions: (parameters) => getTransactions(fork, parameters),
    getEvents: (parameters) => getEvents(fork, parameters),
    getFeeStats: () => getFeeStats(fork),
    simulateTransaction: (parameters, run) => simulate(options, parameters, run),
    sendTransaction: (parameters, run) => send(fork, parameters, run),
  };
  return inJson(methods);
}

/** The results as JSON texts. */
export function inJson(methods: Readonly<Record<string, Method>>): Record<string, RpcMethod> {
  const entries = Object.entries(methods).map(([name, method]): [string, RpcMethod] => [
    name,
    async (parameters, run) => JSON.stringify((await method(parameters, run)) ?? null),
  ]);
  return Object.fromEntries(entries);
}

const transactionSchema = v.object({
  transaction: v.nullish(v.string(), ""),
  xdrFormat: formatSchema,
});

async function send(fork: Fork, parameters: unknown, run: Run) {
  const { transaction, xdrFormat } = readParameters(transactionSchema, parameters);
  const format = formatOf(xdrFormat);
  const { sequence, closeTimeUnixSeconds } = fork.chain.latest;
  let sent: Awaited<ReturnType<Fork["send"]>>;
  try {
    sent = await fork.send(transaction, run);
  } catch (error) {
    if (!(error instanceof SvcError && error.code === "XDR_INVALID")) throw error;
    throw refusal("invalid_xdr", { cause: error });
  }
  const result = sent.status === "ERROR" && errorOf(sent.refusal, format);
  return {
    ...result,
    status: sent.status,
    hash: sent.hash,
    latestLedger: sequence,
    latestLedgerCloseTime: closeTimeUnixSeconds,
  };
}

/**
 * `problems` and `remedy` are not fields of Stellar RPC, but a result code does not explain itself.
 */
function errorOf({ resultXdr, problems, remedy }: Refusal, format: Format) {
  const result =
    format === "json"
      ? { errorResultJson: toJson("TransactionResult", decode("TransactionResult", resultXdr)) }
      : { errorResultXdr: resultXdr };
  return { ...result, problems, ...(remedy !== null && { remedy }) };
}

const simulateSchema = v.object({
  ...transactionSchema.entries,
  resourceConfig: v.nullish(v.object({ instructionLeeway: leeway })),
  authMode: v.nullish(v.string()),
  useUpgradedAuth: v.nullish(v.boolean()),
});

async function simulate({ simulation }: MethodOptions, parameters: unknown, run: Run) {
  const { xdrFormat, ...request } = readParameters(simulateSchema, parameters);
  const format = formatOf(xdrFormat);
  const result = await simulateAsRpc(await simulation(), request, run);
  return format === "json" ? simulationJson(result) : result;
}
