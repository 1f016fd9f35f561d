// The interactive view without a terminal: keys in, the screen as text out.

import type { NamedCall } from "../../../src/model/explanation.ts";
import type { Investigation } from "../../../src/model/investigation.ts";
import { draw } from "../../../src/report/tui/draw.ts";
import type { Size } from "../../../src/report/tui/geometry.ts";
import { glyphsOf } from "../../../src/report/tui/glyphs.ts";
import { plainText } from "../../../src/report/tui/lines.ts";
import { openState, type ViewState } from "../../../src/report/tui/state.ts";
import { shownOf } from "../../../src/report/tui/tabs.ts";
import { update } from "../../../src/report/tui/update.ts";
import { inOrder, investigate } from "../investigations.ts";

const LEAST: Size = { columns: 80, rows: 24 };

/** At the first call. */
export function open(investigation: Investigation, size: Size = LEAST): ViewState {
  return press(openAtFailure(investigation, size), "2", "g");
}

/** As svc opens it. */
export function openAtFailure(investigation: Investigation, size: Size = LEAST): ViewState {
  const { headline, tabs } = shownOf(investigation);
  return openState(headline, tabs, size);
}

/** Presses keys by name, one after the other. */
export function press(state: ViewState, ...keys: readonly string[]): ViewState {
  return keys.reduce(update, state);
}

/** One key for each letter. */
export function type(state: ViewState, text: string): ViewState {
  return press(state, ...text);
}

export function screen(state: ViewState): string {
  return draw(state, glyphsOf(true))
    .map((line) => plainText(line).trimEnd())
    .join("\n");
}

/** The selected row, without the signs around its label. */
export function selectedRow(state: ViewState): string {
  const rows = screen(state).split("\n");
  return (
    rows
      .find((row) => row.startsWith("▌"))
      ?.slice(1)
      .trim() ?? ""
  );
}

export const status = (state: ViewState) => screen(state).split("\n").at(-1) ?? "";

/** A real investigation with other calls. */
export function withCalls(calls: NamedCall, name = "contract-error"): Investigation {
  const real = investigate(name);
  return { ...real, explanation: { ...real.explanation, calls } };
}

/** Costs as if the self cost of each call were one instruction. */
export function call(name: string, calls: readonly NamedCall[] = [], failed = false): NamedCall {
  const cpu = calls.reduce((sum, { cpuInstructions }) => sum + BigInt(cpuInstructions), 1n);
  return inOrder({
    kind: "invoke",
    contract: "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV",
    function: name,
    arguments: [],
    argumentNames: null,
    result: failed ? null : "void",
    failed,
    error: null,
    cpuInstructions: String(cpu),
    memoryBytes: "0",
    selfCpuInstructions: "1",
    selfMemoryBytes: "0",
    calls,
    hostCalls: [],
  });
}

/** `width` calls at each of `depth` levels below the root. */
export function bushy(width: number, depth: number, name = "f"): NamedCall {
  const calls =
    depth === 0
      ? []
      : Array.from({ length: width }, (_, i) => bushy(width, depth - 1, `${name}_${i}`));
  return call(name, calls);
}
