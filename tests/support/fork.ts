// A complete fork in this process, on its own port.

import { EventEmitter } from "node:events";
import {
  BASE_FEE,
  Keypair,
  rpc,
  type Transaction,
  TransactionBuilder,
  type xdr,
} from "@stellar/stellar-sdk";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { systemClock } from "../../src/base/clock.ts";
import { type BaseChoice, type BaseSurroundings, openBase } from "../../src/fork/base/open-base.ts";
import type { Mining } from "../../src/fork/fork.ts";
import { FORK_SETTINGS } from "../../src/fork/fork-settings.ts";
import { runFork, type StartedFork } from "../../src/fork/run-fork.ts";
import { openEventLog } from "../../src/http-server/request-log.ts";
import { openAgents } from "../../src/mcp/http-route.ts";
import { openWork } from "../../src/tools/open-work.ts";
import { resolveConfig, resolveDaemonConfig } from "./settings.ts";

export interface TestFork extends AsyncDisposable, StartedFork {
  /** The result of a JSON-RPC call. Throws its error. */
  readonly call: <T = Record<string, unknown>>(method: string, params?: unknown) => Promise<T>;
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** stellar-sdk's client of it. */
  readonly node: rpc.Server;
  /** The keys of an account that the fork began with. */
  readonly keypair: (index: number) => Keypair;
  /** An unsigned transaction, valid at any time: after a warp the fork's is not this machine's. */
  readonly build: (source: string, operation: xdr.Operation) => Promise<Transaction>;
  /** A signed transaction, with its footprint and fee where it calls a contract. */
  readonly signed: (source: Keypair, operation: xdr.Operation) => Promise<Transaction>;
}

export interface TestForkOptions {
  /** Absent: an empty network. */
  readonly choice?: Partial<BaseChoice>;
  readonly horizonUrl?: string;
  readonly rpcUrl?: string;
  readonly networkPassphrase?: string;
  readonly passphrase?: string;
  readonly offline?: boolean;
  readonly archive?: BaseSurroundings["archive"];
  readonly mining?: Mining;
  readonly cheats?: boolean;
  readonly stateFile?: string;
  readonly protocolVersion?: number;
  readonly simulatorPath?: string;
}

export const EMPTY_PASSPHRASE = "Test Fork Network ; November 2026";

export async function openFork(options: TestForkOptions = {}): Promise<TestFork> {
  const { horizonUrl, rpcUrl, networkPassphrase = EMPTY_PASSPHRASE } = options;
  const { simulatorPath = SIMULATOR_BINARY } = options;
  const flags = { networkPassphrase, horizonUrl, rpcUrl, simPath: simulatorPath };
  const config = resolveConfig({ flags, environment: {}, file: null });
  const daemon = resolveDaemonConfig({
    flags: { port: 0, shutdownDelay: 0, allowedOrigins: FORK_SETTINGS.allowedOrigins.default },
    environment: {},
    file: null,
    workingDirectory: "/",
  });
  const log: Record<string, unknown>[] = [];
  const stop = new AbortController();
  const started = Promise.withResolvers<StartedFork>();
  const { passphrase = null, offline = false } = options;
  const surroundings = {
    ...{ config, passphrase, offline },
    progress: () => {},
    warn: (text: string) => log.push({ level: "warn", message: text }),
    archive: options.archive ?? null,
    work: openWork(
      { ...config, simPath: SIMULATOR_BINARY },
      { surroundings: { executablePath: "/nowhere/svc", searchPath: undefined } },
    ),
  };
  const nothing = { ledger: null, before: null, empty: null, file: null };
  const { protocolVersion = 27 } = options;
  const choice = { ...nothing, ...(options.choice ?? { empty: { protocolVersion } }) };
  const context = { signal: stop.signal };
  const ended = runFork({
    config,
    server: daemon,
    surroundings: { executablePath: "/nowhere/svc", searchPath: undefined },
    log: openEventLog({
      clock: systemClock,
      lowest: "debug",
      write: (lines) =>
        log.push(
          ...lines
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line)),
        ),
    }),
    agents: openAgents,
    signals: new EventEmitter(),
    environment: {},
    stop: stop.signal,
    opened: await openBase(surroundings, choice, context),
    passphrase,
    mining: options.mining ?? "each",
    accounts: 3,
    cheats: options.cheats ?? true,
    state: options.stateFile === undefined ? null : { path: options.stateFile, lockFile() {} },
    open: (next) => openBase(surroundings, { ...nothing, ...next }, context),
    load: (text) => openBase(surroundings, { ...nothing, file: { name: "state", text } }, context),
    started: async (fork) => started.resolve(fork),
  });
  ended.catch(started.reject);
  const fork = await started.promise;
  const node = new rpc.Server(fork.url, { allowHttp: true });
  const build = async (source: string, operation: xdr.Operation) =>
    new TransactionBuilder(await node.getAccount(source), {
      fee: BASE_FEE,
      networkPassphrase: fork.networkPassphrase,
    })
      .addOperation(operation)
      .setTimeout(0)
      .build();
  return {
    ...{ ...fork, log, node, build },
    keypair: (index) => Keypair.fromSecret(fork.accounts[index]?.secret ?? ""),
    async signed(source, operation) {
      const built = await build(source.publicKey(), operation);
      const isSoroban = operation.body.type === "invokeHostFunction";
      const transaction = isSoroban ? await node.prepareTransaction(built) : built;
      transaction.sign(source);
      return transaction;
    },
    async call<T>(method: string, params: unknown = {}) {
      const answer = await fetch(fork.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const { result, error } = (await answer.json()) as { result: T; error?: object };
      if (error !== undefined) throw error;
      return result;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}
