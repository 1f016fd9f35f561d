// Nodes that hiccup, are silent, or come back: who is asked, and when. The clock is the test's.

import { describe, expect, test } from "bun:test";
import type { ErrorCode } from "../../src/base/errors/errors.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { nodeLabel } from "../../src/base/http/node-address.ts";
import { askInTurn, awakeInOrder } from "../../src/sources/ask-in-turn.ts";
import { type NodeEvent, type NodeKind, openStandings } from "../../src/sources/standing.ts";
import { failureOf } from "../support/failure.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { TestClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

type Behaviour =
  | "answers"
  | "has nothing"
  | "silent"
  | Extract<ErrorCode, `NETWORK_${string}`>
  | "NODE_LIED"
  | SvcError;

/** Nodes by name, and what each does now. */
function openNodes(behaviours: Record<string, Behaviour>, kinds: Record<string, NodeKind> = {}) {
  const clock = new TestClock({ grantedUpTo: 0 });
  const events: NodeEvent[] = [];
  const standings = openStandings({ clock, observe: (event) => events.push(event) });
  const asked: string[] = [];
  /** The reason why each request that was given up ended. */
  const ended: [string, string][] = [];
  const urlOf = (name: string) => `http://${name}/key`;
  const nodes = Object.keys(behaviours).map((name) => ({
    name,
    standing: standings(kinds[name] ?? "rpc", urlOf(name)),
  }));
  const resting = () => [...standings.resting()].flatMap(([node, rests]) => (rests ? node : []));
  const answerOf = (name: string, signal: AbortSignal) =>
    new Promise<string | null>((resolve, reject) => {
      const behaviour = behaviours[name] as Behaviour;
      asked.push(name);
      const error = (code: ErrorCode) => new SvcError(code, { message: code, remedy: "-" });
      if (behaviour === "answers") resolve(name);
      else if (behaviour === "has nothing") resolve(null);
      else if (behaviour instanceof SvcError) reject(behaviour);
      else if (behaviour !== "silent") reject(error(behaviour));
      signal.addEventListener("abort", () => {
        ended.push([name, signal.reason.name]);
        // As base/http does with a reached time limit.
        reject(signal.reason.name === "TimeoutError" ? error("NETWORK_TIMEOUT") : signal.reason);
      });
    });
  const ask = async () => {
    asked.length = 0;
    const { answer } = await askInTurn(
      nodes,
      { signal: NEVER_ABORTED },
      ({ name, standing }, context) => standing.run(() => answerOf(name, context.signal)),
    );
    return [answer, asked.join(" ")];
  };
  return { clock, behaviours, nodes, events, asked, ended, ask, resting };
}

const rests = (events: readonly NodeEvent[]) =>
  events.map(({ restMilliseconds }) => restMilliseconds);

