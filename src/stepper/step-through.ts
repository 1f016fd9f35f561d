// The loop around the stepper: it handles one key after another until the user leaves.

import type { holdTerminal, TerminalProcess } from "../base/terminal/terminal.ts";
import type { StepOptions } from "../command/lending.ts";
import { SOURCE_FILES } from "../command/source-files.ts";
import { glyphsOf } from "../report/tui/glyphs.ts";
import { turnedPage } from "../report/tui/help.ts";
import { mouseOf, WHEEL_LINES } from "../report/tui/keys.ts";
import { runView, type Screen, type ScreenView } from "../report/tui/screen.ts";
import { type StepperStanding, StepSession } from "../stepping/session.ts";
import type { Recording } from "../time-travel/recording.ts";
import { drawnFrames, drawStanding, lastTop, stepperHelp } from "./draw.ts";

/** Resolves when the user leaves. Throws as `runView` does, and the errors of svc-sim. */
export function stepThrough(
  process: TerminalProcess,
  recording: Recording,
  options: StepOptions,
  hold?: typeof holdTerminal,
): Promise<void> {
  return runView<void>(process, options, (screen) => openView(recording, options, screen), hold);
}

function openView(
  recording: Recording,
  { unicode, mouse: hadMouse, sourceMap }: StepOptions,
  screen: Screen<void>,
): ScreenView {
  const session = new StepSession(recording, {
    files: SOURCE_FILES,
    sourceMap,
    remedy: (directory) => `pass \`--source-map ${directory}=DIR\``,
  });
  const glyphs = glyphsOf(unicode);
  let looks = { help: 0, top: 0, whole: false };
  let hasMouse = hadMouse;
  if (!hasMouse) screen.mouse(false);
  let standing: StepperStanding;
  let turn = session.begin().then(async () => {
    standing = await session.standing();
  });
  const then = (work: () => Promise<void> | void) => {
    turn = turn.then(work);
    turn.catch(screen.fail);
  };
  const press = async (key: string) => {
    const mouse = mouseOf(key);
    const size = screen.size();
    const scroll = (by: number) => {
      const last = lastTop(standing, { ...looks, glyphs, size });
      looks = { ...looks, top: Math.max(0, Math.min(looks.top + by, last)) };
    };
    const leaves = key === "q" || key === "escape";
    if (looks.help > 0) looks = { ...looks, help: turnedPage(looks.help, stepperHelp(size), key) };
    else if (leaves) screen.end();
    else if (key === "?") looks = { ...looks, help: 1 };
    else if (key === "J") scroll(1);
    else if (key === "K") scroll(-1);
    else if (key === "v") looks = { ...looks, whole: !looks.whole };
    else if (key === "m") {
      hasMouse = !hasMouse;
      screen.mouse(hasMouse);
    } else if (mouse !== null && mouse.kind !== "click")
      scroll(mouse.kind === "wheelup" ? -WHEEL_LINES : WHEEL_LINES);
    else {
      if (mouse !== null) {
        const { first, names } = drawnFrames(standing, size);
        if (mouse.row < 1 || mouse.row > names.length) return;
        session.select(first + mouse.row - 1);
      } else await session.press(key);
      standing = await session.standing();
    }
  };
  return {
    press: (key) => then(() => press(key)),
    show: () =>
      then(() => screen.show(drawStanding(standing, { ...looks, glyphs, size: screen.size() }))),
  };
}
