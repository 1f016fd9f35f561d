// The shell around the view, on a simulated process: however it ends, the terminal is restored, and
// svc leaves nothing behind.

import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { SvcError } from "../../../src/base/errors/errors.ts";
import {
  type HeldTerminal,
  holdTerminal,
  type TerminalProcess,
} from "../../../src/base/terminal/terminal.ts";
import type { Investigation } from "../../../src/model/investigation.ts";
import { draw } from "../../../src/report/tui/draw.ts";
import { glyphsOf } from "../../../src/report/tui/glyphs.ts";
import { interact } from "../../../src/report/tui/interact.ts";
import { difference, paint } from "../../../src/report/tui/paint.ts";
import { resized, type ViewState } from "../../../src/report/tui/state.ts";
import { investigate } from "../investigations.ts";

const REAL = investigate("contract-error");
const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?1049l";

interface Stage {
  /** The state in which the view was left, or the error that ended it. */
  readonly ended: Promise<unknown>;
  readonly held: HeldTerminal | undefined;
  readonly interruption: AbortController;
  readonly process: EventEmitter;
  readonly stdin: EventEmitter & { raw: boolean; setRawMode(raw: boolean): void };
  /** Everything that was written, in order. */
  readonly written: () => string;
  readonly killed: string[];
  readonly resize: (columns: number, rows: number) => void;
}

function begin(investigation: Investigation = REAL, color = true, from?: ViewState): Stage {
  let written = "";
  const killed: string[] = [];
  const stdin = Object.assign(new EventEmitter(), {
    raw: false,
    setRawMode(raw: boolean) {
      stdin.raw = raw;
    },
    setEncoding() {},
    resume() {},
    pause() {},
  });
  const stdout = Object.assign(new EventEmitter(), {
    columns: 80,
    rows: 24,
    write(text: string) {
      written += text;
      return true;
    },
  });
  const process = Object.assign(new EventEmitter(), {
    pid: 4711,
    stdin,
    stdout,
    kill: (pid: number, signal: string) => killed.push(`${pid} ${signal}`),
  });
  const interruption = new AbortController();
  let terminal: HeldTerminal | undefined;
  const hold: typeof holdTerminal = (held, events) => {
    terminal = holdTerminal(held, events, (text) => {
      written += text;
    });
    return terminal;
  };
  const options = { color, unicode: true, signal: interruption.signal, from };
  const running = interact(process as unknown as TerminalProcess, investigation, options, hold);
  const ended = running.catch((error: unknown) => error);
  const resize = (columns: number, rows: number) => {
    Object.assign(stdout, { columns, rows });
    stdout.emit("resize");
  };
  const held = terminal;
  return { ended, held, interruption, process, stdin, written: () => written, killed, resize };
}

function expectGivenBack({ written, stdin, process }: Stage): void {
  expect(written().startsWith(ENTER)).toBe(true);
  expect(written().lastIndexOf("\u001b[?1000l")).toBeGreaterThan(written().lastIndexOf("[?1000h"));
  expect(written().endsWith(LEAVE)).toBe(true);
  expect(written()).toContain("\u001b[?25h");
  expect(stdin.raw).toBe(false);
  expect([process.eventNames(), stdin.eventNames()]).toEqual([[], []]);
}

test("q ends it", async () => {
  const stage = begin();
  expect(stage.stdin.raw).toBe(true);
  stage.stdin.emit("data", "jj");
  stage.stdin.emit("data", "q");
  expect(await stage.ended).toMatchObject({ ended: "quit" });
  expect(stage.written()).toContain("`fail()` failed in ledger 205.");
  expectGivenBack(stage);
});

test("s leaves it, and it goes on exactly there, in a terminal of another size too", async () => {
  for (const keys of ["2Zjjv", "2/fail\rj", "3zG", "6SJJ", "1jjm"]) {
    const stage = begin();
    stage.stdin.emit("data", `${keys}s`);
    const left = (await stage.ended) as ViewState;
    expect(left.ended).toBe("step");
    const again = begin(REAL, true, { ...left, message: "as it was" });
    const drawn = paint(draw({ ...left, message: "as it was" }, glyphsOf(true)), true);
    expect(again.written(), keys).toContain(difference([], drawn));
    expect(again.written().includes("\u001b[?1000l"), keys).toBe(!left.mouse);
    again.resize(150, 50);
    again.stdin.emit("data", "q");
    const { message: _, size: __, ...rest } = resized(left, { columns: 150, rows: 50 });
    expect(await again.ended).toMatchObject({ ...rest, ended: "quit" });
  }
});

test("what a view writes when it has ended stays off the shell's screen", async () => {
  const stage = begin();
  stage.stdin.emit("data", "q");
  await stage.ended;
  stage.held?.write("late");
  stage.held?.mouse(true);
  stage.held?.copy("late");
  expectGivenBack(stage);
});

test("Ctrl-C, the end of input and an abort are interruptions", async () => {
  const ends: readonly ((stage: Stage) => unknown)[] = [
    ({ stdin }) => stdin.emit("data", "\u0003"),
    ({ stdin }) => stdin.emit("end"),
    ({ interruption }) =>
      interruption.abort(new SvcError("INTERRUPTED", { message: "SIGTERM", remedy: "" })),
  ];
  for (const end of ends) {
    const stage = begin();
    end(stage);
    expect(await stage.ended).toMatchObject({ code: "INTERRUPTED" });
    expectGivenBack(stage);
  }
});

