// The shell around the stepper: keys one after another, each answered before the next is taken,
// until the user leaves.

import type { holdTerminal, TerminalProcess } from "../base/terminal/terminal.ts";
import { LEAST_SIZE } from "../report/tui/geometry.ts";
import { glyphsOf } from "../report/tui/glyphs.ts";
import { mouseOf } from "../report/tui/keys.ts";
import {
  type Ending,
  interrupted,
  runView,
  type Screen,
  type ScreenOptions,
  type View,
} from "../report/tui/screen.ts";
import type { Recording } from "../time-travel/recording.ts";
import { drawnFrames, drawStanding, lastTop, stepperHelp } from "./draw.ts";
import { type Standing, StepSession } from "./session.ts";

const WHEEL_LINES = 3;

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
  let looks = { help: 0, top: 0, whole: false };
  let hasMouse = true;
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
    const mouse = mouseOf(key);
    const size = screen?.size() ?? LEAST_SIZE;
    const scroll = (by: number) => {
      const last = standing === null ? 0 : lastTop(standing, { ...looks, glyphs, size });
      looks = { ...looks, top: Math.max(0, Math.min(looks.top + by, last)) };
    };
    const leaves = key === "q" || key === "escape";
    if (looks.help > 0) {
      const isLast = leaves || looks.help >= stepperHelp(size).length;
      looks = { ...looks, help: isLast ? 0 : looks.help + 1 };
    } else if (leaves) resolve();
    else if (key === "?") looks = { ...looks, help: 1 };
    else if (key === "J") scroll(1);
    else if (key === "K") scroll(-1);
    else if (key === "v") looks = { ...looks, whole: !looks.whole };
    else if (key === "m") {
      hasMouse = !hasMouse;
      screen?.mouse(hasMouse);
    } else if (mouse !== null && mouse.kind !== "click")
      scroll(mouse.kind === "wheelup" ? -WHEEL_LINES : WHEEL_LINES);
    else {
      if (mouse !== null && standing !== null) {
        const { first, names } = drawnFrames(standing, size);
        if (mouse.row < 1 || mouse.row > names.length) return;
        session.select(first + mouse.row - 1);
      } else await session.press(key);
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
