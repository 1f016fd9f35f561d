// Words the claims that a profile may make: how far its replay can be trusted, and whether its
// totals are the amounts that the network metered.

import { phraseFor, SHELL } from "../../base/phrase.ts";
import { countedMore } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";
import { restsOnCapsule, unconfirmedSentence } from "../../model/confirmation.ts";
import type { Investigation } from "../../model/investigation.ts";
import { isRunOfChain, type Verdict } from "../../model/verdict.ts";
import { caveatGroups, groupInWords } from "../document/caveat-groups.ts";
import { judgedSentence, nameOf } from "../document/outcome.ts";

export interface ProfileClaims {
  /** The verdict about the replay, as the report words it. */
  readonly verdict: string;
  /**
   * The ways in which the replay may differ from the network's run. Empty for an exact one on
   * confirmed state.
   */
  readonly caveats: readonly string[];
  /** Says who metered the totals. */
  readonly totals: string;
}

interface Totals {
  readonly cpuInstructions: number;
  readonly memoryBytes: number;
}

const MOST_CAVEATS = 6;
const MOST_SUBJECTS = 3;
/** A caveat may quote values of the chain. */
const MOST_CHARACTERS = 400;

export function profileClaims(investigation: Investigation, totals: Totals): ProfileClaims {
  const { verdict } = investigation;
  const caveats = verdict === null ? [] : caveatsOf(investigation, verdict);
  const more = caveats.length - MOST_CAVEATS;
  return {
    verdict: neutralise(judgedSentence(investigation)),
    caveats: [
      ...caveats.slice(0, MOST_CAVEATS).map((caveat) => cutNeutral(caveat, MOST_CHARACTERS)),
      ...(more > 0 ? [countedMore(more, ["caveat", "caveats"])] : []),
    ],
    totals: totalsSentence(investigation, totals),
  };
}

function caveatsOf(investigation: Investigation, verdict: Verdict): string[] {
  const { explanation } = investigation;
  const { firstDifference, likelyCause } = verdict;
  const difference =
    firstDifference === null ? [] : [`First difference: ${nameOf(firstDifference, explanation)}.`];
  const unconfirmed = unconfirmedSentence(investigation);
  return [
    ...difference,
    ...(likelyCause === null ? [] : [`Likely cause: ${likelyCause}`]),
    ...caveatGroups(verdict, explanation).map((group) => groupInWords(group, MOST_SUBJECTS)),
    ...(unconfirmed === null ? [] : [phraseFor(unconfirmed, SHELL)]),
  ];
}

/** Numbers are the network's only if they were compared, and the replay did what the chain did. */
function totalsSentence(investigation: Investigation, totals: Totals): string {
  const { verdict } = investigation;
  const ofCpu = networkNumber(verdict, "cpu_insn");
  const ofMemory = networkNumber(verdict, "mem_byte");
  const isCpu = ofCpu === String(totals.cpuInstructions);
  const isMemory = ofMemory === String(totals.memoryBytes);
  if (verdict !== null && isRunOfChain(verdict) && isCpu && isMemory)
    return restsOnCapsule(investigation)
      ? "The top frame is exactly the network's metering, as the capsule has it."
      : "The top frame is exactly what the network metered.";
  const others = [
    ...(ofCpu === null || isCpu ? [] : [`${grouped(ofCpu)} CPU instructions`]),
    ...(ofMemory === null || isMemory ? [] : [`${grouped(ofMemory)} bytes of memory`]),
  ];
  const why =
    others.length > 0
      ? `${restsOnCapsule(investigation) ? "According to the capsule, the" : "The"} network metered ${others.join(" and ")}.`
      : ofCpu === null || ofMemory === null
        ? "The chain record does not have the network's metering."
        : "The replay is not the network's run.";
  return `The top frame is what the replay metered. ${why}`;
}

/** Returns the number that the diagnostic events report, or null. */
function networkNumber(verdict: Verdict | null, metric: string): string | null {
  const comparison = verdict?.comparisons.find(
    ({ subject, item }) => subject === "core-metric" && item === metric,
  );
  return comparison?.chain ?? null;
}

/** Returns all claims in one list. */
export function claimSentences({ verdict, totals, caveats }: ProfileClaims): string[] {
  return [verdict, totals, ...caveats];
}
