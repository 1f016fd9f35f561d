// What a person at a command line reads.

import { phraseFor, SHELL, type Wording } from "../../src/base/phrase.ts";

/** The words for a shell. Empty if there are none. */
export function said(words: Wording | null | undefined): string {
  return phraseFor(words ?? "", SHELL);
}
