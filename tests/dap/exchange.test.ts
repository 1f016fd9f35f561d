// Sessions on contracts with debug information: a pool that calls a token, a failure three functions
// deep, and an error that is caught.

import { describe, expect, test } from "bun:test";
import { ScMetaEntry } from "@stellar/stellar-sdk/xdr";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { shortStrkey } from "../../src/base/text/strkey.ts";
import { madeXdr } from "../support/changed-xdr.ts";
import { BUYER, POOL, TOKEN } from "../support/exchange.ts";
import { ownContract, withCustomSection } from "../support/other-code.ts";
import type { Session } from "./debug-client.ts";
import {
  exchangeSession,
  lineWith,
  ownFrame,
  POOL_SOURCE,
  TOKEN_SOURCE,
} from "./exchange-session.ts";

const BUG_LINE = lineWith("pool", "let fee = order.credits * share;");
const FAILED_LINE = lineWith("pool", "panic_with_error!(env, PoolError::FeeTooHigh);");
const FAILING = { function: "buy", feePercent: 15 } as const;
const UNKNOWN = "(location not known here)";

async function value(session: Session, expression: string, frameId?: number): Promise<string> {
  const given = { expression, ...(frameId !== undefined && { frameId }) };
  return (await session.send("evaluate", given)).result;
}

async function breakAt(session: Session, path: string, ...breakpoints: object[]) {
  const set = await session.send("setBreakpoints", { source: { path }, breakpoints });
  return set.breakpoints as DebugProtocol.Breakpoint[];
}

describe("a failure three functions deep", () => {
  test("from where it failed, back to the wrong assignment", async () => {
    await using session = await exchangeSession(FAILING);
    const stop = await session.begin();
    expect(stop).toMatchObject({
      reason: "exception",
      description: "Where the transaction failed",
    });
    expect(stop.text).toContain("Error(Contract, #22)");
    const failed = await ownFrame(session);
    expect(failed).toMatchObject({ name: "pool::charge", line: FAILED_LINE });
    expect(failed.source?.path).toBe(POOL_SOURCE);
    const { order } = await session.scope(failed.id, "Variables");
    expect(order).toMatchObject({ type: "&mut pool::Order" });
    const fields = await session.opened(order?.variablesReference ?? 0);
    expect(fields).toMatchObject({
      side: { value: "Buy { least: 1 }" },
      credits: { value: "2000", type: "i128" },
      fee: { value: "30000", type: "i128" },
      tokens: { value: "0" },
    });
    expect(await value(session, "order.fee", failed.id)).toBe("30000");
    // It is in memory, where that says the same.
    const { data } = await session.send("readMemory", {
      memoryReference: fields.fee?.memoryReference,
      count: 16,
    });
    expect(Buffer.from(data, "base64").readBigUInt64LE()).toBe(30_000n);
    const [bound] = await breakAt(session, POOL_SOURCE, { line: BUG_LINE });
    expect(bound).toMatchObject({ verified: true, line: BUG_LINE });
    expect((await session.until("reverseContinue")).reason).toBe("breakpoint");
    const wrong = await ownFrame(session);
    expect(wrong).toMatchObject({ name: "pool::fee_of", line: BUG_LINE });
    expect(await value(session, "percent", wrong.id)).toBe("15");
    // Its fields were passed, and the reference to them was not.
    const unlocated = value(session, "order.fee", wrong.id);
    expect(await unlocated.then(String, String)).toContain("is not known here");
    const stack = await session.stack();
    const outwards = ["pool::fee_of", "pool::charge", "pool::quote", "<pool::Pool>::buy"];
    const own = stack.filter(({ name }) => outwards.includes(name));
    expect(own.map(({ name }) => name)).toEqual(outwards);
    expect(await value(session, "order.credits", own[2]?.id)).toBe("2000");
    expect(await value(session, "order.fee", own[2]?.id)).toBe("0");
    // Out of it, the fee is wrong.
    await breakAt(session, POOL_SOURCE);
    await session.until("stepOut");
    await session.until("next");
    expect(await value(session, "order.fee", (await ownFrame(session)).id)).toBe("30000");
  }, 60_000);

  test("a step never claims a value that its local no longer has", async () => {
    const settings = { stopAt: "entry", justMyCode: false };
    await using session = await exchangeSession(FAILING, settings);
    await session.begin();
    const seen = { known: 0, unknown: 0 };
    for (let step = 0; step < 120; step++) {
      const outer = (await session.stack()).findLast(({ name }) => name === "buy");
      if (outer !== undefined) {
        const { arg_2, arg_3 } = await session.scope(outer.id, "Variables");
        for (const [variable, amount] of [
          [arg_2, "2000"],
          [arg_3, "1"],
        ] as const) {
          expect([amount, UNKNOWN]).toContain(variable?.value ?? "");
          seen[variable?.value === UNKNOWN ? "unknown" : "known"] += 1;
        }
      }
      if ((await session.until("stepIn")).reason !== "step") break;
    }
    expect(seen.known).toBeGreaterThan(0);
    expect(seen.unknown).toBeGreaterThan(0);
  }, 60_000);

  test("a step over a line goes over the functions that are inlined in it", async () => {
    await using session = await exchangeSession(FAILING, { stopAt: "entry" });
    await session.send("setFunctionBreakpoints", { breakpoints: [{ name: "pool::fee_of" }] });
    await session.begin();
    const passed: number[] = [];
    for (let stop = await session.until("continue"); stop.reason !== "pause"; ) {
      const [top] = await session.stack();
      if (top?.name !== "pool::fee_of") break;
      passed.push(top.line);
      stop = await session.until("next");
    }
    expect(passed.length).toBeGreaterThan(2);
    await session.until("stepBack");
    expect((await session.stack())[0]?.name).toBe("pool::fee_of");
  }, 60_000);

  test("the exception filter and the host call stop there too", async () => {
    await using session = await exchangeSession(FAILING, { stopAt: "entry" });
    const { breakpoints } = await session.send("setExceptionBreakpoints", {
      filters: ["contract-error", "trap", "host-call", "caught"],
    });
    const verified = breakpoints.map((found: DebugProtocol.Breakpoint) => found.verified);
    expect(verified).toEqual([true, false, true, false]);
    await session.begin();
    expect((await session.until("continue")).text).toContain("Error(Contract, #22)");
    expect((await ownFrame(session)).line).toBe(FAILED_LINE);
  }, 60_000);

  test("goto: forwards and backwards, and where the execution never was", async () => {
    await using session = await exchangeSession(FAILING);
    await session.begin();
    const source = { path: POOL_SOURCE };
    const targets = async (line: number) =>
      (await session.send("gotoTargets", { source, line })).targets as DebugProtocol.GotoTarget[];
    const [back, ...others] = await targets(BUG_LINE);
    expect(others).toEqual([]);
    expect(back?.label).toContain("last time before");
    const go = (target: DebugProtocol.GotoTarget | undefined) =>
      session.until("goto", { threadId: 1, targetId: target?.id });
    expect((await go(back)).reason).toBe("goto");
    expect((await ownFrame(session)).line).toBe(BUG_LINE);
    const [forth] = await targets(FAILED_LINE);
    expect(forth?.label).toContain("next time");
    await go(forth);
    expect((await ownFrame(session)).line).toBe(FAILED_LINE);
    const refused = (line: number, path = POOL_SOURCE) =>
      session.send("gotoTargets", { source: { path }, line }).then(() => "", String);
    const never = lineWith("pool", "add(&env, &SOLD, order.tokens);");
    expect(await refused(never)).toContain("This execution reaches the line at no other moment");
    expect(await refused(1, "/nowhere.rs")).toContain("was built from this file");
    const wrong = session.send("goto", { threadId: 1, targetId: 99 });
    expect(await wrong.then(String, String)).toContain("There is no such target");
  }, 60_000);
});

