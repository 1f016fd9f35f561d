// The condition that a disassembly shows behind a branch, against the operand that the code had.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { withConditions } from "../../src/stepping/folded.ts";
import { Session } from "../dap/debug-client.ts";

const EXAMPLE = join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");

test("every condition is what the code finds at its branch", async () => {
  await using session = new Session();
  await session.launch({ capsule: EXAMPLE, stopAt: "entry" });
  await session.begin();
  let branches = 0;
  for (;;) {
    const [top] = await session.stack();
    const given = { sourceReference: top?.source?.sourceReference };
    const content = given.sourceReference ? (await session.send("source", given)).content : "";
    const condition = / ;; if (.*)$/.exec(content.split("\n")[(top?.line ?? 0) - 1] ?? "")?.[1];
    if (condition !== undefined) {
      branches += 1;
      const locals = await session.scope(top?.id ?? 0, "Locals");
      const wasm = await session.scope(top?.id ?? 0, "Wasm");
      const operands = await session.opened(wasm["operand stack"]?.variablesReference ?? 0);
      const operand = Object.values(operands).at(-1)?.value ?? "";
      const isTaken = runInNewContext(
        condition
          .replaceAll(/ \((?:the tag of [^)]*|unsigned)\)/g, "")
          .replaceAll("not (", "!(")
          .replaceAll(/local \d+/g, (name) => locals[name]?.value.split(" ")[0] ?? "")
          .replaceAll(/-?\d+/g, "$&n")
          .replaceAll(/low32\(/g, "BigInt.asIntN(32, ")
          .replaceAll(/global 0n/g, "0n"),
      );
      expect({ condition, isTaken: Boolean(isTaken) }).toEqual({
        condition,
        isTaken: operand !== "0",
      });
    }
    const move = { threadId: 1, granularity: "instruction" };
    if ((await session.until("stepIn", move)).reason !== "step") break;
  }
  expect(branches).toBeGreaterThan(1);
}, 60_000);

test("what was pushed before a local changed, and what is after a call, is not claimed", () => {
  const last = (...texts: string[]) => {
    const lines = texts.map((text) => {
      const [opcode = "", operand] = text.split(" ");
      if (operand === undefined || opcode === "call") return { text, opcode };
      return opcode.endsWith(".const")
        ? { text, opcode, constant: operand }
        : { text, opcode, index: Number(operand) };
    });
    return withConditions(lines).at(-1);
  };
  expect(last("local.get 0", "i32.const 1", "local.set 0", "br_if 0")).toBe("br_if 0");
  expect(last("local.get 0", "call f", "br_if 0")).toBe("br_if 0");
  expect(last("local.get 10", "i32.const 1", "local.set 1", "br_if 0")).toBe(
    "br_if 0 ;; if local 10",
  );
  expect(last("local.get 0", "i32.wrap_i64", "i32.const 5", "i32.eq", "br_if 1")).toBe(
    "br_if 1 ;; if low32(local 0) == 5",
  );
  expect(
    last("local.get 0", "i64.const 255", "i64.and", "i64.const 14", "i64.ne", "i32.eqz", "if"),
  ).toBe("if ;; if not ((local 0 & 255) != 14 (the tag of a short symbol))");
  expect(last("local.get 0", "end", "br_if 0")).toBe("br_if 0");
});
