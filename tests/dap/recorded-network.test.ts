// Sessions on transactions of the recorded network, launched by hash with nodes of their own.

import { afterAll, describe, expect, test } from "bun:test";
import { openLoopback } from "../support/loopback-server.ts";
import { Session } from "./debug-client.ts";

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

/** Breakpoints can be set; it stops at its first statement. */
async function opened(name: string, more: object = {}): Promise<Session> {
  const { hash, ledger } = loopback.network.named(name);
  const session = new Session();
  await session.launch({
    hash,
    networkPassphrase: loopback.network.passphrase,
    horizonUrl: loopback.url("horizon"),
    rpcUrl: loopback.url("rpc", `entries-at=${ledger}`),
    stopAt: "entry",
    ...more,
  });
  return session;
}

async function filtered(session: Session, ...filters: string[]) {
  const { breakpoints } = await session.send("setExceptionBreakpoints", { filters });
  return breakpoints as { verified: boolean; message?: string }[];
}

/** Above it there may be a host function. */
async function contractFrame(session: Session): Promise<number> {
  const stack = await session.stack();
  return stack.find(({ name }) => !name.startsWith("host function"))?.id ?? 0;
}

const atExit = { description: "End of the transaction" };

describe("exception filters", () => {
  test("a contract error, returned and raised by the host, is one", async () => {
    for (const [name, text] of [
      ["contract error Err(NotFound)", "Error(Contract, #1)"],
      ["panic_with_error", "Error(Contract, #418)"],
    ] as const) {
      await using session = await opened(name);
      expect(session.output.find((line) => line.includes("…"))).toContain("exact");
      const [contractError, trap] = await filtered(session, "contract-error", "trap");
      expect([contractError?.verified, trap?.verified]).toEqual([true, false]);
      expect(trap?.message).toContain("has none");
      await session.begin();
      const stop = await session.until("continue");
      expect(stop.reason).toBe("exception");
      expect(stop.text).toContain(text);
      const info = await session.send("exceptionInfo", { threadId: 1 });
      expect(info).toMatchObject({ exceptionId: "contract-error", breakMode: "unhandled" });
      expect(await session.until("next")).toMatchObject(atExit);
    }
  });

  test("a failed host call stops before the call, with the error that it will have", async () => {
    await using session = await opened("footprint entry read-only but written");
    await filtered(session, "host-call");
    await session.begin();
    const stop = await session.until("continue");
    expect(stop.text).toBe("put_contract_data failed: Error(Storage, ExceededLimit)");
    const [top] = await session.stack();
    expect(top?.name).toBe("host function put_contract_data");
    const call = await session.scope(top?.id ?? 0, "Host call");
    expect(call.error?.value).toBe("Error(Storage, ExceededLimit)");
    expect(call["argument 0"]?.value).toContain("main");
  });

  test("an error that the caller caught stops in the callee, from both directions", async () => {
    await using session = await opened("try_call catches callee failure");
    const [caught] = await filtered(session, "caught", "contract-error");
    expect(caught?.verified).toBe(true);
    await session.begin();
    const stop = await session.until("continue");
    expect(stop.text).toBe("fail: Error(Contract, #2), caught by fwd_try");
    expect((await session.stack())[0]?.name).toContain(":fail(");
    const info = await session.send("exceptionInfo", { threadId: 1 });
    expect(info).toMatchObject({ exceptionId: "caught", breakMode: "always" });
    expect(await session.until("continue")).toMatchObject(atExit);
    expect((await session.until("reverseContinue")).text).toBe(stop.text);
  });

  test("an error that nobody caught is not called caught", async () => {
    await using session = await opened("call propagates callee error");
    const [caught, error] = await filtered(session, "caught", "contract-error");
    expect([caught?.verified, error?.verified]).toEqual([false, true]);
    await session.begin();
    expect((await session.until("continue")).text).toBe("fail: Error(Contract, #2)");
  });

  test("code that never ran is not said to have trapped", async () => {
    await using session = await opened("function does not exist");
    await filtered(session, "trap");
    const text = "nope: Error(WasmVm, MissingValue)";
    expect(await session.begin()).toMatchObject({ reason: "entry", text });
    expect(await session.send("exceptionInfo", { threadId: 1 })).toMatchObject({
      exceptionId: "trap",
      description: text,
    });
  });

  test("a share of the budget stops where it was reached, also without host calls", async () => {
    const share = async (name: string, budgetPercent: number) => {
      await using session = await opened(name, { budgetPercent });
      const [budget] = await filtered(session, "budget");
      if (budget?.verified !== true) return null;
      await session.begin();
      const { text = "" } = await session.until("continue");
      const [, used, declared, when] = /^(\d+) of (\d+) instructions used (.*)$/.exec(text) ?? [];
      expect(Number(used) * 100).toBeGreaterThanOrEqual(Number(declared) * budgetPercent);
      return when;
    };
    expect(await share("cpu budget exceeded by infinite loop", 90)).toBe("at the end of iloop");
    expect(await share("cpu budget too low in resources", 100)).toBe("after compute_hash_sha256");
    // The call used it before the code of the callee began.
    expect(await share("try_call catches callee failure", 92)).toBe("when fail began");
    expect(await share("write then trap (rollback)", 90)).toBeNull();
  }, 60_000);
});

