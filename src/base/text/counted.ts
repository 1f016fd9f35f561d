// Words a number with the thing that it counts, in the singular for one.

import { grouped } from "./grouped.ts";

export function counted(many: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(String(many))} ${many === 1 ? singular : plural}`;
}

/**
 * Counts the things that are left out: `1 more change`, `3 more changes`, or `3 more` if `several`
 * is empty.
 */
export function countedMore(many: number, several: string): string {
  const noun = many === 1 ? several.replace(/(?<=ss)es$|s$/, "") : several;
  return `${grouped(String(many))} more ${noun}`.trimEnd();
}
