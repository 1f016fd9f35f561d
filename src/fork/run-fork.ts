// The life of a fork: its base, its chain, and the server that answers for it until it is stopped.

import { basename, dirname } from "node:path";
import { systemClock } from "../base/clock.ts";
import { writeOutputFile } from "../base/files/write-file.ts";
import type { EventLog } from "../daemon/request-log.ts";
import type { Route, ServedNetwork } from "../daemon/route-table.ts";
import { asAnswer } from "../daemon/routes/json-answer.ts";
import { BODY_RULES } from "../daemon/routes/read-body.ts";
import { answerRpc } from "../daemon/routes/route-rpc.ts";
import { type DaemonOptions, runDaemon } from "../daemon/run-daemon.ts";
import type { Services } from "../daemon/services.ts";
import { findProgram } from "../debugger/setup/find-simulator.ts";
import type { Nodes } from "../debugger/setup/open-engines.ts";
import { LedgerReader } from "../ledgers/ledger-reader.ts";
import { networkOfPassphrase } from "../model/networks.ts";
import { LedgerEngine } from "../simulator/ledger-engine.ts";
import { openPool } from "../simulator/pool.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import { sdkSnapshot } from "../xdr/ledger/sdk-snapshot.ts";
import { type ForkAccount, forkAccount, fundedEntry, GIVEN_STROOPS } from "./accounts.ts";
import type { OpenedBase } from "./base/opened-base.ts";
import { encodeFork } from "./base/saved-fork.ts";
import { cheatMethods, type ResetChoice } from "./cheats/cheats.ts";
import { Fork, type Mining } from "./fork.ts";
import { openForkSource } from "./fork-source.ts";
import type { ForkChain } from "./ledger/chain.ts";
import { openChain } from "./ledger/open-chain.ts";
import { friendbotHandler } from "./rpc/friendbot.ts";
import { rpcMethods } from "./rpc/methods.ts";
import { refusal } from "./rpc/refusal.ts";
import type { WrittenEntry } from "./written-entries.ts";

export interface ForkServerOptions
  extends Omit<DaemonOptions, "tracing" | "following" | "served" | "proof"> {
  readonly opened: OpenedBase;
  /** Null: that of the network. */
  readonly passphrase: string | null;
  readonly mining: Mining;
  readonly accounts: number;
  readonly cheats: boolean;
  /** Absolute path; null: the fork ends with the process. */
  readonly stateFile: string | null;
  /** Another base of the same network. */
  readonly open: (choice: ResetChoice, signal: AbortSignal) => Promise<OpenedBase>;
  /** A saved fork. */
  readonly load: (content: string) => Promise<OpenedBase>;
  readonly started: (fork: StartedFork) => Promise<void>;
}

export interface StartedFork {
  readonly url: string;
  readonly name: string;
  readonly networkPassphrase: string;
  readonly ledger: number;
  readonly protocolVersion: number;
  readonly accounts: readonly ForkAccount[];
}

const FRIENDBOT_STROOPS = 100_000n * GIVEN_STROOPS;
/** The time for one transaction; the largest that networks allow takes half a second. */
const DEADLINE_MILLISECONDS = 20_000;
const SLOW_MILLISECONDS = 100;
/** A request with the largest wasm that a network takes is far smaller. */
const BODY_BYTES = 4 * 1024 * 1024;
const KIBIBYTE = 1024;

