// Which network a ledger belongs to, where no setting says it: a transaction hash depends on the
// passphrase, so one transaction is enough to find the network among the known ones.

import { NETWORKS } from "../model/networks.ts";
import { readLedgerCloseMeta } from "../xdr/ledger/ledger-close-meta.ts";

const KNOWN_PASSPHRASES: readonly string[] = [
  ...Object.values(NETWORKS).map((network) => network.passphrase),
  "Standalone Network ; February 2017",
  "Local Sandbox Stellar Network ; September 2022",
  // stellar-core's own tests.
  "(V) (;,,;) (V)",
];

export type DetectedNetwork =
  | { readonly kind: "known"; readonly passphrase: string }
  /** It has transactions, of a network whose passphrase svc does not know. */
  | { readonly kind: "unknown" }
  /** Without a transaction the network cannot be found. */
  | { readonly kind: "no-transactions" };

/** `likely`: tried first. Throws XDR_INVALID. */
export function detectPassphrase(
  ledgerCloseMeta: Uint8Array,
  likely: string | null,
): DetectedNetwork {
  const candidates = likely === null ? KNOWN_PASSPHRASES : [likely, ...KNOWN_PASSPHRASES];
  for (const passphrase of candidates) {
    const first = readLedgerCloseMeta(ledgerCloseMeta, passphrase).transactions[0];
    if (first === undefined) return { kind: "no-transactions" };
    if (first.hasEnvelope) return { kind: "known", passphrase };
  }
  return { kind: "unknown" };
}
