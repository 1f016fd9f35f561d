// Which network a ledger file belongs to, when nobody says: transaction hashes bind the passphrase,
// so one transaction tells the known networks apart.

import { SvcError } from "../base/errors.ts";
import { NETWORKS } from "../base/networks.ts";
import { readLedgerFile } from "../sources/ledger-file.ts";
import type { FetchContext } from "../sources/source.ts";
import { readLedgerCloseMeta } from "../xdr/ledger-close-meta.ts";

const KNOWN_PASSPHRASES: readonly string[] = [
  ...Object.values(NETWORKS).map((network) => network.passphrase),
  "Standalone Network ; February 2017",
  "Local Sandbox Stellar Network ; September 2022",
  // stellar-core's own tests.
  "(V) (;,,;) (V)",
];

/** Ledgers of one file that are searched for a transaction. */
const MAXIMUM_LEDGERS = 1000;

/** Throws CONFIG_INVALID when the files' transactions are of no known network. */
export async function detectPassphrase(
  paths: readonly string[],
  context: FetchContext,
): Promise<string> {
  for (const path of paths) {
    let ledgers = 0;
    for await (const { ledgerCloseMeta, sequence } of readLedgerFile(path, context)) {
      const found = passphraseOf(ledgerCloseMeta);
      if (found === "unknown") throw unknownNetwork(path, sequence);
      if (found !== null) return found.passphrase;
      ledgers += 1;
      if (ledgers === MAXIMUM_LEDGERS) break;
    }
  }
  // Without a single transaction the passphrase does not matter.
  return NETWORKS.mainnet.passphrase;
}

/** Null: the ledger has no transactions. */
function passphraseOf(
  ledgerCloseMeta: Uint8Array,
): { readonly passphrase: string } | "unknown" | null {
  for (const passphrase of KNOWN_PASSPHRASES) {
    const first = readLedgerCloseMeta(ledgerCloseMeta, passphrase).transactions[0];
    if (first === undefined) return null;
    if (first.hasEnvelope) return { passphrase };
  }
  return "unknown";
}

function unknownNetwork(path: string, sequence: number): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: `The transactions of ledger ${sequence} in ${path} are of no network that svc knows.`,
    remedy: "Give the network's passphrase with --network-passphrase.",
    details: { file: path, ledger: sequence },
  });
}