export async function runFork(options: ForkServerOptions): Promise<void> {
  const { config, daemon, surroundings, log, stop, passphrase } = options;
  const { program, countAs } = openProgram(options);
  await using simulator = simulatorOf(program, options);
  let opened = options.opened;
  const networkPassphrase = passphrase ?? opened.base.networkPassphrase;
  const chainOf = ({ base, overlay }: OpenedBase): ForkChain =>
    openChain({ ...base, networkPassphrase }, simulator, overlay === null ? {} : { overlay });
  const accounts = Array.from({ length: options.accounts }, (_, index) =>
    forkAccount(networkPassphrase, String(index)),
  );
  const saving = openSaving(options.stateFile, log, () => fork.alone(() => dump()));
  const fork = new Fork(chainOf(opened), {
    clock: systemClock,
    mining: options.mining,
    ...{ first: opened.first, followed: opened.followed },
    closed: () => saving.changed(),
    failed: (error, hash) => logFailure(log, error, hash),
  });
  const dump = () => {
    const state = { overlay: fork.chain.overlay(), followed: fork.followed };
    return encodeFork(opened, state, networkPassphrase);
  };
  // The first ledger of the fork, which has what clients want to know of a latest ledger.
  const begin = async () => {
    if (opened.overlay === null)
      await fork.write(fundedEntries(accounts, fork.chain), { signal: stop });
  };
  const replace = async (next: OpenedBase) => {
    await fork.alone(() => {
      opened = next;
      fork.replace(chainOf(next), next);
    });
    await begin();
  };
  await begin();
  const served: ServedNetwork = {
    nodes: (counted) => nodesOf(fork, countAs(counted)),
    rpcMethods: ({ simulation }) => ({
      ...rpcMethods(fork, { simulation }),
      ...(options.cheats &&
        cheatMethods({
          fork,
          simulation,
          dump,
          reset: async (choice, signal) => {
            const isBegin = choice.ledger === null && choice.before === null;
            // The nodes are those of the settings, which a file or an empty network need not have.
            if (!isBegin && config.networkPassphrase !== opened.base.networkPassphrase)
              throw refusal("no node of the fork's network is known");
            await replace(isBegin ? { ...options.opened } : await options.open(choice, signal));
          },
          load: async (content) => {
            const next = await options.load(content);
            const { passphrase: own, base } = next;
            if ((own ?? base.networkPassphrase) !== networkPassphrase)
              throw refusal("the saved fork has another passphrase");
            await replace(next);
          },
          sdkSnapshot: (keysXdr, signal) => snapshotOf(fork, opened, keysXdr, signal),
        })),
    }),
    // A saved fork has the code of all contracts that it read.
    routes: (services) =>
      routesOf(fork, services, options.cheats ? BODY_RULES.maximumBytes : BODY_BYTES),
    listening: async (url) => {
      const { sequence: ledger, protocolVersion } = fork.chain.latest;
      const { name } = opened;
      await options.started({ url, name, networkPassphrase, ledger, protocolVersion, accounts });
    },
  };
  const { signals } = options;
  const ended = new AbortController();
  const mining = fork.mine(AbortSignal.any([stop, ended.signal]));
  const running = runDaemon({
    // The network is the fork itself.
    config: {
      ...config,
      network: networkOfPassphrase(networkPassphrase) ?? "custom",
      networkPassphrase,
      ...{ horizonUrls: [], rpcUrls: [], ledgerLakeUrls: [], publicLake: null },
    },
    ...{ daemon, surroundings, log, signals, stop, served, tracing: null, following: null },
  });
  await running.finally(() => ended.abort());
  await mining;
  await saving.end();
}

function logFailure(log: EventLog, error: unknown, hash: string | null): void {
  const { code } = asAnswer(error);
  if (hash === null) log.write("error", "ledger not closed", { code, error: String(error) });
  else log.write("error", "transaction not applied", { hash, code, error: String(error) });
}

function fundedEntries(
  accounts: readonly ForkAccount[],
  { latest, networkPassphrase }: ForkChain,
): WrittenEntry[] {
  const { sequence } = latest;
  return [
    fundedEntry(forkAccount(networkPassphrase, "friendbot"), FRIENDBOT_STROOPS, sequence),
    ...accounts.map((account) => fundedEntry(account, GIVEN_STROOPS, sequence)),
  ];
}

function nodesOf(fork: Fork, program: SimulatorProgram): Nodes {
  const sources = [openForkSource(() => fork)];
  const { networkPassphrase } = fork.chain;
  const ledgers = new LedgerReader({ sources, networkPassphrase });
  const startEngine = (signal: AbortSignal) => new LedgerEngine(program, 1, [], signal);
  return { sources, ledgers, startEngine, networkPassphrase };
}