describe("across contracts", () => {
  test("who wrote this balance, in both directions", async () => {
    await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
    await session.send("setFunctionBreakpoints", { breakpoints: [{ name: `${TOKEN}:transfer` }] });
    await session.begin();
    expect((await session.until("continue")).reason).toBe("function breakpoint");
    const key = `Balance(${BUYER})`;
    const info = await session.send("dataBreakpointInfo", { name: key });
    const { breakpoints } = await session.send("setDataBreakpoints", {
      breakpoints: [{ dataId: info.dataId, accessType: "write" }],
    });
    expect(breakpoints[0].verified).toBe(true);
    await session.send("setFunctionBreakpoints", { breakpoints: [] });
    expect((await session.until("continue")).reason).toBe("data breakpoint");
    const writer = await ownFrame(session);
    expect(writer).toMatchObject({ name: "token::write" });
    expect(writer.source?.path).toBe(TOKEN_SOURCE);
    expect(await value(session, key)).toBe("10");
    const outer = (await session.stack()).map(({ name }) => name);
    expect(outer.some((name) => name.startsWith(`${shortStrkey(POOL)}:buy(`))).toBe(true);
    await session.until("stepOut");
    expect(await value(session, key)).toBe("1010");
    await session.until("continue");
    expect((await session.until("reverseContinue")).reason).toBe("data breakpoint");
    expect((await ownFrame(session)).name).toBe("token::write");
  }, 60_000);

  test("conditions compare the source's variables and the contract's arguments", async () => {
    await using session = await exchangeSession({ function: "buy" }, { stopAt: "entry" });
    await session.begin();
    const line = lineWith("pool", "fn add(env: &Env, key: &Symbol, tokens: i128) -> i128 {");
    const conditions = [
      { line, condition: "tokens > 1000" },
      { line, condition: "tokens == 1000 && Arguments.credits == 2000" },
    ];
    const [above, equal] = await breakAt(session, POOL_SOURCE, ...conditions);
    expect([above?.verified, equal?.verified]).toEqual([true, true]);
    expect((await session.until("continue")).hitBreakpointIds).toEqual([equal?.id ?? 0]);
    const { id } = await ownFrame(session);
    expect(await value(session, "tokens", id)).toBe("1000");
    await breakAt(session, POOL_SOURCE);
    const name = `${TOKEN}:transfer`;
    const set = (condition: string) =>
      session.send("setFunctionBreakpoints", { breakpoints: [{ name, condition }] });
    await set("amount > 1000");
    expect((await session.until("continue")).description).toBe("End of the transaction");
    await set("amount == 1000");
    expect((await session.until("reverseContinue")).reason).toBe("function breakpoint");
  }, 60_000);

  test("an error that try_call caught, and what went on as if it had not been", async () => {
    await using session = await exchangeSession(
      { function: "reward", tokens: 100 },
      { stopAt: "entry" },
    );
    const { breakpoints } = await session.send("setExceptionBreakpoints", { filters: ["caught"] });
    expect(breakpoints[0].verified).toBe(true);
    await session.begin();
    const stop = await session.until("continue");
    expect(stop.text).toBe("transfer: Error(Contract, #7), caught by reward");
    const names = (await session.stack()).map(({ name }) => name);
    expect(names.some((name) => name.startsWith(`${shortStrkey(TOKEN)}:transfer(`))).toBe(true);
    expect(names).toContain("host function try_call");
    await breakAt(session, POOL_SOURCE, { line: lineWith("pool", "tokens: i128) -> i128 {") });
    expect((await session.until("continue")).reason).toBe("breakpoint");
    expect(await value(session, "tokens", (await ownFrame(session)).id)).toBe("7000");
    await session.send("setFunctionBreakpoints", { breakpoints: [{ name: "put_contract_data" }] });
    await session.until("continue");
    expect(await value(session, "rewarded")).toBe("300");
    await session.until("next");
    // The bug: it counts as paid.
    expect(await value(session, "rewarded")).toBe("7300");
  }, 60_000);

  test("a share of the budget stops where it is known to be used", async () => {
    const instructions = 4_500_000;
    await using session = await exchangeSession(
      { function: "buy", instructions },
      { stopAt: "entry", budgetPercent: 60 },
    );
    await session.send("setExceptionBreakpoints", { filters: ["budget"] });
    await session.begin();
    const { text = "" } = await session.until("continue");
    const [, used, declared] = /^(\d+) of (\d+) instructions used/.exec(text) ?? [];
    expect(Number(declared)).toBe(instructions);
    expect(Number(used)).toBeGreaterThanOrEqual(instructions * 0.6);
  }, 60_000);
});

