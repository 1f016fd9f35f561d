// The options of the functions that run something.

import type { HttpAttempt } from "../base/http/http.ts";
import type { NetworkName } from "../model/networks.ts";
import type { InstancePlace } from "../simulator/module/instance.ts";

export type { HttpAttempt, InstancePlace, NetworkName };

/** A module, or a function that loads it when it is first needed. */
export type LoadableModule = WebAssembly.Module | (() => Promise<WebAssembly.Module>);

/** The place where a module runs, and how the caller follows and ends the work. */
export interface RunningOptions {
  /** svc-sim.wasm. */
  readonly module: WebAssembly.Module;
  /** Starts an instance elsewhere, such as in a worker (default: in the thread of the caller). */
  readonly openInstance?: (module: WebAssembly.Module) => InstancePlace;
  /** Ends the work, but not an instance in the thread of the caller. */
  readonly signal?: AbortSignal;
  /** Called with a short sentence about what happens now. */
  readonly progress?: (text: string) => void;
}

export interface CapsuleOptions extends RunningOptions {
  /** svc-sim-recording.wasm. With it, a fix can record new authorizations, and runs with them. */
  readonly recordingModule?: LoadableModule;
  /** A document of overrides (docs/what-if.md): the transaction runs again with these changes. */
  readonly overrides?: unknown;
}

/** The nodes of a network. Lists may be empty, but not both of them. */
export interface NetworkNodes {
  readonly networkPassphrase: string;
  readonly horizonUrls: readonly string[];
  readonly rpcUrls: readonly string[];
}

export interface NodeOptions {
  /** A public network by its name, or the nodes of any network. */
  readonly network: NetworkName | NetworkNodes;
  /** Called after each request to a node. */
  readonly onRequest?: (attempt: HttpAttempt) => void;
}

export interface SimulationOptions extends RunningOptions, NodeOptions {
  /** svc-sim-recording.wasm. */
  readonly recordingModule: LoadableModule;
  /**
   * Enforce the envelope's authorizations, or record the ones it needs (default: enforce if it has
   * any).
   */
  readonly authMode?: "enforce" | "record" | "record_allow_nonroot";
  /** Instructions to declare in addition to the used ones (default: 4 %, at least 50,000). */
  readonly instructionLeeway?: number;
  /** Include the calls of the contracts to the host (default: false). */
  readonly hostCalls?: boolean;
}

export interface NetworkOptions extends CapsuleOptions, NodeOptions {}
