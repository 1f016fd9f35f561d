// On a terminal: colors unless NO_COLOR is set, and progress that is removed before the report.

import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { svcBinary } from "./run-svc.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const RED = "\u001b[31m";
const CLEAR_LINE = "\r\u001b[K";

test("progress is drawn, and cleared before the report", async () => {
  const shown = await onTerminal(["debug", "--from", EXAMPLE], {});
  expect(shown).toStartWith(`${CLEAR_LINE}replaying with the host of protocol 28${CLEAR_LINE}`);
  expect(shown).toContain(`${RED}Contract call`);
});

test("NO_COLOR takes the colour, --quiet the progress", async () => {
  const environment = { NO_COLOR: "1" };
  const shown = await onTerminal(["debug", "--from", EXAMPLE, "--quiet"], environment);
  expect(shown).toStartWith("Contract call");
  expect(shown).not.toContain("\u001b");
});

test("a dumb terminal gets neither", async () => {
  const shown = await onTerminal(["debug", "--from", EXAMPLE], { TERM: "dumb" });
  expect(shown).not.toContain("\u001b");
  expect(shown).toStartWith("Contract call");
});

/** The output to a terminal of 80x24. */
async function onTerminal(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const decoder = new TextDecoder();
  let shown = "";
  const ended = Promise.withResolvers<void>();
  const child = Bun.spawn([svcBinary(), ...words], {
    env: { PATH: process.env.PATH ?? "", TERM: "xterm-256color", ...environment },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_terminal, bytes) => {
        shown += decoder.decode(bytes, { stream: true });
        // The report's last line: the terminal may still have bytes after the process has ended.
        if (shown.includes("refunded")) ended.resolve();
      },
    },
    timeout: 20_000,
  });
  await child.exited;
  await ended.promise;
  child.terminal?.close();
  return shown;
}
