// The findings of `svc doctor`: whether the simulator works, and whether each node answers for the
// right network. A bad finding is a value here. Only an interruption is thrown.

import { systemClock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { exitCodeOf } from "../../error-catalogue.ts";
import type { FoundError } from "../../model/finding.ts";
import { OLDEST_PROTOCOL } from "../../model/protocols.ts";
import type { SimulatorVersion } from "../../simulator/inspect-simulator.ts";
import { type Config, requireNodes } from "../../sources/network-settings.ts";
import {
  fetchHorizonStatus,
  fetchRpcStatus,
  type NodeStatus,
  readHorizonProtocol,
  readRpcProtocol,
} from "../../sources/nodes/node-status.ts";
import { checkHost } from "../run/rehearse.ts";
import {
  findProgram,
  findRecorder,
  inspectFoundSimulator,
  type SimulatorSurroundings,
} from "./find-simulator.ts";
import { openConfiguredHttp } from "./open-nodes.ts";

export interface Problem extends FoundError {
  readonly exitCode: number;
  /** The address of the node that the message names; null if it names none. */
  readonly node: string | null;
}

export interface NodeFinding {
  readonly kind: "horizon" | "rpc";
  /** Without credentials, query or path. */
  readonly address: string;
  /** Null if the node did not answer as it should. */
  readonly status: NodeStatus | null;
  /** The protocol of its network; null if svc could not read its latest ledger. */
  readonly protocolVersion: number | null;
  readonly latencyMilliseconds: number;
  readonly problem: Problem | null;
}

export interface Examination {
  readonly simulator: SimulatorVersion | null;
  readonly simulatorProblem: Problem | null;
  /**
   * Set if svc-sim-recording is missing, so that svc can neither simulate nor record
   * authorizations.
   */
  readonly recorderProblem: Problem | null;
  readonly nodes: readonly NodeFinding[];
  /** Set if no node is configured. */
  readonly nodesProblem: Problem | null;
}

export async function checkInstallation(
  config: Config,
  surroundings: SimulatorSurroundings,
  options: { readonly signal: AbortSignal },
): Promise<Examination> {
  const http = openConfiguredHttp(config);
  const examine = ({ kind, url }: Pick<NodeFinding, "kind"> & { readonly url: string }) => {
    const node = { http, url };
    return examineNode(
      config,
      { kind, url },
      {
        status: () => (kind === "rpc" ? fetchRpcStatus : fetchHorizonStatus)(node, options),
        protocol: (status) =>
          kind === "rpc"
            ? readRpcProtocol(node, options)
            : readHorizonProtocol(node, status, options),
      },
    );
  };
  const [simulator, ...nodes] = await Promise.all([
    examineSimulator(config, surroundings, options),
    ...config.horizonUrls.map((url) => examine({ kind: "horizon", url })),
    ...config.rpcUrls.map((url) => examine({ kind: "rpc", url })),
  ]);
  return {
    ...simulator,
    nodes: nodes.map((node) => withHost(node, simulator.simulator)),
    nodesProblem: noSourceToAsk(config),
  };
}

/** Adds a problem if svc-sim has no host for the protocol of the node's network. */
function withHost(node: NodeFinding, simulator: SimulatorVersion | null): NodeFinding {
  const { protocolVersion, problem } = node;
  if (simulator === null || protocolVersion === null || problem !== null) return node;
  try {
    // No network had contracts before that protocol.
    if (protocolVersion >= OLDEST_PROTOCOL) checkHost(simulator.hosts, protocolVersion);
    return node;
  } catch (thrown) {
    return { ...node, problem: problemOf(thrown) };
  }
}

/**
 * Returns 0 if everything that `svc debug` needs works: the simulator, and one node of each kind
 * that is configured.
 */
export function exitCodeOfExamination(examination: Examination): number {
  const { simulatorProblem, nodesProblem, nodes } = examination;
  if (simulatorProblem !== null) return simulatorProblem.exitCode;
  if (nodesProblem !== null) return nodesProblem.exitCode;
  for (const kind of ["horizon", "rpc"]) {
    const named = nodes.filter((node) => node.kind === kind);
    const broken = named.find((node) => node.problem !== null);
    if (broken?.problem && named.every((node) => node.problem !== null))
      return broken.problem.exitCode;
  }
  return 0;
}

async function examineSimulator(
  config: Config,
  surroundings: SimulatorSurroundings,
  options: { readonly signal: AbortSignal },
): Promise<Pick<Examination, "simulator" | "simulatorProblem" | "recorderProblem">> {
  try {
    const simulator = await inspectFoundSimulator(config, surroundings, options);
    const recorder = findRecorder(() => findProgram(config, surroundings));
    const recorderProblem = recorder instanceof SvcError ? problemOf(recorder) : null;
    return { simulator, simulatorProblem: null, recorderProblem };
  } catch (thrown) {
    return { simulator: null, simulatorProblem: problemOf(thrown), recorderProblem: null };
  }
}

async function examineNode(
  config: Config,
  { kind, url }: { readonly kind: NodeFinding["kind"]; readonly url: string },
  ask: {
    readonly status: () => Promise<NodeStatus>;
    readonly protocol: (status: NodeStatus) => Promise<number | null>;
  },
): Promise<NodeFinding> {
  const start = systemClock.monotonicMilliseconds();
  const base = { kind, address: nodeAddress(url) };
  const latency = () => Math.round(systemClock.monotonicMilliseconds() - start);
  try {
    const status = await ask.status();
    const finding = { ...base, status, latencyMilliseconds: latency(), protocolVersion: null };
    const problem = wrongNetwork(status, config);
    if (problem !== null) return { ...finding, problem };
    try {
      return { ...finding, protocolVersion: await ask.protocol(status), problem };
    } catch (thrown) {
      return { ...finding, problem: problemOf(thrown) };
    }
  } catch (thrown) {
    const unknown = { status: null, protocolVersion: null };
    return { ...base, ...unknown, latencyMilliseconds: latency(), problem: problemOf(thrown) };
  }
}

function noSourceToAsk(config: Config): Problem | null {
  try {
    requireNodes(config);
    return null;
  } catch (thrown) {
    return problemOf(thrown);
  }
}

function wrongNetwork({ networkPassphrase }: NodeStatus, config: Config): Problem | null {
  if (networkPassphrase === config.networkPassphrase) return null;
  const error = new SvcError("NODE_LIED", {
    message: `It serves the network "${networkPassphrase}", not "${config.networkPassphrase}".`,
    remedy: "Set a node of that network, or choose the network that this node serves.",
  });
  return problemOf(error);
}

function problemOf(thrown: unknown): Problem {
  if (!(thrown instanceof SvcError) || thrown.code === "INTERRUPTED") throw thrown;
  const { code, message, remedy, details } = thrown;
  const node = typeof details.node === "string" ? details.node : null;
  return { code, message, remedy, exitCode: exitCodeOf(thrown), node };
}
