// Words in sentences. Each is a part of its own, so that a list can show the first one, and no
// code has to find out where it ends.

/** Sentences in their order. */
export type Sentences = readonly [first: string, ...others: string[]];

/** The sentences, without those that are null. */
export function sentences(first: string, ...others: readonly (string | null)[]): Sentences {
  return [first, ...others.filter((each) => each !== null)];
}
