// Launch configurations that make the transaction: a fork, a contract deployed on it, and its call. And
// the configuration that the page about editors begins with.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { Session } from "./debug-client.ts";
import { CONTRACTS, lineWith, SOURCE_MAP, TOKEN_SOURCE } from "./exchange-session.ts";

const DEPLOY = join(CONTRACTS, "token-debug.wasm");
const TRANSFER = { from: "@0", to: "@contract", amount: "170141183460469231731687303715884105727" };
const EXAMPLE = join(CONTRACTS, "../../examples/overflow-in-callee.capsule.json");

async function launched(configuration: object): Promise<Session> {
  const session = new Session();
  await session.launch({ sourceMap: SOURCE_MAP, ...configuration });
  return session;
}

test("a call that fails is debugged where it failed, in the lines of the deployed build", async () => {
  const invoke = { function: "transfer", arguments: TRANSFER };
  await using session = await launched({ fork: "empty", deploy: DEPLOY, invoke });
  expect(session.output.join("")).toMatch(/deployed as contract C[A-Z2-7]{55}/);
  expect(session.output.join("")).toMatch(/… \(fork of \w+\) exact: /);
  const stop = await session.begin();
  expect(stop).toMatchObject({ reason: "exception", description: "Where the transaction failed" });
  expect(stop.text).toBe("transfer: Error(Contract, #7)");
  await session.send("setBreakpoints", {
    source: { path: TOKEN_SOURCE },
    breakpoints: [{ line: lineWith("token", "if left < 0 {"), condition: "Arguments.amount > 1" }],
  });
  expect((await session.until("reverseContinue")).reason).toBe("breakpoint");
  const [top] = await session.stack();
  expect(top?.source?.path).toBe(TOKEN_SOURCE);
  const given = { expression: "Arguments.amount / 2 - 1", frameId: top?.id };
  expect((await session.send("evaluate", given)).result).toBe(String(2n ** 126n - 2n));
}, 60_000);

test("of several calls the last one is debugged, on the state that the others left", async () => {
  const balance = { function: "balance", arguments: ["@1"], account: 1 };
  await using session = await launched({ deploy: DEPLOY, invoke: [balance, balance] });
  expect(await session.begin()).toMatchObject({ reason: "entry" });
  const stack = await session.stack();
  expect(stack.some(({ name }) => name.includes(":balance(of: G"))).toBeTrue();
}, 60_000);

test("on a fork of a capsule, a contract that is there is called", async () => {
  await using session = await launched({
    fork: EXAMPLE,
    invoke: { contract: await contractOf(EXAMPLE), function: "add", arguments: { a: 2, b: 3 } },
  });
  expect(session.output.join("")).toMatch(/… \(fork of \w+\) exact: /);
  await session.begin();
  const stack = await session.stack();
  expect(stack.some(({ name }) => name.endsWith(":add(a: 2, b: 3)"))).toBeTrue();
}, 60_000);

test("on a fork of a network, a contract that is there is called on the state of its nodes", async () => {
  await using loopback = openLoopback();
  const recorded = loopback.network.named("same ledger: inc main #3");
  const { envelopeXdr = "" } = loopback.network.file(recorded).rpcGetTransaction.result;
  const { hostFunction } = openEnvelope(String(envelopeXdr), loopback.network.passphrase);
  const contract = hostFunction?.kind === "invoke" ? hostFunction.contract : "";
  const nodes = { horizonUrl: loopback.url("horizon"), rpcUrl: loopback.url("rpc") };
  const inc = { contract, function: "inc", arguments: { key: "main" } };
  await using session = await launched({ fork: "local", ...nodes, invoke: [inc, inc] });
  expect(session.output.join("")).toContain("… (fork of local) exact: ");
  // Nothing was sent there.
  expect(new Set(loopback.requests)).toEqual(
    new Set(["getNetwork", "getLatestLedger", "getLedgerEntries"]),
  );
  await session.begin();
  const value = async (expression: string) =>
    (await session.send("evaluate", { expression })).result as string;
  expect(await value('key == "main" && ledger.sequence == 455')).toBe("true");
  // The call before has counted, too.
  const before = BigInt(await value("Count(main)"));
  await session.send("setFunctionBreakpoints", { breakpoints: [{ name: "contract_event" }] });
  await session.until("continue");
  expect(BigInt(await value("Count(main)"))).toBe(before + 1n);
}, 60_000);

