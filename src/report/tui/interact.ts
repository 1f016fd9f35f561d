// The interactive view of an investigation: keys change the state, and each state is drawn as a
// frame, until the user quits. Keys that arrive together are processed before one frame is drawn.

import type { holdTerminal, TerminalProcess } from "../../base/terminal/terminal.ts";
import type { Investigation } from "../../model/investigation.ts";
import { draw } from "./draw.ts";
import { glyphsOf } from "./glyphs.ts";
import { runView, type Screen, type ScreenOptions, type ScreenView } from "./screen.ts";
import { openState, resized, type ViewState } from "./state.ts";
import { shownOf } from "./tabs.ts";
import { update } from "./update.ts";

export interface InteractOptions extends ScreenOptions {
  /** True if the terminal shows Unicode. */
  readonly unicode: boolean;
  /** True if all host calls are shown at first. */
  readonly hostCalls?: boolean;
  /** The state from which the view continues (default: a new one). */
  readonly from?: ViewState | undefined;
}

/**
 * Resolves with the state in which the user left the view, to quit or to step through the code.
 * Throws as `runView` does.
 */
export function interact(
  process: TerminalProcess,
  investigation: Investigation,
  options: InteractOptions,
  hold?: typeof holdTerminal,
): Promise<ViewState> {
  const open = (screen: Screen<ViewState>) => openView(investigation, options, screen);
  return runView(process, options, open, hold);
}

function openView(
  investigation: Investigation,
  { unicode, hostCalls, from }: InteractOptions,
  screen: Screen<ViewState>,
): ScreenView {
  const glyphs = glyphsOf(unicode);
  let state = from === undefined ? begun() : { ...from, ended: null };
  if (!state.mouse) screen.mouse(false);
  function begun() {
    const { headline, tabs } = shownOf(investigation);
    return openState(headline, tabs, screen.size(), hostCalls);
  }
  return {
    press(key) {
      const { mouse } = state;
      state = update(state, key);
      if (state.mouse !== mouse) screen.mouse(state.mouse);
      if (state.copied !== null) screen.copy(state.copied);
      if (state.ended !== null) screen.end(state);
    },
    show() {
      const size = screen.size();
      if (size.columns !== state.size.columns || size.rows !== state.size.rows)
        state = resized(state, size);
      screen.show(draw(state, glyphs));
    },
  };
}
