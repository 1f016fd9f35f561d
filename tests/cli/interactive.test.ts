// svc debug -i, the compiled binary in a real terminal (tmux): browsing, searching, resizing, and
// the terminal restored however the view ends. Without tmux these tests are skipped.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { exchangeCapsule } from "../support/exchange.ts";
import { needs } from "../support/needs.ts";
import { openTmux, TMUX, type Tmux } from "../support/tmux.ts";
import { inTemporaryDirectory, svc, svcBinary } from "./run-svc.ts";

const EXAMPLES = resolve(import.meta.dir, "../../examples");
const COMMAND = "debug -i --from overflow-in-callee.capsule.json";
const LIMIT_MILLISECONDS = 60_000;

interface Setting {
  readonly columns?: number;
  readonly rows?: number;
  readonly command?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A shell with text on its screen, and svc started below it. */
async function begin(setting: Setting = {}): Promise<Tmux> {
  const { columns = 80, rows = 24, environment = {}, command = COMMAND } = setting;
  const path = `${resolve(svcBinary(), "..")}:${process.env.PATH}`;
  const tmux = openTmux({
    columns,
    rows,
    directory: EXAMPLES,
    environment: { PATH: path, ...environment },
  });
  await tmux.until(/^\$/m);
  const line = `echo $$ > ~/pid; exec svc ${command}`;
  tmux.type(`echo before; sh -c '${line}'; echo "ended with $?"`);
  tmux.keys("Enter");
  return tmux;
}

const tmux = needs("tmux", TMUX !== null);

function interactive(name: string, action: () => Promise<void>): void {
  tmux.test(name, action, LIMIT_MILLISECONDS);
}

/** The earlier text is on the screen again, svc's text is not, and typed text is echoed. */
async function expectGivenBack(tmux: Tmux, exitCode: number): Promise<string> {
  const screen = await tmux.until(new RegExp(`^ended with ${exitCode}$`, "m"));
  expect(screen).toContain("before");
  expect(screen).not.toContain("[1 Summary]");
  tmux.type("stty -a | tr ' ;' '\\n\\n' | grep -x -e -echo -e echo -e -icanon -e icanon | xargs");
  tmux.keys("Enter");
  await tmux.until(/^icanon echo$/m);
  return screen;
}

interactive("the calls, an error, the other tabs, help, and q", async () => {
  await using tmux = await begin();
  const first = await tmux.until("▌▾ ✗ Cause: ");
  expect(first).toMatch(/^ `add_with\(\)` failed in ledger 340\. +Verdict: exact /);
  expect(first.split("\n").filter((line) => line !== "").length).toBeGreaterThan(8);
  expect(tmux.painted()).toContain("\u001b[7m");
  tmux.keys("2");
  const failing = await tmux.until(/▌ +▾ ✗ CARM…JDFF add\(.*2147483647, .*4\)/);
  expect(failing).toMatch(/^ +\S.* 2147483647\n +\S.* 4\n +result +Error\(WasmVm, /m);
  expect(failing).toMatch(/instructions +([\d,]+) total \([\d.]+ %\), \1 self/);
  tmux.keys("h", "h", "Space");
  await tmux.until((screen) => !screen.includes("CARM…JDFF add("));
  tmux.keys("6", "g", "Down");
  await tmux.until(/▌ +CPU instructions +[\d,]{7} /);
  tmux.keys("Tab");
  await tmux.until("[1 Summary]");
  tmux.keys("?");
  await tmux.until("next, previous match");
  tmux.keys("x");
  tmux.type("\u001b[<0;12;2M");
  await tmux.until("[2 Calls]");
  tmux.keys("Z", "v", "S");
  await tmux.until(/Calls \(by cost\)[\s\S]*contract_event/);
  tmux.resize(150, 24);
  await tmux.until(/^ {2}Calls \(by cost\).* Details ─+$/m);
  tmux.resize(80, 24);
  tmux.keys("q");
  await expectGivenBack(tmux, 0);
});

interactive("searching with n and N, and pages", async () => {
  await using tmux = await begin();
  await tmux.until("[1 Summary]");
  tmux.keys("g", "/");
  tmux.type("METRIC");
  await tmux.until(/\/METRIC_ +match 1 of \d+/);
  tmux.keys("Enter", "n", "n");
  await tmux.until(/match 3 of \d+/);
  tmux.keys("N");
  await tmux.until(/match 2 of \d+/);
  tmux.keys("Escape");
  await tmux.until(/ \d+\/\d+\n/);
  tmux.keys("g");
  await tmux.until(/ 1\/\d+\n/);
  tmux.keys("NPage");
  await tmux.until(/ 12\/\d+\n/);
  tmux.keys("G");
  await tmux.until(/ (\d+)\/\1\n/);
  tmux.keys("q");
  await expectGivenBack(tmux, 0);
});

interactive("a window that grows, shrinks below what is needed, and grows again", async () => {
  await using tmux = await begin();
  await tmux.until("[1 Summary]");
  tmux.keys("2");
  tmux.resize(120, 40);
  await tmux.until(/^ {2}Calls .{79,}bytes$/m);
  tmux.resize(40, 10);
  await tmux.until(/^ 1 \[2 Calls\] 3 {2}4 {2}5 {2}6$/m);
  tmux.resize(39, 24);
  await tmux.until("This window is 39x24;");
  tmux.resize(80, 24);
  const again = await tmux.until("[2 Calls]");
  expect(again).not.toContain("This window");
  tmux.keys("q");
  const screen = await expectGivenBack(tmux, 0);
  expect(screen).not.toContain("Details");
});

interactive(
  "--wasm and --source-map give the stepper its lines; q leads back to the same line",
  async () => {
    await inTemporaryDirectory(async (directory) => {
      const capsule = join(directory, "buy.capsule.json");
      writeFileSync(capsule, await exchangeCapsule({ function: "buy", feePercent: 15 }));
      const build = resolve(EXAMPLES, "../tests/contracts/pool-debug.wasm");
      const files = "/exchange=../tests/contracts/exchange";
      const command = `debug -i --from ${capsule} --wasm ${build} --source-map ${files}`;
      await using tmux = await begin({ command });
      await tmux.until("[1 Summary]");
      tmux.keys("2", "g", "/");
      tmux.type("buyer");
      tmux.keys("Enter", "j");
      // Drawn whole: from the chosen call to the line of hints, with the call's own details.
      await tmux.until(/▌ +✗ \S+ buy\([\s\S]*PoolError[\s\S]*match 1 of 1/);
      const left = await tmux.untilStill();
      tmux.keys("s");
      await tmux.until(/▌ +panic_with_error!\(env, PoolError::FeeTooHigh\);/);
      // Keys that are typed ahead draw nothing on the shell's screen.
      tmux.keys("N", "n", "q");
      await tmux.until((screen) => screen === left);
      tmux.keys("q");
      await expectGivenBack(tmux, 0);
    });
  },
);

interactive("NO_COLOR: no attribute at all; a locale without Unicode: ASCII signs", async () => {
  await using tmux = await begin({ environment: { NO_COLOR: "1", LC_ALL: "C" } });
  const screen = await tmux.until(/>- ! Cause: [\s\S]*CARM\.\.\.JDFF/);
  expect(screen).not.toContain("…");
  expect(tmux.painted()).not.toContain("\u001b[");
  tmux.keys("q");
  await expectGivenBack(tmux, 0);
});

interactive("SIGTERM, SIGINT and Ctrl-C give the screen back", async () => {
  for (const end of ["SIGTERM", "SIGINT", "C-c"]) {
    await using tmux = await begin();
    await tmux.until("[1 Summary]");
    if (end === "C-c") tmux.keys("C-c");
    else process.kill(Number(readFileSync(join(tmux.home, "pid"), "utf8")), end);
    const screen = await expectGivenBack(tmux, 130);
    expect(screen).toContain("[INTERRUPTED]");
  }
});

interactive("Ctrl-Z and fg", async () => {
  await using tmux = await begin();
  await tmux.until("[1 Summary]");
  tmux.keys("C-z");
  const stopped = await tmux.until("Stopped");
  expect(stopped).not.toContain("[1 Summary]");
  tmux.type("fg");
  tmux.keys("Enter");
  await tmux.until("[1 Summary]");
  tmux.keys("2", "g", "j");
  await tmux.until(/▌ +▾ ✗ CBBU…PT2J add_with/);
  tmux.keys("q");
  await tmux.until((screen) => screen.includes("before") && !screen.includes("[1 Summary]"));
});

interactive("a terminal that is too small or dumb: exit code 2, before any work", async () => {
  const settings: readonly (readonly [Setting, string])[] = [
    [{ columns: 79 }, "the terminal is 79x24"],
    [{ rows: 23 }, "the terminal is 80x23"],
    [{ columns: 40, rows: 10 }, "the terminal is 40x10"],
    [{ columns: 200, rows: 12 }, "the terminal is 200x12"],
  ];
  for (const [setting, reason] of settings) {
    await using tmux = await begin(setting);
    const screen = await tmux.until("ended with 2");
    for (const said of [reason, "80x24", "TERM", "NO_COLOR=1", "without `-i`"])
      expect(screen.replaceAll("\n", "")).toContain(said);
  }
  await using tmux = await begin();
  await tmux.until("[1 Summary]");
  tmux.keys("q");
  await tmux.until("ended with 0");
  tmux.type(`clear; TERM=dumb svc ${COMMAND}; echo "ended with $?"`);
  tmux.keys("Enter");
  const screen = await tmux.until("ended with 2");
  expect(screen).toContain("TERM is dumb");
});

test("no terminal: INTERACTIVE_IMPOSSIBLE, exit code 2", async () => {
  const { exitCode, stdout, stderr } = await svc(COMMAND.split(" "), { directory: EXAMPLES });
  expect([exitCode, stdout]).toEqual([2, ""]);
  for (const said of ["[INTERACTIVE_IMPOSSIBLE]", "not a terminal", "80x24", "NO_COLOR=1"])
    expect(stderr).toContain(said);
});

test("--source-map is for -i, and maps a directory to one", async () => {
  for (const words of [
    ["--source-map", "/a=b"],
    ["-i", "--source-map", "/a"],
  ]) {
    const { exitCode, stderr } = await svc(["debug", ...words, "ab".repeat(32)]);
    expect([exitCode, stderr.includes("[USAGE]")]).toEqual([2, true]);
    expect(stderr).toContain("--source-map");
  }
});

test("-i with a document, or with several transactions, is a contradiction", async () => {
  const hash = "ab".repeat(32);
  for (const words of [["--json"], ["--format", "markdown"], [hash, "cd".repeat(32)]]) {
    const { exitCode, stderr } = await svc(["debug", "-i", ...words, hash]);
    expect([exitCode, stderr.includes("--interactive")]).toEqual([2, true]);
    expect(stderr).toContain("[USAGE]");
  }
});
