// What the rent fee is computed from: the average size of the Soroban state over a window. No meta
// holds the window's changes; each ledger's close meta has the average and, from protocol 23, the
// rent fee, both as they stand after that ledger (LedgerCloseMetaFrame::setNetworkConfiguration),
// so those of a transaction are in the ledger before its own.

import type { SnapshotSetting } from "../../model/snapshot.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import {
  STATE_ARCHIVAL_ID,
  STATE_SIZE_WINDOW_ID,
  samplePeriodOf,
  settingKeyOf,
  stateSizeWindowOf,
} from "../../xdr/ledger/settings.ts";
import { settingName } from "../../xdr/reader/keys.ts";
import type { Evidence } from "../evidence.ts";
import type { LedgerViews } from "./ledger-views.ts";
import type { CurrentSettings } from "./settings-of-ledger.ts";

export interface RentInputs {
  readonly rentFeePer1KbStroops: string | null;
  /** The window, when the fee itself is not known. */
  readonly window: SnapshotSetting | null;
  /** Why neither is known; null otherwise. */
  readonly reason: string | null;
}

export const STATE_SIZE_WINDOW_KEY = settingKeyOf(STATE_SIZE_WINDOW_ID);
const NAME = settingName(STATE_SIZE_WINDOW_KEY);
const RAN_OUT = "InsufficientRefundableFee";
const RENT_FROM_WINDOW_ALONE_SINCE = 23;

/** `settings`: those that were found already. */
export async function rentInputsOf(
  evidence: Pick<Evidence, "transaction" | "operationCode">,
  protocolVersion: number,
  current: CurrentSettings,
  settings: readonly SnapshotSetting[],
  ledgers: LedgerViews,
): Promise<RentInputs> {
  const { ledgerSequence } = evidence.transaction;
  const previous = await ledgers.view(ledgerSequence - 1);
  const reported =
    previous === null ? null : reportedBy(previous, ledgerSequence, "the one before");
  if (reported !== null) return reported;
  const own = await ledgers.view(ledgerSequence);
  if (own !== null && neitherSamplesNorUpgrades(own, settings)) {
    const why = "this one, which neither samples the state size nor upgrades";
    const unchanged = reportedBy(own, ledgerSequence, why);
    if (unchanged !== null) return unchanged;
  }
  return fromCurrent(evidence, protocolVersion, current);
}

function reportedBy(
  view: LedgerCloseMetaView,
  ledgerSequence: number,
  which: string,
): RentInputs | null {
  const { nextRentFeePer1KbStroops, averageStateSizeBytes } = view;
  const window =
    averageStateSizeBytes === null
      ? null
      : {
          name: NAME,
          entryXdr: stateSizeWindowOf(averageStateSizeBytes, ledgerSequence - 1),
          provenance: {
            kind: "ledger-scan" as const,
            detail: `the average that ledger ${view.facts.sequence} reports: ${which}`,
          },
        };
  if (nextRentFeePer1KbStroops === null && window === null) return null;
  return { rentFeePer1KbStroops: nextRentFeePer1KbStroops, window, reason: null };
}

function neitherSamplesNorUpgrades(
  view: LedgerCloseMetaView,
  settings: readonly SnapshotSetting[],
): boolean {
  const name = settingName(settingKeyOf(STATE_ARCHIVAL_ID));
  const archival = settings.find((setting) => setting.name === name);
  if (archival === undefined || view.upgrades.length > 0) return false;
  return view.facts.sequence % samplePeriodOf(archival.entryXdr) !== 0;
}

/** The window as a node has it now. */
function fromCurrent(
  { transaction, operationCode }: Pick<Evidence, "transaction" | "operationCode">,
  protocolVersion: number,
  { current, origin }: CurrentSettings,
): RentInputs {
  const now = current?.entries.get(STATE_SIZE_WINDOW_KEY);
  const window = (kind: "assumed" | "rpc-unchanged" | "meta", detail: string) => ({
    rentFeePer1KbStroops: null,
    window:
      now === undefined
        ? null
        : { name: NAME, entryXdr: now.entryXdr, provenance: { kind, detail } },
    reason: now === undefined ? "no source gives the state-size window" : null,
  });
  if (current === null || now === undefined) return window("assumed", "");
  const ledger = now.lastModifiedLedger;
  const upToDate = current.latestLedger >= transaction.ledgerSequence - 1;
  if (ledger < transaction.ledgerSequence && upToDate) {
    return window("rpc-unchanged", `last modified in ledger ${ledger}, says ${origin}`);
  }
  // Before protocol 23 the fee for written bytes, which is not refunded, depends on it too.
  const onlyRent = protocolVersion >= RENT_FROM_WINDOW_ALONE_SINCE;
  if (onlyRent && !transaction.succeeded && operationCode?.endsWith(RAN_OUT) !== true) {
    const detail = `as ledger ${ledger} left it; it decides rent alone, and a failure that is not for lack of fee pays none`;
    return window("meta", detail);
  }
  return window("assumed", `as ledger ${ledger} left it; it decides the rent fee`);
}
