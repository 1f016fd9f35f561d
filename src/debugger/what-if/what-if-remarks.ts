// What a reader has to know about a run with overrides: the assumptions it depends on, and the
// reasons for which the network would have refused the transaction before it ran.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import { quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";
import { keyNamer } from "../../explain/naming/named-values.ts";
import { declaredBy } from "../../fix/fix-context.ts";
import type { Execution } from "../../model/execution.ts";
import { isReproduced, type Verdict } from "../../model/verdict.ts";
import { inputCaveats } from "../../verdict/caveats.ts";
import { exceededLimits } from "../../xdr/ledger/exceeded-limits.ts";
import { readTransactionLimits } from "../../xdr/ledger/transaction-limits.ts";
import type { Replayable } from "../run/run-variant.ts";
import { type Draft, lookupOf, settingsInDraft } from "./variant-draft.ts";

/** Returns sentences. `ran` is what the variant ran on. */
export function remarksOf(
  draft: Draft,
  ran: Replayable,
  execution: Execution,
  verdict: Verdict,
): string[] {
  return [
    ...verdictRemarks(verdict),
    ...internalError(execution),
    ...draft.remarks,
    ...unreadEntries(draft),
    ...caveatsOf(draft, ran, execution, verdict),
  ];
}

function verdictRemarks({ kind, caveats }: Verdict): string[] {
  if (!isReproduced(kind) || caveats.length === 0) return [];
  return ["The caveats of the replay apply to this run too."];
}

function internalError({ outcome }: Execution): string[] {
  return outcome.kind === "internal_error"
    ? [
        `The contract host ended with an internal error: ${quotedText(outcome.message, SHOWN_QUOTE)}.`,
      ]
    : [];
}

/** stellar-core checks these before anything runs (TransactionFrame, commonValidPreSeqNum). */
export function refusalsOf(draft: Draft, execution: Execution): string[] {
  const { ledger, envelope } = draft;
  const { feeBidStroops, terms } = envelope;
  const soroban = declaredBy(draft);
  const limits = readTransactionLimits(settingsInDraft(draft).map(({ entryXdr }) => entryXdr));
  const refuse = (why: string) => `The network would refuse this transaction: ${why}.`;
  const { nonRefundableStroops, resourceFeeStroops } = execution.fees;
  const { earliestSeconds, latestSeconds, earliestLedger, endLedger } = terms;
  const closeTime = BigInt(ledger.closeTimeUnixSeconds);
  const isLate =
    (latestSeconds !== null && closeTime > latestSeconds) ||
    (endLedger !== null && ledger.sequence >= endLedger);
  const isEarly = closeTime < (earliestSeconds ?? 0n) || ledger.sequence < (earliestLedger ?? 0);
  const isUnpaid = BigInt(nonRefundableStroops) > BigInt(resourceFeeStroops);
  const over = exceededLimits(soroban, terms.sizeBytes, limits, ledger.protocolVersion);
  return [
    ...over.map((each) => refuse(`it declares ${each}`)),
    ...(isUnpaid
      ? [
          refuse(
            `its declared resources cost ${stroopsInWords(nonRefundableStroops)}, but its resource ` +
              `fee is ${grouped(resourceFeeStroops)}`,
          ),
        ]
      : []),
    ...(BigInt(feeBidStroops) < BigInt(soroban.resourceFeeStroops)
      ? [refuse(`its bid of ${stroopsInWords(feeBidStroops)} is lower than its resource fee`)]
      : []),
    ...(isLate ? [refuse("its time or ledger bounds have already ended")] : []),
    ...(isEarly ? [refuse("its time or ledger bounds have not begun yet")] : []),
  ];
}

function unreadEntries(draft: Draft): string[] {
  const { footprint } = declaredBy(draft);
  const named = new Set([...footprint.readOnly, ...footprint.readWrite]);
  const nameOf = keyNamer(null, lookupOf(draft));
  return [...draft.overridden]
    .filter((keyXdr) => !named.has(keyXdr))
    .map((keyXdr) => `${nameOf(keyXdr)} is not in the footprint: nothing reads it.`);
}

/**
 * The caveats of a replay, without those about overrides and those that the verdict already has.
 */
function caveatsOf(
  draft: Draft,
  { record, snapshot }: Replayable,
  execution: Execution,
  verdict: Verdict,
): string[] {
  const known = new Set(verdict.caveats.map(({ keyXdr, detail }) => `${keyXdr} ${detail}`));
  const untouched = {
    ...snapshot,
    entries: snapshot.entries.filter(({ keyXdr }) => !draft.overridden.has(keyXdr)),
    settings: snapshot.settings.filter(({ name }) => !draft.settings.has(name)),
  };
  const nameOf = keyNamer(snapshot, lookupOf(draft));
  // Several entries can have the same caveat.
  const byDetail = new Map<string, string[]>();
  for (const { keyXdr, detail } of inputCaveats(record, { meta: null }, untouched, execution)) {
    if (known.has(`${keyXdr} ${detail}`)) continue;
    const names = byDetail.get(detail) ?? [];
    byDetail.set(detail, keyXdr === null ? names : [...names, nameOf(keyXdr)]);
  }
  return [...byDetail].map(([detail, names]) =>
    names.length === 0 ? detail : `${names.join(", ")}: ${detail}`,
  );
}
