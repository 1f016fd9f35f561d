// The shell around the pure view: keys → update, state → frame, until the user quits. Nothing is
// decided here. Keys that arrive together are processed before one frame is drawn.

import { SvcError } from "../../base/errors/errors.ts";
import {
  type HeldTerminal,
  holdTerminal,
  type TerminalProcess,
} from "../../base/terminal/terminal.ts";
import type { Investigation } from "../../model/investigation.ts";
import { draw } from "./draw.ts";
import { glyphsOf } from "./glyphs.ts";
import { decodeKeys } from "./keys.ts";
import { difference, paint } from "./paint.ts";
import { openState, resized, type State } from "./state.ts";
import { shownOf } from "./tabs.ts";
import { update } from "./update.ts";

export interface InteractOptions {
  readonly color: boolean;
  /** True if the terminal shows Unicode. */
  readonly unicode: boolean;
  /** Every call to the host, too. */
  readonly hostCalls?: boolean;
  /** Shown until the first key. */
  readonly message?: string;
  readonly signal: AbortSignal;
}

/** An Escape is the Escape key if nothing follows it for this long. */
const ESCAPE_MILLISECONDS = 50;

/**
 * Resolves when the user quits, or wants to step through the code. Throws the signal's reason, INTERRUPTED for Ctrl-C or the end of
 * input, or any other error. The terminal has been restored before.
 */
export async function interact(
  process: TerminalProcess,
  investigation: Investigation,
  options: InteractOptions,
  hold: typeof holdTerminal = holdTerminal,
): Promise<"quit" | "step"> {
  options.signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<"quit" | "step">();
  const onAbort = () => reject(options.signal.reason);
  const guarded =
    <Value>(action: (value: Value) => void) =>
    (value: Value) => {
      try {
        action(value);
      } catch (error) {
        reject(error);
      }
    };
  const session = openSession(investigation, options, resolve, reject);
  const terminal = hold(process, {
    onInput: guarded(session.input),
    onRedraw: guarded(session.redraw),
    onFailure: (error) => reject(error ?? interrupted()),
  });
  options.signal.addEventListener("abort", onAbort, { once: true });
  try {
    guarded(session.begin)(terminal);
    return await promise;
  } finally {
    options.signal.removeEventListener("abort", onAbort);
    session.end();
    terminal.release();
  }
}

function openSession(
  investigation: Investigation,
  { color, unicode, hostCalls, message = "" }: InteractOptions,
  resolve: (ended: "quit" | "step") => void,
  reject: (error: unknown) => void,
) {
  const glyphs = glyphsOf(unicode);
  let terminal: HeldTerminal | null = null;
  let state: State | null = null;
  let frame: readonly string[] = [];
  let unfinished = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    if (state === null) return;
    const next = paint(draw(state, glyphs), color);
    terminal?.write(difference(frame, next));
    frame = next;
  };
  const press = (key: string) => {
    if (key === "suspend") terminal?.suspend();
    else if (key === "redraw") frame = [];
    else if (state !== null) state = update(state, key);
    if (state?.ended === "quit" || state?.ended === "step") resolve(state.ended);
    if (state?.ended === "interrupt") reject(interrupted());
  };
  const type = (text: string) => {
    clearTimeout(timer);
    const { keys, rest } = decodeKeys(unfinished + text);
    unfinished = rest;
    for (const key of keys) press(key);
    if (rest !== "") timer = setTimeout(flush, ESCAPE_MILLISECONDS);
    show();
  };
  const flush = () => {
    unfinished = "";
    press("escape");
    show();
  };
  return {
    begin(held: HeldTerminal) {
      terminal = held;
      const { headline, tabs } = shownOf(investigation, hostCalls);
      state = { ...openState(headline, tabs, held.size()), message };
      show();
    },
    input: type,
    redraw(size: State["size"]) {
      if (state !== null) state = resized(state, size);
      frame = [];
      show();
    },
    end: () => clearTimeout(timer),
  };
}

function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The interactive view was interrupted.",
    remedy: "Run the command again. Press q to end the view.",
  });
}
