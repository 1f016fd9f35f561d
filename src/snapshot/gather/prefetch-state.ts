// What a snapshot takes in any case, asked for while its chain record is still being completed:
// people wait for as many answers as follow one another.

import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import type { CheckedTransaction } from "../../sources/check-transaction.ts";
import type { FetchContext } from "../../sources/source.ts";
import { reachedHost } from "../../xdr/outcome/result.ts";
import { STATE_SIZE_WINDOW_KEY } from "../decide-settings.ts";
import { decidingSettingKeys } from "../settings/deciding-settings.ts";
import type { AskedNodes } from "./node-states.ts";

/**
 * Ends when the nodes have answered; the ledger may still be on its way. Does not throw: what
 * failed is asked for again.
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
  // Nodes know the settings of the network's protocol now, which has those of earlier ones.
  const { protocolVersion } = nodes;
  const settings = protocolVersion === 0 ? [] : decidingSettingKeys(protocolVersion);
  const window = settings.length === 0 ? [] : [STATE_SIZE_WINDOW_KEY];
  await Promise.allSettled([entries, nodes.prefetch([...settings, ...window], context)]);
}