test("an error while drawing, and an uncaught one, appear after the screen", async () => {
  const broken: Investigation = {
    ...REAL,
    explanation: {
      ...REAL.explanation,
      get events(): never {
        throw new Error("broken on purpose");
      },
    },
  };
  const drawing = begin(broken);
  expect(await drawing.ended).toMatchObject({ message: "broken on purpose" });
  expectGivenBack(drawing);
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    const stage = begin();
    stage.process.emit(event, new Error("from elsewhere"));
    expect(await stage.ended).toMatchObject({ message: "from elsewhere" });
    expectGivenBack(stage);
  }
});

test("an unexpected exit restores the terminal", () => {
  const stage = begin();
  stage.process.emit("exit");
  expect(stage.written().endsWith(LEAVE)).toBe(true);
  expect(stage.stdin.raw).toBe(false);
});

test("SIGHUP and SIGQUIT end svc as usual, after the terminal was restored", () => {
  const stage = begin();
  stage.process.emit("SIGHUP");
  expectGivenBack(stage);
  expect(stage.killed).toEqual(["4711 SIGHUP"]);
});

test("a terminal that vanished ends svc as its signal does, without an error of svc", async () => {
  const gone = new Error("setRawMode failed with errno: 5");
  for (const notice of ["end", "SIGHUP", "error"]) {
    const stage = begin();
    stage.stdin.setRawMode = (raw: boolean) => {
      stage.stdin.raw = raw;
      stage.stdin.emit("error", gone);
    };
    if (notice === "SIGHUP") stage.process.emit("SIGHUP");
    else stage.stdin.emit(notice, gone);
    expect(new Set(stage.killed), notice).toEqual(new Set(["4711 SIGHUP"]));
    expect(stage.process.eventNames()).toEqual([]);
    const other = await Promise.race([stage.ended, Promise.resolve("still")]);
    expect(other).toBe("still");
  }
});

test("the mouse is the terminal's again with m, also after Ctrl-Z; what is copied is base64", async () => {
  const stage = begin();
  expect(stage.written()).toContain("\u001b[?1000h");
  stage.stdin.emit("data", "\u001b[<0;9;5M");
  stage.stdin.emit("data", "Y");
  const copied = Buffer.from(REAL.record.hash).toString("base64");
  expect(stage.written()).toContain(`\u001b]52;c;${copied}\u0007`);
  stage.stdin.emit("data", "m");
  const before = stage.written().length;
  stage.process.emit("SIGTSTP");
  stage.process.emit("SIGCONT");
  expect(stage.written().slice(before)).not.toContain("?1000h");
  stage.stdin.emit("data", "m");
  expect(stage.written().slice(before)).toContain("\u001b[?1000h");
  stage.stdin.emit("data", "q");
  await stage.ended;
  expectGivenBack(stage);
});

test("Ctrl-Z stops the group; the signal restores the terminal, SIGCONT takes it again", async () => {
  const stage = begin();
  stage.stdin.emit("data", "\u001a");
  expect(stage.killed).toEqual(["0 SIGTSTP"]);
  stage.process.emit("SIGTSTP");
  expect(stage.written().endsWith(LEAVE)).toBe(true);
  expect([stage.stdin.raw, stage.killed[1]]).toEqual([false, "4711 SIGSTOP"]);
  const before = stage.written().length;
  stage.process.emit("SIGCONT");
  expect(stage.written().slice(before)).toStartWith(ENTER);
  expect(stage.written().slice(before)).toContain("`fail()` failed");
  expect(stage.stdin.raw).toBe(true);
  stage.stdin.emit("data", "q");
  expect(await stage.ended).toMatchObject({ ended: "quit" });
  expectGivenBack(stage);
});

test("a frame sends only the rows that changed, a resize all of them", async () => {
  const stage = begin();
  let before = stage.written().length;
  const since = () => {
    const text = stage.written().slice(before);
    before = stage.written().length;
    return text;
  };
  stage.stdin.emit("data", "j");
  expect(since().length).toBeLessThan(2000);
  stage.stdin.emit("data", "g");
  since();
  stage.stdin.emit("data", "k");
  expect(since()).toBe("");
  stage.resize(100, 30);
  expect(since()).toContain("\u001b[30;1H");
  stage.resize(60, 9);
  expect(since()).toContain("This window is 60x9");
  stage.stdin.emit("data", "q");
  expect(await stage.ended).toMatchObject({ ended: "quit" });
});

test("an arrow that arrives in two parts is one key; a lone Escape is a key after a while", async () => {
  const stage = begin();
  stage.stdin.emit("data", "/fail\r");
  stage.stdin.emit("data", "\u001b");
  stage.stdin.emit("data", "[B");
  expect(stage.written()).not.toContain("unknown");
  stage.stdin.emit("data", "\u001b");
  // The search has ended when the hints for browsing are back.
  const hints = () => stage.written().lastIndexOf("j/k move") > stage.written().lastIndexOf("n/N");
  while (!hints()) await new Promise(setImmediate);
  stage.stdin.emit("data", "q");
  expect(await stage.ended).toMatchObject({ ended: "quit" });
});

test("without colors only text and moves are sent", async () => {
  const stage = begin(REAL, false);
  stage.stdin.emit("data", "/fail\r2345n6q");
  await stage.ended;
  const attributes = new RegExp(`${"\u001b"}\\[[1-9][\\d;]*m`);
  expect(stage.written()).not.toMatch(attributes);
  expect(begin().written()).toMatch(attributes);
});
