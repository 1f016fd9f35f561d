import { expect, test } from "bun:test";
import { countedMore } from "../../src/base/text/counted.ts";

test("what is not shown is counted in the form of its number, or without a name", () => {
  expect(countedMore(1, ["address", "addresses"])).toBe("1 more address");
  expect(countedMore(1234, ["address", "addresses"])).toBe("1,234 more addresses");
  expect(countedMore(2, null)).toBe("2 more");
});
