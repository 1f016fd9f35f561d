// What products may lend to commands outside them. lent.ts has what this svc lends.

import type { ConfigFile, Settings } from "../base/settings/setting.ts";
import type { LaunchSettings } from "../dap/launch-settings.ts";
import type { Captured } from "../debugger/walk/capture-transaction.ts";
import type { StartFollowing } from "../http-server/start-following.ts";
import type { Signer } from "../model/signing-view.ts";
import type { Config } from "../sources/network-settings.ts";
import type { Work } from "../tools/open-work.ts";
import type { Shell } from "./shell.ts";

/** The call of a launch configuration, with the contract that `deploy` names. */
export interface Launched extends Pick<LaunchSettings, "fork" | "deploy"> {
  readonly invoke: NonNullable<LaunchSettings["invoke"]>;
  readonly deployed: Uint8Array | null;
  readonly network?: unknown;
}

/** Throws USAGE where the transaction cannot be made, and what opening the fork throws. */
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

/** Settings → what follows the network beside the daemon. Throws CONFIG_INVALID. */
export type ChooseFollowing = (
  shell: Shell,
  choice: { readonly file: ConfigFile | null; readonly state: string | null },
) => StartFollowing;

export interface LentSigner {
  /** The rows that select the key. */
  readonly settings: Settings;
  readonly load: () => Promise<{
    /** Calls `use` once with the key that the arguments select, in which the rows are. */
    readonly withSigner: <Result>(
      shell: Shell,
      args: never,
      use: (signer: Signer) => Result,
    ) => Promise<Result>;
  }>;
}

export interface Lent {
  /** The transaction of a call that an editor wants to debug. */
  readonly launch?: () => Promise<{ readonly makeLaunched: MakeLaunched }>;
  /** What `svc daemon --follow` does. */
  readonly following?: () => Promise<{ readonly chooseFollowing: ChooseFollowing }>;
  /** The key that signs a capsule. */
  readonly signer?: LentSigner;
}
