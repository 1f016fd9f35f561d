// Words a number with the thing that it counts, in the singular for one.

import { grouped } from "./grouped.ts";

export function counted(many: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(String(many))} ${many === 1 ? singular : plural}`;
}

/** The name of a thing that is counted, in both forms. */
export type Noun = readonly [singular: string, plural: string];

/** Counts the things that are left out: `1 more change`, `3 more changes`, or `3 more`. */
export function countedMore(many: number, noun: Noun | null): string {
  const more = `${grouped(String(many))} more`;
  return noun === null ? more : `${more} ${many === 1 ? noun[0] : noun[1]}`;
}
