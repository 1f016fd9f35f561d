// Runs in a copy of the checkout, in the place of bun:test (mutation.ts): collects the tests instead of
// running them, switches one change after another on, and runs the tests until one fails. The tests
// that have noticed a change before are tried first.

import * as bun from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

export type Noticed = "noticed" | "missed" | "not-reached" | "when-loaded";

type Body = () => unknown;

/** What StrykerJS's switches read. */
interface Switches {
  activeMutant?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: Record<"static" | "perTest", Record<string, unknown>>;
}

/** More passes of a change than any test needs: it is a loop without an end. */
const HIT_LIMIT = 1_000_000;
const TEST_MILLISECONDS = 30_000;

const collected: { readonly name: string; readonly body: Body }[] = [];
const before: Body[] = [];
const after: Body[] = [];

const add = (name: string, body?: Body) => {
  if (body !== undefined) collected.push({ name, body });
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
    if (!isAlone && (await failing(collected)) !== null) throw new Error("a test fails unchanged");
    const reached = new Set(Object.keys(switches.mutantCoverage?.static ?? {}));
    const order = [...collected];
    const results: Record<string, Noticed> = {};
    for (const [at, id] of ids.entries()) {
      if (!isAlone && whenLoaded.has(id)) results[id] = "when-loaded";
      else if (!isAlone && !reached.has(id)) results[id] = "not-reached";
      else {
        Object.assign(switches, { activeMutant: id, hitCount: 0, hitLimit: HIT_LIMIT });
        const noticedBy = await failing(order);
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

/** The first test that fails, or does not end. */
async function failing(tests: readonly (typeof collected)[number][]) {
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
