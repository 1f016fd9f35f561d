// Builds sentences from parts.

export function sentenceStart(clause: string): string {
  return clause.charAt(0).toUpperCase() + clause.slice(1);
}

/** Up to its full stop; all of a text that has no second sentence. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?= (?:[A-Z`]|[a-z_]+\())/s.exec(text)?.[0] ?? text;
}

/** A word of a command that a reader copies into a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
