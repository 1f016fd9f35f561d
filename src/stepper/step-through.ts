// The shell around the stepper: keys one after another, each answered before the next is taken,
// until the user leaves.

import type { holdTerminal, TerminalProcess } from "../base/terminal/terminal.ts";
import { glyphsOf } from "../report/tui/glyphs.ts";
import {
  type Ending,
  interrupted,
  runView,
  type Screen,
  type ScreenOptions,
  type View,
} from "../report/tui/screen.ts";
import type { Recording } from "../time-travel/recording.ts";
import { drawStanding } from "./draw.ts";
import { type Standing, StepSession } from "./session.ts";

export interface StepOptions extends ScreenOptions {
  readonly unicode: boolean;
}

/** Resolves when the user leaves. Throws as `runView` does, and what svc-sim fails with. */
export function stepThrough(
  process: TerminalProcess,
  recording: Recording,
  options: StepOptions,
  hold?: typeof holdTerminal,
): Promise<void> {
  return runView<void>(process, options, (ending) => openView(recording, options, ending), hold);
}

function openView(
  recording: Recording,
  { unicode }: StepOptions,
  { resolve, reject }: Ending<void>,
): View {
  const session = new StepSession(recording);
  const glyphs = glyphsOf(unicode);
  let looks = { help: false, top: 0 };
  let standing: Standing | null = null;
  let screen: Screen | null = null;
  let turn: Promise<void> = Promise.resolve();
  const then = (work: () => Promise<void> | void) => {
    turn = turn.then(work).catch(reject);
  };
  const show = () => {
    if (standing === null || screen === null) return;
    screen.show(drawStanding(standing, { ...looks, glyphs, size: screen.size() }));
  };
  const press = async (key: string) => {
    if (key === "interrupt") throw interrupted();
    if (looks.help) looks = { ...looks, help: false };
    else if (key === "q" || key === "escape") resolve();
    else if (key === "?") looks = { ...looks, help: true };
    else if (key === "J") looks = { ...looks, top: looks.top + 1 };
    else if (key === "K") looks = { ...looks, top: Math.max(0, looks.top - 1) };
    else {
      await session.press(key);
      standing = await session.standing();
    }
  };
  return {
    begin(held) {
      screen = held;
      then(async () => {
        await session.begin();
        standing = await session.standing();
        show();
      });
    },
    press: (key) => then(() => press(key)),
    show: () => then(show),
  };
}
