// Lines of Rust sources, from contracts' own debug information and from a build that the user gives. The
// contract panics three functions below the one that is called.

import { expect, test } from "bun:test";
import { bindFunction, bindLine } from "../../src/time-travel/breakpoints.ts";
import { Traveller } from "../../src/time-travel/traveller.ts";
import { failureOf } from "../support/failure.ts";
import { ownContract, requestWithCode } from "../support/other-code.ts";
import { stepped } from "../support/stepped.ts";

const WITH_LINES = ownContract("panics-debug.wasm");
const WITHOUT = ownContract("panics.wasm");
const SOURCE = ownContract("panics/src/lib.rs").toString("utf8").split("\n");
const PANIC_LINE = 1 + SOURCE.findIndex((line) => line.includes("panic!("));
/** Those whose hosts take the cost parameters of the recorded request. */
const PROTOCOLS = [28, 29, 30];

test("the failing line, and the lines on the way to it", async () => {
  for (const protocol of PROTOCOLS)
    await stepped(requestWithCode(WITH_LINES, protocol), [], async (recording) => {
      const [, frame] = recording.trace.frames;
      expect(frame?.notStepped ?? null).toBeNull();
      expect(frame?.trap).toBe("unreachable instruction");
      const traveller = new Traveller(recording, () => {});
      traveller.moment = frame?.lastStep ?? 0;
      const lines = async () =>
        ((await traveller.stack())[0]?.functions ?? []).flatMap(({ sources }) =>
          sources.map(({ function: name, line }) => [name, line] as const),
        );
      expect((await lines()).map(([name]) => name)).toContain("panics::refuse");
      expect((await lines()).map(([, line]) => line)).toContain(PANIC_LINE);
      // Out of the functions, backwards.
      await traveller.move({ mode: "out", backwards: true });
      const [caller] = (await traveller.stack())[0]?.functions ?? [];
      expect(caller?.name).toContain("panics::refuse");
    });
}, 60_000);

test("breakpoints bind to lines of a given build; another build is refused", async () => {
  await stepped(requestWithCode(WITHOUT), [WITH_LINES], async (recording) => {
    expect(recording.trace.codes[0]?.linesFrom).toBe("given_wasm");
    const bound = await bindLine(recording, (file) => file.endsWith("lib.rs"), PANIC_LINE);
    expect(bound).toMatchObject({ line: PANIC_LINE, unbound: null });
    const none = await bindLine(recording, (file) => file.endsWith("lib.rs"), 100_000);
    expect(none.unbound).toContain("this line or a later one");
    const other = await bindLine(recording, () => false, 1);
    expect(other.unbound).toContain("was built from this file");
    const traveller = new Traveller(recording, () => {});
    const shared = { id: 1, kind: "source", condition: null, hitCount: null, logMessage: null };
    traveller.breakpoints = [{ source: null, ...shared, kind: "source", ...bound }];
    const arrival = await traveller.move({ mode: "continue", backwards: false });
    expect(arrival.hits.map(({ id }) => id)).toEqual([1]);
    const function_ = await bindFunction(recording, "check");
    expect(function_.unbound).toBeNull();
  });
  const wrong = stepped(requestWithCode(ownContract("panics.wasm")), [otherCode()], async () => {});
  expect((await failureOf(wrong)).code).toBe("WASM_DIFFERS");
});

test("a call that fills the engine's stack ends there as in the host", async () => {
  const text = (bytes: string) => [bytes.length, ...Buffer.from(bytes)];
  const section = (id: number, ...content: number[]) => [id, content.length, ...content];
  // It calls get_ledger_sequence, then itself.
  const code = [0x00, 0x10, 0, 0x1a, 0x20, 0, 0x10, 1, 0x0b];
  const wasm = Buffer.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(0, ...text("contractenvmetav0"), 0, 0, 0, 0, 0, 0, 0, 22, 0, 0, 0, 0),
    ...section(1, 2, 0x60, 0, 1, 0x7e, 0x60, 1, 0x7e, 1, 0x7e),
    ...section(2, 1, ...text("x"), ...text("4"), 0, 0),
    ...section(3, 1, 1),
    ...section(7, 1, ...text("fail"), 0, 1),
    ...section(10, 1, code.length, ...code),
  ]);
  await stepped(requestWithCode(wasm), [], ({ trace }) => {
    expect(trace.frames[1]).toMatchObject({ notStepped: null, trap: "stack overflow" });
    return Promise.resolve();
  });
});

/** A module without functions. */
function otherCode(): Buffer {
  return Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
}
