// Holds the terminal for a full-screen view: raw keys in, frames out. However the view ends (by the
// caller, a signal or an uncaught error), the terminal is restored. The restore is written
// synchronously, because no later code may run.

import { writeSync } from "node:fs";
import { utf8Bytes } from "../bytes.ts";
import { systemCodeOf } from "../errors/system-code.ts";

/** The part of the process that is used here. main.ts passes the real process. */
export interface TerminalProcess {
  readonly pid: number;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  on(event: string, listener: (value: unknown) => void): unknown;
  off(event: string, listener: (value: unknown) => void): unknown;
  kill(pid: number, signal: string): unknown;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface HeldTerminal {
  readonly size: () => TerminalSize;
  readonly write: (text: string) => void;
  /** On: clicks and the wheel are input. Off: the terminal uses them to select text. */
  readonly mouse: (on: boolean) => void;
  /** Copies text to the clipboard. A terminal that does not allow this gives no sign. */
  readonly copy: (text: string) => void;
  /** Returns the terminal to the shell until svc is continued. */
  readonly suspend: () => void;
  /** Gives the terminal back for good. It may be called more than once. */
  readonly release: () => void;
}

const ESCAPE = "\u001b";
// ENTER: the alternate screen, no cursor, no wrapping at the last column (xterm control sequences).
// LEAVE clears the screen first, because tmux would otherwise keep a row of it after the window
// grew.
const ENTER = `${ESCAPE}[?1049h${ESCAPE}[?25l${ESCAPE}[?7l${ESCAPE}[0m${ESCAPE}[2J`;
// The buttons and the wheel of the mouse are input, in decimal numbers (xterm's modes 1000 and
// 1006).
const MOUSE_ON = `${ESCAPE}[?1000h${ESCAPE}[?1006h`;
const MOUSE_OFF = `${ESCAPE}[?1006l${ESCAPE}[?1000l`;
const LEAVE = `${MOUSE_OFF}${ESCAPE}[0m${ESCAPE}[2J${ESCAPE}[H${ESCAPE}[?7h${ESCAPE}[?25h${ESCAPE}[?1049l`;
const STDOUT = 1;
const MAXIMUM_WRITE_ATTEMPTS = 1000;

/** A terminal that does not know its size reports 0. */
export function sizeOf({ stdout }: Pick<TerminalProcess, "stdout">): TerminalSize {
  return { columns: stdout.columns || 0, rows: stdout.rows || 0 };
}

export function holdTerminal(
  process: TerminalProcess,
  events: {
    /** Typed text, including escape sequences. */
    readonly onInput: (text: string) => void;
    /**
     * The size changed, or the view came back after a suspension. Everything must be drawn again.
     */
    readonly onRedraw: (size: TerminalSize) => void;
    /** The input ended, or an error was not caught. The view must end. */
    readonly onFailure: (error: unknown) => void;
  },
  writeNow: (text: string) => void = writeStdout,
): HeldTerminal {
  const { stdin, stdout } = process;
  let held = false;
  let hasMouse = true;
  const enter = () => {
    if (held) return;
    held = true;
    stdin.setRawMode(true);
    writeNow(hasMouse ? `${ENTER}${MOUSE_ON}` : ENTER);
  };
  const leave = () => {
    if (!held) return;
    held = false;
    writeNow(LEAVE);
    stdin.setRawMode(false);
  };
  const redraw = () => events.onRedraw(sizeOf(process));
  const stop = () => {
    leave();
    process.kill(process.pid, "SIGSTOP");
  };
  // SIGCONT also comes after SIGSTOP, which svc cannot catch. The shell has then changed the modes.
  const resume = () => {
    held = false;
    enter();
    redraw();
  };
  // A terminal that is gone ends the input before its SIGHUP comes, or without one. Restoring its
  // mode then fails, and that error of standard input also arrives here.
  let gone = false;
  const fail = (error: unknown) => {
    leave();
    if (gone) return;
    gone = isGone(error);
    if (gone) endBy("SIGHUP");
    else events.onFailure(error);
  };
  const listeners: readonly (readonly [string, (value: unknown) => void])[] = [
    ["SIGTSTP", stop],
    ["SIGCONT", resume],
    // These signals end svc as usual; the terminal is restored first.
    ...["SIGHUP", "SIGQUIT"].map((name) => [name, () => endBy(name)] as const),
    ["exit", leave],
    ["uncaughtException", fail],
    ["unhandledRejection", fail],
  ];
  const onInput = (chunk: unknown) => events.onInput(String(chunk));
  const onEnd = () => fail(null);
  const release = () => {
    leave();
    for (const [event, listener] of listeners) process.off(event, listener);
    stdout.off("resize", redraw);
    stdin.off("data", onInput);
    stdin.off("end", onEnd);
    stdin.off("error", fail);
    stdout.off("error", fail);
    stdin.pause();
  };
  const endBy = (name: string) => {
    release();
    process.kill(process.pid, name);
  };
  for (const [event, listener] of listeners) process.on(event, listener);
  stdout.on("resize", redraw);
  stdin.setEncoding("utf8");
  stdin.on("data", onInput);
  stdin.on("end", onEnd);
  stdin.on("error", fail);
  stdout.on("error", fail);
  // An earlier view has paused the input.
  stdin.resume();
  enter();
  // A view that has ended may still draw. That text would appear on the shell's screen.
  const write = (text: string) => {
    if (held) stdout.write(text);
  };
  return {
    size: () => sizeOf(process),
    write,
    mouse(on) {
      hasMouse = on;
      write(on ? MOUSE_ON : MOUSE_OFF);
    },
    copy: (text) => write(`${ESCAPE}]52;c;${utf8Bytes(text).toBase64()}\u0007`),
    // The signal goes to the process group, as the terminal itself sends it, so that a script which
    // runs svc stops too.
    suspend: () => void process.kill(0, "SIGTSTP"),
    release,
  };
}

/** Bun 1.4.5 gives the number of a terminal's error only in the message. */
function isGone(error: unknown): boolean {
  if (systemCodeOf(error) === "EIO") return true;
  return error instanceof Error && / errno: -?5$/.test(error.message);
}

/** Writes now. A non-blocking terminal may refuse text at first; it soon accepts it, or is gone. */
function writeStdout(text: string): void {
  const bytes = utf8Bytes(text);
  let written = 0;
  for (let attempt = 0; written < bytes.length && attempt < MAXIMUM_WRITE_ATTEMPTS; attempt += 1) {
    try {
      written += writeSync(STDOUT, bytes, written);
    } catch (error) {
      if (systemCodeOf(error) !== "EAGAIN") return;
    }
  }
}
