// Paths of debug information as paths of this machine, in both directions.

import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { SOURCE_FILES } from "../../src/command/source-files.ts";
import { BreakpointStore } from "../../src/stepping/breakpoint-store.ts";
import { Sources } from "../../src/stepping/sources.ts";
import { MomentView } from "../../src/stepping/view.ts";
import { Traveller } from "../../src/time-travel/traveller.ts";
import { ownContract, requestWithCode } from "../support/other-code.ts";
import { stepped } from "../support/stepped.ts";

const HERE = join(import.meta.dir, "../contracts/panics/src/lib.rs");
const SOURCE = ownContract("panics/src/lib.rs").toString("utf8").split("\n");
const PANIC_LINE = 1 + SOURCE.findIndex((line) => line.includes("panic!("));

test("frames show the mapped file, and its lines bind", async () => {
  const request = requestWithCode(ownContract("panics-debug.wasm"));
  await stepped(request, [], async (recording) => {
    const traveller = new Traveller(recording, () => {});
    traveller.moment = recording.trace.frames[1]?.lastStep ?? 0;
    const shown = async (map: Record<string, string>) => {
      const sources = new Sources(recording, SOURCE_FILES, map);
      const { stackFrames } = await new MomentView(traveller, sources).stackTrace({});
      const own = stackFrames.find(({ line }) => line === PANIC_LINE);
      const store = new BreakpointStore(recording, traveller, sources);
      const { breakpoints } = await store.setLines({
        source: { path: HERE },
        breakpoints: [{ line: PANIC_LINE }],
      });
      return { source: own?.source, verified: breakpoints[0]?.verified };
    };
    const unmapped = await shown({});
    expect(unmapped.verified).toBe(false);
    expect(unmapped.source?.path).toBeUndefined();
    const [, built = ""] =
      /^(.*) is not on this machine: set sourceMap$/.exec(unmapped.source?.origin ?? "") ?? [];
    expect(built).toEndWith("src/lib.rs");
    const from = dirname(dirname(built));
    const to = dirname(dirname(HERE));
    for (const map of [
      { [from]: to },
      { [`${from}/`]: to },
      { [built]: HERE },
      { "": "/elsewhere", [from]: to },
    ]) {
      const mapped = await shown(map);
      expect(mapped.verified).toBe(true);
      expect(mapped.source).toEqual({ name: "lib.rs", path: HERE });
    }
    // It is the beginning of the text, but not of the path.
    expect((await shown({ [`${from}/sr`]: to })).source?.origin).toContain(built);
  });
});
