// The caveats of a verdict for people: caveats with the same reason are one group, with their keys
// after it. A node that does not answer causes a caveat for each entry and setting it should have.

import { grouped } from "../../base/text/grouped.ts";
import { withFullStop } from "../../base/text/sentence.ts";
import type { Explanation } from "../../model/explanation.ts";
import { type Caveat, placeOnRecord, type Verdict } from "../../model/verdict.ts";

export interface CaveatGroup {
  /** A sentence, or with several subjects the beginning of one: `no node has it (2)`. */
  readonly text: string;
  /** Names of keys, or metrics with both values, where there are several. */
  readonly subjects: readonly string[];
}

/** In the order of the first caveat of each group. */
export function caveatGroups(
  { caveats }: Verdict,
  { keyNames }: Pick<Explanation, "keyNames">,
): CaveatGroup[] {
  const groups = new Map<string, OpenGroup>();
  for (const caveat of caveats) {
    const { reason, of } = partsOf(caveat, keyNames);
    const { kind } = caveat;
    const group = groups.get(`${kind} ${reason}`) ?? { kind, reason, of: new Set() };
    groups.set(`${kind} ${reason}`, group);
    if (of !== null) group.of.add(of);
  }
  return [...groups.values()].map(({ kind, reason, of }) => {
    const [first] = of;
    if (of.size > 1) return { text: `${reason} (${of.size})`, subjects: [...of] };
    if (first === undefined) return { text: withFullStop(reason), subjects: [] };
    const alone = kind === "metering" ? `${reason}: ${first}` : `${first}: ${reason}`;
    return { text: withFullStop(alone), subjects: [] };
  });
}

interface OpenGroup {
  readonly kind: Caveat["kind"];
  readonly reason: string;
  readonly of: Set<string>;
}

function partsOf({ keyXdr, detail, metric }: Caveat, keyNames: Explanation["keyNames"]) {
  if (metric !== undefined) {
    const [chain, replay] = [metric.chain, metric.replay].map((value) =>
      grouped(value ?? "nothing"),
    );
    const name = METRICS[metric.name] ?? metric.name;
    return { reason: METERING, of: `${name}: ${chain} ${ON_RECORD}, ${replay} in the replay` };
  }
  return { reason: detail, of: keyXdr === null ? null : (keyNames[keyXdr] ?? keyXdr) };
}

const METERING = "The replay's metering differs";
const METRICS: Readonly<Record<string, string>> = {
  cpu_insn: "CPU instructions",
  mem_byte: "memory bytes",
};
const ON_RECORD = placeOnRecord({ subject: "core-metric" });

/** Lists at most `shown` subjects, and counts the others. */
export function groupInWords({ text, subjects }: CaveatGroup, shown: number): string {
  if (subjects.length === 0) return text;
  const more = subjects.length - shown;
  const moreInWords = more > 0 ? `; and ${grouped(more)} more` : "";
  return `${text}: ${subjects.slice(0, shown).join("; ")}${moreInWords}.`;
}
