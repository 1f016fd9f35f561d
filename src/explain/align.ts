// Pairs the items of two lists that are the same, and keeps the order of both lists.

export interface Pair<T> {
  /** Null if the item is only in the second list. */
  readonly before: T | null;
  /** Null if the item is only in the first list. */
  readonly after: T | null;
}

/** The likeness of two items: 0 if they are unrelated, and higher the more alike they are. */
export type Likeness<T> = (left: T, right: T) => number;

/** Longer lists are paired by position, because the work is the product of their lengths. */
const MAXIMUM_CELLS = 1_000_000;

/** Returns the alignment with the highest sum of likenesses. */
export function align<T>(
  before: readonly T[],
  after: readonly T[],
  likeness: Likeness<T>,
): Pair<T>[] {
  if (before.length * after.length > MAXIMUM_CELLS) return byPosition(before, after, likeness);
  const best = bestSums(before, after, likeness);
  const sum = (i: number, j: number) => best[i]?.[j] ?? 0;
  const pairs: Pair<T>[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [left, right] = [before[i] as T, after[j] as T];
    const alike = i < before.length && j < after.length ? likeness(left, right) : 0;
    if (alike > 0 && alike + sum(i + 1, j + 1) === sum(i, j)) {
      pairs.push({ before: left, after: right });
      i += 1;
      j += 1;
    } else if (i < before.length && sum(i + 1, j) === sum(i, j)) {
      pairs.push({ before: left, after: null });
      i += 1;
    } else {
      pairs.push({ before: null, after: right });
      j += 1;
    }
  }
  return pairs;
}

/** `best[i][j]` is the highest sum for the items from i and from j on. */
function bestSums<T>(before: readonly T[], after: readonly T[], likeness: Likeness<T>) {
  const best: number[][] = Array.from({ length: before.length + 1 }, () => []);
  for (let i = before.length; i >= 0; i -= 1) {
    const row = best[i] as number[];
    for (let j = after.length; j >= 0; j -= 1) {
      const without = Math.max(best[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
      const isInside = i < before.length && j < after.length;
      const alike = isInside ? likeness(before[i] as T, after[j] as T) : 0;
      const paired = alike > 0 ? alike + (best[i + 1]?.[j + 1] ?? 0) : 0;
      row[j] = Math.max(without, paired);
    }
  }
  return best;
}

function byPosition<T>(
  before: readonly T[],
  after: readonly T[],
  likeness: Likeness<T>,
): Pair<T>[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, i): Pair<T>[] => {
    const pair = { before: before[i] ?? null, after: after[i] ?? null };
    const { before: first, after: other } = pair;
    if (first === null || other === null || likeness(first, other) > 0) return [pair];
    return [
      { before: first, after: null },
      { before: null, after: other },
    ];
  }).flat();
}
