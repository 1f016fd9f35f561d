// What a snapshot takes in any case, asked for while its chain record is still being completed:
// people wait for as many answers as follow one another.

import { askInTurn } from "../../sources/ask-in-turn.ts";
import type { FetchContext, Source } from "../../sources/source.ts";
import type { SorobanFootprint } from "../../xdr/envelope/envelope-facts.ts";
import { STATE_SIZE_WINDOW_KEY } from "../decide-settings.ts";
import { decidingSettingKeys } from "../settings/deciding-settings.ts";
import type { AskedNodes } from "./node-states.ts";

/** Ends when all have answered. Does not throw: what failed is asked for again. */
export async function askEarly(
  nodes: AskedNodes,
  sources: readonly Source[],
  { ledgerSequence, footprint }: { ledgerSequence: number; footprint: SorobanFootprint },
  context: FetchContext,
): Promise<void> {
  const asked: Promise<unknown>[] = [
    nodes.askEarly([...footprint.readOnly, ...footprint.readWrite], context),
  ];
  // Nodes know the settings of the network's protocol now, which has those of earlier ones.
  const protocols = sources.flatMap((source) => source.protocolVersion?.() ?? []);
  if (protocols.length > 0) {
    const settings = decidingSettingKeys(Math.max(...protocols));
    asked.push(nodes.askEarly([...settings, STATE_SIZE_WINDOW_KEY], context));
  }
  // Files are read in order, from their first ledger.
  if (sources.every(({ local }) => local !== true))
    asked.push(askForLedger(sources, ledgerSequence - 1, context));
  await Promise.allSettled(asked);
}

/** Has the sources read a ledger, which they keep. */
export function askForLedger(sources: readonly Source[], sequence: number, context: FetchContext) {
  return askInTurn(sources, context, (source, asking) =>
    source.fetchLedgerCloseMeta?.(sequence, asking),
  );
}
