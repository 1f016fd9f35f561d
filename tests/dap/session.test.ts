import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { svcBinary } from "../cli/run-svc.ts";
import { Session } from "./debug-client.ts";

const ROOT = resolve(import.meta.dir, "../..");
/** `add_with` calls `add` of another contract, which traps on an overflow; protocol 28. */
const EXAMPLE = join(ROOT, "examples/overflow-in-callee.capsule.json");
const EVENTS = join(ROOT, "tests/fixtures/capsules/too-many-events.capsule.json");
const WRITES = join(ROOT, "examples/write-bytes-too-low.capsule.json");
const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(path);
});

/** A capsule whose chain record has another result: its replay diverges. */
function capsuleWithoutProof(): string {
  const path = join(tmpdir(), `svc-dap-${process.pid}.json`);
  writeFileSync(path, readFileSync(EXAMPLE, "utf8").slice(0, 2000));
  made.push(path);
  return path;
}

describe("a failed transaction without any source", () => {
  test("the verdict comes first, and the session stops where it failed", async () => {
    await using session = new Session();
    await session.launch({ capsule: EXAMPLE });
    expect(session.output[0]).toContain("exact");
    const stop = await session.begin();
    expect(stop).toMatchObject({
      reason: "exception",
      description: "Where the transaction failed",
    });
    expect(stop.text).toContain("unreachable instruction");
    const { threads } = await session.send("threads");
    expect(threads[0].name).toContain("exact");
    const stack = await session.stack();
    expect(stack.map(({ name }) => name.replace(/^C[A-Z2-7]{3}….{4}:/, "").split("(")[0])).toEqual([
      "add",
      "host function call",
      "add_with",
      "operation InvokeContract",
    ]);
    const [add] = stack;
    expect(await session.scope(add?.id ?? 0, "Arguments")).toMatchObject({
      a: { value: "2147483647", type: "i32" },
      b: { value: "4", type: "i32" },
    });
    const { content } = await session.send("source", {
      sourceReference: add?.source?.sourceReference,
    });
    expect(content.split("\n")[(add?.line ?? 0) - 1].trim()).toBe("unreachable");
    const info = await session.send("exceptionInfo", { threadId: 1 });
    expect(info).toMatchObject({ exceptionId: "trap", breakMode: "unhandled" });
  });

  test("steps go over, into and out of calls, and the same way back", async () => {
    await using session = new Session();
    await session.launch({ capsule: EXAMPLE, stopAt: "entry" });
    expect((await session.begin()).reason).toBe("entry");
    const trail = async (command: string, most: number) => {
      const passed: string[] = [];
      for (let step = 0; step < most; step++) {
        const [top] = await session.stack();
        const at = await session.send("evaluate", { expression: "moment", frameId: top?.id });
        passed.push(at.result);
        const stop = await session.until(command);
        if (stop.reason !== "step") break;
      }
      return passed;
    };
    const forwards = await trail("stepIn", 200);
    expect(forwards.length).toBeGreaterThan(10);
    // Backwards from the end, statement by statement.
    const start = await session.until("reverseContinue");
    expect(start.reason).toBe("entry");
    const again = await trail("stepIn", 200);
    expect(again).toEqual(forwards);
    // Into the callee, out of it, and back before the call.
    await session.until("reverseContinue");
    await session.send("setFunctionBreakpoints", { breakpoints: [{ name: "add" }] });
    const hit = await session.until("continue");
    expect(hit.reason).toBe("function breakpoint");
    const [callee] = await session.stack();
    expect(callee?.name).toContain(":add(");
    await session.until("stepBack");
    const [caller] = await session.stack();
    expect(caller?.name).toBe("host function call");
  });

  test("instructions are stepped one by one, with the values of the code", async () => {
    await using session = new Session();
    await session.launch({ capsule: EXAMPLE, stopAt: "entry" });
    await session.begin();
    const moment = async () => {
      const [top] = await session.stack();
      const { result } = await session.send("evaluate", { expression: "moment", frameId: top?.id });
      return Number(result.split(" ")[0]);
    };
    const before = await moment();
    await session.until("next", { threadId: 1, granularity: "instruction" });
    expect(await moment()).toBe(before + 1);
    await session.until("stepBack", { threadId: 1, granularity: "instruction" });
    expect(await moment()).toBe(before);
    const [top] = await session.stack();
    const locals = await session.scope(top?.id ?? 0, "Locals");
    expect(locals["local 0"]).toMatchObject({ type: "i64" });
    expect(locals["local 0"]?.value).toContain("2147483647");
    const wasm = await session.scope(top?.id ?? 0, "Wasm");
    const memory = await session.send("readMemory", {
      memoryReference: wasm.memory?.memoryReference,
      offset: 1_048_576,
      count: 16,
    });
    expect(Buffer.from(memory.data, "base64").length).toBe(16);
    const { instructions } = await session.send("disassemble", {
      memoryReference: top?.instructionPointerReference,
      instructionOffset: -2,
      instructionCount: 5,
    });
    expect(instructions).toHaveLength(5);
    expect(instructions[2].address).toBe(top?.instructionPointerReference);
    const { breakpoints } = await session.send("setInstructionBreakpoints", {
      breakpoints: [{ instructionReference: instructions[4].address }],
    });
    expect(breakpoints[0].verified).toBe(true);
    expect((await session.until("continue")).reason).toBe("instruction breakpoint");
  });
});

