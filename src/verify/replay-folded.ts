// One folded transaction → its verdict, as one row of a Verification.

import { SvcError } from "../base/errors/errors.ts";
import { cutVisibly, neutralise } from "../base/text/neutralise.ts";
import { sentenceStart } from "../base/text/sentence.ts";
import { type Engines, type Replayed, replay } from "../debugger/run/replay.ts";
import { nameDifference } from "../explain/naming/named-values.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Snapshot, UnknownInput } from "../model/snapshot.ts";
import { type Caveat, type Comparison, placeOnRecord, type Verdict } from "../model/verdict.ts";
import type { NotExact } from "../model/verification.ts";
import { replayRequest } from "../simulator/requests.ts";
import { feeTakenBeforeRefund } from "../xdr/outcome/fees.ts";
import { refundIsPaid } from "../xdr/outcome/refund.ts";
import { isSettingKey, settingName } from "../xdr/reader/keys.ts";
import { describeKey } from "../xdr/values/value.ts";

/** Codes of a replay that failed by itself; the next transaction may well succeed. */
const OF_ONE_REPLAY: ReadonlySet<string> = new Set([
  "SIMULATOR_FAILED",
  "SIMULATOR_DIED",
  "SIMULATOR_TIMEOUT",
  "SIMULATOR_INVALID_JSON",
  "PROTOCOL_UNSUPPORTED",
]);

/** A transaction with what it ran against. */
export interface FoldedSnapshot {
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
}

export interface JudgedFold {
  /** Null when exact. */
  readonly notExact: NotExact | null;
  /** Null when there was no replay. */
  readonly replayed: Replayed | null;
}

/** Null when exact. Throws what makes every further replay fail too. */
export async function replayFolded(
  engines: Engines,
  folded: FoldedSnapshot,
  options: { readonly source: string; readonly signal: AbortSignal },
): Promise<NotExact | null> {
  return (await judgeFolded(engines, folded, options)).notExact;
}

/** The same, with the replay. `trace`: with its call tree, which changes no metering. */
export async function judgeFolded(
  engines: Engines,
  { record, snapshot }: FoldedSnapshot,
  options: { readonly source: string; readonly trace?: boolean; readonly signal: AbortSignal },
): Promise<JudgedFold> {
  const place = {
    hash: record.hash,
    ledger: record.ledger.sequence,
    protocolVersion: record.ledger.protocolVersion,
    applicationOrder: record.applicationOrder,
    source: options.source,
  };
  if (snapshot.unknown.length > 0) {
    return { notExact: { ...place, ...summaryOfUnknown(snapshot.unknown) }, replayed: null };
  }
  try {
    const request = replayRequest(record, snapshot, {
      trace: options.trace ?? false,
      diagnostics: true,
      feeTakenStroops: feeTakenBeforeRefund(record),
      refundIsPaid: refundIsPaid(record),
    });
    const optional = { signal: options.signal, caveats: [] };
    const replayed = await replay(engines, record, snapshot, request, optional);
    const { verdict } = replayed;
    const exact = verdict.kind === "exact";
    return { notExact: exact ? null : { ...place, ...summaryOf(verdict) }, replayed };
  } catch (error) {
    if (!(error instanceof SvcError) || !OF_ONE_REPLAY.has(error.code)) throw error;
    const cause = { cause: error.code, detail: error.message };
    return { notExact: { ...place, verdict: "inconclusive", ...cause }, replayed: null };
  }
}

/** Keys that are named of those that are not known. */
const NAMED_KEYS = 5;

type Summary = Pick<NotExact, "verdict" | "cause" | "detail">;

/**
 * The cause names what differs, without values, so that transactions of one cause count together.
 */
function summaryOf({ kind, comparisons, caveats, firstDifference, likelyCause }: Verdict): Summary {
  if (kind === "diverged" && firstDifference !== null) {
    const values = differenceInWords(firstDifference);
    return {
      verdict: kind,
      cause: `${firstDifference.subject.replaceAll("-", " ")} differs`,
      detail: likelyCause === null ? values : `${values} Likely cause: ${likelyCause}`,
    };
  }
  const detail = [...new Set(caveats.map(caveatInWords))].join(" ");
  const metrics = comparisons.filter(
    ({ subject, result }) => subject === "core-metric" && result === "different",
  );
  if (metrics.length > 0 && caveats.every((caveat) => caveat.kind === "metering")) {
    const names = metrics.map(({ item }) => item).join(", ");
    return { verdict: kind, cause: `metering differs: ${names}`, detail };
  }
  return { verdict: kind, cause: causeOfCaveat(caveats[0]), detail };
}

function summaryOfUnknown(unknown: readonly UnknownInput[]): Summary {
  const named = unknown.slice(0, NAMED_KEYS).map(({ keyXdr, reason }) => {
    return asSentence(`${nameOfUnknown(keyXdr)}: ${reason}`);
  });
  const more = unknown.length - named.length;
  const detail = named.join(" ") + (more === 0 ? "" : ` And ${more} more.`);
  return { verdict: "inconclusive", cause: causeOfUnknown(unknown[0]?.keyXdr ?? ""), detail };
}

function causeOfCaveat(caveat: Caveat | undefined): string {
  return caveat === undefined ? "no reason given" : CAUSES[caveat.kind];
}

const CAUSES: Readonly<Record<Caveat["kind"], string>> = {
  assumed: "an input was assumed",
  unknown: "an input is unknown",
  metering: "metering differs",
  events: "events differ in form, the success hash holds",
  diagnostics: "diagnostic events differ",
  "not-compared": "something could not be compared",
};

/** Causes that ledgers before the first may remove. */
export const CAUSES_OF_HISTORY: readonly string[] = [CAUSES.assumed, CAUSES.unknown];

const SHOWN_VALUE = 160;

/** In the words of `svc debug`. */
function differenceInWords(difference: Comparison): string {
  const { subject, item } = difference;
  const about = item === null ? "" : `: ${subject === "ledger-change" ? describeKey(item) : item}`;
  const { chain, replay } = nameDifference(difference) ?? difference;
  const show = (value: string | null) => cutVisibly(neutralise(value ?? "nothing"), SHOWN_VALUE);
  const what = `${subject.replaceAll("-", " ")}${about}`;
  const place = placeOnRecord(difference);
  return asSentence(`${what}: ${show(chain)} ${place}, ${show(replay)} in the replay`);
}

/** The detail of a caveat does not name the entry or the setting that it is about. */
function caveatInWords({ detail, keyXdr }: Caveat): string {
  return asSentence(keyXdr === null ? detail : `${nameOfUnknown(keyXdr)}: ${detail}`);
}

function asSentence(text: string): string {
  return sentenceStart(/[.!?]$/.test(text) ? text : `${text}.`);
}

function nameOfUnknown(keyXdr: string): string {
  if (keyXdr === "") return "The ledger's header";
  return isSettingKey(keyXdr) ? settingName(keyXdr) : describeKey(keyXdr);
}

function causeOfUnknown(keyXdr: string): string {
  if (keyXdr === "") return "the ledger's header facts are unknown";
  return isSettingKey(keyXdr) ? "a network setting is unknown" : "a ledger entry is unknown";
}
