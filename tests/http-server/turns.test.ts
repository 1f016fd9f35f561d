// Work of which only some goes on at a time.

import { expect, test } from "bun:test";
import { openTurns } from "../../src/http-server/limits/turns.ts";

const signal = new AbortController().signal;
const settled = () => new Promise(setImmediate);

/** Work that goes on until the test ends it. */
function held() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

test("clients take turns, and one leaves places to the others", async () => {
  const turns = openTurns(4);
  const { begun, work, end } = held();
  const run = (client: string, name: string) => turns.run({ client, signal }, work(name));
  const all = ["a1", "a2", "a3", "a4", "a5"].map((name) => run("a", name));
  await settled();
  expect(begun).toEqual(["a1", "a2", "a3"]);
  expect(turns.waiting()).toBe(2);
  all.push(run("b", "b1"), run("b", "b2"));
  await settled();
  expect(begun).toEqual(["a1", "a2", "a3", "b1"]);
  end("a1");
  await settled();
  end("a2");
  await settled();
  expect(begun).toEqual(["a1", "a2", "a3", "b1", "a4", "b2"]);
  for (const name of ["a3", "b1", "a4", "b2"]) {
    end(name);
    await settled();
  }
  end("a5");
  expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "a4", "a5", "b1", "b2"]);
  expect(turns.waiting()).toBe(0);
});

test("who leaves while waiting has no turn, and a failure frees its place", async () => {
  const turns = openTurns(1);
  const { begun, work, end } = held();
  const first = turns.run({ client: "a", signal }, work("first"));
  const leaving = new AbortController();
  const left = turns.run({ client: "a", signal: leaving.signal }, work("left"));
  const fails = turns.run({ client: "b", signal }, async () => {
    throw new Error("failed");
  });
  const last = turns.run({ signal }, work("last"));
  const reason = new Error("gone");
  leaving.abort(reason);
  expect(await left.catch((error) => error)).toBe(reason);
  end("first");
  expect(await first).toBe("first");
  expect(await fails.catch((error: Error) => error.message)).toBe("failed");
  await settled();
  expect(begun).toEqual(["first", "last"]);
  end("last");
  expect(await last).toBe("last");
  const gone = AbortSignal.abort(reason);
  expect(await turns.run({ signal: gone }, work("never")).catch((error) => error)).toBe(reason);
});
