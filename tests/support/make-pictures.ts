// Writes the pictures of docs/pictures, of the bundled example, from the compiled program:
//   bun tests/support/make-pictures.ts
// A test holds the pictures of the terminal equal to what the program shows.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { terminalSvg } from "./terminal-svg.ts";
import { openTmux, type Tmux } from "./tmux.ts";

const ROOT = resolve(import.meta.dir, "../..");
const EXAMPLE = "overflow-in-callee.capsule.json";
export const PICTURES = join(ROOT, "docs", "pictures");

/** File name → what is in the terminal. */
export const TERMINALS: Readonly<Record<string, () => Promise<string>>> = {
  "report.svg": () =>
    inTerminal({ columns: 80, rows: 90 }, "The text report of svc debug", async (tmux) => {
      run(tmux, `svc debug --from ${EXAMPLE}`);
      await tmux.until(/^Addresses$[^$]*^\$/m);
    }),
  "interactive.svg": () =>
    inTerminal({ columns: 96, rows: 24 }, "The call tree in svc debug -i", async (tmux) => {
      run(tmux, `svc debug --from ${EXAMPLE} -i`);
      await tmux.until("Contract call add_with failed");
      await tmux.until("Details");
      // To the failed call.
      tmux.keys("e");
      await tmux.until(/^ {2}function +add_with$/m);
    }),
};

async function inTerminal(
  size: { readonly columns: number; readonly rows: number },
  title: string,
  act: (tmux: Tmux) => Promise<void>,
): Promise<string> {
  ensureBuilt();
  const PATH = `${join(ROOT, "dist")}:${process.env.PATH}`;
  const directory = join(ROOT, "examples");
  await using tmux = openTmux({ ...size, directory, environment: { PATH } });
  await tmux.until(/^\$/m);
  await act(tmux);
  const painted = tmux.painted().trimEnd().replace(/\n\$$/, "");
  return terminalSvg({ painted, columns: size.columns, title });
}

function run(tmux: Tmux, line: string): void {
  tmux.type(line);
  tmux.keys("Enter");
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
    const options = { format: "webp", quality: 82 } as const;
    const { data } = await session.send("Page.captureScreenshot", options);
    writeFileSync(join(PICTURES, name), Buffer.from(data, "base64"));
  }
  await browser.close();
  rmSync(directory, { recursive: true });
}

if (import.meta.main) {
  mkdirSync(PICTURES, { recursive: true });
  for (const [name, draw] of Object.entries(TERMINALS))
    writeFileSync(join(PICTURES, name), await draw());
  await savePages();
}