describe("a node that cannot be reached", () => {
  test("rests for a second, then twice as long each time, and is tried by one request at a time", async () => {
    const { ask, behaviours, clock, events, nodes } = openNodes({
      a: "NETWORK_UNREACHABLE",
      b: "answers",
    });
    expect(await ask()).toEqual(["b", "a b"]);
    for (const expected of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      expect(rests(events).at(-1)).toBe(expected);
      expect(await ask()).toEqual(["b", "b"]);
      clock.advance(expected - 1);
      expect(await ask()).toEqual(["b", "b"]);
      clock.advance(1);
      expect(await ask()).toEqual(["b", "a b"]);
    }
    clock.advance(30_000);
    behaviours.a = "silent";
    const tries = ask();
    expect(nodes[0]?.standing.rank()).toBe("resting");
    expect(awakeInOrder(nodes).map(({ name }) => name)).toEqual(["b"]);
    clock.passLimits();
    expect((await tries)[0]).toBe("b");
    clock.advance(60_000);
    behaviours.a = "answers";
    expect(await ask()).toEqual(["a", "a"]);
    expect(rests(events).at(-1)).toBeNull();
    expect(await ask()).toEqual(["a", "a"]);
  });

  test("never rests when it is the only one", async () => {
    const { ask, asked, behaviours, events, resting } = openNodes({ a: "NETWORK_UNREACHABLE" });
    for (let count = 0; count < 100; count += 1) expect(await ask()).toEqual([null, "a"]);
    expect(resting()).toEqual([]);
    behaviours.a = "answers";
    expect(await ask()).toEqual(["a", "a"]);
    expect(asked).toEqual(["a"]);
    expect(rests(events)).toEqual([null, null]);
    expect(events.map(({ failure }) => failure?.code)).toEqual(["NETWORK_UNREACHABLE", undefined]);
  });

  test("ends its rest when no other of its kind answers, and the last one begins none", async () => {
    const { ask, behaviours, clock, events, resting } = openNodes({
      a: "NETWORK_UNREACHABLE",
      b: "answers",
    });
    await ask();
    expect(resting()).toEqual([nodeLabel("http://a/key")]);
    behaviours.b = "NETWORK_UNREACHABLE";
    for (let count = 0; count < 100; count += 1) {
      expect((await ask())[0]).toBeNull();
      expect(resting()).toEqual([]);
      clock.advance(500);
    }
    expect(rests(events)).toEqual([1_000, null]);
    behaviours.b = "answers";
    expect((await ask())[0]).toBe("b");
    await ask();
    clock.advance(60_000);
    await ask();
    expect(resting()).toEqual([nodeLabel("http://a/key")]);
  });

  test("goes behind nodes of another kind instead of resting, and then is asked in full", async () => {
    const { ask, behaviours, resting } = openNodes(
      { a: "NETWORK_UNREACHABLE", b: "answers" },
      { a: "horizon" },
    );
    expect(await ask()).toEqual(["b", "a b"]);
    expect(resting()).toEqual([]);
    expect(await ask()).toEqual(["b", "b"]);
    Object.assign(behaviours, { a: "answers", b: "has nothing" });
    expect(await ask()).toEqual(["a", "b a"]);
    expect(await ask()).toEqual(["a", "a"]);
  });

  test("is asked although it rests when no other node can be reached", async () => {
    const { ask, behaviours } = openNodes({ a: "NETWORK_UNREACHABLE", b: "answers" });
    await ask();
    behaviours.b = "NETWORK_UNREACHABLE";
    behaviours.a = "answers";
    expect(await ask()).toEqual(["a", "b a"]);
    expect(await ask()).toEqual(["a", "a"]);
  });

  test("is not asked for what another node does not have, and its failure is known", async () => {
    const { ask, nodes } = openNodes({ a: "NETWORK_UNREACHABLE", b: "has nothing" });
    expect(await ask()).toEqual([null, "a b"]);
    const { answer, failures } = await askInTurn(nodes, { signal: NEVER_ABORTED }, ({ name }) =>
      name === "b" ? Promise.resolve(null) : Promise.reject(new Error("asked")),
    );
    expect([answer, failures.map(({ code }) => code)]).toEqual([null, ["NETWORK_UNREACHABLE"]]);
  });

  test("does not rest for an answer that is an error", async () => {
    const { ask, behaviours, events } = openNodes({ a: "NETWORK_BAD_STATUS", b: "answers" });
    for (let count = 0; count < 5; count += 1) expect(await ask()).toEqual(["b", "a b"]);
    behaviours.a = "NODE_LIED";
    expect((await failureOf(ask())).code).toBe("NODE_LIED");
    expect(events).toEqual([]);
  });
});

describe("a node that answers with a status", () => {
  const status = (details: Record<string, unknown>) =>
    new SvcError(details.status === 429 ? "NETWORK_RATE_LIMITED" : "NETWORK_BAD_STATUS", {
      message: "status",
      remedy: "-",
      details,
    });

  test("of trouble rests as one that cannot be reached", async () => {
    for (const code of [500, 502, 503, 504, 401, 403, 429]) {
      const a = status({ status: code });
      const { ask, clock, behaviours, events } = openNodes({ a, b: "answers" });
      expect(await ask()).toEqual(["b", "a b"]);
      for (const expected of [1_000, 2_000, 4_000]) {
        expect(rests(events).at(-1)).toBe(expected);
        expect(await ask()).toEqual(["b", "b"]);
        clock.advance(expected);
        expect(await ask()).toEqual(["b", "a b"]);
      }
      clock.advance(8_000);
      behaviours.a = "answers";
      expect(await ask()).toEqual(["a", "a"]);
    }
  });

  test("rests for as long as it asks, five minutes at most", async () => {
    for (const [asked, rest] of [
      [0, 1_000],
      [20_000, 20_000],
      [86_400_000, 300_000],
    ] as const) {
      const a = status({ status: 429, retryAfterMilliseconds: asked });
      const { ask, clock, events } = openNodes({ a, b: "answers" });
      await ask();
      expect(rests(events)).toEqual([rest]);
      clock.advance(rest - 1);
      expect(await ask()).toEqual(["b", "b"]);
      clock.advance(1);
      expect(await ask()).toEqual(["b", "a b"]);
    }
  });

  test("that refuses the one request does not rest, and neither does the only node", async () => {
    for (const details of [{ status: 404, refused: true }, { status: 413 }, { code: -32603 }]) {
      const { ask, events } = openNodes({ a: status(details), b: "answers" });
      for (let count = 0; count < 5; count += 1) expect(await ask()).toEqual(["b", "a b"]);
      expect(events).toEqual([]);
    }
    const only = openNodes({ a: status({ status: 500 }) });
    for (let count = 0; count < 5; count += 1) expect(await only.ask()).toEqual([null, "a"]);
    expect(rests(only.events)).toEqual([null]);
  });

  test("is asked briefly while another node is left", async () => {
    const { nodes } = openNodes({ a: "answers", b: "answers" });
    const brief: unknown[] = [];
    await askInTurn(nodes, { signal: NEVER_ABORTED }, async (_node, context) => {
      brief.push(context.brief);
      return null;
    });
    expect(brief).toEqual([true, false]);
  });
});

