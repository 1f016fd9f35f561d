// The arithmetic of the page's script: positions of frames, results of a search, targets of keys.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { POOL, ROUTER } from "./profiles.ts";

interface Tree {
  readonly name: readonly string[];
}
interface Arrangement {
  readonly start: ArrayLike<number>;
  readonly value: ArrayLike<number>;
}
interface Box {
  readonly frame: number;
  readonly row: number;
  readonly x: number;
  readonly width: number;
  readonly more: number;
}
interface FramesScript {
  readTree(data: { names: string[]; rows: number[][] }): Tree;
  arrange(tree: Tree, metric: "cpu" | "memory"): Arrangement;
  boxesIn(tree: Tree, arrangement: Arrangement, zoom: number, width: number): Box[];
  heaviest(tree: Tree, arrangement: Arrangement, kind: number, limit: number): unknown[];
  findFrames(
    tree: Tree,
    arrangement: Arrangement,
    text: string,
  ): { frames: number[]; within: Uint8Array; amount: number };
  neighbourOf(tree: Tree, arrangement: Arrangement, frame: number, key: string): number;
  isWithin(tree: Tree, frame: number, other: number): boolean;
  shortName(name: string): string;
  percent(part: number, whole: number): string;
}

const VIEWER = join(import.meta.dir, "..", "..", "..", "src", "report", "profile", "viewer");
const NAMES = [
  "readTree",
  "arrange",
  "boxesIn",
  "heaviest",
  "findFrames",
  "neighbourOf",
  "isWithin",
  "shortName",
  "percent",
];
const source = readFileSync(join(VIEWER, "frames.js"), "utf8");
const script: FramesScript = new Function(`"use strict";${source};return {${NAMES.join(",")}}`)();

//  0 all 100
//  1 swap 70             5 transfer 30 (no memory)
//  2 call 60   4 cost 10   6 cost 30
//  3 swap 60
const names = ["all", `${ROUTER}:swap`, "call", "MemAlloc", `${POOL}:transfer`];
const rows = [
  [-1, 0, 0, 100, 50],
  [0, 1, 2, 70, 50],
  [1, 2, 3, 60, 20],
  [2, 1, 2, 60, 20],
  [1, 3, 4, 10, 30],
  [0, 4, 2, 30, 0],
  [5, 3, 4, 30, 0],
];
const tree = script.readTree({ names, rows });
const cpu = script.arrange(tree, "cpu");
const memory = script.arrange(tree, "memory");

