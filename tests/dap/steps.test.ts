// Steps through a contract as it was released, where the SDK is inlined: every line of the function
// that is stepped in, and nothing of libraries.

import { describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { Session } from "./debug-client.ts";
import { exchangeSession, lineWith, POOL_SOURCE } from "./exchange-session.ts";

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
  "pool::quote": ["let terms: Terms", "charge(env, &terms, order);"],
  "pool::add": ["let before: i128", "let after = before", "env.storage().persistent().set(key"],
} as const;

/** The lines at which `command` stops in the function that the session stands in. */
async function linesBy(session: Session, command: "next" | "stepBack"): Promise<number[]> {
  const name = (await top(session)).name;
  const lines: number[] = [];
  for (let steps = 0; steps < 60; steps += 1) {
    const at = await top(session);
    if (at.name !== name) break;
    lines.push(at.line);
    if ((await session.until(command)).reason !== "step") break;
  }
  return lines;
}

/** Where an editor shows the session: what is subtle is passed over. */
async function top(session: Session): Promise<DebugProtocol.StackFrame> {
  const frame = (await session.stack()).find((each) => each.presentationHint !== "subtle");
  if (frame === undefined) throw new Error("there is no frame");
  return frame;
}

/** In their order, whatever else is between them. */
function expectInOrder(lines: readonly number[], wanted: readonly number[]): void {
  let from = 0;
  for (const line of wanted) {
    const at = lines.indexOf(line, from);
    expect({ line, of: lines, isThere: at >= 0 }).toEqual({ line, of: lines, isThere: true });
    from = at + 1;
  }
}

describe("next", () => {
  for (const [name, body] of Object.entries(BODIES)) {
    const wanted = body.map((line) => (typeof line === "number" ? line : lineWith("pool", line)));
    test(`stops at every line of ${name}, calls of inlined functions included`, async () => {
      await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
      await session.begin();
      const isEntry = name.endsWith("::buy");
      if (!isEntry) {
        await session.send("setFunctionBreakpoints", { breakpoints: [{ name }] });
        await session.until("continue");
        await session.send("setFunctionBreakpoints", { breakpoints: [] });
      }
      expect((await top(session)).name).toBe(name);
      expectInOrder(await linesBy(session, "next"), wanted);
    }, 60_000);
  }

  test("and stepBack at the same lines, in reverse", async () => {
    await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
    await session.begin();
    const lines = [ORDER];
    for (let steps = 0; steps < 5; steps += 1) {
      await session.until("next");
      lines.push((await top(session)).line);
    }
    const back = await linesBy(session, "stepBack");
    expect(back).toEqual(lines.toReversed());
  }, 60_000);
});

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
  const typo = value("order.token > 5");
  expect(await typo.then(String, String)).toContain("order.token is not known here");
}, 60_000);

test("a condition or a hit count that cannot be read is refused when it is set", async () => {
  await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
  const { breakpoints } = await session.send("setBreakpoints", {
    source: { path: POOL_SOURCE },
    breakpoints: [
      { line: ORDER, condition: "order.tokens >" },
      { line: ORDER, hitCondition: "x" },
      { line: ORDER, condition: "order.tokens > 5", hitCondition: "% 2" },
    ],
  });
  const verified = breakpoints.map((found: DebugProtocol.Breakpoint) => found.verified);
  expect(verified).toEqual([false, false, true]);
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
