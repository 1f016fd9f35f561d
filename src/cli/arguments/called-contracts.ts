// The contracts that the envelope or authorization to sign calls, for the names of their functions
// and arguments: from a capsule (--from), or from a node unless --offline is given.

import type { ArgsDef } from "citty";
import type { Config } from "../../base/settings/config.ts";
import type { GivenAuthorizations } from "../../debugger/sign/sign-authorizations.ts";
import { type Shell, withTimeLimit } from "../shell.ts";
import { type ParsedFlags, textFlag } from "./common-flags.ts";
import { readCapsule } from "./read-capsule.ts";

export const CONTRACT_FLAGS = {
  from: {
    type: "string",
    valueHint: "FILE",
    description: "Read the called contracts from a capsule file (-: standard input).",
  },
  offline: { type: "boolean", description: "Make no requests for the called contracts." },
} as const satisfies ArgsDef;

/** LedgerEntries. `envelope`: null without an envelope, and so without a footprint. */
export async function calledContracts(
  shell: Shell,
  args: ParsedFlags,
  config: Config,
  envelope: GivenAuthorizations["envelope"],
): Promise<readonly string[]> {
  const { contractsOfCapsule, contractsOfNetwork } = await import(
    "../../debugger/setup/fetch-contract-entries.ts"
  );
  const from = textFlag(args, "from");
  if (from !== undefined)
    return contractsOfCapsule(await readCapsule(withTimeLimit(shell, config), from));
  if (args.offline === true || envelope === null) return [];
  shell.log.progress("fetching the called contracts");
  const { signal } = shell;
  const { entriesXdr, problem } = await contractsOfNetwork(config, envelope, { signal });
  if (problem !== null) shell.log.warn(`Arguments are shown without names: ${problem}`);
  return entriesXdr;
}
