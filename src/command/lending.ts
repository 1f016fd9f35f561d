// The parts of fronts and products that others may use. src/cli/lent.ts lists those of this svc.

import type { ConfigFile, Settings } from "../base/settings/setting.ts";
import type { TerminalProcess } from "../base/terminal/terminal.ts";
import type { CaptureDependencies, Captured } from "../debugger/walk/capture-transaction.ts";
import type { OpenedArchive } from "../history-archive/opened-archive.ts";
import type { OpenAgents } from "../http-server/agents.ts";
import type { StartFollowing } from "../http-server/start-following.ts";
import type { MadeCall } from "../model/investigation.ts";
import type { Signer } from "../model/signing-view.ts";
import type { ScreenOptions } from "../report/tui/screen.ts";
import type { Config } from "../sources/network-settings.ts";
import type { Recording } from "../time-travel/recording.ts";
import type { Work } from "../tools/open-work.ts";
import type { ContractSpec } from "../xdr/contract/contract-spec.ts";
import type { Shell } from "./shell.ts";

/** Calls to make on a fork that only this process has. */
export interface WantedCalls {
  readonly fork: ForkOfCalls;
  /** Null if nothing is deployed. */
  readonly deployed: DeployedContract | null;
  /** The calls, of which the last one is the answer. The others must succeed. */
  readonly calls: readonly WantedCall[];
  /** True if a network is named. Its nodes are asked for entries that the file of a fork lacks. */
  readonly namesNetwork: boolean;
}

export type ForkOfCalls =
  | { readonly kind: "empty" }
  | {
      readonly kind: "network";
      /** Null for the latest. */
      readonly ledger: number | null;
      /** Opens the archive with the state; null if nodes are asked. */
      readonly archive: OpenStateOfArchive | null;
    }
  | { readonly kind: "file"; readonly name: string; readonly text: string };

/** Opens the archive with a ledger; null for its latest. */
export type OpenStateOfArchive = (
  ledger: number | null,
) => Promise<{ readonly archive: OpenedArchive; readonly ledger: number }>;

export interface DeployedContract {
  readonly wasm: Uint8Array;
  /** Arguments of the constructor. */
  readonly arguments?: CallArguments;
}

export interface WantedCall {
  /** Absent for the deployed contract. */
  readonly contract?: string | undefined;
  readonly function: string;
  readonly arguments?: CallArguments;
  /**
   * The account that calls: the number of one of the fork's own, or any address (G…). If it is
   * absent, the account whose authorization the call needs calls, if it is only one, and otherwise
   * number 0.
   */
  readonly account?: number | string | undefined;
}

/** Arguments as JSON, or as the words of a command line. */
export type CallArguments =
  | { readonly kind: "json"; readonly value: unknown }
  | {
      readonly kind: "words";
      readonly words: readonly ArgumentWord[];
      /** The address of a name that the user has saved. */
      readonly addressOf: (name: string) => string | null;
      /**
       * The flags of svc on the command line, without their dashes. An argument with such a name
       * would be ambiguous.
       */
      readonly taken: readonly string[];
    };

export interface ArgumentWord {
  /** Null for an argument by position. */
  readonly name: string | null;
  /** Null for a name without a value. */
  readonly value: string | { readonly file: string; readonly bytes: Uint8Array } | null;
}

/** The surroundings in which the calls are made. */
export interface CallSurroundings {
  readonly config: Config;
  readonly work: Pick<Work, "program" | "nodes" | "proofs">;
}

export interface CallContext {
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** The last call as a transaction of the fork, with the sources that know the fork. */
export interface MadeCalls {
  readonly captured: Captured;
  readonly call: MadeCall;
  readonly nodes: CaptureDependencies;
}

/**
 * Makes calls. Throws USAGE if one cannot be made, and the errors of opening the fork.
 */
export type MakeCalls = (
  surroundings: CallSurroundings,
  request: WantedCalls,
  context: CallContext,
) => Promise<MadeCalls>;

/** A contract of the fork, with its specification. */
export interface DescribedContract {
  /** Strkey; null for code that is not deployed. */
  readonly contract: string | null;
  /** The state in which the contract is, such as `ledger 5 of testnet`. */
  readonly state: string;
  /** Null if the code has no specification. */
  readonly spec: ContractSpec | null;
}

/** Reads a contract of the fork. Throws USAGE if there is none, and the errors of opening. */
export type DescribeContract = (
  surroundings: CallSurroundings,
  fork: ForkOfCalls,
  contract: string,
  context: CallContext,
) => Promise<DescribedContract>;

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
  /** Makes calls on a fork that only this process has, and sends nothing. */
  readonly calls?: () => Promise<{
    readonly makeCalls: MakeCalls;
    readonly describeContract: DescribeContract;
  }>;
  /** Runs the following of `svc daemon --follow`. */
  readonly following?: () => Promise<{ readonly chooseFollowing: ChooseFollowing }>;
  /** Signs a capsule with a key. */
  readonly signer?: () => Promise<{ readonly withSigner: UseSigner }>;
}
