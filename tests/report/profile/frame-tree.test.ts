// The root of the tree is the metered total, and every frame is the sum of its parts.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Frame, frameTree } from "../../../src/report/profile/frame-tree.ts";
import { profileOf } from "../../../src/report/profile/transaction-profile.ts";
import { investigate, investigateClassic } from "../investigations.ts";
import { framesOf, largeProfile, POOL, profileFrom, ROUTER, SMALL } from "./profiles.ts";

const amount = fc.integer({ min: 0, max: 4_294_967_295 });
const stacks = fc.array(
  fc.record({
    frames: fc
      .array(fc.constantFrom("a", "b", "MemCpy", `${ROUTER}:f`), { minLength: 1, maxLength: 6 })
      .map((names) => framesOf(...names)),
    cpu: amount.map(String),
    memory: amount.map(String),
  }),
  { maxLength: 40 },
);

describe("the tree of frames", () => {
  test("its root is the sum of all stacks, each frame the sum of its children and its self cost", () => {
    fc.assert(
      fc.property(stacks, (given) => {
        const frames = frameTree(profileFrom(given));
        const total = (part: "cpu" | "memory") =>
          given.reduce((sum, stack) => sum + BigInt(stack[part]), 0n);
        expect(frames[0]?.parent).toBe(-1);
        expect(BigInt(frames[0]?.cpuInstructions ?? -1)).toBe(total("cpu"));
        expect(BigInt(frames[0]?.memoryBytes ?? -1)).toBe(total("memory"));
        for (const [index, frame] of frames.entries()) {
          expect(frame.parent).toBeLessThan(index);
          const below = frames.filter(({ parent }) => parent === index);
          const inside = below.reduce((sum, child) => sum + child.cpuInstructions, 0);
          expect(inside).toBeLessThanOrEqual(frame.cpuInstructions);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("stacks that begin alike share frames, and each frame has its kind", () => {
    const shown = (frame: Frame) => [frame.name, frame.kind, frame.cpuInstructions];
    expect(frameTree(profileFrom(SMALL)).map(shown)).toEqual([
      ["all", "all", 400],
      ["(not attributed)", "other", 0],
      ["(before and after the call)", "other", 10],
      ["ValDeser", "cost", 10],
      ["invoke_contract", "entry", 390],
      [`${ROUTER}:swap`, "contract", 390],
      ["WasmInsnExec", "cost", 200],
      ["call", "host", 190],
      ["MemAlloc", "cost", 40],
      [`${POOL}:take`, "contract", 150],
      ["WasmInsnExec", "cost", 150],
    ]);
  });

  test("frames of one name and two kinds are two frames, and a function is shown with a prefix", () => {
    const [entry, contract] = framesOf("invoke_contract", `${ROUTER}:swap`, "");
    if (entry === undefined || contract === undefined) throw new Error("no frames");
    const kinds = ["function", "host", "cost"] as const;
    const stacks = kinds.map((kind) => ({
      frames: [entry, contract, { name: "swap", kind }],
      cpu: "4",
      memory: "0",
    }));
    const [, , , ...frames] = frameTree(profileFrom(stacks));
    expect(frames.map(({ name, kind }) => [name, kind])).toEqual([
      ["wasm:swap", "function"],
      ["swap", "host"],
      ["swap", "cost"],
    ]);
  });

  test("ten thousand frames are quickly placed", () => {
    const frames = frameTree(largeProfile(10_000));
    expect(frames.length).toBeGreaterThan(10_000);
  });
});

describe("there is no profile", () => {
  test("when none was requested, or nothing ran in the contract host", () => {
    expect(profileOf(investigate("sac-transfer"))).toBeNull();
    expect(profileOf(investigateClassic("payment-underfunded"))).toBeNull();
  });
});
