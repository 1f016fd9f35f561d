// One call stands for each path, whatever paths the calls of a period take when it is replayed
// again. Calls that are replayed as before are read again only if they are needed.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { CallPaths } from "../../src/rehearsal/call-paths.ts";

const CALLS = 6;
/** Null: the call is not judged. */
const path = fc.option(fc.constantFrom("p", "q", "r"), { freq: 5 });
/** The paths of all calls of a period, for each of its replays. */
const replays = fc.array(fc.array(path, { minLength: CALLS, maxLength: CALLS }), {
  minLength: 1,
  maxLength: 5,
});

test("after each replay of a period, the first call of each path stands for it", () => {
  fc.assert(
    fc.property(fc.array(replays, { minLength: 1, maxLength: 3 }), (periods) => {
      const paths = new CallPaths();
      const listed = new Set<string>();
      const expected = new Set<string>();
      const takenBefore = new Set<string>();
      for (const [period, passes] of periods.entries()) {
        let before: readonly (string | null)[] = [];
        for (const [pass, taken] of passes.entries()) {
          for (const [place, name] of taken.entries()) {
            const hash = `${period}-${place}`;
            const isAsBefore = pass > 0 && before[place] === name;
            if (isAsBefore && !paths.isNeeded(hash)) continue;
            if (name === null) paths.leave(hash);
            const { isFirst = false, replaced } =
              name === null ? {} : paths.take(name, { hash, place, period });
            if (replaced !== undefined) listed.delete(replaced);
            if (isFirst) listed.add(hash);
            else listed.delete(hash);
          }
          before = taken;
          const firsts = taken.flatMap((name, place) => {
            const isFirst = name !== null && taken.indexOf(name) === place;
            return isFirst && !takenBefore.has(name) ? `${period}-${place}` : [];
          });
          expect([...listed].sort()).toEqual([...expected, ...firsts].sort());
          if (pass === passes.length - 1) for (const hash of firsts) expected.add(hash);
        }
        for (const name of before) if (name !== null) takenBefore.add(name);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("without periods, a call that is read first stands for its path", () => {
  const paths = new CallPaths();
  const take = (hash: string, place: number) => paths.take("p", { hash, place, period: null });
  expect(take("late", 9)).toEqual({ isFirst: true });
  expect(take("early", 1)).toEqual({ isFirst: false });
  expect(take("late", 9)).toEqual({ isFirst: true });
  paths.leave("late");
  expect(paths.isNeeded("early")).toBe(true);
});