describe("a node that is silent", () => {
  test("is not waited for when another node is left, and goes last for half a minute", async () => {
    const { ask, asked, behaviours, clock, ended } = openNodes({ a: "silent", b: "answers" });
    const first = ask();
    await until(() => asked.length === 1);
    expect(asked).toEqual(["a"]);
    clock.passLimits(3_000);
    expect(await first).toEqual(["b", "a b"]);
    expect(clock.monotonicMilliseconds()).toBe(3_000);
    await until(() => ended.length === 1);
    expect(ended).toEqual([["a", "TimeoutError"]]);
    expect(await ask()).toEqual(["b", "b"]);
    behaviours.b = "has nothing";
    behaviours.a = "answers";
    expect(await ask()).toEqual(["a", "b a"]);
    behaviours.b = "answers";
    expect(await ask()).toEqual(["a", "a"]);
  });

  test("is tried first again after half a minute, by one request", async () => {
    const { ask, clock, nodes } = openNodes({ a: "silent", b: "answers" });
    const first = ask();
    clock.passLimits(3_000);
    await first;
    clock.advance(30_000);
    const tries = ask();
    expect(nodes[0]?.standing.rank()).toBe("last");
    expect(await ask()).toEqual(["b", "b"]);
    clock.passLimits(3_000);
    expect((await tries)[0]).toBe("b");
  });

  test("gets three seconds while it is last, when another has nothing", async () => {
    const { ask, asked, behaviours, clock, ended } = openNodes({
      a: "NETWORK_TIMEOUT",
      b: "answers",
    });
    expect(await ask()).toEqual(["b", "a b"]);
    Object.assign(behaviours, { a: "silent", b: "has nothing" });
    const second = ask();
    await until(() => asked.length === 2);
    await new Promise(setImmediate);
    clock.passLimits(3_000);
    expect(await second).toEqual([null, "b a"]);
    expect(ended).toEqual([["a", "TimeoutError"]]);
  });

  test("twice in a row rests", async () => {
    const { ask, clock, events } = openNodes({ a: "NETWORK_TIMEOUT", b: "answers" });
    await ask();
    expect(events).toEqual([]);
    clock.advance(30_000);
    await ask();
    expect(rests(events)).toEqual([1_000]);
  });

  test("never becomes an error of all when it is the only one", async () => {
    const { ask, behaviours } = openNodes({ a: "NETWORK_TIMEOUT" });
    for (let count = 0; count < 3; count += 1) expect(await ask()).toEqual([null, "a"]);
    behaviours.a = "answers";
    expect(await ask()).toEqual(["a", "a"]);
  });

  test("may answer first after all: then the other is given up, and nothing is held against it", async () => {
    const { asked, clock, ended, nodes } = openNodes({ a: "silent", b: "silent" });
    const late = Promise.withResolvers<string>();
    const asking = askInTurn(nodes, { signal: NEVER_ABORTED }, ({ name, standing }, { signal }) =>
      standing.run(() => {
        asked.push(name);
        if (name === "a") return late.promise;
        return new Promise<string>((_, reject) => {
          signal.addEventListener("abort", () => {
            ended.push([name, signal.reason.name]);
            reject(signal.reason);
          });
        });
      }),
    );
    clock.passLimits(3_000);
    await until(() => asked.length === 2);
    late.resolve("a");
    expect((await asking).answer).toBe("a");
    expect(ended).toEqual([["b", "AbortError"]]);
    expect(nodes.map(({ standing }) => standing.rank())).toEqual(["first", "first"]);
  });
});

test("an interruption is not the failure of a node", async () => {
  const { nodes, events } = openNodes({ a: "silent", b: "answers" });
  const controller = new AbortController();
  const interrupted = new SvcError("INTERRUPTED", { message: "stop", remedy: "-" });
  const asking = askInTurn(nodes, { signal: controller.signal }, ({ standing }, { signal }) =>
    standing.run(
      () =>
        new Promise<string>((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    ),
  );
  controller.abort(interrupted);
  expect(await failureOf(asking)).toBe(interrupted);
  expect(events).toEqual([]);
  expect(nodes.map(({ standing }) => standing.rank())).toEqual(["first", "first"]);
});
