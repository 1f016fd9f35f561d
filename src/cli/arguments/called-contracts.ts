// The contracts that are called by what is to be signed, for their names: of a capsule (--from),
// or of a node unless --offline says otherwise.

import { resolve } from "node:path";
import type { ArgsDef } from "citty";
import type { Config } from "../../base/settings/config.ts";
import type { Shell } from "../shell.ts";
import { type ParsedFlags, textFlag } from "./common-flags.ts";

export const CONTRACT_FLAGS = {
  from: { type: "string", valueHint: "FILE", description: "Capsule with the called contracts." },
  offline: { type: "boolean", description: "Ask no node for the called contracts." },
} as const satisfies ArgsDef;

/** LedgerEntries. `envelopeXdr`: null when there is none, and no footprint to ask for. */
export async function calledContracts(
  shell: Shell,
  args: ParsedFlags,
  config: Config,
  envelopeXdr: string | null,
): Promise<readonly string[]> {
  const { contractsOfCapsule, contractsOfNetwork } = await import(
    "../../debugger/setup/fetch-contract-entries.ts"
  );
  const from = textFlag(args, "from");
  if (from !== undefined) return contractsOfCapsule(resolve(shell.facts.workingDirectory, from));
  if (args.offline === true || envelopeXdr === null) return [];
  shell.log.progress("asking for the called contracts");
  const { signal } = shell;
  const { entriesXdr, problem } = await contractsOfNetwork(config, envelopeXdr, { signal });
  if (problem !== null) shell.log.warn(`Arguments are shown without their names: ${problem}`);
  return entriesXdr;
}
