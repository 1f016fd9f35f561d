// Runs a fork: its base, its chain, and the server that answers for it until it is stopped.

import { systemClock } from "../base/clock.ts";
import { callsOn } from "../command/call-by-name.ts";
import type { Nodes } from "../debugger/setup/open-engines.ts";
import type { EventLog } from "../http-server/request-log.ts";
import type { Route, ServedNetwork } from "../http-server/route-table.ts";
import { asAnswer } from "../http-server/routes/json-answer.ts";
import { BODY_RULES } from "../http-server/routes/read-body.ts";
import { answerRpc } from "../http-server/routes/route-rpc.ts";
import { type HttpServerOptions, runServer } from "../http-server/run-server.ts";
import type { Services } from "../http-server/services.ts";
import { LedgerReader } from "../ledgers/ledger-reader.ts";
import { networkOfPassphrase } from "../model/networks.ts";
import { openLedgerEngine } from "../simulator/open-processes.ts";
import { openPool } from "../simulator/pool.ts";
import type { Simulator } from "../simulator/simulator.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import type { StartEngine } from "../snapshot/gather/gather-evidence.ts";
import type { Config } from "../sources/network-settings.ts";
import { openWork } from "../tools/open-work.ts";
import { sdkSnapshot } from "../xdr/ledger/sdk-snapshot.ts";
import { type ForkAccount, forkAccount, fundedEntry, GIVEN_STROOPS } from "./accounts.ts";
import type { OpenedBase } from "./base/opened-base.ts";
import { encodeChanges, encodedFork } from "./base/saved-fork.ts";
import {
  type CheatOptions,
  cheatMethods,
  cheatRefused,
  type ResetChoice,
} from "./cheats/cheats.ts";
import { Fork, type Mining } from "./fork.ts";
import { openForkSource } from "./fork-source.ts";
import type { ForkChain } from "./ledger/chain.ts";
import { openChain } from "./ledger/open-chain.ts";
import { friendbotHandler } from "./rpc/friendbot.ts";
import { rpcMethods } from "./rpc/methods.ts";
import { refusal } from "./rpc/refusal.ts";
import { Saving } from "./saving.ts";
import type { StateLock } from "./state-lock.ts";
import type { WrittenEntry } from "./written-entries.ts";

