// Checks whether svc-sim can run work now: a new process of it can be started, and a worker
// answers. Invariant: the check never waits for work, because it has a worker of its own. Probes
// come every few seconds, so it starts a process only if the file has changed or a worker was lost
// since the last one.

import { statSync } from "node:fs";
import { SvcError } from "../../base/errors/errors.ts";
import { ifVisible } from "../../base/files/read-file.ts";
import { inspectSimulator, type SimulatorVersion } from "../../simulator/inspect-simulator.ts";
import { openPool, type PoolOptions, type SimulatorPool } from "../../simulator/pool.ts";
import { EMPTY_REQUEST } from "../../simulator/requests.ts";

export interface Readiness extends AsyncDisposable {
  /** Null if svc-sim can be started, takes requests and answers. */
  readonly whyNotReady: () => Promise<SvcError | null>;
}

export interface ReadinessOptions {
  /** The limits of a worker. */
  readonly pool: Pick<PoolOptions, "workerMemoryBytes" | "cpuMilliseconds">;
  /** The number of processes of svc-sim that were lost so far. */
  readonly lost: () => number;
}

/** An idle worker refuses the empty request in a millisecond, a new one in twenty. */
const PROBE_MILLISECONDS = 2_000;
const NEVER = new AbortController().signal;

/** `started` is the svc-sim that the daemon was started with. */
export function openReadiness(
  started: SimulatorVersion,
  { pool, lost }: ReadinessOptions,
): Readiness {
  const { path } = started;
  let probe: SimulatorPool | null = null;
  /** The identity of the file and the number of lost processes when a process was last started. */
  let known = "";
  let probing: Promise<SvcError | null> | null = null;
  const disposeProbe = async () => {
    const last = probe;
    probe = null;
    await last?.[Symbol.asyncDispose]();
  };
  const check = async (): Promise<void> => {
    const now = `${lost()} ${identityOf(path)}`;
    if (probe === null || now !== known) {
      const version = await inspectSimulator(path, { signal: NEVER });
      if (releaseOf(version) !== releaseOf(started)) throw replaced(started, version);
      await disposeProbe();
      // Probes do not count as runs, and their losses do not count as lost workers.
      const limits = { ...pool, size: 1, deadlineMilliseconds: PROBE_MILLISECONDS };
      probe = openPool({ path, ...limits });
      known = now;
    }
    await probe.replay(EMPTY_REQUEST, { signal: NEVER });
  };
  const problem = async (): Promise<SvcError | null> => {
    try {
      await check();
      return null;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      // A working svc-sim reads and refuses the empty request.
      if (error.code === "REQUEST_INVALID") return null;
      await disposeProbe();
      return error;
    }
  };
  return {
    whyNotReady() {
      probing ??= problem().finally(() => {
        probing = null;
      });
      return probing;
    },
    [Symbol.asyncDispose]: disposeProbe,
  };
}

function identityOf(path: string): string {
  const file = ifVisible(() => statSync(path, { bigint: true }));
  return file === null ? "none" : `${file.dev} ${file.ino} ${file.size} ${file.ctimeNs}`;
}

function releaseOf({ version, hosts }: SimulatorVersion): string {
  return JSON.stringify({ version, hosts });
}

function replaced(started: SimulatorVersion, onDisk: SimulatorVersion): SvcError {
  return new SvcError("SIMULATOR_REPLACED", {
    message:
      `svc-sim ${onDisk.version} at ${onDisk.path} is not the svc-sim ${started.version} that the ` +
      "daemon was started with.",
    httpMessage: "svc-sim is not the one that the daemon was started with.",
    remedy: "Restart the daemon, with svc and svc-sim of the same release.",
  });
}
