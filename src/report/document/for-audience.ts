// An investigation with its remedies and summaries phrased for the readers of a page, who may have
// no command line. A report of the command line phrases them where it words them.

import { type Audience, phrased, phraseFor, SHELL, type Wording } from "../../base/phrase.ts";
import type { Investigation } from "../../model/investigation.ts";

export function forAudience(investigation: Investigation, audience: Audience): Investigation {
  if (audience === SHELL) return investigation;
  const { remedy, fix, whatIf } = investigation;
  const inWords = (words: Wording | null) => words && phraseFor(words, audience);
  return {
    ...investigation,
    remedy: inWords(remedy),
    fix: fix && {
      ...fix,
      summary: phraseFor(fix.summary, audience),
      proof: phrased(fix.proof, audience),
    },
    ...(whatIf !== undefined && {
      whatIf: {
        ...whatIf,
        explanation: { ...whatIf.explanation, remedy: inWords(whatIf.explanation.remedy) },
      },
    }),
  };
}
