// Builds sentences from parts.

export function sentenceStart(clause: string): string {
  return clause.charAt(0).toUpperCase() + clause.slice(1);
}
