// What a reader has to know of a run with overrides: what it rests on that nothing proves, and what
// the network would have refused before any of it ran.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { keyNamer } from "../../explain/naming/named-values.ts";
import { refusalOf } from "../../fix/admission.ts";
import type { Execution } from "../../model/execution.ts";
import type { Verdict } from "../../model/verdict.ts";
import { inputCaveats } from "../../verdict/caveats.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import { readValidity } from "../../xdr/envelope/validity.ts";
import { readTransactionLimits } from "../../xdr/ledger/transaction-limits.ts";
import type { Replayable } from "../run/run-variant.ts";
import { type Draft, entriesXdrOf, envelopeOf, settingsOf } from "./variant-draft.ts";

/** `ran`: what the variant ran on. A sentence each. */
export function remarksOf(
  draft: Draft,
  ran: Replayable,
  execution: Execution,
  verdict: Verdict,
): string[] {
  return [
    ...verdictRemarks(verdict),
    ...internalError(execution),
    ...refusals(draft, execution),
    ...draft.remarks,
    ...unreadEntries(draft),
    ...caveatsOf(draft, ran, execution, verdict),
  ];
}

function verdictRemarks({ kind, caveats }: Verdict): string[] {
  if (kind === "exact" || kind === "equivalent")
    return caveats.length === 0
      ? []
      : ["What leaves a doubt of the replay is behind this run too."];
  return [
    `The replay of what the chain ran is ${kind} itself: what differs from it need not differ ` +
      "from the chain.",
  ];
}

function internalError({ outcome }: Execution): string[] {
  return outcome.kind === "internal_error"
    ? [`The host ended with an internal error: ${neutralise(outcome.message)}`]
    : [];
}

/** stellar-core checks these before anything runs (TransactionFrame, commonValidPreSeqNum). */
function refusals(draft: Draft, execution: Execution): string[] {
  const { ledger } = draft;
  const { soroban, feeBidStroops } = envelopeOf(draft);
  const limits = readTransactionLimits(settingsOf(draft).map(({ entryXdr }) => entryXdr));
  const refuse = (why: string) => `The network would refuse this transaction: ${why}.`;
  const over = (what: string, declared: number, limit: string | undefined) =>
    limit !== undefined && BigInt(declared) > BigInt(limit)
      ? [refuse(`it declares ${grouped(declared)} ${what}, and ${grouped(limit)} are allowed`)]
      : [];
  const { nonRefundableStroops, resourceFeeStroops } = execution.fees;
  const { fromSeconds, untilSeconds, fromLedger, beforeLedger } = readValidity(draft.envelopeXdr);
  const closeTime = BigInt(ledger.closeTimeUnixSeconds);
  const isLate =
    (untilSeconds > 0n && closeTime > untilSeconds) ||
    (beforeLedger > 0 && ledger.sequence >= beforeLedger);
  const isEarly = closeTime < fromSeconds || ledger.sequence < fromLedger;
  const isUnpaid = BigInt(nonRefundableStroops) > BigInt(resourceFeeStroops);
  const refusal = refusalOf(draft.envelopeXdr, limits, ledger.protocolVersion);
  return [
    ...(refusal === null ? [] : [`The network would refuse this transaction. ${refusal}`]),
    ...over("CPU instructions", soroban.instructions, limits.instructions),
    ...over("disk read bytes", soroban.diskReadBytes, limits.diskReadBytes),
    ...over("write bytes", soroban.writeBytes, limits.writeBytes),
    ...(isUnpaid
      ? [
          refuse(
            `what it declares costs ${stroopsInWords(nonRefundableStroops)}, and its resource ` +
              `fee is ${grouped(resourceFeeStroops)}`,
          ),
        ]
      : []),
    ...(BigInt(feeBidStroops) < BigInt(soroban.resourceFeeStroops)
      ? [refuse(`its bid of ${stroopsInWords(feeBidStroops)} does not hold its resource fee`)]
      : []),
    ...(isLate ? [refuse("its time or ledger bounds have ended by then")] : []),
    ...(isEarly ? [refuse("its time or ledger bounds have not begun by then")] : []),
  ];
}

function unreadEntries(draft: Draft): string[] {
  const { footprint } = envelopeOf(draft).soroban;
  const named = new Set([...footprint.readOnly, ...footprint.readWrite]);
  const nameOf = keyNamer(null, contractLookup(entriesXdrOf(draft)));
  return [...draft.entries.keys()]
    .filter((keyXdr) => !named.has(keyXdr))
    .map((keyXdr) => `${nameOf(keyXdr)} is not in the footprint: nothing reads it.`);
}

/** As of a replay, but for what the user said and what the verdict says already. */
function caveatsOf(
  draft: Draft,
  { record, snapshot }: Replayable,
  execution: Execution,
  verdict: Verdict,
): string[] {
  const said = new Set(verdict.caveats.map(({ keyXdr, detail }) => `${keyXdr} ${detail}`));
  const given = {
    ...snapshot,
    entries: snapshot.entries.filter(({ keyXdr }) => !draft.entries.has(keyXdr)),
    settings: snapshot.settings.filter(({ name }) => !draft.settings.has(name)),
  };
  const nameOf = keyNamer(snapshot, contractLookup(entriesXdrOf(draft)));
  // Several entries can share a doubt.
  const byDetail = new Map<string, string[]>();
  for (const { keyXdr, detail } of inputCaveats(record, { meta: null }, given, execution)) {
    if (said.has(`${keyXdr} ${detail}`)) continue;
    const names = byDetail.get(detail) ?? [];
    byDetail.set(detail, keyXdr === null ? names : [...names, nameOf(keyXdr)]);
  }
  return [...byDetail].map(([detail, names]) =>
    names.length === 0 ? detail : `${names.join(", ")}: ${detail}`,
  );
}
