// For any tree, text, size and keys: the screen keeps its shape, the selected node is visible, and
// only what svc itself draws reaches the terminal.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { NamedCall, NamedHostCall } from "../../../src/model/explanation.ts";
import { widthOf } from "../../../src/report/tui/columns.ts";
import { draw } from "../../../src/report/tui/draw.ts";
import { isTooSmall } from "../../../src/report/tui/geometry.ts";
import { glyphsOf } from "../../../src/report/tui/glyphs.ts";
import { plainText } from "../../../src/report/tui/lines.ts";
import { type Branch, flatten, visibleNodes } from "../../../src/report/tui/outline.ts";
import { difference, paint } from "../../../src/report/tui/paint.ts";
import {
  geometryOfView,
  isShown,
  resized,
  type ViewState,
  viewOf,
} from "../../../src/report/tui/state.ts";
import { update } from "../../../src/report/tui/update.ts";
import { inOrder } from "../investigations.ts";
import { call, open, withCalls } from "./screens.ts";

const HOSTILE = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(
    "\u001b]0;owned\u0007",
    "\u202egnp.exe",
    "\r\n\r\n",
    "漢字かな交じり文",
    "👍🏽👩‍👩‍👧🇩🇪",
    "e\u0301\u0301\u0301",
    "x".repeat(5000),
    "漢".repeat(3000),
    "<script>",
  ),
);

const CALL = fc.letrec<{ call: NamedCall }>((tie) => ({
  call: fc
    .record({
      name: fc.option(HOSTILE),
      value: HOSTILE,
      failed: fc.boolean(),
      depths: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 }),
      calls: fc.oneof(
        { maxDepth: 5 },
        fc.constant<NamedCall[]>([]),
        fc.array(tie("call"), { maxLength: 6 }),
      ),
    })
    .map(({ name, value, failed, calls, depths }) => ({
      ...call("", calls, failed),
      function: name,
      arguments: [value],
      result: value,
      hostCalls: depths.map((depth) => hostCall(value, depth)),
    }))
    .map(inOrder),
})).call;

function hostCall(value: string, depth: number): NamedHostCall {
  const costs = { cpuInstructions: String(value.length), memoryBytes: "0", afterCalls: 0 };
  const values = { arguments: [value], result: value, failed: depth === 2 };
  return { function: "f", depth, storage: null, authorization: null, ...values, ...costs };
}

const SIZE = fc.oneof(
  fc.record({ columns: fc.integer({ min: 80, max: 300 }), rows: fc.integer({ min: 24, max: 90 }) }),
  fc.record({ columns: fc.integer({ min: 0, max: 90 }), rows: fc.integer({ min: 0, max: 30 }) }),
);

const KEYS = [
  ..."jkgGhlzZJKnNcCeoSvfyYm/?123456",
  " ",
  "up",
  "down",
  "left",
  "right",
  "pageup",
  "pagedown",
  "halfup",
  "halfdown",
  "home",
  "end",
  "enter",
  "escape",
  "backspace",
  "tab",
  "backtab",
  "unknown",
  "漢",
  ...["click 3 1", "click 30 6", "wheelup 5 6", "wheeldown 5 6", "wheeldown 160 9"],
];
const STEPS = fc.array(fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...KEYS) }, SIZE), {
  maxLength: 40,
});

const ESCAPE = "\u001b";
const MOVES = new RegExp(`${ESCAPE}\\[\\d+(?:G|;1H|K)`, "g");
const MOVES_AND_COLOURS = new RegExp(`${ESCAPE}\\[[\\d;]*[mG]`, "g");

test("any keys on any tree", () => {
  fc.assert(
    fc.property(CALL, SIZE, STEPS, fc.boolean(), (tree, size, steps, unicode) => {
      let state = open(withCalls(tree), size);
      let frame: string[] = [];
      for (const step of steps) {
        state = typeof step === "string" ? update(state, step) : resized(state, step);
        checkSelection(state);
        frame = checkScreen(state, unicode, typeof step === "string" ? frame : []);
      }
    }),
    { numRuns: 150 },
  );
});

function checkSelection(state: ViewState): void {
  const view = viewOf(state);
  const { nodes } = view.outline;
  if (nodes.length === 0) return;
  expect(view.visible).toEqual(visibleNodes(nodes, view.folded, (index) => isShown(view, index)));
  expect(nodes.map(({ order }) => order).toSorted((a, b) => a - b)).toEqual([...nodes.keys()]);
  const position = view.visible.indexOf(view.selected);
  expect(position).toBeGreaterThanOrEqual(0);
  const { outlineRows } = geometryOfView(state, view);
  expect(position).toBeGreaterThanOrEqual(view.top);
  expect(position).toBeLessThan(view.top + outlineRows);
  expect(view.detailTop).toBeGreaterThanOrEqual(0);
}

function checkScreen(state: ViewState, unicode: boolean, previous: string[]): string[] {
  const { columns, rows } = state.size;
  const lines = draw(state, glyphsOf(unicode));
  expect(lines.length).toBe(rows);
  for (const line of lines) {
    const text = plainText(line);
    expect(widthOf(text)).toBeLessThanOrEqual(columns);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    // A positioned span begins after the end of the previous one.
    let column = 0;
    for (const span of line.spans) {
      if (span.column !== undefined) expect(column).toBeLessThanOrEqual(span.column);
      column = (span.column ?? column) + widthOf(span.text);
    }
    expect(column).toBeLessThanOrEqual(columns);
  }
  const selected = lines.filter((line) => plainText(line).startsWith(glyphsOf(unicode).selected));
  const nothing = isTooSmall(state.size) || state.help || viewOf(state).outline.nodes.length === 0;
  if (!nothing) expect(selected.length).toBeGreaterThanOrEqual(1);
  const uncolored = paint(lines, false);
  // Without colors: only text, moves to a column or row, and clearing a row.
  const sent = difference(previous, uncolored);
  expect(sent.replace(MOVES, "")).not.toContain("\u001b");
  expect(strip(paint(lines, true).join("\n"))).toBe(strip(uncolored.join("\n")));
  return uncolored;
}

function strip(text: string): string {
  return text.replace(MOVES_AND_COLOURS, "");
}

test("the flat form has the same nodes as the tree", () => {
  fc.assert(
    fc.property(CALL, (tree) => {
      const branchOf = ({ function: name, calls }: NamedCall): Branch => ({
        label: name ?? "",
        details: () => [],
        below: calls.map(branchOf),
      });
      const nodes = flatten([branchOf(tree)]);
      const rebuilt = (index: number): unknown[] => {
        const below: unknown[] = [];
        const end = nodes[index]?.end ?? 0;
        for (let i = index + 1; i < end; i = nodes[i]?.end ?? end) {
          expect(nodes[i]?.parent).toBe(index);
          below.push([nodes[i]?.label, rebuilt(i)]);
        }
        return below;
      };
      const shape = (one: NamedCall): unknown[] =>
        one.calls.map((below) => [below.function ?? "", shape(below)]);
      expect(rebuilt(0)).toEqual(shape(tree));
    }),
  );
});

test("a tree deeper than any host allows", () => {
  let tree = call("bottom");
  const steps = [{ kind: "call", index: 0 }] as const;
  for (let i = 0; i < 1000; i += 1) tree = { ...tree, function: `f${i}`, calls: [tree], steps };
  let state = open(withCalls(tree));
  for (const key of ["G", "g", "S", "z", "Z"]) state = update(state, key);
  expect(viewOf(state).outline.nodes.length).toBe(1001);
});
