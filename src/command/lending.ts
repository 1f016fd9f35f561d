// The parts of fronts and products that others may use. src/cli/lent.ts lists those of this svc.

import type { ConfigFile, Settings } from "../base/settings/setting.ts";
import type { TerminalProcess } from "../base/terminal/terminal.ts";
import type { Captured } from "../debugger/walk/capture-transaction.ts";
import type { OpenAgents } from "../http-server/agents.ts";
import type { StartFollowing } from "../http-server/start-following.ts";
import type { Signer } from "../model/signing-view.ts";
import type { ScreenOptions } from "../report/tui/screen.ts";
import type { Config } from "../sources/network-settings.ts";
import type { Recording } from "../time-travel/recording.ts";
import type { Work } from "../tools/open-work.ts";
import type { Shell } from "./shell.ts";

/** The calls of a launch configuration, with the contract that it deploys. */
export interface Launched {
  readonly fork: LaunchedFork;
  /** Null if nothing is deployed. */
  readonly deployed: LaunchedContract | null;
  /** The calls, of which the last one is debugged. */
  readonly calls: readonly LaunchedCall[];
  /** A network is named, whose nodes are asked for what the file of a fork lacks. */
  readonly namesNetwork: boolean;
}

export type LaunchedFork =
  | { readonly kind: "empty" }
  | { readonly kind: "network" }
  | { readonly kind: "file"; readonly path: string };

export interface LaunchedContract {
  readonly wasm: Uint8Array;
  /** Arguments of the constructor: JSON, in order or by name. */
  readonly arguments?: unknown;
}

export interface LaunchedCall {
  /** Absent: the deployed contract. */
  readonly contract?: string | undefined;
  readonly function: string;
  /** JSON, in order or by name. */
  readonly arguments?: unknown;
  /** Number of the fork's account that calls; absent: 0. */
  readonly account?: number | undefined;
}

/**
 * Makes the transaction of a launch configuration. Throws USAGE if it cannot be made, and the
 * errors of opening the fork.
 */
export type MakeLaunched = (
  shell: Shell,
  config: Config,
  launched: Launched,
  context: {
    readonly signal: AbortSignal;
    readonly progress: (text: string) => void;
    readonly work: Pick<Work, "program" | "nodes" | "proofs">;
  },
) => Promise<Captured>;

/** Makes the following beside the daemon from settings. Throws CONFIG_INVALID. */
export type ChooseFollowing = (
  shell: Shell,
  choice: { readonly file: ConfigFile | null; readonly state: string | null },
) => StartFollowing;

/** Resolves when the user leaves. Throws as the terminal's view does, and the errors of svc-sim. */
export type StepThrough = (
  process: TerminalProcess,
  recording: Recording,
  options: StepOptions,
) => Promise<void>;

export interface StepOptions extends ScreenOptions {
  readonly unicode: boolean;
  /** True if the terminal reports the mouse from the beginning. */
  readonly mouse: boolean;
  /** Maps beginnings of paths in a build to paths on this machine. */
  readonly sourceMap: Readonly<Record<string, string>>;
}

export interface LentSettings {
  /** The rows that select the key that signs a capsule. */
  readonly signer?: Settings;
}

/** Calls `use` once with the key that the arguments select. The arguments contain the rows. */
type UseSigner = <Result>(
  shell: Shell,
  args: never,
  use: (signer: Signer) => Result,
) => Promise<Result>;

export interface Lent {
  /** The module that answers agents over HTTP. */
  readonly agents?: () => Promise<{ readonly openAgents: OpenAgents }>;
  /** The module that steps through a recorded transaction in the terminal. */
  readonly stepper?: () => Promise<{ readonly stepThrough: StepThrough }>;
  /** Makes the transaction of a call that an editor wants to debug. */
  readonly launch?: () => Promise<{ readonly makeLaunched: MakeLaunched }>;
  /** Runs the following of `svc daemon --follow`. */
  readonly following?: () => Promise<{ readonly chooseFollowing: ChooseFollowing }>;
  /** Signs a capsule with a key. */
  readonly signer?: () => Promise<{ readonly withSigner: UseSigner }>;
}
