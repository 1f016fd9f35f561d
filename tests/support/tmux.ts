// A terminal for tests: tmux with its own server, controlled by keys and read as a person reads it.
// Tests do not sleep: the screen is read until it is as expected, for a limited time.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LONGEST_WAIT_MILLISECONDS = 50_000;
const HISTORY = "0";
const CAPTURES_OF_STILL_SCREEN = 10;

export const TMUX = Bun.which("tmux");

export interface TmuxOptions {
  readonly columns: number;
  readonly rows: number;
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Tmux extends AsyncDisposable {
  /** tmux's names of keys (`Enter`, `C-c`, `PPage`), or text. */
  keys(...keys: readonly string[]): void;
  /** Literal text. */
  type(text: string): void;
  screen(): string;
  /** With colors and attributes. */
  painted(): string;
  /** The screen once it is as expected; throws with the last screen after a time limit. */
  until(wanted: string | RegExp | ((screen: string) => boolean)): Promise<string>;
  /** The screen once it is drawn to its end: captures in a row show the same. */
  untilStill(): Promise<string>;
  resize(columns: number, rows: number): void;
  /** A temporary directory, `~` in the shell. */
  readonly home: string;
}

export function openTmux(options: TmuxOptions): Tmux {
  const { columns, rows, directory, environment = {} } = options;
  const folder = mkdtempSync(join(tmpdir(), "svc-tmux-"));
  const socket = join(folder, "socket");
  const tmux = (...words: string[]): string => {
    const env = {
      PATH: process.env.PATH ?? "",
      LC_ALL: "C.UTF-8",
      HOME: folder,
      TERM: "xterm-256color",
      ...environment,
    };
    const command = [TMUX ?? "tmux", "-S", socket, "-f", "/dev/null", "-u", ...words];
    const run = Bun.spawnSync(command, { cwd: directory, env, stdin: "ignore" });
    if (!run.success) throw new Error(`tmux ${words.join(" ")}: ${run.stderr}`);
    return run.stdout.toString();
  };
  const size = ["-x", String(columns), "-y", String(rows)];
  tmux("new-session", "-d", ...size, "-s", "svc", "env PS1='$ ' bash --norc");
  tmux("set-option", "-g", "history-limit", HISTORY);
  const screen = () => tmux("capture-pane", "-p", "-t", "svc");
  const terminal: Tmux = {
    home: folder,
    keys: (...keys) => void tmux("send-keys", "-t", "svc", ...keys),
    type: (text) => void tmux("send-keys", "-t", "svc", "-l", "--", text),
    screen,
    painted: () => tmux("capture-pane", "-p", "-e", "-t", "svc"),
    async until(wanted) {
      const deadline = performance.now() + LONGEST_WAIT_MILLISECONDS;
      for (;;) {
        const text = screen();
        if (matches(text, wanted)) return text;
        if (performance.now() > deadline)
          throw new Error(`The screen never was ${String(wanted)}:\n${text}`);
        await new Promise(setImmediate);
      }
    },
    async untilStill() {
      let before = "";
      let same = 0;
      return terminal.until((text) => {
        same = text === before ? same + 1 : 0;
        before = text;
        return same === CAPTURES_OF_STILL_SCREEN;
      });
    },
    resize: (x, y) => void tmux("resize-window", "-t", "svc", "-x", String(x), "-y", String(y)),
    async [Symbol.asyncDispose]() {
      tmux("kill-server");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return terminal;
}

function matches(text: string, wanted: string | RegExp | ((screen: string) => boolean)): boolean {
  if (typeof wanted === "string") return text.includes(wanted);
  return wanted instanceof RegExp ? wanted.test(text) : wanted(text);
}
