// One sentence says what keeps a footprint from growing, also if a node's error is the reason.

import { expect, test } from "bun:test";
import { footprintBlockInWords } from "../../src/fix/footprint.ts";

test("the reason of an unknown entry ends with one full stop", () => {
  for (const why of ["no node was queried", "The node cannot be reached (ENOTFOUND)."]) {
    const words = footprintBlockInWords({ kind: "entry-unknown", entry: "data Count", why });
    expect(words).toBe(`The state of data Count is unknown: ${why.replace(/\.$/, "")}.`);
  }
});
