// A number with what it counts, in the singular where it is one.

import { grouped } from "./grouped.ts";

export function counted(many: number, one: string, several = `${one}s`): string {
  return `${grouped(String(many))} ${many === 1 ? one : several}`;
}
