// A pasted line of stellar-cli is told from texts about one, and from the words of a call.

import { expect, test } from "bun:test";
import { invokeLine, stellarLine, stellarLineOfWords } from "../../src/command/stellar-line.ts";
import { svc } from "../cli/run-svc.ts";

const CONTRACT = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";

test("a line is one from its program to its flags", () => {
  for (const [line, command] of [
    ["stellar contract deploy --wasm a.wasm", "contract deploy"],
    ["$ soroban contract   upload", "contract upload"],
    ["/usr/bin/stellar contract info interface --id C1", "contract info interface"],
    ["stellar contract deploy \\\n  --wasm a.wasm \\\n  --source alice", "contract deploy"],
    ["  stellar tx send  ", "tx send"],
    ["user@host:~/app$ stellar contract build", "contract build"],
    ["A_B=c D= stellar -q --config-dir /x contract read --id C1", "contract read"],
    ["stellar contract invoke withdraw --id C1", "contract invoke"],
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

test("flags before the command of a call become flags of the line", () => {
  for (const [line, expected] of [
    ["stellar contract invoke --id C1 -- f", "stellar contract invoke --id C1 -- f"],
    ["$ A=b stellar -q contract  invoke --id C1", "stellar contract invoke -q --id C1"],
    [
      "stellar --config-dir /x -v contract \\\n invoke --id C1",
      "stellar contract invoke --config-dir /x -v --id C1",
    ],
    ["stellar contract invoked", null],
    ["stellar contract deploy", null],
  ] as const)
    expect(invokeLine(line)).toBe(expected);
  // No beginning takes long, whatever a text repeats.
  expect(invokeLine(`stellar${" --config-dir -x".repeat(5_000)}`)).toBeNull();
});

test("a line with what it printed is explained", async () => {
  const text = "stellar contract invoke --id C1 -- f\nerror: txBadSeq";
  const { stdout, exitCode } = await svc(["explain", text]);
  expect(exitCode).toBe(0);
  expect(stdout).toStartWith("txBadSeq (transaction result)");
});
