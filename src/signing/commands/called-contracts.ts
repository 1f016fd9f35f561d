// Fetches the contracts that the envelope or authorization calls, for the names of their functions
// and arguments: from a capsule (--from), or from a node unless --offline is set.

import type { Settings } from "../../base/settings/setting.ts";
import { COMMON, EXPECT_SIGNER, NETWORK, withoutFlags } from "../../command/common-settings.ts";
import { readCapsule } from "../../command/read-input.ts";
import { type Shell, withTimeLimit } from "../../command/shell.ts";
import type { GivenAuthorizations } from "../../debugger/sign/sign-authorizations.ts";
import type { Config } from "../../sources/network-settings.ts";
import { TOKEN_SETTINGS } from "../token-settings.ts";

const { network, networkPassphrase, rpcUrl, config } = NETWORK;

/** The settings of the commands that sign envelopes and authorizations. */
export const SIGNING = {
  ...EXPECT_SIGNER,
  ...TOKEN_SETTINGS,
  ...withoutFlags(NETWORK),
  network,
  networkPassphrase,
  rpcUrl: { ...rpcUrl, notWith: ["from", "offline"] },
  from: {
    hint: "FILE",
    notWith: ["offline"],
    help: "Read the called contracts from a capsule file (-: standard input).",
  },
  offline: { help: "Make no requests for the called contracts." },
  config,
  ...COMMON,
} as const satisfies Settings;

/**
 * The contracts' LedgerEntries. `envelope` is null if there is none, and then there is no footprint
 * either.
 */
export async function calledContracts(
  shell: Shell,
  { from, offline }: { readonly from: string | null; readonly offline: boolean },
  config: Config,
  envelope: GivenAuthorizations["envelope"],
): Promise<readonly string[]> {
  const { contractsOfCapsule, contractsOfNetwork } = await import(
    "../../debugger/setup/fetch-contract-entries.ts"
  );
  if (from !== null)
    return contractsOfCapsule(await readCapsule(withTimeLimit(shell, config), from));
  if (offline || envelope === null) return [];
  shell.log.progress("fetching the called contracts");
  const { signal } = shell;
  const { entriesXdr, problem } = await contractsOfNetwork(config, envelope, { signal });
  if (problem !== null) shell.log.warn(`Arguments are shown without names: ${problem}`);
  return entriesXdr;
}
