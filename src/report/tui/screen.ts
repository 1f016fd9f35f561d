// The loop around a view: it holds the terminal, passes keys in and frames out, until the view
// ends, and decides nothing itself. However the view ends, the terminal is restored first.

import { SvcError } from "../../base/errors/errors.ts";
import { AGAIN, phrase } from "../../base/phrase.ts";
import { holdTerminal, type TerminalProcess } from "../../base/terminal/terminal.ts";
import type { Size } from "./geometry.ts";
import { decodeKeys } from "./keys.ts";
import type { Line } from "./lines.ts";
import { difference, paint } from "./paint.ts";

export interface Screen<Ended> {
  readonly size: () => Size;
  /** Writes the rows that have changed. */
  readonly show: (lines: readonly Line[]) => void;
  /** Sets whether the terminal reports the mouse. At first it does. */
  readonly mouse: (on: boolean) => void;
  /** Copies text to the clipboard, if the terminal allows it. */
  readonly copy: (text: string) => void;
  readonly end: (ended: Ended) => void;
  readonly fail: (error: unknown) => void;
}

export interface ScreenView {
  /** Handles any key except those of the terminal itself. */
  readonly press: (key: string) => void;
  /** Draws a frame. Keys that arrive together are pressed before one frame is shown. */
  readonly show: () => void;
}

export interface ScreenOptions {
  readonly color: boolean;
  readonly signal: AbortSignal;
}

/** An Escape is the Escape key if nothing follows it for this long. */
const ESCAPE_MILLISECONDS = 50;

/**
 * Resolves with the value with which the view ends. Throws the signal's reason, INTERRUPTED for
 * Ctrl-C or the end of input, or any other error of the view.
 */
export async function runView<Ended>(
  process: TerminalProcess,
  { color, signal }: ScreenOptions,
  open: (screen: Screen<Ended>) => ScreenView,
  hold: typeof holdTerminal = holdTerminal,
): Promise<Ended> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  let view: ScreenView | null = null;
  let frame: readonly string[] = [];
  let unfinished = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const guarded =
    <Value>(action: (value: Value) => void) =>
    (value: Value) => {
      try {
        action(value);
      } catch (error) {
        reject(error);
      }
    };
  const redraw = () => {
    frame = [];
    view?.show();
  };
  const press = (keys: readonly string[]) => {
    for (const key of keys) {
      if (key === "suspend") terminal.suspend();
      else if (key === "redraw") frame = [];
      else if (key === "interrupt") reject(interrupted());
      else view?.press(key);
    }
    view?.show();
  };
  const type = (text: string) => {
    clearTimeout(timer);
    const { keys, remainder } = decodeKeys(unfinished + text);
    unfinished = remainder;
    press(keys);
    if (remainder !== "") timer = setTimeout(flush, ESCAPE_MILLISECONDS);
  };
  const flush = guarded(() => {
    unfinished = "";
    press(["escape"]);
  });
  const terminal = hold(process, {
    onInput: guarded(type),
    onRedraw: guarded(redraw),
    onFailure: (error) => reject(error ?? interrupted()),
  });
  const show = (lines: readonly Line[]) => {
    const next = paint(lines, color);
    terminal.write(difference(frame, next));
    frame = next;
  };
  const { size, mouse, copy } = terminal;
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    view = open({ size, show, mouse, copy, end: resolve, fail: reject });
    view.show();
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
    terminal.release();
  }
}

/** Ctrl-C sends no signal to a program that reads single keys. */
function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The interactive view was interrupted.",
    remedy: phrase`${AGAIN}. Press q to end the view.`,
  });
}
