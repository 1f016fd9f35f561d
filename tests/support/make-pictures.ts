// Writes the pictures of docs/pictures, of the bundled example, from the compiled program:
//   bun tests/support/make-pictures.ts
// A test holds the pictures of the terminal equal to what the program shows.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { NEWEST_PROTOCOL } from "../../src/model/protocols.ts";
import { type Recording, type Screen, terminalSvg } from "./terminal-svg.ts";
import { openTmux, type Tmux } from "./tmux.ts";

const ROOT = resolve(import.meta.dir, "../..");
const EXAMPLE = "write-bytes-too-low.capsule.json";
const TRAP = "overflow-in-callee.capsule.json";
/** The smallest terminal that svc is made for. */
const SIZE = { columns: 80, rows: 24 };
export const PICTURES = join(ROOT, "docs", "pictures");

/** Name → what is in the terminal; each recording is light and dark. */
export const TERMINALS: Readonly<Record<string, () => Promise<Recording>>> = {
  report: () =>
    inTerminal("svc demo: why a contract returned its error", async (tmux, keep) => {
      tmux.type("svc demo contract-error");
      tmux.keys("Enter");
      await tmux.until(/^More: [^$]*^\$/m);
      keep(10);
    }),
  interactive: () =>
    inTerminal("svc debug -i: from the first screen to the failed call", async (tmux, keep) => {
      tmux.type(`svc debug --from ${TRAP} -i`);
      tmux.keys("Enter");
      await tmux.until(/add_with[^$]*failed/);
      keep(4);
      // The calls, at the one that failed.
      tmux.keys("2");
      await tmux.until(/^ {2}function +add/m);
      keep(6);
    }),
  stepper: () =>
    inTerminal("svc debug -i, s: from the trap to the branch that decided", async (tmux, keep) => {
      tmux.type(`svc debug --from ${TRAP} -i`);
      tmux.keys("Enter");
      await tmux.until(/add_with[^$]*failed/);
      tmux.keys("s");
      await tmux.until(/^ *\d+ ▌ +unreachable/m);
      keep(4);
      tmux.keys("w");
      await tmux.until(/^ *\d+ ▌ +br_if/m);
      keep(6);
    }),
};

export const THEMES = ["light", "dark"] as const;

async function inTerminal(
  title: string,
  act: (tmux: Tmux, keep: (seconds: number) => void) => Promise<void>,
): Promise<Recording> {
  ensureBuilt();
  const PATH = `${join(ROOT, "dist")}:${process.env.PATH}`;
  const directory = join(ROOT, "examples");
  await using tmux = openTmux({ ...SIZE, directory, environment: { PATH } });
  await tmux.until(/^\$/m);
  const screens: Screen[] = [];
  await act(tmux, (seconds) => screens.push({ painted: tmux.painted(), seconds }));
  return { screens, columns: SIZE.columns, title };
}

/** The badges of README: what does not change from day to day, so that no server is asked. */
const BADGES: Readonly<Record<string, readonly [label: string, value: string]>> = {
  license: ["license", "Apache-2.0"],
  protocols: ["protocols", `20 to ${NEWEST_PROTOCOL}`],
  platforms: ["runs on", "Linux, macOS, Windows"],
};
const CHARACTER = 6.6;
const MARGIN = 7;

export function badges(): Map<string, string> {
  return new Map(
    Object.entries(BADGES).map(([name, texts]) => {
      const [first, second] = texts.map((text) => Math.ceil(text.length * CHARACTER + 2 * MARGIN));
      const [left = 0, right = 0] = [first, second];
      const text = (x: number, at: number) =>
        `<text x="${x}" y="14" textLength="${Math.round((texts[at]?.length ?? 0) * CHARACTER)}">${texts[at]}</text>`;
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" \
aria-label="${texts.join(": ")}" font-size="11" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',\
monospace" fill="#fff">
<rect width="${left + right}" height="20" rx="3" fill="#57606a"/>
<path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${right - 3}z" fill="#0b57d0"/>
${text(MARGIN, 0)}${text(left + MARGIN, 1)}
</svg>
`;
      return [`badge-${name}.svg`, svg] as const;
    }),
  );
}

async function savePages(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-pictures-"));
  const svc = (...words: string[]) =>
    Bun.spawnSync([join(ROOT, "dist/svc"), "debug", "--from", EXAMPLE, ...words], {
      cwd: join(ROOT, "examples"),
    }).stdout;
  const file = join(directory, "page.html");
  writeFileSync(file, svc("--format", "html"));
  svc("--profile", "--output", directory);
  const [profile = ""] = [...new Bun.Glob("*.flamegraph.html").scanSync(directory)];
  const executablePath = Bun.which("chromium") ?? "chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  for (const [name, path, height] of [
    ["page.webp", file, 900],
    ["flamegraph.webp", join(directory, profile), 460],
  ] as const) {
    const page = await browser.newPage({ viewport: { width: 1120, height }, colorScheme: "light" });
    await page.goto(`file://${path}`);
    await page.evaluate("document.fonts.ready");
    const session = await page.context().newCDPSession(page);
    const options = { format: "webp", quality: 60 } as const;
    const { data } = await session.send("Page.captureScreenshot", options);
    writeFileSync(join(PICTURES, name), Buffer.from(data, "base64"));
  }
  await browser.close();
  rmSync(directory, { recursive: true });
}

if (import.meta.main) {
  mkdirSync(PICTURES, { recursive: true });
  for (const [name, show] of Object.entries(TERMINALS)) {
    const recording = await show();
    for (const theme of THEMES)
      writeFileSync(join(PICTURES, `${name}-${theme}.svg`), terminalSvg({ ...recording, theme }));
  }
  for (const [name, svg] of badges()) writeFileSync(join(PICTURES, name), svg);
  await savePages();
}
