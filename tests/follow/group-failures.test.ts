import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { conditionId } from "../../src/explain/naming/same-reason.ts";
import { eventsOf, type FollowOutcome, summariesAt } from "../../src/follow/follow-events.ts";
import { FailureGroups, type SavedGroups } from "../../src/follow/group-failures.ts";
import { eventHeadline, followEventText } from "../../src/follow/sinks/event-text.ts";
import { renderFollowText } from "../../src/report/text/render-follow.ts";
import { failureEvent } from "../support/follow-events.ts";

const WINDOW = 600;

describe("groups of failures", () => {
  test("1,000 equal failures are one first and one summary", () => {
    const groups = new FailureGroups(WINDOW);
    const found = Array.from({ length: 1000 }, (_, i) => groups.add(failureEvent(i), 100, i / 2));
    expect(found.filter(({ first }) => first)).toHaveLength(1);
    expect(found.at(-1)?.count).toBe(1000);
    expect(groups.endWindows(199, WINDOW - 1)).toEqual([]);
    const [ended, ...more] = groups.endWindows(200, WINDOW);
    expect(more).toEqual([]);
    expect(ended?.window).toMatchObject({ count: 1000, ledger: 100 });
    expect(ended?.window.examples).toHaveLength(5);
  });

  test("one failure alone has no summary; the first after a quiet window is a first again", () => {
    const groups = new FailureGroups(WINDOW);
    groups.add(failureEvent(1), 1, 0);
    expect(groups.endWindows(2, WINDOW)).toEqual([]);
    // In the window that follows, nobody is told at once.
    expect(groups.add(failureEvent(2), 3, WINDOW + 1).first).toBe(false);
    expect(groups.endWindows(4, 2 * WINDOW)[0]?.window.count).toBe(1);
    expect(groups.endWindows(5, 3 * WINDOW)).toEqual([]);
    expect(groups.add(failureEvent(3), 6, 4 * WINDOW)).toMatchObject({ first: true, count: 3 });
  });

  test("each failure is a first or in exactly one summary, also across restarts", () => {
    const step = fc.record({
      seconds: fc.integer({ min: 0, max: 900 }),
      errors: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 5 }),
      restarts: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let groups = new FailureGroups(WINDOW);
        let time = 0;
        let [failures, firsts, summarized, announced] = [0, 0, 0, 0];
        const count = (ended: ReturnType<FailureGroups["endWindows"]>) => {
          for (const { window } of ended) {
            summarized += window.count;
            if (window.announced) announced += 1;
          }
        };
        for (const [ledger, { seconds, errors, restarts }] of steps.entries()) {
          time += seconds;
          for (const error of errors) {
            failures += 1;
            if (groups.add(failureEvent(1, { error }), ledger, time).first) firsts += 1;
          }
          count(groups.endWindows(ledger, time));
          if (restarts) {
            const saved = JSON.parse(JSON.stringify(groups.saved)) as SavedGroups;
            groups = new FailureGroups(WINDOW, saved);
          }
        }
        count(groups.endWindows(steps.length, time, true));
        // A first one is in the summary of its window too, where there is one.
        expect(firsts + summarized - announced).toBe(failures);
      }),
    );
  });

  test("hold a bounded number; the one that failed longest ago is forgotten", () => {
    const groups = new FailureGroups(WINDOW);
    for (let i = 0; i < 5000; i += 1) groups.add(failureEvent(1, { error: `e${i}` }), 1, 0);
    expect(groups.saved).toHaveLength(1000);
    expect(groups.add(failureEvent(1, { error: "e4999" }), 1, 0).first).toBe(false);
    expect(groups.add(failureEvent(1, { error: "e0" }), 1, 0).first).toBe(true);
  });

  test("a summary has the words of its own example, and their confidence", () => {
    const groups = new FailureGroups(WINDOW);
    const failed = (number: number, account: string) =>
      failureEvent(number, { summary: `${account} has no trustline.`, confidence: "likely" });
    groups.add(failureEvent(1), 1, 0);
    groups.endWindows(2, WINDOW);
    groups.add(failed(2, "GA"), 3, WINDOW + 1);
    groups.add(failed(3, "GB"), 3, WINDOW + 1);
    const at = { network: "testnet", ledger: 4, unixSeconds: 2 * WINDOW, windowSeconds: WINDOW };
    const [event] = summariesAt(groups, at, false);
    if (event?.kind !== "failure-summary") throw new Error("a summary");
    expect(event.examples[0]).toBe(failureEvent(2).hash);
    expect(followEventText(event)).toContain(
      `Example: ${failureEvent(2).hash}. Likely cause: GA has no trustline.`,
    );
    expect(eventHeadline(event)).toContain("failed 2 times");
  });

  test("differences under another protocol are not said to have failed", () => {
    const groups = new FailureGroups(WINDOW);
    const found = { contract: null, function: null, differences: ["result"], detail: "" };
    const outcome = { mismatches: [], seen: [] };
    const transactions = ["a", "b"].map((hash) => ({
      notExact: null,
      rehearsed: { ...found, hash },
    }));
    const at = { network: "testnet", ledger: 1, unixSeconds: 0, windowSeconds: WINDOW };
    const ledger = { sequence: 1, closeTimeUnixSeconds: 0 };
    const events = eventsOf(
      { ...outcome, ...ledger, transactions } as unknown as FollowOutcome,
      groups,
      { ...at, rehearseProtocol: 28 },
    );
    expect(events.map(({ kind }) => kind)).toEqual(["rehearsal", "rehearsal"]);
    const [event] = summariesAt(groups, { ...at, unixSeconds: WINDOW }, true);
    if (event?.kind !== "failure-summary") throw new Error("a summary");
    expect(event.rehearsedProtocol).toBe(28);
    expect(eventHeadline(event)).toBe(
      "A transaction would differ 2 times under protocol 28: result",
    );
    const text = renderFollowText(event, { color: false });
    expect(text).toContain("Differs again under protocol 28");
    expect(text).not.toContain("Failed");
  });
});

test("one condition with other values is one group; another branch, or another value, is none of it", () => {
  const why = (amount: string, changes: object = {}) =>
    conditionId({
      ...{ frame: 1, contract: null, function: "f", end: "error", always: false, code: "ab" },
      ...{ address: 5, count: 0, taken: 1 },
      conditions: [
        {
          relation: "less",
          terms: [
            { kind: "argument", index: 0, number: amount },
            { kind: "storage", keyXdr: amount, number: "7" },
          ],
        },
      ],
      ...changes,
    });
  expect(why("3")).toBe(why("4"));
  const others = [why("3", { address: 6 }), why("3", { taken: 0 }), why("3", { conditions: [] })];
  const asked = why("3", {
    conditions: [
      { relation: "less", terms: [{ kind: "argument", index: 1 }, { kind: "storage" }] },
    ],
  });
  expect(new Set([why("3"), asked, ...others]).size).toBe(5);
});
