// Builds sentences from parts.

export function sentenceStart(clause: string): string {
  return clause.charAt(0).toUpperCase() + clause.slice(1);
}

/** Returns a clause as a sentence, with a full stop if it has no end of its own. */
export function withFullStop(clause: string): string {
  return /[.!?]$/.test(clause) ? clause : `${clause}.`;
}

/** Quotes a word of a command that a reader copies into a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A noun or the name of a type with its article: `an account`, `an i128`, `a u32`. A name that
 * begins with u is pronounced with a consonant.
 */
export function withArticle(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? "an" : "a"} ${noun}`;
}
