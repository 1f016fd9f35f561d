import { expect, test } from "bun:test";
import { countedMore } from "../../src/base/text/counted.ts";

test("what is not shown is counted in the singular where it is one", () => {
  const one = ["changes", "addresses", "host calls", ""].map((what) => countedMore(1, what));
  expect(one).toEqual(["1 more change", "1 more address", "1 more host call", "1 more"]);
  expect(countedMore(1234, "addresses")).toBe("1,234 more addresses");
});
