// Requests as clients with faults send them, and those that svc does not answer: each gets an answer in
// words, and the session goes on.

import { afterAll, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import type { DebugProtocol } from "@vscode/debugprotocol";
import fc from "fast-check";
import { ARGUMENTS, type RequestCommand } from "../../src/dap/arguments.ts";
import { Session } from "./debug-client.ts";

const EXAMPLES = resolve(import.meta.dir, "../../examples");
const OVERFLOW = join(EXAMPLES, "overflow-in-callee.capsule.json");
const COMMANDS = Object.keys(ARGUMENTS) as RequestCommand[];
const AT = "0x100000000";
const VALID: Readonly<Record<RequestCommand, Readonly<Record<string, unknown>>>> = {
  initialize: { adapterID: "svc", linesStartAt1: true, pathFormat: "path" },
  stackTrace: { threadId: 1, startFrame: 0, levels: 20 },
  scopes: { frameId: 1 },
  variables: { variablesReference: 1, start: 0, count: 10 },
  evaluate: { expression: "a + 1", context: "watch" },
  completions: { text: "ledger.", column: 8 },
  why: {},
  origin: { expression: "a" },
  source: { sourceReference: 1, source: { sourceReference: 1 } },
  gotoTargets: { source: { sourceReference: 1 }, line: 2 },
  goto: { threadId: 1, targetId: 1 },
  gotoMoment: { moment: 3 },
  disassemble: { memoryReference: AT, offset: 0, instructionOffset: -2, instructionCount: 5 },
  readMemory: { memoryReference: "memory:1:0", offset: 0, count: 16 },
  dataBreakpointInfo: { name: "sold", variablesReference: 1 },
  setBreakpoints: {
    source: { sourceReference: 1 },
    breakpoints: [{ line: 2, condition: "1 < 2" }],
  },
  setFunctionBreakpoints: { breakpoints: [{ name: "add", hitCondition: "1" }] },
  setInstructionBreakpoints: { breakpoints: [{ instructionReference: AT, offset: 2 }] },
  setDataBreakpoints: { breakpoints: [{ dataId: "C persistent AAAA", accessType: "write" }] },
  setExceptionBreakpoints: { filters: ["trap"] },
  continue: { threadId: 1 },
  reverseContinue: { threadId: 1 },
  next: { threadId: 1, granularity: "line" },
  stepBack: { threadId: 1 },
  stepIn: { threadId: 1 },
  stepOut: { threadId: 1 },
};
/** Requests that svc does not announce, or that are those of other things than debuggers. */
const UNKNOWN = ["restart", "stepInTargets", "modules", "setVariable", "constructor", "__proto__"];
/** What no user should read. */
const LEAK = /undefined|NaN|\[object|is not a function|is not iterable|null is|Cannot |reading '/;

let opened: Promise<Session> | null = null;
function session(): Promise<Session> {
  opened ??= (async () => {
    const made = new Session();
    await made.launch({ capsule: OVERFLOW });
    await made.begin();
    return made;
  })();
  return opened;
}
afterAll(async () => (await opened)?.[Symbol.asyncDispose]());

/** The message of a refusal; empty where it was answered. */
async function refusal(command: string, given: unknown): Promise<string> {
  const { client } = await session();
  return client.send(command, given).then(
    () => "",
    (error: Error) => error.message,
  );
}

test("a field that is missing or of another type is named, and the session goes on", async () => {
  for (const command of COMMANDS)
    for (const [field, { type }] of Object.entries(ARGUMENTS[command].entries)) {
      const { [field]: _, ...others } = VALID[command];
      if (type !== "exact_optional") {
        expect(await refusal(command, others)).toContain(
          `${command} cannot be answered: ${field} `,
        );
        expect(await refusal(command, { ...others, [field]: null })).toContain(
          `${field} is missing`,
        );
      }
      const other = typeof VALID[command][field] === "object" ? 5 : [5];
      expect(await refusal(command, { ...others, [field]: other })).toContain(`${field} must be `);
    }
  expect(await refusal("setBreakpoints", { source: {}, breakpoints: [{ line: "5" }] })).toContain(
    "The request setBreakpoints cannot be answered: breakpoints.0.line must be a number.",
  );
  expect(await refusal("threads", undefined)).toBe("");
}, 60_000);

test("every request has an answer in words, whatever its arguments are", async () => {
  const { client } = await session();
  const anything = fc.jsonValue({ maxDepth: 2 });
  const arguments_ = (command: string) => {
    const fields = VALID[command as RequestCommand] ?? {};
    const [name = fc.string(), ...others] = Object.keys(fields).map((key) => fc.constant(key));
    const changed = fc
      .tuple(fc.oneof(name, ...others), anything)
      .map(([field, value]) => ({ ...fields, [field]: value }));
    return fc.oneof(fc.constant(fields), changed, anything);
  };
  const request = fc
    .constantFrom(...COMMANDS, ...UNKNOWN)
    .chain((command) => fc.tuple(fc.constant(command), arguments_(command)));
  await fc.assert(
    fc.asyncProperty(request, async ([command, given]) => {
      expect(await refusal(command, given)).not.toMatch(LEAK);
    }),
    { numRuns: 1500 },
  );
  const { body } = await client.threadsRequest();
  expect(body.threads).toHaveLength(1);
}, 120_000);

test("what would change a recorded transaction is refused with what to do instead", async () => {
  const given = { variablesReference: 1, name: "a", value: "5" };
  expect(await refusal("setVariable", given)).toContain("docs/what-if.md");
  expect(await refusal("restart", {})).toBe("The request restart is not supported.");
});

test("requests before a launch are refused, and the launch is not harmed", async () => {
  await using early = new Session();
  const sent = (command: string) => early.client.send(command, VALID[command as RequestCommand]);
  for (const command of ["setBreakpoints", "stackTrace", "configurationDone", "continue"])
    expect(await sent(command).then(String, String)).toContain("No transaction was launched.");
  await early.client.initializeRequest({ adapterID: "svc" });
  const lines = { adapterID: "svc", linesStartAt1: false };
  expect(await early.client.send("initialize", lines).then(String, String)).toContain(
    "linesStartAt1 must be true",
  );
  await early.launch({ capsule: OVERFLOW });
  expect(await early.begin()).toMatchObject({ reason: "exception" });
}, 60_000);

test("a disassembly has as many instructions as were asked for, in their order", async () => {
  const { client } = await session();
  const instructions = async (given: object) => {
    const { body } = await client.send("disassemble", { memoryReference: AT, ...given });
    return body.instructions as DebugProtocol.DisassembledInstruction[];
  };
  const all = await instructions({ instructionCount: 5000 });
  const isInvalid = ({ presentationHint }: DebugProtocol.DisassembledInstruction) =>
    presentationHint === "invalid";
  const code = all.filter((each) => !isInvalid(each));
  expect(code.length).toBeGreaterThan(20);
  for (const [reference, instructionOffset, instructionCount] of [
    [code[0]?.address, -10, 30],
    [code.at(-1)?.address, -5, 20],
    [code[7]?.address, -3, 6],
    [code[0]?.address, -50, 20],
    [code.at(-1)?.address, 1, 20],
    ["0x1ffffffff", -4, 6],
    ["0x0", -50, 10],
    ["somewhere", 0, 10],
  ] as const) {
    const found = await instructions({
      memoryReference: reference,
      instructionOffset,
      instructionCount,
    });
    expect(found).toHaveLength(instructionCount);
    const addresses = found.map(({ address }) => BigInt(address));
    expect(addresses.every((address, at) => at === 0 || address > (addresses[at - 1] ?? 0n))).toBe(
      true,
    );
    const at = code.findIndex(({ address }) => address === reference);
    if (at >= 0)
      for (const [index, each] of found.entries()) {
        const expected = code[at + instructionOffset + index];
        expect(isInvalid(each)).toBe(expected === undefined);
        if (expected !== undefined) expect(each).toEqual(expected);
      }
  }
  // Within an instruction, it is that one.
  const long = code.findIndex(
    ({ address, instruction }, at) =>
      instruction !== "end" && BigInt(code[at + 1]?.address ?? address) - BigInt(address) > 1n,
  );
  const inside = { memoryReference: code[long]?.address, offset: 1, instructionCount: 1 };
  expect(await instructions(inside)).toEqual([code[long]].flatMap((each) => each ?? []));
});

test("memory is read where it is, also from before its beginning", async () => {
  await using made = new Session();
  await made.launch({ capsule: OVERFLOW });
  await made.begin();
  const read = (offset: number, count: number) =>
    made.send("readMemory", { memoryReference: "memory:1:16", offset, count });
  const whole = Buffer.from((await read(-16, 64)).data, "base64");
  expect(whole).toHaveLength(64);
  expect(await read(-24, 16)).toEqual({
    address: "0x0",
    data: whole.subarray(0, 8).toString("base64"),
    unreadableBytes: 0,
  });
  expect(await read(2 ** 32, 16)).toMatchObject({ unreadableBytes: 16 });
  await made.until("gotoMoment", { moment: 0 });
  expect(await read(0, 16).then(String, String)).toContain("does not run at this moment");
});

test("continue ends the session where nothing is left to see", async () => {
  for (const [name, exitCode] of [
    ["overflow-in-callee", 1],
    ["write-bytes-too-low", 1],
  ] as const) {
    await using made = new Session();
    await made.launch({ capsule: join(EXAMPLES, `${name}.capsule.json`) });
    expect(await made.begin()).toMatchObject({ description: "Where the transaction failed" });
    const exited = made.client.waitForEvent("exited");
    const terminated = made.client.waitForEvent("terminated");
    await made.send("continue", { threadId: 1 });
    expect((await exited).body).toEqual({ exitCode });
    await terminated;
    await made.send("disconnect");
    expect(await made.ended()).toBe(0);
  }
}, 60_000);

test("an end that is reached is a stop, from which the session goes back", async () => {
  await using made = new Session();
  await made.launch({ capsule: OVERFLOW, stopOnEntry: true });
  expect(await made.begin()).toMatchObject({ reason: "entry" });
  await made.send("setExceptionBreakpoints", { filters: [] });
  expect(await made.until("continue")).toMatchObject({ description: "End of the transaction" });
  expect(await made.until("stepBack")).toMatchObject({ reason: "step" });
}, 60_000);

test("stopOnEntry: false runs to the first breakpoint, or to the failure", async () => {
  const begun = async (given: object) => {
    await using made = new Session();
    await made.launch({ capsule: OVERFLOW, stopOnEntry: false, ...given });
    await made.send("setExceptionBreakpoints", { filters: [] });
    const names = (await made.send("setFunctionBreakpoints", { breakpoints: [{ name: "add" }] }))
      .breakpoints;
    expect(names[0].verified).toBe(true);
    const hit = await made.begin();
    await made.send("setFunctionBreakpoints", { breakpoints: [] });
    return hit;
  };
  expect(await begun({})).toMatchObject({ reason: "function breakpoint" });
  await using made = new Session();
  await made.launch({ capsule: OVERFLOW, stopAt: "breakpoint" });
  await made.send("setExceptionBreakpoints", { filters: [] });
  expect(await made.begin()).toMatchObject({ description: "Where the transaction failed" });
  expect(made.output.join("")).not.toContain("is not a setting");
}, 60_000);

test("without debugging, the transaction is explained and the session ends", async () => {
  await using made = new Session();
  await made.launch({ capsule: OVERFLOW, noDebug: true });
  const terminated = made.client.waitForEvent("terminated");
  await made.send("configurationDone");
  await terminated;
  expect(made.output.join("")).toContain("does not fit an i32");
}, 60_000);
