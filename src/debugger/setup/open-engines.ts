// What all work of svc is done with, made from settings: simulators, and nodes. Nothing is searched
// for, and nothing that asks a node is loaded, before it is used.

import { availableParallelism } from "node:os";
import { systemClock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { ArchiveValues } from "../../history-archive/archive-settings.ts";
import type { BucketStore } from "../../history-archive/bucket-store.ts";
import type { ArchivePlace, OpenedArchive } from "../../history-archive/open-archive.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import { networkInWords } from "../../model/networks.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { locateRecordingSimulator } from "../../simulator/locate.ts";
import { openOneShot } from "../../simulator/one-shot.ts";
import { openRecordingOneShot } from "../../simulator/recording-simulator.ts";
import { checkRequest } from "../../simulator/requests.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { Engines } from "../run/replay.ts";
import type { ReportDependencies } from "../simulate/report-simulation.ts";
import type { CaptureDependencies, Captured } from "../walk/capture-transaction.ts";
import { findRecorder, findSimulator, type SimulatorSurroundings } from "./find-simulator.ts";
import type { CaptureOptions } from "./open-nodes.ts";

export type Nodes = Omit<CaptureDependencies, "progress">;

export interface OpenEngines extends Engines {
  /** The path of svc-sim, for what starts processes of its own. */
  readonly simulatorPath: string;
  /** Cores that a verification may use. */
  readonly jobs: number;
  /** The same nodes each time. Throws CONFIG_INVALID when none is configured. */
  readonly nodes: () => Promise<Nodes>;
  /** Looks up what only a node said, in a history archive; null where it is not asked for. */
  readonly prove: NonNullable<Nodes["prove"]> | null;
  /** Checks the proof that a capsule carries: without it, the state is as it was. */
  readonly checkProof: (captured: Captured) => Promise<Snapshot | null>;
  /** For one simulation. Throws CONFIG_INVALID, SIMULATOR_NOT_FOUND. */
  readonly simulation: () => Promise<ReportDependencies>;
}

export interface EngineOptions extends Partial<CaptureOptions> {
  readonly surroundings: SimulatorSurroundings;
  /** Every field of a request is checked before svc-sim sees it. */
  readonly strictValidation?: boolean;
  readonly proof?: Proof | null;
}

/** How state is proven by a history archive. */
export interface Proof {
  /** What a node said is looked up; otherwise only the proof of a capsule is checked. */
  readonly asked: boolean;
  readonly settings: Omit<ArchiveValues, "origins">;
  /** Of the transaction, where no node has it; null: not known. */
  readonly ledger: number | null;
  /**
   * The state just before a transaction, by replays of those before it since a checkpoint; null
   * where these do not show it. Absent: they are not replayed.
   */
  readonly byReplays?: (
    place: ArchivePlace,
    record: ChainRecord,
    options: { readonly simulatorPath: string; readonly signal: AbortSignal },
  ) => Promise<Snapshot | null>;
  /** Asks the user; undefined without a terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  readonly say: (text: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A process of svc-sim for each run. The simulators throw SIMULATOR_NOT_FOUND when used. */
export function openEngines(
  config: Config,
  { surroundings, strictValidation = false, proof = null, ...asked }: EngineOptions,
): OpenEngines {
  let opened: Nodes | null = null;
  const path = () => findSimulator(config, surroundings);
  const archives = proof?.asked ? archivesOf(config, proof) : null;
  const prove = archives && prover(archives, path, proof?.byReplays);
  const nodes = async () => {
    const { openCapture } = await import("./open-nodes.ts");
    opened ??= openCapture(config, {
      ...{ ledgerFiles: [], progress: () => {}, simulatorPath: path },
      ...asked,
    });
    if (proof === null || archives === null || prove === null || opened.prove) return opened;
    const { archiveSource } = await import("./archive-source.ts");
    const { networkPassphrase } = config;
    const open = (signal: AbortSignal) => archives(networkPassphrase, signal);
    const source = archiveSource(open, proof.ledger, networkPassphrase);
    opened = { ...opened, sources: [...opened.sources, source], prove };
    return opened;
  };
  return {
    jobs: availableParallelism(),
    get simulatorPath() {
      return path();
    },
    get simulator() {
      const simulator = openOneShot({ path: path() });
      return strictValidation ? checked(simulator) : simulator;
    },
    get recorder() {
      const found = findRecorder(config, surroundings);
      return typeof found === "string" ? openRecordingOneShot(found) : null;
    },
    nodes,
    prove,
    checkProof: (captured) => checkedProof(captured, proof),
    async simulation() {
      const { openCurrentState } = await import("../simulate/current-state.ts");
      const { sources, networkPassphrase } = await nodes();
      // One run is on one ledger, or on later ones where a node has answered of those.
      const maximumAgeMilliseconds = Number.POSITIVE_INFINITY;
      return {
        simulator: openRecordingOneShot(locateRecordingSimulator(path())),
        replayer: openOneShot({ path: path() }),
        state: openCurrentState({ sources, clock: systemClock, maximumAgeMilliseconds }),
        networkPassphrase,
      };
    },
  };
}

/** By passphrase: a capsule may be of another network than the configured one. */
type Archives = (networkPassphrase: string, signal: AbortSignal) => Promise<OpenedArchive>;

/** Each is opened for one transaction: what one run reads of the files is read once. */
function archivesOf(config: Config, { settings, ...more }: Proof): Archives {
  const files = new Map<string, Promise<Uint8Array | null>>();
  let opened: BucketStore | null = null;
  return async (networkPassphrase, signal) => {
    const { openConfiguredArchive, openConfiguredStore } = await import(
      "../../history-archive/open-archive.ts"
    );
    const { openConfiguredHttp } = await import("./open-nodes.ts");
    opened ??= openConfiguredStore(settings, more.environment);
    const store = opened;
    return openConfiguredArchive(settings, {
      ...{ http: openConfiguredHttp(config), signal, download: settings.download, ...more },
      ...{ keepsExcerpt: true, files, store },
      ...{ network: networkInWords(networkPassphrase), networkPassphrase },
    });
  };
}

/** A third of the time that a run has by default. */
const REPLAYING_MILLISECONDS = 20_000;

function prover(
  archives: Archives,
  path: () => string,
  byReplays: Proof["byReplays"],
): NonNullable<Nodes["prove"]> {
  return async (snapshot, opened, { signal }) => {
    const { proveSnapshot, withReplayed } = await import("../../history-archive/prove-snapshot.ts");
    const archive = await archives(opened.record.networkPassphrase, signal);
    const proven = await proveSnapshot(snapshot, opened, archive);
    if (proven.unknown.length === 0 || byReplays === undefined) return proven;
    const limit = AbortSignal.timeout(REPLAYING_MILLISECONDS);
    try {
      const options = { simulatorPath: path(), signal: AbortSignal.any([signal, limit]) };
      const replayed = await archive.ask((place) => byReplays(place, opened.record, options));
      return replayed === null ? proven : withReplayed(proven, replayed);
    } catch (error) {
      // What is known without the replays stays known.
      signal.throwIfAborted();
      if (limit.aborted || error instanceof SvcError) return proven;
      throw error;
    }
  };
}

/** What the proof does not show, here and now, stays a node's word. */
export async function checkedProof(
  { proof, snapshot, ...opened }: Captured,
  how: Proof | null,
): Promise<Snapshot | null> {
  if (proof === undefined || snapshot === null || how === null) return snapshot;
  const { openExcerpt } = await import("../../history-archive/open-archive.ts");
  const { proveSnapshot } = await import("../../history-archive/prove-snapshot.ts");
  const { settings, environment } = how;
  const { networkPassphrase } = opened.record;
  try {
    const archive = await openExcerpt(proof, settings, { networkPassphrase, environment });
    return await proveSnapshot(snapshot, opened, archive);
  } catch (error) {
    if (error instanceof SvcError && error.code !== "NODE_LIED") return snapshot;
    throw error;
  }
}

function checked(simulator: Simulator): Simulator {
  return {
    ...simulator,
    replay: async (request, options) => simulator.replay(checkRequest(request), options),
  };
}