export interface ForkServerOptions
  extends Omit<HttpServerOptions, "tracing" | "following" | "served" | "proof"> {
  readonly opened: OpenedBase;
  /** Null for that of the network. */
  readonly passphrase: string | null;
  readonly mining: Mining;
  readonly accounts: number;
  readonly cheats: boolean;
  /** Null if the fork ends with the process. */
  readonly state: Pick<StateLock, "path" | "lockFile"> | null;
  /** Opens another base of the same network. */
  readonly open: (choice: ResetChoice, signal: AbortSignal) => Promise<OpenedBase>;
  /** Opens a saved fork. */
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

/** A call is made on a fork of this fork, so that it changes nothing here. */
const LENT = { calls: () => import("./commands/make-calls.ts") };
const FRIENDBOT_STROOPS = 100_000n * GIVEN_STROOPS;
/** The time for one transaction; the largest that networks allow takes half a second. */
const DEADLINE_MILLISECONDS = 20_000;
const SLOW_MILLISECONDS = 100;
/** A request with the largest wasm that a network accepts is far smaller. */
const BODY_BYTES = 4 * 1024 * 1024;
const KIBIBYTE = 1024;

export async function runFork(options: ForkServerOptions): Promise<void> {
  const { config, server, surroundings, log, stop } = options;
  const { program, countAs } = openProgram(options);
  await using simulator = simulatorOf(program, options);
  using running = new RunningFork(options, simulator);
  const { fork, saving, accounts } = running;
  const { networkPassphrase } = fork.chain;
  await running.begin();
  const served: ServedNetwork = {
    ...(options.state && { whyNotSaved: () => saving.whyNotSaved() }),
    nodes: (counted) => nodesOf(fork, countAs(counted)),
    rpcMethods: ({ simulation }) => ({
      ...rpcMethods(fork, { simulation }),
      ...(options.cheats && cheatMethods({ ...cheatsOf(running, options), simulation })),
    }),
    ...(!options.cheats && { whyRefused: cheatRefused }),
    // A saved fork has the code of all contracts that it read.
    routes: (services) =>
      routesOf(fork, services, options.cheats ? BODY_RULES.maximumBytes : BODY_BYTES),
    listening: async (url) => {
      const { sequence: ledger, protocolVersion } = fork.chain.latest;
      const { name } = running.opened;
      await options.started({ url, name, networkPassphrase, ledger, protocolVersion, accounts });
    },
  };
  const { signals, environment, agents } = options;
  const ended = new AbortController();
  const ending = AbortSignal.any([stop, ended.signal]);
  const mining = fork.mine(ending);
  const retrying = saving.retry(ending);
  // The network is the fork itself.
  const ownNetwork: Config = {
    ...config,
    network: networkOfPassphrase(networkPassphrase) ?? "custom",
    networkPassphrase,
    horizonUrls: [],
    rpcUrls: [],
    ledgerLakeUrls: [],
    publicLake: null,
  };
  const serving = runServer({
    config: ownNetwork,
    calls: (work) => callsOn({ config: ownNetwork, work }, LENT),
    server,
    surroundings,
    log,
    signals,
    environment,
    stop,
    served,
    agents,
    tracing: null,
    following: null,
  });
  await serving.finally(() => ended.abort());
  await mining;
  await retrying;
  await fork.exclusively(() => saving.end());
}

/** A fork with its base. A reset replaces both. */
class RunningFork implements Disposable {
  readonly fork: Fork;
  readonly saving: Saving;
  readonly accounts: readonly ForkAccount[];
  opened: OpenedBase;
  private readonly networkPassphrase: string;
  /** The number of the base's entries in the state file. */
  private readSaved = 0;

  constructor(
    private readonly options: ForkServerOptions,
    private readonly simulator: Pick<Simulator, "replay">,
  ) {
    const { opened, passphrase, log, state } = options;
    this.opened = opened;
    this.networkPassphrase = passphrase ?? opened.base.networkPassphrase;
    this.accounts = Array.from({ length: options.accounts }, (_, index) =>
      forkAccount(this.networkPassphrase, String(index)),
    );
    this.fork = new Fork(this.chainOf(opened), {
      clock: systemClock,
      mining: options.mining,
      first: opened.first,
      followed: opened.followed,
      changed: () => this.saving.save(),
      failed: (error, hash) => logFailure(log, error, hash),
      repeated: (hash) =>
        log.write("warn", "repeated the transaction that the fork begins before", { hash }),
    });
    this.saving = new Saving({
      path: state?.path ?? null,
      clock: systemClock,
      log,
      opened: () => state?.lockFile(),
      latestLedger: () => this.fork.chain.latest.sequence,
      state: {
        complete: () => this.complete(),
        changes: () => this.changes(),
        saved: () => {
          this.fork.chain.saved();
          this.readSaved = this.opened.read.size;
        },
      },
    });
  }

  /** Begins with the first ledger of the fork, which has what clients need of a latest ledger. */
  async begin(): Promise<void> {
    const { fork, accounts, options } = this;
    if (this.opened.overlay === null)
      await fork.write(fundedEntries(accounts, fork.chain), { signal: options.stop });
  }

  async replace(next: OpenedBase): Promise<void> {
    await this.fork.exclusively(() => {
      this.opened = next;
      this.fork.replace(this.chainOf(next), next);
      this.saving.beginAnew();
    });
    await this.begin();
    await this.fork.exclusively(() => this.saving.save());
  }

  /** The fork as a file. */
  complete(): Iterable<string> {
    const { opened, networkPassphrase } = this;
    const { followed, chain } = this.fork;
    return encodedFork({ opened, networkPassphrase, overlay: chain.overlay(), followed });
  }

  [Symbol.dispose](): void {
    this.saving[Symbol.dispose]();
  }

  private changes(): string {
    const { opened, readSaved } = this;
    const { followed, chain } = this.fork;
    return encodeChanges({ opened, followed }, readSaved, chain.changes());
  }

  private chainOf({ base, overlay }: OpenedBase): ForkChain {
    const { networkPassphrase, simulator } = this;
    const options = overlay === null ? {} : { overlay };
    return openChain({ ...base, networkPassphrase }, simulator, options);
  }
}

function cheatsOf(
  running: RunningFork,
  { config, opened, open, load }: ForkServerOptions,
): Omit<CheatOptions, "simulation"> {
  const { fork } = running;
  const { networkPassphrase } = fork.chain;
  return {
    fork,
    dump: () => running.complete(),
    async reset(choice, signal) {
      const isBegin = choice.ledger === null && choice.before === null;
      // The nodes are those of the settings, which a file or an empty network need not have.
      if (!isBegin && config.networkPassphrase !== running.opened.base.networkPassphrase)
        throw refusal("no node of the fork's network is known");
      await running.replace(isBegin ? { ...opened } : await open(choice, signal));
    },
    async load(content) {
      const next = await load(content);
      const { passphrase, base } = next;
      if ((passphrase ?? base.networkPassphrase) !== networkPassphrase)
        throw refusal("the saved fork has another passphrase");
      await running.replace(next);
    },
    sdkSnapshot: (keysXdr, signal) => snapshotOf(fork, running.opened, keysXdr, signal),
  };
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
  const startEngine: StartEngine = (signal, { isRepeated }) =>
    openLedgerEngine({ ...program, isRepeated }, 1, [], signal);
  return { sources, ledgers, startEngine, networkPassphrase };
}

/** The routes of Stellar RPC and of friendbot. */
function routesOf(fork: Fork, services: Services, bodyBytes: number): Route[] {
  const friendbot = friendbotHandler(fork, services);
  const work = { room: "requests", maximumBytes: KIBIBYTE, answers: [] } as const;
  const funding = { ...work, path: "/friendbot", summary: "Create an account (addr=G…)." };
  // The second path is that of quickstart, and so of the SDK's own tests.
  const nodes = ["/", "/soroban/rpc"].map(
    (path): Route => ({
      ...work,
      path,
      method: "POST",
      maximumBytes: bodyBytes,
      summary: "Answer JSON-RPC 2.0, as a Stellar RPC node does.",
      handler: (context) => answerRpc(services, context),
    }),
  );
  return [
    ...nodes,
    { ...funding, method: "GET", handler: friendbot },
    { ...funding, method: "POST", handler: friendbot },
  ];
}

/**
 * A snapshot. If `keysXdr` is null, it has everything that was read from the base and changed
 * since.
 */
async function snapshotOf(
  fork: Fork,
  { read }: OpenedBase,
  keysXdr: readonly string[] | null,
  signal: AbortSignal,
): Promise<object> {
  const { chain } = fork;
  const changed = await fork.exclusively(() => chain.overlay().entries.map(({ keyXdr }) => keyXdr));
  const keys = keysXdr ?? [...new Set([...read.keysFrom(0), ...changed])];
  const entries = await chain.read(keys, { signal });
  const { latest, networkPassphrase, settingsXdr } = chain;
  return sdkSnapshot(
    { ...latest, networkPassphrase, settingsXdr },
    [...entries.values()].filter((entry) => entry !== null),
  );
}

/**
 * Opens the program. The counter of runs is one of the daemon's metrics, and the daemon opens
 * later.
 */
function openProgram({ config, surroundings }: ForkServerOptions) {
  let simulated: SimulatorProgram["simulated"];
  const program: SimulatorProgram = {
    ...openWork(config, { surroundings }).program(),
    simulated: (status) => simulated?.(status),
  };
  const countAs = (counted: SimulatorProgram) => {
    ({ simulated } = counted);
    return counted;
  };
  return { program, countAs };
}

function simulatorOf(program: SimulatorProgram, { server }: ForkServerOptions) {
  return openPool({
    ...program,
    // Ledgers close one at a time.
    size: 1,
    workerMemoryBytes: server.workerMemoryBytes,
    cpuMilliseconds: server.simulationMilliseconds,
    deadlineMilliseconds: DEADLINE_MILLISECONDS,
    slowMilliseconds: SLOW_MILLISECONDS,
  });
}
