// Requests the entries that every snapshot needs while its chain record is still being completed.
// The wait is as long as the answers that must follow one another.

import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import type { CheckedTransaction } from "../../sources/check-transaction.ts";
import type { FetchContext } from "../../sources/source.ts";
import { reachedHost } from "../../xdr/outcome/result.ts";
import { STATE_SIZE_WINDOW_KEY } from "../decide-settings.ts";
import { decidingSettingKeys } from "../settings/deciding-settings.ts";
import type { AskedNodes } from "./node-states.ts";

/**
 * Ends after the nodes have answered; the ledger may still be on its way. Does not throw: a failed
 * request is made again later.
 */
export async function prefetchState(
  { ledgers, nodes }: { readonly ledgers: LedgerReader; readonly nodes: AskedNodes },
  { answer: { ledgerSequence }, envelope, result }: CheckedTransaction,
  context: FetchContext,
): Promise<void> {
  if (envelope.soroban === null || !reachedHost(result)) return;
  const { readOnly, readWrite } = envelope.soroban.footprint;
  ledgers.prefetch(ledgerSequence - 1, context);
  const entries = nodes.prefetch([...readOnly, ...readWrite], context);
  // Nodes have the settings of the network's current protocol, which include those of earlier ones.
  const { protocolVersion } = nodes;
  const settings = protocolVersion === 0 ? [] : decidingSettingKeys(protocolVersion);
  const window = settings.length === 0 ? [] : [STATE_SIZE_WINDOW_KEY];
  await Promise.allSettled([entries, nodes.prefetch([...settings, ...window], context)]);
}
