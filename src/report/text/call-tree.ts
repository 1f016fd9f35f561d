// Calls as a tree: one line for each call and, in a trace, one for each thing that a call did, in
// order, with its result or its error at its end. Values are cut, so that a line fits the terminal.

import { countedMore, type Noun } from "../../base/text/counted.ts";
import { addressesIn } from "../../base/text/found-by-form.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import {
  calledInWords,
  callSignatureInWords,
  hasFailed,
  outcomeInWords,
} from "../document/calls.ts";
import type { Item, Items, Signature, Tone } from "../document/document.ts";
import { roomOf, wrap } from "./layout.ts";
import type { Style } from "./style.ts";

export interface TreeDrawing {
  readonly style: Style;
  /** Results and costs have their own places, because there is more between them. */
  readonly trace: boolean;
  /** How much of a long value is shown. */
  readonly values: "few" | "many" | "all";
}

/** The lines that an item may take, before its values are cut to less than is of use. */
const LINES = {
  few: { call: 2, step: 1 },
  many: { call: 6, step: 4 },
  all: { call: Number.POSITIVE_INFINITY, step: Number.POSITIVE_INFINITY },
} as const;
/** Characters of one value, when it is cut. */
const LEAST_VALUE = 14;
const MOST_VALUE = 400;
/** Why a call failed is what a reader looks for. */
const MOST_ERROR = 300;
/** Steps between two calls, of more than which the first and the last are shown. */
const SHOWN_STEPS = { few: 24, many: 200, all: 2000 } as const;
const SHOWN_HOST_CALLS = 2000;
const LEGEND = "[CPU instructions, with those of the calls below]";
const DEEPEST_INDENT = 36;

/** `most` calls are drawn, and `section` has the others. */
export function drawCallTree(
  tree: Items,
  drawing: TreeDrawing,
  { most, section }: { readonly most: number; readonly section: string },
): string[] {
  const { items, noun } = tree;
  const lines: string[] = [];
  const left = { calls: most, hostCalls: SHOWN_HOST_CALLS };
  const omittedOf = { calls: tree.omitted ?? 0, hostCalls: 0 };

  const draw = (item: Item, first: string, margin: string, undone: boolean): void => {
    const kind = item.role === "host-call" ? "hostCalls" : "calls";
    if (item.role !== "step") left[kind] -= 1;
    if (item.role !== "step" && left[kind] < 0) {
      omittedOf[kind] += item.times ?? 1;
      for (const each of belowOf(item)) if (each.role === item.role) draw(each, "", "", undone);
      return;
    }
    const below = withoutFlood(belowOf(item), drawing);
    const isCall = item.role === "call";
    const hasEnd = isCall && drawing.trace && (below.length > 0 || hasFailed(item));
    const ends = hasEnd ? endOf(item, undone) : null;
    const children: (Item | End)[] = ends === null ? below : [...below, ends];
    const isSentence = item.role === undefined;
    const hang = `${margin}${isSentence ? "  " : children.length > 0 ? "│   " : "    "}`;
    lines.push(...drawLine(item, ends !== null, { first, hang }, drawing));
    for (const [index, child] of children.entries()) {
      const isLast = index === children.length - 1;
      const begin = `${margin}${isLast ? "└─ " : "├─ "}`.slice(-DEEPEST_INDENT);
      const next = `${margin}${isLast ? "   " : "│  "}`.slice(-DEEPEST_INDENT);
      if ("end" in child) lines.push(...drawEnd(child, { first: begin, hang: next }, drawing));
      else draw(child, begin, next, undone || hasFailed(item));
    }
  };
  const margin = tree.inner === true ? "    " : "  ";
  for (const item of items.flatMap((each) => (each.frame === true ? belowOf(each) : [each])))
    draw(item, margin, margin, false);
  const hasCosts = drawing.trace && items.some(({ cells }) => cells !== undefined);
  return [
    ...(hasCosts ? wrap(LEGEND, margin).map(drawing.style.faint) : []),
    ...lines,
    ...omitted(omittedOf.calls, noun, section),
    ...omitted(omittedOf.hostCalls, ["host call", "host calls"], section),
  ];
}

/** How a call ended, at the end of what it did. */
interface End {
  readonly end: string;
  readonly failed: boolean;
}

interface LinePlace {
  /** Before the first line, and before the others. */
  readonly first: string;
  readonly hang: string;
}

function belowOf({ below = [] }: Item): readonly Item[] {
  return below;
}

/** `undone`: a call above it failed. */
function endOf({ text }: Item, undone: boolean): End | null {
  if (typeof text === "string" || text.result === undefined) return null;
  const failed = text.result === null;
  const outcome = outcomeInWords(text);
  return { end: undone && !failed ? `${outcome} (rolled back)` : outcome, failed };
}

function cutEnd(end: string, { values }: TreeDrawing): string {
  return cut(end, values === "all" ? undefined : MOST_ERROR);
}

function drawEnd({ end, failed }: End, place: LinePlace, drawing: TreeDrawing): string[] {
  const text = failed
    ? cutEnd(end, drawing)
    : fitted((limit) => cut(end, limit && limit * 2), place, "step", drawing);
  return painted(
    wrap(`← ${text}`, place.first, `${place.hang}  `),
    place,
    failed ? "bad" : "faint",
    drawing,
  );
}