test("a fork of a network whose nodes do not answer is refused with the setting to correct", async () => {
  await using session = new Session();
  await session.client.initializeRequest({ adapterID: "svc" });
  const rpcUrl = "http://127.0.0.1:9/";
  const given = { fork: "local", horizonUrl: rpcUrl, rpcUrl, invoke: { function: "inc" } };
  const refusal = await session.send("launch", given).then(() => "", String);
  expect(refusal).toContain("127.0.0.1:9");
  expect(refusal).not.toContain("--");
}, 60_000);

test("what cannot be made is refused in words", async () => {
  await using session = new Session();
  await session.client.initializeRequest({ adapterID: "svc" });
  const refusal = (configuration: object) =>
    session.send("launch", configuration).then(() => "accepted", String);
  const call = (function_: string, given?: unknown) => ({
    deploy: DEPLOY,
    invoke: { function: function_, arguments: given },
  });
  for (const [configuration, words] of [
    [call("transfr", []), "Did you mean `transfer`?"],
    [call("balance", []), "balance takes 1 argument, not 0. Its arguments are: of: address."],
    [call("balance", { off: "@0" }), "balance has no argument `off`"],
    [call("transfer", ["@0", "@1", "much"]), "Argument `amount`"],
    [{ capsule: EXAMPLE, deploy: DEPLOY }, "for `invoke`, which is missing"],
    [{ invoke: { function: "f" } }, "The call names no contract, and `deploy` is not set."],
    [{ fork: "nothing.json", ...call("balance", ["@0"]) }, "path in `fork` and its permissions."],
    [{ ...call("balance"), deploy: "no.wasm" }, "path in `deploy`, and its permissions."],
    [{ ...call("balance"), deploy: { wasm: "no.wasm" } }, "path in `deploy`, and its permissions."],
    [{ ...call("balance"), wasm: "no.wasm" }, "path in `wasm`, and its permissions."],
    [{ fork: "moonnet", ...call("balance") }, '`fork` cannot be "moonnet".'],
    [{ capsule: "no.json" }, "path in `capsule` and its permissions."],
    [{ deploy: DEPLOY, invoke: { functon: "f" } }, "invoke.function is missing"],
    [{ deploy: DEPLOY, invoke: [{ function: 5 }] }, "invoke.0.function must be a string"],
    [{ capsule: EXAMPLE, stopAt: "entyr" }, "stopAt must be failure or entry or breakpoint."],
    [{ capsule: EXAMPLE, stopAt: "entry", stopOnEntry: true }, "one of `stopAt` and `stopOnEntry`"],
    [{ deploy: EXAMPLE, invoke: { function: "f" } }, "is not a wasm file"],
    [{ capsule: EXAMPLE, ...call("balance") }, "name one of `hash`, `capsule` and `invoke`"],
  ] as const)
    expect(await refusal(configuration)).toContain(words);
  expect(await refusal({ capsule: "no.json" })).not.toMatch(/--|standard input/);
}, 60_000);

test("an earlier call that fails is debugged, and no later one is made", async () => {
  const failing = { function: "transfer", arguments: TRANSFER };
  await using session = await launched({ deploy: DEPLOY, invoke: [failing, { function: "f" }] });
  expect(session.output.join("")).toContain("svc debugs it, and makes none of the later calls.");
  expect((await session.begin()).text).toBe("transfer: Error(Contract, #7)");
}, 60_000);

/** The contract whose function traps. */
async function contractOf(capsule: string): Promise<string> {
  await using session = await launched({ capsule });
  const { summary } = await session.send("why");
  expect(summary).toContain("`a`");
  const [, contract = ""] = /(C[A-Z2-7]{55})/.exec(JSON.stringify(await session.send("why"))) ?? [];
  return contract;
}

test("the first configuration of docs/editor.md stops at the failure, as it is written there", async () => {
  const page = await Bun.file(join(CONTRACTS, "../../docs/editor.md")).text();
  const [, text = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const [configuration] = JSON.parse(text).configurations;
  await using session = await launched(configuration);
  expect(await session.begin()).toMatchObject({ description: "Where the transaction failed" });
}, 60_000);
