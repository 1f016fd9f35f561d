// The caveats of a verdict for people: caveats with the same reason are one group, with their keys
// after it. A node that does not answer causes a caveat for each entry and setting it should have.

import type { Explanation } from "../model/explanation.ts";
import type { Caveat, Verdict } from "../model/verdict.ts";

export interface CaveatGroup {
  readonly reason: string;
  /** Names of keys, or metrics with both values, that the reason is about. May be empty. */
  readonly of: readonly string[];
}

/** In the order of the first caveat of each group. */
export function caveatGroups(
  { caveats }: Verdict,
  { keyNames }: Pick<Explanation, "keyNames">,
): CaveatGroup[] {
  const groups = new Map<string, { readonly reason: string; readonly of: string[] }>();
  for (const caveat of caveats) {
    const { reason, of } = partsOf(caveat, keyNames);
    const found = groups.get(`${caveat.kind} ${reason}`) ?? { reason, of: [] };
    groups.set(`${caveat.kind} ${reason}`, found);
    if (of !== null && !found.of.includes(of)) found.of.push(of);
  }
  return [...groups.values()];
}

function partsOf({ kind, keyXdr, detail }: Caveat, keyNames: Explanation["keyNames"]) {
  if (kind === "metering") return { reason: METERING, of: detail.replace(/\.$/, "") };
  return { reason: detail, of: keyXdr === null ? null : (keyNames[keyXdr] ?? keyXdr) };
}

const METERING = "The replay's metering differs.";

/** The reason, and the number of keys or metrics. */
export function headOf({ reason, of }: CaveatGroup): string {
  return `${reason.replace(/\.$/, "")} (${of.length})`;
}

/** Lists at most `shown` keys or metrics, and counts the others. */
export function groupInWords({ reason, of }: CaveatGroup, shown: number): string {
  const [first] = of;
  if (first === undefined) return ended(reason);
  if (of.length === 1) return reason === METERING ? `${first}.` : ended(`${first}: ${reason}`);
  const more = of.length - shown;
  const listed = of.slice(0, shown).join("; ");
  const rest = more > 0 ? `; and ${more} more` : "";
  return `${headOf({ reason, of })}: ${listed}${rest}.`;
}

function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