function drawLine(
  item: Item,
  endsBelow: boolean,
  place: LinePlace,
  drawing: TreeDrawing,
): string[] {
  const { role, tone, cost } = item;
  if (role === "host-call") {
    const indented = { ...place, first: `${place.first}${"  ".repeat(item.depth ?? 0)}. ` };
    const line = `${typeof item.text === "string" ? item.text : callSignatureInWords(item.text)} ${cost ?? ""}`;
    return painted(
      wrap(line.trimEnd(), indented.first, `${place.hang}  `),
      indented,
      tone,
      drawing,
    );
  }
  if (role === "step") {
    const text = fitted((limit) => stepInWords(item, limit), place, "step", drawing);
    return painted(
      wrap(text, place.first, place.hang),
      place,
      tone ?? TONES[item.badge ?? ""],
      drawing,
    );
  }
  const called = fitted(
    (limit) => callInWords(item, limit, endsBelow, drawing),
    place,
    "call",
    drawing,
  );
  const end = hasFailed(item) && !endsBelow ? endOf(item, false)?.end : undefined;
  const text = end === undefined ? called : `${called} ← ${cutEnd(end, drawing)}`;
  const more = drawing.values !== "few" && drawing.trace && cost !== undefined ? cost : null;
  return [
    ...painted(wrap(text, place.first, place.hang), place, hasFailed(item) ? "bad" : tone, drawing),
    ...(more === null ? [] : wrap(more, place.hang).map(drawing.style.faint)),
  ];
}

const TONES: Readonly<Record<string, Tone>> = {
  read: "faint",
  has: "faint",
  host: "faint",
  write: "caution",
  delete: "caution",
};

/** `limit`: characters of one value; undefined: all. */
type InWords = (limit: number | undefined) => string;

/** With the longest values with which it fits the lines that it may take. */
function fitted(
  inWords: InWords,
  { first }: LinePlace,
  kind: "call" | "step",
  { values }: TreeDrawing,
): string {
  const room = roomOf(first.length) * LINES[values][kind];
  const whole = inWords(undefined);
  if (whole.length <= room) return whole;
  let [least, most] = [LEAST_VALUE, MOST_VALUE];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (inWords(middle).length <= room) least = middle;
    else most = middle - 1;
  }
  return inWords(least);
}

function cut(value: string, limit: number | undefined): string {
  return limit === undefined || isAddressWithName(value) ? value : cutVisibly(value, limit);
}

/** The most characters of a name before an address, with its bracket. */
const LONGEST_NAME = 40;

/** A full address is there to be copied. */
function isAddressWithName(value: string): boolean {
  const [address] = addressesIn(value);
  if (address === undefined) return false;
  const at = value.indexOf(address);
  return at <= LONGEST_NAME && value.length - at - address.length <= 1;
}

function cutSignature({ values, ...signature }: Signature, limit: number | undefined): Signature {
  const { result } = signature;
  return {
    ...signature,
    values: values.map((each) => ({ ...each, value: cut(each.value, limit) })),
    ...(result && { result: cut(result, limit) }),
  };
}

function stepInWords(item: Item, limit: number | undefined): string {
  const { badge, text, values = [], outcome, times = 1 } = item;
  const label =
    typeof text === "string"
      ? cut(text, limit && limit * 2)
      : callSignatureInWords(cutSignature(text, limit), "→");
  const shown = values.map((value) => cut(value, limit)).join(" → ");
  const often = times === 1 ? "" : ` (${grouped(times)} times)`;
  const parts = [label, shown, outcome].filter((part) => part !== undefined && part !== "");
  return `${badge === undefined ? "" : `${badge} `}${parts.join(": ")}${often}`;
}

function callInWords(
  { text, where, cells = [] }: Item,
  limit: number | undefined,
  endsBelow: boolean,
  { trace }: TreeDrawing,
): string {
  const [cpu] = cells;
  const cost = trace && cpu !== undefined ? `[${cpu}] ` : "";
  const place = where === undefined ? "" : ` ${where.lead} ${where.name}`;
  if (typeof text === "string") return `${cost}${text}${place}`;
  const signature = cutSignature(text, limit);
  const called = `${cost}${calledInWords(signature)}${place}`;
  return signature.result && !endsBelow ? `${called} → ${signature.result}` : called;
}

/** Of many steps between two calls, the first and the last, and how many are between. */
function withoutFlood(items: readonly Item[], { values }: TreeDrawing): Item[] {
  const most = SHOWN_STEPS[values];
  const last = Math.floor(most / 3);
  const shown: Item[] = [];
  let run: Item[] = [];
  const endRun = () => {
    const steps = run.flatMap(({ role }, at) => (role === "step" ? [at] : []));
    if (steps.length <= most) shown.push(...run);
    else {
      const [from, to] = [steps[most - last] ?? 0, steps[steps.length - last] ?? 0];
      const counts = Map.groupBy(run.slice(from, to), ({ badge = "host call" }) => badge);
      const kinds = [...counts].map(([badge, { length }]) => `${grouped(length)} × ${badge}`);
      const more = `(${kinds.join(", ")}; see ${values === "all" ? "--json" : "-vvv"})`;
      shown.push(...run.slice(0, from), { role: "step", text: more, tone: "faint" });
      shown.push(...run.slice(to));
    }
    run = [];
  };
  for (const item of items) {
    if (item.role !== "call") run.push(item);
    else {
      endRun();
      shown.push(item);
    }
  }
  endRun();
  return shown;
}

/** The signs of the tree are faint. */
function painted(
  lines: readonly string[],
  { first, hang }: LinePlace,
  tone: Tone | undefined,
  { style }: TreeDrawing,
): string[] {
  const paint = tone === undefined || tone === "plain" ? (text: string) => text : style[tone];
  return lines.map((line, index) => {
    const begin = index === 0 ? first : hang;
    const signs = begin.trim() === "" ? begin : style.faint(begin);
    return `${signs}${paint(line.slice(begin.length))}`;
  });
}

export function omitted(count: number, noun: Noun | undefined, section: string): string[] {
  if (count <= 0) return [];
  return [`  (${countedMore(count, noun ?? null)}; see ${section})`];
}