describe("breakpoints", () => {
  test("conditions, hit counts and logpoints decide; what is not bound says why", async () => {
    await using session = new Session();
    await session.launch({ capsule: EXAMPLE, stopAt: "entry" });
    await session.begin();
    const set = (breakpoint: object) =>
      session.send("setFunctionBreakpoints", { breakpoints: [breakpoint] });
    const { breakpoints } = await set({ name: "nothing_like_this" });
    expect(breakpoints[0]).toMatchObject({ verified: false });
    expect(breakpoints[0].message).toContain("nothing_like_this");
    await set({ name: "add", condition: "a > 2147483647" });
    expect((await session.until("continue")).description).toBe("End of the transaction");
    await set({ name: "add", condition: "a >= 2147483647 && b == 4" });
    expect((await session.until("reverseContinue")).reason).toBe("function breakpoint");
    await session.until("reverseContinue");
    await set({ name: "add", hitCondition: "2" });
    expect((await session.until("continue")).description).toBe("End of the transaction");
    await session.until("reverseContinue");
    await set({ name: "add", condition: "local 0 == 2147483647 && local 1 == 4" });
    expect((await session.until("continue")).reason).toBe("function breakpoint");
    const other = `${"C".padEnd(56, "A")}:add`;
    expect((await set({ name: other })).breakpoints[0].verified).toBe(false);
  });

  test("a filter stops at the failure, and one without effect is not verified", async () => {
    await using session = new Session();
    await session.launch({ capsule: EXAMPLE, stopAt: "entry" });
    const { breakpoints } = await session.send("setExceptionBreakpoints", {
      filters: ["trap", "caught"],
    });
    expect(breakpoints.map(({ verified }: DebugProtocol.Breakpoint) => verified)).toEqual([
      true,
      false,
    ]);
    await session.begin();
    const stop = await session.until("continue");
    expect(stop.reason).toBe("exception");
    expect(stop.text).toContain("unreachable instruction");
  });

  test("a watched entry stops before each write of it, forwards and backwards", async () => {
    await using session = new Session();
    await session.launch({ capsule: WRITES, stopAt: "entry" });
    await session.begin();
    const [top] = await session.stack();
    const { scopes } = await session.send("scopes", { frameId: top?.id });
    const { variablesReference } = scopes.find(({ name }: { name: string }) => name === "Storage");
    const storage = await session.opened(variablesReference);
    const watched = [];
    for (const name of Object.keys(storage)) {
      const info = await session.send("dataBreakpointInfo", { name, variablesReference });
      if (info.dataId !== null) watched.push({ dataId: info.dataId, accessType: "write" });
    }
    const { breakpoints } = await session.send("setDataBreakpoints", { breakpoints: watched });
    const verified = breakpoints.filter((found: DebugProtocol.Breakpoint) => found.verified);
    expect(verified.length).toBeGreaterThan(0);
    expect((await session.until("continue")).reason).toBe("data breakpoint");
    expect((await session.stack())[0]?.name).toBe("host function put_contract_data");
    await session.until("continue");
    expect((await session.until("reverseContinue")).reason).toBe("data breakpoint");
    expect((await session.stack())[0]?.name).toBe("host function put_contract_data");
  });

  test("a line of the disassembly binds to its instruction", async () => {
    await using session = new Session();
    await session.launch({ capsule: EXAMPLE, stopAt: "entry" });
    await session.begin();
    const [top] = await session.stack();
    const line = (top?.line ?? 0) + 4;
    const { breakpoints } = await session.send("setBreakpoints", {
      source: top?.source,
      breakpoints: [{ line }],
    });
    expect(breakpoints[0]).toMatchObject({ verified: true, line });
    expect((await session.until("continue")).reason).toBe("breakpoint");
    expect((await session.stack())[0]?.line).toBe(line);
  });
});