/** Where clients of Stellar RPC and of friendbot look. */
function routesOf(fork: Fork, services: Services, bodyBytes: number): Route[] {
  const friendbot = friendbotHandler(fork, services);
  const work = { room: "requests", maximumBytes: KIBIBYTE, answers: [] } as const;
  const funding = { ...work, path: "/friendbot", summary: "Creates an account (addr=G…)." };
  // The second one is where quickstart has it, and with it the SDK's own tests.
  const nodes = ["/", "/soroban/rpc"].map(
    (path): Route => ({
      ...{ ...work, path },
      method: "POST",
      maximumBytes: bodyBytes,
      summary: "JSON-RPC 2.0, as a node of Stellar RPC answers it.",
      handler: (context) => answerRpc(services, context),
    }),
  );
  return [
    ...nodes,
    { ...funding, method: "GET", handler: friendbot },
    { ...funding, method: "POST", handler: friendbot },
  ];
}

/** `keysXdr` null: all that was read of the base and changed since. */
async function snapshotOf(
  fork: Fork,
  { read }: OpenedBase,
  keysXdr: readonly string[] | null,
  signal: AbortSignal,
): Promise<object> {
  const { chain } = fork;
  const changed = await fork.alone(() => chain.overlay().entries.map(({ keyXdr }) => keyXdr));
  const keys = keysXdr ?? [...new Set([...read.keys(), ...changed])];
  const entries = await chain.read(keys, { signal });
  const { latest, networkPassphrase, settingsXdr } = chain;
  return sdkSnapshot(
    { ...latest, networkPassphrase, settingsXdr },
    [...entries.values()].filter((entry) => entry !== null),
  );
}

/** All that the fork changed is written each time: not more often than this. */
const BETWEEN_SAVES_MILLISECONDS = 500;

/** A file that is whole at any time: it is replaced when another one is complete. */
function openSaving(path: string | null, log: EventLog, dump: () => Promise<string>) {
  let running: Promise<void> | null = null;
  let isStale = false;
  let failure: unknown = null;
  const ending = new AbortController();
  const save = async () => {
    while (isStale && path !== null) {
      isStale = false;
      failure = null;
      try {
        const { signal } = new AbortController();
        await writeOutputFile(dirname(path), basename(path), await dump(), { signal });
      } catch (error) {
        failure = error;
        log.write("error", "fork not saved", { error: String(error) });
      }
      await systemClock.sleep(BETWEEN_SAVES_MILLISECONDS, ending.signal).catch(() => {});
    }
    running = null;
  };
  const changed = () => {
    isStale = true;
    // After the ledger that has just closed, which still has its turn.
    running ??= Promise.resolve().then(save);
  };
  return {
    changed,
    /** Throws what the last save failed with. */
    async end() {
      ending.abort();
      changed();
      await running;
      if (failure !== null) throw failure;
    },
  };
}

/** The counter of runs is one of the daemon's metrics, and the daemon opens later. */
function openProgram({ config, surroundings }: ForkServerOptions) {
  let simulated: SimulatorProgram["simulated"];
  const program: SimulatorProgram = {
    ...findProgram(config, surroundings),
    simulated: (status) => simulated?.(status),
  };
  const countAs = (counted: SimulatorProgram) => {
    ({ simulated } = counted);
    return counted;
  };
  return { program, countAs };
}

function simulatorOf(program: SimulatorProgram, { daemon }: ForkServerOptions) {
  return openPool({
    ...program,
    // Ledgers close one at a time.
    size: 1,
    workerMemoryBytes: daemon.workerMemoryBytes,
    cpuMilliseconds: daemon.simulationMilliseconds,
    deadlineMilliseconds: DEADLINE_MILLISECONDS,
    slowMilliseconds: SLOW_MILLISECONDS,
  });
}