test("the hosts of protocols 20 to 30 show the same lines and variables", async () => {
  for (let protocol = 20; protocol <= 30; protocol++) {
    await using session = await exchangeSession({ ...FAILING, protocol });
    await session.begin();
    const { id, line, name } = await ownFrame(session);
    const fee = await value(session, "order.fee", id);
    expect({ protocol, line, name, fee }).toEqual({
      protocol,
      line: FAILED_LINE,
      name: "pool::charge",
      fee: "30000",
    });
  }
}, 120_000);

describe("sources", () => {
  test("without sourceMap the file of the build is named, and its lines do not bind", async () => {
    await using session = await exchangeSession(FAILING, { sourceMap: {} });
    await session.begin();
    const charge = (await session.stack()).find(({ name }) => name === "pool::charge");
    expect(charge?.line).toBe(FAILED_LINE);
    expect(charge?.source?.path).toBeUndefined();
    expect(charge?.source?.origin).toContain("/exchange/pool/src/lib.rs is not on this machine");
    const [bound] = await breakAt(session, POOL_SOURCE, { line: BUG_LINE });
    expect(bound).toMatchObject({ verified: false });
    expect(bound?.message).toContain("was built from this file");
  }, 60_000);

  test("what a contract says of its source is quoted before the session begins", async () => {
    const uri = "https://example.com/pool.tar.gz";
    const poolWasm = withCustomSection(
      ownContract("pool.wasm"),
      "contractmetav0",
      Buffer.from(contractMeta("source_uri", uri), "base64"),
    );
    await using session = await exchangeSession({ ...FAILING, poolWasm });
    const line = session.output.find((text) => text.includes("names its source"));
    expect(line).toContain(`which was not checked: source_uri "${uri}"`);
    await session.begin();
    // The build still has the code that ran.
    expect((await ownFrame(session)).line).toBe(FAILED_LINE);
  }, 60_000);
});

function contractMeta(key: string, val: string): string {
  return madeXdr(ScMetaEntry, { sc_meta_v0: { key, val } });
}