describe("the flamegraph's arithmetic", () => {
  test("siblings are side by side inside their parent, the largest first", () => {
    expect([...Array(7).keys()].map((i) => cpu.start[i])).toEqual([0, 0, 0, 0, 60, 70, 70]);
    expect([memory.start[4], memory.start[2]]).toEqual([0, 30]);
  });

  test("zoomed out, a frame is as wide as its share; frames without a value are missing", () => {
    const place = ({ frame, row, x, width }: Box) => [frame, row, x, width];
    const byFrame = (a: Box, b: Box) => a.frame - b.frame;
    expect(script.boxesIn(tree, cpu, 0, 1000).sort(byFrame).map(place)).toEqual([
      [0, 0, 0, 1000],
      [1, 1, 0, 700],
      [2, 2, 0, 600],
      [3, 3, 0, 600],
      [4, 2, 600, 100],
      [5, 1, 700, 300],
      [6, 2, 700, 300],
    ]);
    const inMemory = script.boxesIn(tree, memory, 0, 1000).map(({ frame }) => frame);
    expect(inMemory.sort()).toEqual([0, 1, 2, 3, 4]);
  });

  test("zoomed in, the frame and its enclosing frames fill the width", () => {
    const boxes = script.boxesIn(tree, cpu, 5, 1000);
    expect(boxes.map(({ frame, x, width }) => [frame, x, Math.round(width)])).toEqual([
      [0, 0, 1000],
      [5, 0, 1000],
      [6, 0, 1000],
    ]);
  });

  test("siblings that are too narrow share one box with their number", () => {
    const many = [
      [-1, 0, 0, 2000, 0],
      [0, 1, 2, 1000, 0],
    ];
    for (let i = 0; i < 1000; i += 1) many.push([0, 3, 4, 1, 0]);
    const wide = script.readTree({ names, rows: many });
    const boxes = script.boxesIn(wide, script.arrange(wide, "cpu"), 0, 1000);
    expect(boxes.length).toBe(3);
    const shared = boxes.find(({ more }) => more > 0);
    expect([shared?.more, shared?.x, shared?.width, shared?.row]).toEqual([1000, 500, 500, 1]);
  });

  test("the script can draw a stack of ten thousand frames", () => {
    const deep = Array.from({ length: 10_000 }, (_, i) => [i - 1, 0, i === 0 ? 0 : 3, 5, 5]);
    const tower = script.readTree({ names, rows: deep });
    expect(script.boxesIn(tower, script.arrange(tower, "cpu"), 9_999, 800).length).toBe(10_000);
  });

  test("a search counts frames, and no amount twice", () => {
    const search = (text: string) => {
      const { frames, amount } = script.findFrames(tree, cpu, text);
      return [frames, amount];
    };
    expect(search("SWAP")).toEqual([[1, 3], 70]);
    expect(search("memalloc")).toEqual([[4, 6], 40]);
    expect(search(`transfer ${POOL.slice(0, 4)}…`)).toEqual([[5], 30]);
    expect(search(`${POOL}:transfer`)).toEqual([[5], 30]);
    expect(search("  ")).toEqual([[], 0]);
    expect(search("nothing")).toEqual([[], 0]);
    const { within } = script.findFrames(tree, cpu, "call");
    expect([...within]).toEqual([1, 1, 1, 0, 0, 0, 0]);
  });

  test("the highest costs count a frame inside one of the same name once", () => {
    expect(script.heaviest(tree, cpu, 2, 5)).toEqual([
      { name: `${ROUTER}:swap`, amount: 70, frames: 2 },
      { name: `${POOL}:transfer`, amount: 30, frames: 1 },
    ]);
    expect(script.heaviest(tree, cpu, 4, 1)).toEqual([{ name: "MemAlloc", amount: 40, frames: 2 }]);
  });

  test("arrow keys go up, down to the largest, and along a row across its gaps", () => {
    const go = (frame: number, key: string) => script.neighbourOf(tree, cpu, frame, key);
    expect([go(0, "ArrowUp"), go(3, "ArrowUp")]).toEqual([0, 2]);
    expect([go(0, "ArrowDown"), go(1, "ArrowDown"), go(6, "ArrowDown")]).toEqual([1, 2, 6]);
    expect([go(1, "ArrowRight"), go(5, "ArrowLeft"), go(5, "ArrowRight")]).toEqual([5, 1, 5]);
    expect([go(4, "ArrowRight"), go(6, "ArrowLeft")]).toEqual([6, 4]);
  });

  test("which frames are inside others", () => {
    expect([script.isWithin(tree, 3, 1), script.isWithin(tree, 3, 3)]).toEqual([true, true]);
    expect([script.isWithin(tree, 1, 3), script.isWithin(tree, 6, 1)]).toEqual([false, false]);
  });

  test("names and shares are short", () => {
    expect(script.shortName(`${POOL}:take`)).toBe(`take ${POOL.slice(0, 4)}…${POOL.slice(-4)}`);
    expect(script.shortName("not:a contract")).toBe("not:a contract");
    const shares = [0, 1, 500, 99_999, 100_000].map((part) => script.percent(part, 100_000));
    expect(shares).toEqual(["0 %", "< 0.01 %", "0.50 %", "100.0 %", "100.0 %"]);
  });
});

test("the page's scripts are scripts", () => {
  const texts = ["frames.js", "drawing.js", "viewer.js"].map((name) =>
    readFileSync(join(VIEWER, name), "utf8"),
  );
  expect(() => new Bun.Transpiler({ loader: "js" }).transformSync(texts.join("\n"))).not.toThrow();
  for (const text of texts) expect(text).not.toMatch(/<\/script|<!--|innerHTML/i);
});
