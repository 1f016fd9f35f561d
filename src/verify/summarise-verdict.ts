// Describes the verdict of one transaction that is not exact: its cause and the values.

import { cutVisibly, neutralise } from "../base/text/neutralise.ts";
import { sentenceStart, withFullStop } from "../base/text/sentence.ts";
import { nameDifference } from "../explain/naming/named-values.ts";
import type { UnknownInput } from "../model/snapshot.ts";
import { type Caveat, type Comparison, placeOnRecord, type Verdict } from "../model/verdict.ts";
import type { NotExact } from "../model/verification.ts";
import { isSettingKey, settingName } from "../xdr/reader/keys.ts";
import { describeKey } from "../xdr/values/value.ts";

/** The number of unknown keys that are named. */
const NAMED_KEYS = 5;

export type Summary = Pick<NotExact, "verdict" | "cause" | "detail">;

/**
 * Makes the summary. The cause names what differs, without values, so that transactions of one
 * cause count together.
 */
export function summaryOf({
  kind,
  comparisons,
  caveats,
  firstDifference,
  likelyCause,
}: Verdict): Summary {
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
  // Without a meta that holds for every transaction.
  const first = caveats.find((caveat) => caveat.kind !== "not-compared") ?? caveats[0];
  return { verdict: kind, cause: causeOfCaveat(first), detail };
}

export function summaryOfUnknown(unknown: readonly UnknownInput[]): Summary {
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

/** Causes that the ledgers before the first may remove. */
export const CAUSES_OF_HISTORY: readonly string[] = [CAUSES.assumed, CAUSES.unknown];

const SHOWN_VALUE = 160;

/** The difference in the words of `svc debug`. */
function differenceInWords(difference: Comparison): string {
  const { subject, item } = difference;
  const about = item === null ? "" : `: ${subject === "ledger-change" ? describeKey(item) : item}`;
  const { chain, replay } = nameDifference(difference) ?? difference;
  const show = (value: string | null) => cutVisibly(neutralise(value ?? "nothing"), SHOWN_VALUE);
  const subjectInWords = `${subject.replaceAll("-", " ")}${about}`;
  const place = placeOnRecord(difference);
  return asSentence(`${subjectInWords}: ${show(chain)} ${place}, ${show(replay)} in the replay`);
}

/** The text of a caveat with its entry or setting, which the detail does not name. */
function caveatInWords({ detail, keyXdr }: Caveat): string {
  return asSentence(keyXdr === null ? detail : `${nameOfUnknown(keyXdr)}: ${detail}`);
}

function asSentence(text: string): string {
  return sentenceStart(withFullStop(text));
}

function nameOfUnknown(keyXdr: string): string {
  if (keyXdr === "") return "The ledger's header";
  return isSettingKey(keyXdr) ? settingName(keyXdr) : describeKey(keyXdr);
}

function causeOfUnknown(keyXdr: string): string {
  if (keyXdr === "") return "the ledger's header facts are unknown";
  return isSettingKey(keyXdr) ? "a network setting is unknown" : "a ledger entry is unknown";
}
