// The daemon's log: one JSON object per line, neutralized, with lines written together.

import { expect, test } from "bun:test";
import { neutralise } from "../../src/base/text/neutralise.ts";
import { openEventLog } from "../../src/http-server/request-log.ts";
import { TestClock } from "../support/test-clock.ts";

test("lines are JSON, neutral, above the lowest level, and written together", () => {
  const written: string[] = [];
  const log = openEventLog({
    clock: new TestClock({ grantedUpTo: 0 }),
    lowest: "info",
    write: (lines) => written.push(lines),
  });
  log.write("debug", "not shown");
  log.write("info", "first", { error: "a\u001b[31m\u202eb\nc", status: 200, code: null });
  log.write("error", "second");
  expect(written).toEqual([]);
  log.flush();
  log.flush();
  expect(written).toHaveLength(1);
  const lines = (written[0] ?? "").split("\n");
  expect(lines.at(-1)).toBe("");
  const [first, second] = lines.slice(0, -1).map((line) => JSON.parse(line));
  expect(first).toMatchObject({
    time: "2027-01-15T08:00:00.000Z",
    level: "info",
    message: "first",
    status: 200,
    code: null,
  });
  expect(first.error).toBe(neutralise("a\u001b[31m\u202eb\nc"));
  expect(second).toMatchObject({ level: "error", message: "second" });
});
