// The interactive view of an investigation: keys → update, state → frame, until the user quits.
// Keys that arrive together are processed before one frame is drawn.

import type { holdTerminal, TerminalProcess } from "../../base/terminal/terminal.ts";
import type { Investigation } from "../../model/investigation.ts";
import { draw } from "./draw.ts";
import { glyphsOf } from "./glyphs.ts";
import {
  type Ending,
  interrupted,
  runView,
  type Screen,
  type ScreenOptions,
  type View,
} from "./screen.ts";
import { openState, resized, type State } from "./state.ts";
import { shownOf } from "./tabs.ts";
import { update } from "./update.ts";

export interface InteractOptions extends ScreenOptions {
  /** True if the terminal shows Unicode. */
  readonly unicode: boolean;
  /** Every call to the host is shown at first. */
  readonly hostCalls?: boolean;
  /** Shown until the first key. */
  readonly message?: string;
}

type Ended = "quit" | "step";

/** Resolves when the user quits, or wants to step through the code. Throws as `runView` does. */
export function interact(
  process: TerminalProcess,
  investigation: Investigation,
  options: InteractOptions,
  hold?: typeof holdTerminal,
): Promise<Ended> {
  const open = (ending: Ending<Ended>) => openView(investigation, options, ending);
  return runView(process, options, open, hold);
}

function openView(
  investigation: Investigation,
  { unicode, hostCalls, message = "" }: InteractOptions,
  { resolve, reject }: Ending<Ended>,
): View {
  const glyphs = glyphsOf(unicode);
  let screen: Screen | null = null;
  let state: State | null = null;
  const show = () => {
    if (state === null || screen === null) return;
    const size = screen.size();
    if (size.columns !== state.size.columns || size.rows !== state.size.rows)
      state = resized(state, size);
    screen.show(draw(state, glyphs));
  };
  return {
    begin(held) {
      screen = held;
      const { headline, tabs } = shownOf(investigation);
      state = { ...openState(headline, tabs, held.size(), hostCalls), message };
      show();
    },
    press(key) {
      if (state === null) return;
      const { mouse } = state;
      state = update(state, key);
      if (state.mouse !== mouse) screen?.mouse(state.mouse);
      if (state.copied !== null) screen?.copy(state.copied);
      if (state.ended === "interrupt") reject(interrupted());
      else if (state.ended !== null) resolve(state.ended);
    },
    show,
  };
}
