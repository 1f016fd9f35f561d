// Why did it stop, and where did this come from: asked of a session as requests and as words of the
// debug console, and the way there.

import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { Session } from "./debug-client.ts";
import { exchangeSession, lineWith, ownFrame } from "./exchange-session.ts";

/** `add_with` calls `add` of another contract, which traps on an overflow. */
const EXAMPLE = join(resolve(import.meta.dir, "../.."), "examples/overflow-in-callee.capsule.json");

async function failed(): Promise<Session> {
  const session = new Session();
  await session.launch({ capsule: EXAMPLE });
  await session.begin();
  return session;
}

const momentOf = async (session: Session) => {
  const [top] = await session.stack();
  const { result } = await session.send("evaluate", { expression: "moment", frameId: top?.id });
  return Number(result.split(" ")[0]);
};

test("why is the condition with its values, and the moment of the branch", async () => {
  await using session = await failed();
  const why = await session.send("why");
  expect(why.summary).toContain("`a` (2147483647, argument 1) + `b` (4, argument 2)");
  expect(why.conditions[0].terms[0].of).toMatchObject([
    { name: "`a`", origin: "argument 1" },
    { name: "`b`", origin: "argument 2" },
  ]);
  const end = await momentOf(session);
  expect(why.moment).toBeLessThan(end);
  const said = await session.send("evaluate", { expression: "why?", context: "repl" });
  expect(said.result).toStartWith(why.summary);
  expect(await momentOf(session)).toBe(end);
  const stale = (await session.stack())[0]?.id;
  // An editor that is not told keeps what it shows, and asks for frames that are gone.
  const continued = session.client.waitForEvent("continued");
  const stop = await session.until("evaluate", { expression: "goto why", context: "repl" });
  await continued;
  expect(stop.reason).toBe("goto");
  expect(await momentOf(session)).toBe(why.moment);
  const [top] = await session.stack();
  await expect(session.send("scopes", { frameId: stale })).rejects.toThrow("The session has moved");
  expect(top?.name).toContain(":add(");
  const { content } = await session.send("source", {
    sourceReference: top?.source?.sourceReference,
  });
  expect(content.split("\n")[(top?.line ?? 0) - 1]).toMatch(/br_if|br_table|if/);
  expect(session.output.join("")).toContain(why.summary);
});

test("an argument leads to the call that gave it", async () => {
  await using session = await failed();
  const [add] = await session.stack();
  const hovered = await session.send("evaluate", {
    ...{ expression: "a", context: "hover", frameId: add?.id },
  });
  expect(hovered.result).toBe("2147483647 (argument 1 of add, passed by add_with)");
  const watched = await session.send("evaluate", { expression: "a", frameId: add?.id });
  expect(watched.result).toBe("2147483647");
  const origin = await session.send("origin", { expression: "a", frameId: add?.id });
  await session.until("gotoMoment", { moment: origin.moment });
  const stack = await session.stack();
  expect(stack.map(({ name }) => name).slice(0, 2)).toEqual([
    "host function call",
    expect.stringContaining(":add_with("),
  ]);
  const given = await session.send("evaluate", { expression: "origin x", context: "repl" });
  expect(given.result).toStartWith("x: argument 1 of add_with, passed by the transaction.");
});

test("a local leads back to the instruction that set it", async () => {
  await using session = await failed();
  const [add] = await session.stack();
  const locals = await session.scope(add?.id ?? 0, "Locals");
  let written = 0;
  for (const name of Object.keys(locals)) {
    const before = await session.send("origin", { expression: name });
    const hovered = await session.send("evaluate", { expression: name, context: "hover" });
    expect(hovered.result).toBe(`${locals[name]?.value} (${before.text})`);
    if (!before.text.startsWith("written at")) continue;
    written += 1;
    const end = await momentOf(session);
    await session.until("gotoMoment", { moment: before.moment });
    const [top] = await session.stack();
    const { content } = await session.send("source", {
      sourceReference: top?.source?.sourceReference,
    });
    const [, number] = name.split(" ");
    const line = content.split("\n")[(top?.line ?? 0) - 1];
    expect(line).toMatch(new RegExp(`local\\.(set|tee) ${number}`));
    await session.until("next", { threadId: 1, granularity: "instruction" });
    const [after] = await session.stack();
    const now = await session.scope(after?.id ?? 0, "Locals");
    expect(now[name]?.value).toBe(locals[name]?.value as string);
    await session.until("gotoMoment", { moment: end });
  }
  expect(written).toBeGreaterThan(0);
});

test("a variable of the source leads to the statement that wrote it", async () => {
  await using session = await exchangeSession({ function: "buy", feePercent: 15 });
  await session.begin();
  const failed = await ownFrame(session);
  const given = { expression: "order.fee", frameId: failed.id };
  const fee = (await session.send("evaluate", given)).result;
  const origin = await session.send("origin", given);
  const hovered = await session.send("evaluate", { ...given, context: "hover" });
  expect(hovered.result).toBe(`${fee} (${origin.text})`);
  expect(origin.text).toStartWith("written by the statement at moment ");
  await session.until("gotoMoment", { moment: origin.moment });
  const at = await ownFrame(session);
  expect(at.line).toBe(lineWith("pool", "order.fee = fee_of(order, terms.fee_percent);"));
  const before = await session.send("evaluate", { ...given, frameId: at.id });
  expect([fee, before.result]).toEqual(["30000", "0"]);
});

test("what is not known is refused in words", async () => {
  await using session = await failed();
  for (const [expression, words] of [
    ["goto 999999999", "The moments are 0 to"],
    ["origin nothing", "nothing is not known here"],
    ["goto nowhere", "Write `goto why`"],
  ] as const)
    await expect(session.send("evaluate", { expression, context: "repl" })).rejects.toThrow(words);
});