test("next visits the code's places of a call in order, and stepBack the same in reverse", async () => {
  for (const granularity of ["statement", "instruction"]) {
    await using session = await opened("inc persistent counter #1");
    await session.begin();
    const move = (command: string) => session.until(command, { threadId: 1, granularity });
    const momentOf = async () =>
      Number((await session.send("evaluate", { expression: "moment + 0" })).result);
    const there = [await momentOf()];
    while ((await move("next")).reason === "step") there.push(await momentOf());
    expect(there.length).toBeGreaterThan(granularity === "statement" ? 3 : 20);
    expect(there).toEqual(there.toSorted((one, other) => one - other));
    await session.until("gotoMoment", { moment: there.at(-1) });
    const back = [await momentOf()];
    while ((await move("stepBack")).reason === "step") back.push(await momentOf());
    expect(back.slice(0, there.length)).toEqual(there.toReversed());
  }
}, 60_000);

describe("values", () => {
  const KEY = "Count(main)";

  test("an entry is shown before the transaction, now, and with the moment of its write", async () => {
    await using session = await opened("inc persistent counter #1");
    await session.begin();
    const [top] = await session.stack();
    const entry = async () => {
      const storage = await session.scope(await contractFrame(session), "Storage");
      const parts = await session.opened(storage[KEY]?.variablesReference ?? 0);
      return {
        value: storage[KEY]?.value,
        ...Object.fromEntries(Object.entries(parts).map(([name, { value }]) => [name, value])),
      };
    };
    const before = { "before the transaction": "6", durability: "persistent" };
    expect(await entry()).toMatchObject({
      ...before,
      value: "6",
      "changed at moment": "not changed so far",
    });
    const info = await session.send("dataBreakpointInfo", { name: KEY, frameId: top?.id });
    await session.send("setDataBreakpoints", { breakpoints: [{ dataId: info.dataId }] });
    expect((await session.until("continue")).reason).toBe("data breakpoint");
    const { result } = await session.send("evaluate", { expression: "moment" });
    // The write is made next.
    expect((await entry()).value).toBe("6");
    await session.until("next");
    const moment = result.split(" ")[0];
    expect(await entry()).toMatchObject({ ...before, value: "7", "changed at moment": moment });
    await session.until("stepBack");
    expect((await entry()).value).toBe("6");
  });

  test("a write that was undone is gone, and back again on the way back", async () => {
    await using session = await opened("write then trap (rollback)");
    await session.send("setFunctionBreakpoints", { breakpoints: [{ name: "put_contract_data" }] });
    await filtered(session, "trap");
    await session.begin();
    const value = async () =>
      (await session.send("evaluate", { expression: KEY })).result as string;
    const original = await value();
    await session.until("continue");
    expect(await value()).toBe(original);
    expect((await session.until("continue")).reason).toBe("exception");
    expect(await value()).toBe("99");
    expect(await session.until("next")).toMatchObject(atExit);
    // No contract runs any more.
    const evaluated = session.send("evaluate", { expression: KEY });
    expect(await evaluated.then(String, String)).toContain("is not known here");
    await session.until("reverseContinue");
    expect(await value()).toBe("99");
  });

  test("fields of arguments and storage keys are evaluated, and decide conditions", async () => {
    await using session = await opened("SAC transfer to contract");
    await session.begin();
    const evaluate = async (expression: string) =>
      (await session.send("evaluate", { expression, context: "watch" })).result as string;
    const [top] = await session.stack();
    const storage = await session.scope(top?.id ?? 0, "Storage");
    const key = Object.keys(storage).find((name) => name.includes("Balance")) ?? "";
    expect(storage[key]?.value).toBe("(does not exist)");
    const amount = await evaluate("amount");
    const conditions = [
      { name: "contract_event", condition: `${key}.amount != ${amount}` },
      { name: "contract_event", condition: `${key}.amount == ${amount} && amount >= 5000` },
    ];
    const { breakpoints } = await session.send("setFunctionBreakpoints", {
      breakpoints: conditions,
    });
    const stop = await session.until("continue");
    expect(stop.hitBreakpointIds).toEqual([breakpoints[1].id]);
    expect(await evaluate(`${key}.amount`)).toBe(amount);
    expect(await evaluate(`${key}.before the transaction`)).toBe("(does not exist)");
    const unknown = session.send("evaluate", { expression: "nothing.like.this" });
    expect(await unknown.then(String, String)).toContain("is not known here");
  });

  test("events so far and authorizations are those of the transaction", async () => {
    await using session = await opened("admin_set via signed auth entry");
    await session.begin();
    const group = async (name: string) => {
      const scope = await session.scope(await contractFrame(session), "Transaction");
      const reference = scope[name]?.variablesReference ?? 0;
      const values = reference === 0 ? {} : await session.opened(reference);
      return Object.values(values).map(({ value }) => value);
    };
    const [authorization, ...others] = await group("authorizations");
    expect(others).toEqual([]);
    expect(authorization).toMatch(/^G[A-Z2-7]{55}: C[A-Z2-7]{55}\.admin_set\(/);
    await using bumped = await opened("inc persistent counter #1");
    await bumped.send("setFunctionBreakpoints", { breakpoints: [{ name: "contract_event" }] });
    await bumped.begin();
    const events = async () => {
      const scope = await bumped.scope(await contractFrame(bumped), "Transaction");
      const reference = scope["events so far"]?.variablesReference ?? 0;
      return reference === 0 ? [] : Object.values(await bumped.opened(reference));
    };
    await bumped.until("continue");
    expect(await events()).toEqual([]);
    await bumped.until("next");
    const [event, ...more] = await events();
    expect(more).toEqual([]);
    expect(event?.value).toContain("bump");
    expect(event?.value).toContain("7");
  });

  test("a logpoint writes names' values and does not stop", async () => {
    await using session = await opened("inc persistent counter #1");
    await session.begin();
    await session.send("setFunctionBreakpoints", {
      breakpoints: [
        { name: "put_contract_data", logMessage: `${KEY} was {${KEY}}, {nothing}` },
        { name: "contract_event", logMessage: `now {${KEY}}`, condition: `${KEY} == 7` },
        { name: "contract_event", logMessage: "never", condition: `${KEY} == 6` },
      ],
    });
    const told = session.output.length;
    expect(await session.until("continue")).toMatchObject(atExit);
    const forwards = [
      `${KEY} was 6, (nothing is not known here (column ${2 * KEY.length + 11}))\n`,
      "now 7\n",
    ];
    expect(session.output.slice(told)).toEqual(forwards);
    await session.until("reverseContinue");
    expect(session.output.slice(told)).toEqual([...forwards, ...forwards.toReversed()]);
  });
});
