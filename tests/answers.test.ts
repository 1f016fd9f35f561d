// bun tests/answers.ts: the answer to every recorded failure is on the first screen.

import { beforeAll, expect, test } from "bun:test";
import { ensureBuilt } from "../scripts/ensure-built.ts";
import { AIMS, measureAnswers, shareOf } from "./answers.ts";

beforeAll(ensureBuilt, 900_000);

test("the answer to every recorded failure is on the first screen", async () => {
  const answers = await measureAnswers();
  expect(answers.length).toBeGreaterThan(50);
  for (const { what, share, holds } of AIMS)
    expect([what, shareOf(answers, holds) >= share]).toEqual([what, true]);
}, 60_000);
