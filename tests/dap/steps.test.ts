// Steps through a contract as it was released, where the SDK is inlined: every line of the function
// that is stepped in, and nothing of libraries.

import { describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { BUYER } from "../support/exchange.ts";
import { ownContract } from "../support/other-code.ts";
import { Session } from "./debug-client.ts";
import { exchangeSession, lineWith, POOL_SOURCE, TOKEN_SOURCE } from "./exchange-session.ts";

const EXAMPLES = resolve(import.meta.dir, "../../examples");
const BUY = [
  "side: Side::Buy { least }, credits, fee: 0, tokens: 0 };",
  "if order.tokens < least {",
  "add(&env, &SOLD, order.tokens);",
  "TokenClient::new(&env, &token).transfer(&pool, &buyer, &order.tokens);",
].map((text) => lineWith("pool", text));
const ORDER = BUY[0] ?? 0;
const BODIES = {
  "<pool::Pool>::buy": [ORDER, ORDER + 1, ORDER + 2, ORDER + 5, ORDER + 6, ORDER + 7],
  "pool::quote": [
    "let terms: Terms",
    "charge(env, &terms, order);",
    "order.tokens = match order.side {",
    "(order.credits - order.fee) /",
  ],
  "pool::charge": [
    "order.fee = fee_of(order, terms.fee_percent);",
    "if order.fee > order.credits {",
  ],
  "pool::fee_of": ["let share", "let fee = order", "    match order.side {"],
  "pool::add": ["let before: i128", "let after = before", "env.storage().persistent().set(key"],
  "<token::Token>::transfer": [
    "if amount <= 0 {",
    "let before = read(&env, &from);",
    "let left = before - amount;",
    "if left < 0 {",
    "write(&env, &from, left);",
    "let received = read(&env, &to) + amount;",
    "write(&env, &to, received);",
  ],
} as const;

/** The lines at which `command` stops in the function that the session stands in. */
async function linesBy(
  session: Session,
  command: "next" | "stepBack",
  { most = 60, ...given } = {},
): Promise<number[]> {
  const { name } = await top(session);
  const lines: number[] = [];
  while (lines.length < most) {
    const at = await top(session);
    if (at.name !== name) break;
    lines.push(at.line);
    const stop = await session.until(command, { threadId: 1, ...given });
    if (stop.reason !== "step") break;
  }
  return lines;
}

/**
 * The lines at which `next` stops in the function, from its beginning on, and those at which
 * `stepBack` stops from the last of them on.
 */
async function thereAndBack(session: Session, name: string, given: object = {}) {
  // Exports have the name without its module.
  const breakpoints = [{ name: /^<.*>::(.*)$/.exec(name)?.[1] ?? name }];
  const arrive = async (command: string) => {
    await session.send("setFunctionBreakpoints", { breakpoints });
    await session.until(command);
    await session.send("setFunctionBreakpoints", { breakpoints: [] });
    expect((await top(session)).name).toBe(name);
  };
  // The entry is the first line of the outermost function.
  if ((await top(session)).name !== name) await arrive("continue");
  const there = await linesBy(session, "next", given);
  await arrive("reverseContinue");
  await linesBy(session, "next", { most: there.length - 1, ...given });
  return { there, back: await linesBy(session, "stepBack", given) };
}

/** Where an editor shows the session: what is subtle is passed over. */
async function top(session: Session): Promise<DebugProtocol.StackFrame> {
  const frame = (await session.stack()).find((each) => each.presentationHint !== "subtle");
  if (frame === undefined) throw new Error("there is no frame");
  return frame;
}

/** The end of a function, where its stack is given back. */
function isBrace(source: "pool" | "token", line: number): boolean {
  const text = ownContract(`exchange/${source}/src/lib.rs`).toString("utf8").split("\n");
  return text[line - 1]?.trim() === "}";
}

function sourceOf(name: string): "pool" | "token" {
  return name.includes("token") ? "token" : "pool";
}

function linesOf(name: string, body: readonly (number | string)[]): number[] {
  return body.map((line) => (typeof line === "number" ? line : lineWith(sourceOf(name), line)));
}

describe("next stops once at every line of a function, and stepBack at the same in reverse", () => {
  for (const [name, body] of Object.entries(BODIES))
    test(name, async () => {
      await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
      await session.begin();
      const { there, back } = await thereAndBack(session, name);
      const lines = there.filter((line) => !isBrace(sourceOf(name), line));
      expect(lines).toEqual(linesOf(name, body));
      // Before the first line, it stops where the function's own begins.
      expect(back.slice(0, there.length)).toEqual(there.toReversed());
    }, 60_000);
});

test("a breakpoint in a line that the compiler split is hit once", async () => {
  await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
  const wanted: string[] = [];
  for (const path of [POOL_SOURCE, TOKEN_SOURCE]) {
    const of = path === POOL_SOURCE ? "pool" : "token";
    const bodies = Object.entries(BODIES).filter(([name]) => sourceOf(name) === of);
    const lines = bodies.flatMap(([name, body]) => linesOf(name, body));
    const breakpoints = lines.map((line) => ({ line }));
    await session.send("setBreakpoints", { source: { path }, breakpoints });
    wanted.push(...lines.map((line) => `${path}:${line}`));
  }
  await session.begin();
  const { source, line } = await top(session);
  const hits = [`${source?.path}:${line}`];
  for (;;) {
    if ((await session.until("continue")).reason !== "breakpoint") break;
    const at = await top(session);
    hits.push(`${at.source?.path}:${at.line}`);
  }
  expect(hits.toSorted()).toEqual(wanted.toSorted());
}, 60_000);

test("the entry is the first line of the function, and a step never stops in a library", async () => {
  await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
  await session.begin();
  expect(await top(session)).toMatchObject({ name: "<pool::Pool>::buy", line: ORDER });
  for (let steps = 0; steps < 40; steps += 1) {
    if ((await session.until("stepIn")).reason !== "step") break;
    expect((await top(session)).source?.path ?? "none").toContain("/src/lib.rs");
  }
}, 60_000);

test("justMyCode: false goes into libraries, too", async () => {
  const settings = { stopAt: "entry", justMyCode: false };
  await using session = await exchangeSession({ function: "buy" }, settings);
  await session.begin();
  const names = new Set<string>();
  for (let steps = 0; steps < 20; steps += 1) {
    await session.until("stepIn");
    names.add((await top(session)).source?.name ?? "");
  }
  expect([...names].some((name) => name !== "lib.rs")).toBeTrue();
}, 60_000);

test("a condition in a line that calls a library is of the line's own function", async () => {
  await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
  await session.begin();
  const line = lineWith("pool", "TokenClient::new(&env, &token).transfer(");
  const set = (breakpoint: object) =>
    session.send("setBreakpoints", {
      source: { path: POOL_SOURCE },
      breakpoints: [{ line, ...breakpoint }],
    });
  await set({ condition: "order.tokens > 5000" });
  expect((await session.until("continue")).description).toBe("End of the transaction");
  await set({ condition: "order.tokens == 1000" });
  expect((await session.until("reverseContinue")).reason).toBe("breakpoint");
  const at = await top(session);
  expect(at).toMatchObject({ name: "<pool::Pool>::buy", line });
  const value = async (expression: string) =>
    (await session.send("evaluate", { expression, frameId: at.id })).result;
  expect(await value("order.tokens")).toBe("1000");
  expect(await value("order.tokens > 5 && credits == 2000")).toBe("true");
  expect(await value("credits < order.tokens")).toBe("false");
  expect(await value("ledger.sequence")).toBe("340");
  expect(await value("ledger.sequence % 100 * 2 - moment")).toBe(
    String(80n - BigInt(await value("moment").then((text) => text.split(" ")[0] ?? ""))),
  );
  expect(await value("(order.credits - order.fee) / 2 == order.tokens || sold < 0")).toBe("true");
  expect(await value("Storage.sold - order.tokens")).toBe("300");
  expect(await value(`buyer == ${BUYER} && side != "Sell"`).catch(String)).toContain(
    "side is not known here (column 70)",
  );
  for (const [expression, message] of [
    ["order.token > 5", "order.token is not known here: did you mean order.tokens? (column 1)"],
    ["order.tokens > 5 && creditz < 3", "did you mean credits? (column 21)"],
    ["order.tokens >", "a value is missing (column 15)"],
    ["order + 1", "is not an integer (column 1)"],
    ["1 / (order.tokens - 1000)", "division by zero (column 3)"],
  ] as const)
    expect(await value(expression).then(String, String)).toContain(message);
  const completed = async (text: string) => {
    const given = { text, column: text.length + 1, frameId: at.id };
    const { targets } = await session.send("completions", given);
    return targets.map(({ label }: DebugProtocol.CompletionItem) => label);
  };
  expect(await completed("1 + order.t")).toEqual(["tokens"]);
  expect(await completed("order.")).toEqual(["side", "credits", "fee", "tokens"]);
  expect(await completed("sol")).toEqual(["sold"]);
  expect(await completed("goto")).toEqual(["goto why", "goto origin"]);
}, 60_000);

test("hits count from the beginning, whichever way the session came", async () => {
  await using session = await exchangeSession({ function: "buy" });
  await session.begin();
  const line = lineWith("token", "env.storage().persistent().set(&Key::Balance(");
  const set = async (hitCondition: string, more: object = {}) => {
    const breakpoints = [{ line, hitCondition, ...more }];
    await session.send("setBreakpoints", { source: { path: TOKEN_SOURCE }, breakpoints });
  };
  const hits = async (command: string) => {
    const moments: string[] = [];
    for (;;) {
      if ((await session.until(command)).reason !== "breakpoint") return moments;
      moments.push((await session.send("evaluate", { expression: "moment + 0" })).result);
    }
  };
  await set("hits >= 1");
  const all = await hits("continue");
  expect(all.length).toBeGreaterThan(1);
  await set("1");
  expect(await hits("reverseContinue")).toEqual(all.slice(0, 1));
  await set("% 2");
  expect(await hits("continue")).toEqual(all.filter((_, index) => index % 2 === 1));
  // Only hits where the condition holds are counted.
  const [, second = ""] = all;
  await set("1", { condition: `moment == ${second}` });
  expect(await hits("reverseContinue")).toEqual([second]);
}, 60_000);

test("a condition or a hit count that cannot be read is refused when it is set", async () => {
  await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
  const { breakpoints } = await session.send("setBreakpoints", {
    source: { path: POOL_SOURCE },
    breakpoints: [
      { line: ORDER, condition: "order.tokens >" },
      { line: ORDER, hitCondition: "x" },
      { line: ORDER, logMessage: "{order.tokens} of {order.}" },
      { line: ORDER, condition: "order.tokens > 5", hitCondition: "% 2", logMessage: "{order}" },
    ],
  });
  const messages = breakpoints.map((found: DebugProtocol.Breakpoint) => found.message);
  expect(messages).toEqual([
    "The condition cannot be read: a value is missing (column 15).",
    "The hit count cannot be read: x is not known in a hit count: only `hits` is (column 1).",
    "The log message cannot be read: `.` is unexpected (column 25).",
    undefined,
  ]);
}, 60_000);

test("what failed outside of code stops at the end, with its cause", async () => {
  await using session = new Session();
  await session.launch({ capsule: join(EXAMPLES, "write-bytes-too-low.capsule.json") });
  const stop = await session.begin();
  const cause = "Write limit exceeded: 8,288 bytes used, 300 declared.";
  expect(stop).toMatchObject({ reason: "exception", text: cause });
  expect(session.output.some((line) => line.includes(`Cause: ${cause}`))).toBeTrue();
  const { description } = await session.send("exceptionInfo", { threadId: 1 });
  expect(description).toBe(cause);
}, 60_000);
