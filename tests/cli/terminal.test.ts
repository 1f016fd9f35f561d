// On a terminal: colors unless NO_COLOR is set, and progress that is removed before the report.

import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { svcBinary } from "./run-svc.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const RED = "\u001b[31m";
/** Of the last line of a report. */
const LAST = "More: -v";
const CLEAR_LINE = "\r\u001b[K";

test("progress is drawn, and cleared before the report", async () => {
  const shown = await onTerminal(["debug", "--from", EXAMPLE], {});
  expect(shown).toStartWith(`${CLEAR_LINE}replaying with the host of protocol 28${CLEAR_LINE}`);
  expect(shown).toContain(`${RED}\`add_with()\` failed`);
});

test("NO_COLOR takes the colour, --quiet the progress", async () => {
  const environment = { NO_COLOR: "1" };
  const shown = await onTerminal(["debug", "--from", EXAMPLE, "--quiet"], environment);
  expect(shown).toStartWith("`add_with()` failed");
  expect(shown).not.toContain("\u001b");
});

test("a dumb terminal gets neither", async () => {
  const shown = await onTerminal(["debug", "--from", EXAMPLE], { TERM: "dumb" });
  expect(shown).not.toContain("\u001b");
  expect(shown).toStartWith("`add_with()` failed");
});

for (const columns of [40, 60, 120])
  test(`the report and help of a terminal of ${columns} columns fit it`, async () => {
    for (const [words, last] of [
      [["debug", "--from", EXAMPLE, "-v"], "Not confirmed"],
      [["debug", "--help"], "interrupted."],
    ] as const) {
      const shown = await onTerminal(words, { TERM: "dumb" }, columns, last);
      const lines = shown.split("\r\n");
      // Neither a long word nor code between backticks is broken.
      const isWhole = (line: string) => /^\s*`[^`]+`\W?$/.test(line);
      for (const line of lines.filter((each) => each.length > columns && !isWhole(each)))
        expect(line.split(" ").at(-1)?.length).toBeGreaterThan(columns / 2);
      const longest = Math.max(...lines.map(({ length }) => length));
      expect(longest).toBeGreaterThan((columns * 5) / 6);
    }
  });

/** The output to a terminal, of 80x24 if nothing else is given, up to its last part. */
async function onTerminal(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  columns = 80,
  last = LAST,
): Promise<string> {
  const decoder = new TextDecoder();
  let shown = "";
  const ended = Promise.withResolvers<void>();
  const child = Bun.spawn([svcBinary(), ...words], {
    env: { PATH: process.env.PATH ?? "", TERM: "xterm-256color", ...environment },
    terminal: {
      cols: columns,
      rows: 24,
      data: (_terminal, bytes) => {
        shown += decoder.decode(bytes, { stream: true });
        // The last part: the terminal may still have bytes after the process has ended.
        if (shown.includes(last)) ended.resolve();
      },
    },
    timeout: 50_000,
  });
  await child.exited;
  await ended.promise;
  child.terminal?.close();
  return shown;
}
