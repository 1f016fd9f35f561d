// A pasted line of stellar-cli is told from texts about one, and from the words of a call.

import { expect, test } from "bun:test";
import { stellarLine, stellarLineOfWords } from "../../src/command/stellar-line.ts";
import { svc } from "../cli/run-svc.ts";

const CONTRACT = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";

test("a line is one from its program to its flags", () => {
  for (const [line, command] of [
    ["stellar contract deploy --wasm a.wasm", "contract deploy"],
    ["$ soroban contract   upload", "contract upload"],
    ["/usr/bin/stellar contract info interface --id C1", "contract info interface"],
    ["stellar contract deploy \\\n  --wasm a.wasm \\\n  --source alice", "contract deploy"],
    ["  stellar tx send  ", "tx send"],
  ] as const)
    expect(stellarLine(line)?.command).toBe(command);
});

test("a sentence, an output and the words of a call are none", () => {
  for (const text of [
    "stellar contract invoke failed with txBadSeq",
    "the stellar contract deploy --wasm a.wasm failed",
    "stellar contract invoke --id C1 -- f\nerror: txBadSeq",
    "stellar/contract deploy",
    "",
  ])
    expect(stellarLine(text)).toBeNull();
  expect(stellarLineOfWords([CONTRACT, "put", "stellar", "contract", "read"])).toBeNull();
  expect(stellarLineOfWords(["a.wasm", "put", "stellar", "contract", "read"])).toBeNull();
  expect(stellarLineOfWords([])).toBeNull();
});

test("a line with what it printed is explained", async () => {
  const text = "stellar contract invoke --id C1 -- f\nerror: txBadSeq";
  const { stdout, exitCode } = await svc(["explain", text]);
  expect(exitCode).toBe(0);
  expect(stdout).toStartWith("txBadSeq (transaction result)");
});
