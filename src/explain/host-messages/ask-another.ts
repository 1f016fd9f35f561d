// The first step for an entry that a node does not have.

/** The remedy where the node may have left out what exists. */
export function askAnother(remedy: string): string {
  return `Ask another node. If it has no entry either: ${remedy}`;
}
