// call_contract of `svc mcp`, on the compiled binary: a call by name on the nodes of the recorded
// network.

import { afterAll, expect, test } from "bun:test";
import { openLoopback } from "../support/loopback-server.ts";
import { connectStdio, nodeFlags } from "../support/mcp-client.ts";

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

const LUMENS = "CDMLFMKMMD7MWZP3FKUBZPVHTUEDLSX4BYGYKH4GCESXYHS3IHQ4EIG4";
const KITCHEN = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";

test("a call has its result, and a failure its cause", async () => {
  await using agent = await connectStdio(nodeFlags(loopback));
  expect(
    await agent.call("call_contract", { contract: LUMENS, function: "decimals" }),
  ).toMatchObject({ success: true, next: [] });
  const wrong = { contract: KITCHEN, function: "fail", arguments: { code: 418 } };
  const failing = await agent.call("call_contract", wrong);
  expect(failing).toMatchObject({ success: false, next: [] });
  expect(JSON.stringify(failing)).toContain("Teapot");
  expect(loopback.requests).not.toContain("sendTransaction");
});

test("a mistake is named with what would be right", async () => {
  await using agent = await connectStdio(nodeFlags(loopback));
  const error = await agent.fail("call_contract", { contract: LUMENS, function: "decimal" });
  expect(error).toMatchObject({ code: "USAGE", remedy: "Did you mean `decimals`?" });
});
