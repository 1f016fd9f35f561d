// "Did you mean": the known word that is closest to a mistyped one.

/**
 * Returns the only candidate that begins with the word (3 letters or more), or else the nearest one
 * within a third of the word's length (at least 1 edit). Null means that a guess would mislead.
 */
export function nearestWord(word: string, candidates: readonly string[]): string | null {
  const begun = candidates.filter((each) => each.toLowerCase().startsWith(word.toLowerCase()));
  if (word.length >= SHORTEST_BEGINNING && begun.length === 1) return begun[0] ?? null;
  let nearest: string | null = null;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest && edits < candidate.length) {
      nearest = candidate;
      fewest = edits;
    }
  }
  return nearest;
}

const SHORTEST_BEGINNING = 3;

/**
 * The Levenshtein distance, in which a swap of two neighbors is one edit. Only the first 64
 * characters count.
 */
function editDistance(left: string, right: string): number {
  const a = left.slice(0, 64);
  const b = right.slice(0, 64);
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = at(rows, i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(substitution, at(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, at(rows, i - 2, j - 2) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

function at(rows: readonly number[][], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
