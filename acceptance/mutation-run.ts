// Runs in a copy of the checkout, in the place of bun:test (mutation.ts): collects the tests instead of
// running them, switches one change after another on, and runs the tests that reach it until one fails.
// The tests that have noticed a change before are tried first, then the short ones.

import * as bun from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";

export type Noticed = "noticed" | "missed" | "not-reached" | "when-loaded";

type Body = () => unknown;

/** What StrykerJS's switches read. */
interface Switches {
  activeMutant?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

/** More passes of a change than any test needs: it is a loop without an end. */
const HIT_LIMIT = 1_000_000;
const TEST_MILLISECONDS = 30_000;

interface Collected {
  /** Not empty, because StrykerJS counts what an empty one reaches as reached by all. */
  readonly id: string;
  readonly body: Body;
}

// One counterexample notices a change. A smaller one tells nothing more, and takes long to find.
fc.configureGlobal({ endOnFailure: true });

const collected: Collected[] = [];
const before: Body[] = [];
const after: Body[] = [];

const add = (_name: string, body?: Body) => {
  if (body !== undefined) collected.push({ id: `${collected.length + 1}`, body });
};
const each =
  (rows: readonly unknown[]) =>
  (name: string, body: (...values: unknown[]) => unknown): void => {
    for (const row of rows) add(name, () => body(...(Array.isArray(row) ? row : [row])));
  };
const skipped = Object.assign((_name: string, _body?: Body) => {}, {
  each: (_rows: readonly unknown[]) => (_name: string, _body?: Body) => {},
});

export const test = Object.assign(add, {
  each,
  skip: skipped,
  todo: skipped,
  skipIf: (isSkipped: boolean) => (isSkipped ? skipped : add),
});
export const it = test;
export const describe = Object.assign((_name: string, body: Body) => void body(), {
  each:
    (rows: readonly unknown[]) =>
    (_name: string, body: (...values: unknown[]) => unknown): void => {
      for (const row of rows) body(...(Array.isArray(row) ? row : [row]));
    },
  skip: skipped,
  skipIf: (isSkipped: boolean) => (isSkipped ? skipped : (_: string, body: Body) => void body()),
});
export const beforeAll = (body: Body) => void before.push(body);
export const afterAll = (body: Body) => void after.push(body);
export const beforeEach = skipped;
export const afterEach = skipped;
export const setDefaultTimeout = skipped;
export const { expect, spyOn, mock } = bun;

const files = JSON.parse(readFileSync("mutation-tests.json", "utf8")) as string[];
const ids = JSON.parse(readFileSync("asked.json", "utf8")) as string[];

bun.test(
  "the changes",
  async () => {
    for (const file of files) await import(`${process.cwd()}/${file}`);
    const switches = (globalThis as { __stryker__?: Switches }).__stryker__ ?? {};
    const whenLoaded = new Set(Object.keys(switches.mutantCoverage?.static ?? {}));
    for (const body of before) await body();
    const isAlone = switches.activeMutant !== undefined;
    const durations = isAlone ? new Map<Collected, number>() : await runUnchanged(switches);
    const order = collected.toSorted(
      (one, other) => (durations.get(one) ?? 0) - (durations.get(other) ?? 0),
    );
    const reachedByAll = new Set(Object.keys(switches.mutantCoverage?.static ?? {}));
    const reaches = ({ id: test }: Collected, id: string) =>
      isAlone || reachedByAll.has(id) || id in (switches.mutantCoverage?.perTest[test] ?? {});
    const results: Record<string, Noticed> = {};
    for (const [at, id] of ids.entries()) {
      const tests = order.filter((each) => reaches(each, id));
      if (!isAlone && whenLoaded.has(id)) results[id] = "when-loaded";
      else if (tests.length === 0) results[id] = "not-reached";
      else {
        Object.assign(switches, { activeMutant: id, hitCount: 0, hitLimit: HIT_LIMIT });
        const noticedBy = await failing(tests);
        results[id] = noticedBy === null ? "missed" : "noticed";
        if (noticedBy !== null) {
          order.splice(order.indexOf(noticedBy), 1);
          order.unshift(noticedBy);
        }
        switches.activeMutant = undefined;
      }
      if (at % 100 === 99) process.stdout.write(`${at + 1} of ${ids.length}\n`);
    }
    writeFileSync("answered.json", JSON.stringify(results));
    for (const body of after) await body();
  },
  86_400_000,
);

/**
 * Records which changes each test reaches, and returns the milliseconds of each test. Throws if a test
 * fails.
 */
async function runUnchanged(switches: Switches): Promise<ReadonlyMap<Collected, number>> {
  const durations = new Map<Collected, number>();
  for (const each of collected) {
    const start = performance.now();
    switches.currentTestId = each.id;
    if ((await failing([each])) !== null) throw new Error("a test fails unchanged");
    switches.currentTestId = undefined;
    durations.set(each, performance.now() - start);
  }
  return durations;
}

/** Returns the first test that fails or does not end; null if there is none. */
async function failing(tests: readonly Collected[]): Promise<Collected | null> {
  for (const each of tests) {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("late")), TEST_MILLISECONDS);
    try {
      await Promise.race([each.body(), late.promise]);
    } catch {
      return each;
    } finally {
      clearTimeout(timer);
    }
  }
  return null;
}
