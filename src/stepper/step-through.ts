// The shell around the stepper: keys one after another, each answered before the next is taken,
// until the user leaves.

import { SvcError } from "../base/errors/errors.ts";
import { holdTerminal, type TerminalProcess } from "../base/terminal/terminal.ts";
import { glyphsOf } from "../report/tui/glyphs.ts";
import { decodeKeys } from "../report/tui/keys.ts";
import { difference, paint } from "../report/tui/paint.ts";
import type { Recording } from "../time-travel/recording.ts";
import { drawStanding } from "./draw.ts";
import { type Standing, StepSession } from "./session.ts";

export interface StepOptions {
  readonly color: boolean;
  readonly unicode: boolean;
  readonly signal: AbortSignal;
}

/**
 * Resolves when the user leaves. Throws the signal's reason, INTERRUPTED for Ctrl-C or the end of
 * input, and what svc-sim fails with. The terminal has been restored before.
 */
export async function stepThrough(
  process: TerminalProcess,
  recording: Recording,
  { color, unicode, signal }: StepOptions,
  hold: typeof holdTerminal = holdTerminal,
): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const session = new StepSession(recording);
  const glyphs = glyphsOf(unicode);
  let [frame, rest]: [readonly string[], string] = [[], ""];
  let looks = { help: false, top: 0 };
  let standing: Standing | null = null;
  const show = () => {
    if (standing === null) return;
    const next = paint(drawStanding(standing, { ...looks, glyphs, size: terminal.size() }), color);
    terminal.write(difference(frame, next));
    frame = next;
  };
  let turn: Promise<void> = Promise.resolve();
  const then = (work: () => Promise<void> | void) => {
    turn = turn.then(work).catch(reject);
  };
  const press = async (key: string) => {
    if (key === "interrupt") throw interrupted();
    if (looks.help) looks = { ...looks, help: false };
    else if (key === "q" || key === "escape") resolve();
    else if (key === "?") looks = { ...looks, help: true };
    else if (key === "J") looks = { ...looks, top: looks.top + 1 };
    else if (key === "K") looks = { ...looks, top: Math.max(0, looks.top - 1) };
    else if (key === "suspend") terminal.suspend();
    else if (key === "redraw") frame = [];
    else {
      await session.press(key);
      standing = await session.standing();
    }
  };
  const terminal = hold(process, {
    onInput(text) {
      const decoded = decodeKeys(rest + text);
      rest = decoded.rest;
      for (const key of decoded.keys) then(() => press(key));
      then(show);
    },
    onRedraw() {
      frame = [];
      then(show);
    },
    onFailure: (error) => reject(error ?? interrupted()),
  });
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  then(async () => {
    await session.begin();
    standing = await session.standing();
    show();
  });
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    terminal.release();
  }
}

function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The stepper was interrupted.",
    remedy: "Run the command again. Press q to leave.",
  });
}
