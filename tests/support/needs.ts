// Tests that need more than a plain clone has: the corpus beside the repository, or a program of the
// system. Where it is missing they are skipped, and their titles name it, so that `npm test` can say
// what was skipped for want of what. .ci/run installs everything and allows no skip.

import { describe, test } from "bun:test";

type Titled = (title: string, ...rest: never[]) => void;

export interface Needing {
  readonly test: typeof test;
  readonly describe: typeof describe;
}

/** `test` and `describe` as they are where `what` is here; otherwise skipped, as `title [needs what]`. */
export function needs(what: string, isHere: boolean): Needing {
  if (isHere) return { test, describe };
  const suffix = ` [needs ${what}]`;
  return {
    test: titled(test.skip, suffix) as typeof test,
    describe: titled(describe.skip, suffix) as typeof describe,
  };
}

function titled(skip: typeof test | typeof describe, suffix: string): unknown {
  const name =
    (call: Titled): Titled =>
    (title, ...rest) =>
      call(`${title}${suffix}`, ...rest);
  const each = skip.each.bind(skip) as (rows: unknown) => Titled;
  return Object.assign(name(skip as Titled), { each: (rows: unknown) => name(each(rows)) });
}