describe("what goes wrong is answered", () => {
  const refused = (promise: Promise<unknown>) => promise.then(() => "accepted", String);

  test("requests without a session, wrong configurations, other wasm, files that are none", async () => {
    await using session = new Session();
    await session.client.initializeRequest({ adapterID: "svc" });
    expect(await refused(session.send("stackTrace"))).toContain("No transaction was launched");
    expect(await refused(session.send("launch", {}))).toContain(
      "one of `hash`, `capsule` and `invoke`",
    );
    const unknown = { capsule: join(ROOT, "nothing.json") };
    expect(await refused(session.send("launch", unknown))).toContain("There is no file ");
    const broken = { capsule: capsuleWithoutProof() };
    expect(await refused(session.send("launch", broken))).toContain("capsule");
    const wasm = join(ROOT, "tests/contracts/panics-debug.wasm");
    expect(await refused(session.send("launch", { capsule: EXAMPLE, wasm }))).toContain("wasm");
    expect(await refused(session.send("restartFrame"))).toContain("not supported");
    // The session is still of use.
    await session.launch({ capsule: EVENTS });
    expect(session.output.join("")).toContain("exact");
  });

  test("a request without its arguments, and a filter that is none, are said", async () => {
    await using session = new Session();
    await session.launch({ capsule: EXAMPLE });
    const commands = ["evaluate", "origin", "completions", "setBreakpoints", "goto", "gotoTargets"];
    commands.push("setExceptionBreakpoints", "setFunctionBreakpoints", "setDataBreakpoints");
    commands.push("setInstructionBreakpoints", "dataBreakpointInfo", "disassemble", "readMemory");
    for (const command of commands)
      expect(await refused(session.send(command, {}))).toContain(" is missing");
    const { breakpoints } = await session.send("setExceptionBreakpoints", {
      filters: ["nonsense"],
    });
    expect(breakpoints).toEqual([{ verified: false, message: "svc has no such filter." }]);
    await session.begin();
    const [top] = await session.stack();
    const ends = await session.scope(top?.id ?? 0, "Transaction");
    expect(ends.error?.value).toContain("Error(WasmVm, InvalidAction)");
  });

  test("an unknown setting is named, with the one that it is near", async () => {
    await using session = new Session();
    const more = { stopat: "entry", nonsense: 1, name: "Mine", __sessionId: "1", "wait-for": 1 };
    await session.launch({ capsule: EXAMPLE, ...more });
    expect(session.output.filter((line) => line.includes("is not a setting"))).toEqual([
      "`stopat` is not a setting of svc, and is ignored. Did you mean `stopAt`?\n",
      "`nonsense` is not a setting of svc, and is ignored.\n",
    ]);
  });

  test("a remedy names settings, not flags", async () => {
    await using session = new Session();
    await session.client.initializeRequest({ adapterID: "svc" });
    const rpcUrl = "http://127.0.0.1:1";
    const launch = { hash: "0".repeat(64), networkPassphrase: "none", rpcUrl };
    const message = await refused(session.send("launch", launch));
    expect(message).not.toContain("--");
    expect(message).toContain("`network`");
  });

  test("what is not the protocol ends with an error of the catalogue", () => {
    for (const [text, reason] of [
      ["Content-Length: 5\r\n\r\nxxxxx", "is not JSON"],
      ["Content-Length: 99999999999\r\n\r\n", "no valid Content-Length"],
      ["Content-Length: 2\r\n\r\n{}", "no seq and type"],
      ["a".repeat(5000), "no header"],
    ] as const) {
      const stdin = Buffer.from(text);
      const ran = Bun.spawnSync([svcBinary(), "dap"], { cwd: tmpdir(), env: {}, stdin });
      const stderr = ran.stderr.toString();
      expect(stderr).toContain("[DEBUG_PROTOCOL_INVALID]");
      expect(stderr).toContain(reason);
      expect({ exitCode: ran.exitCode, stdout: ran.stdout.toString() }).toEqual({
        exitCode: 2,
        stdout: "",
      });
    }
  });

  test("a client that leaves, and one that terminates, leave no process behind", async () => {
    const leaving = new Session();
    await leaving.launch({ capsule: EXAMPLE });
    leaving.process.stdin?.end();
    expect(await leaving.ended()).toBe(0);
    await using ending = new Session();
    await ending.launch({ capsule: EXAMPLE });
    await ending.begin();
    const terminated = ending.client.waitForEvent("terminated");
    await ending.send("terminate");
    await terminated;
    await ending.send("disconnect");
    expect(await ending.ended()).toBe(0);
  });
});
