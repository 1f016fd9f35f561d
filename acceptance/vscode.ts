// A debug session in Visual Studio Code itself: its server, as code-server packs it for npm, with the
// extension of the release, and its page in Chromium. What a user does and reads is checked: the
// session starts, stops where the transaction failed, answers in the debug console, completes names,
// and steps back, in a disassembly and in the source; an error names a missing svc.
//
//   bun acceptance/vscode.ts DIRECTORY [PICTURE]
//
// The directory takes what npm installs, some 300 MB. The picture (.webp) is for docs/pictures.
// Needs node 20, npm and chromium.

import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium, type Locator, type Page } from "playwright-core";
import { writeVsix } from "../scripts/release/write-vsix.ts";
import { exchangeCapsule } from "../tests/support/exchange.ts";

/** The last version that runs on node 20, with Visual Studio Code 1.100. */
const VERSION = "4.100.3";
const ROOT = resolve(import.meta.dir, "..");
const CONTRACTS = join(ROOT, "tests/contracts");
const [directory = "", picture = null] = process.argv.slice(2);
if (directory === "") throw new Error("bun acceptance/vscode.ts DIRECTORY [PICTURE]");
const SERVER = join(directory, "node_modules/code-server/lib/vscode");
const HOME = join(directory, "home");
const MACHINE_SETTINGS = join(HOME, ".vscode-server-oss/data/Machine/settings.json");
const WORKSPACE = join(directory, "workspace");
const LAUNCH = join(WORKSPACE, ".vscode/launch.json");
const PATIENCE_MILLISECONDS = 60_000;
const [MOST_ATTEMPTS, ATTEMPT_MILLISECONDS] = [5, 8_000];
const ENVIRONMENT = { PATH: process.env.PATH, HOME };

if (!install()) {
  console.log("skipped  code-server cannot be installed on this machine");
  process.exit();
}
const server = Bun.spawn(
  [
    ...["node", "out/server-main.js", "--accept-server-license-terms", "--host", "127.0.0.1"],
    ...[
      "--without-connection-token",
      "--port",
      "0",
      "--telemetry-level",
      "off",
      "--disable-workspace-trust",
    ],
  ],
  { cwd: SERVER, env: ENVIRONMENT, stdout: "pipe", stderr: "ignore" },
);
const browser = await chromium.launch({
  executablePath: Bun.which("chromium") ?? "chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
try {
  page.setDefaultTimeout(PATIENCE_MILLISECONDS);
  await page.goto(`${await addressOf(server.stdout)}/?folder=${WORKSPACE}`);
  await isOpen(page);
  await aMissingProgramIsSaid(page);
  await theSessionIsOfUse(page);
  await theSourceIsShown(page);
  console.log("a session in Visual Studio Code stops, answers, completes names, and steps back");
} catch (error) {
  await page.screenshot({ path: join(directory, "failed.png") });
  throw error;
} finally {
  await browser.close();
  server.kill();
}

/** False: npm cannot install the server. */
function install(): boolean {
  const run = (command: string[], cwd: string) => {
    const { exitCode, stderr } = Bun.spawnSync(command, {
      cwd,
      env: ENVIRONMENT,
      stdout: "ignore",
    });
    if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  };
  mkdirSync(HOME, { recursive: true });
  if (!existsSync(join(SERVER, "node_modules"))) {
    const npm = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"];
    writeFileSync(join(directory, "package.json"), "{}");
    const words = [...npm, `code-server@${VERSION}`];
    if (!Bun.spawnSync(words, { cwd: directory, env: ENVIRONMENT }).success) return false;
    run([...npm, "--omit=dev"], SERVER);
  }
  rmSync(join(HOME, ".vscode-server-oss"), { recursive: true, force: true });
  mkdirSync(join(WORKSPACE, ".vscode"), { recursive: true });
  const write = (path: string, value: object) => writeFileSync(path, JSON.stringify(value));
  write(join(WORKSPACE, ".vscode/settings.json"), {
    "workbench.startupEditor": "none",
    // The path of this machine.
    "breadcrumbs.enabled": false,
  });
  mkdirSync(join(MACHINE_SETTINGS, ".."), { recursive: true });
  write(MACHINE_SETTINGS, { "svc.path": "no-such-svc" });
  const capsule = join(ROOT, "examples/overflow-in-callee.capsule.json");
  const other = join(ROOT, "examples/write-bytes-too-low.capsule.json");
  copyFileSync(other, join(WORKSPACE, "write-bytes.json"));
  const configuration = { type: "svc", request: "launch", name: "Overflow", capsule };
  write(LAUNCH, { configurations: [configuration] });
  const vsix = join(directory, "svc.vsix");
  writeFileSync(vsix, writeVsix(Math.floor(Date.now() / 1000)));
  run(["node", "out/server-main.js", "--install-extension", vsix], SERVER);
  return true;
}

async function addressOf(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true });
    const port = /bound to 127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port !== undefined && text.includes("Extension host agent started"))
      return `http://127.0.0.1:${port}`;
  }
  throw new Error(`the server did not start: ${text}`);
}

async function isOpen(page: Page): Promise<void> {
  await page.locator(".monaco-workbench .statusbar-item").first().waitFor();
}

/** The console's input has the focus once the message of the failure, which takes it, is there. */
async function toConsole(page: Page): Promise<void> {
  await page.locator(".exception-widget").first().waitFor();
  await page.keyboard.press("Control+Shift+Y");
  await page.locator(".repl-input-wrapper .monaco-editor.focused").waitFor();
}

/** Presses F5, and again while the editor does not know the debugger of the extension yet. */
async function startUntil(page: Page, shown: Locator): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    await page.keyboard.press("F5");
    const isShown = await shown.waitFor({ timeout: ATTEMPT_MILLISECONDS }).then(
      () => true,
      () => false,
    );
    if (isShown) return;
  }
  await shown.waitFor();
}

async function aMissingProgramIsSaid(page: Page): Promise<void> {
  await startUntil(page, page.getByText("no-such-svc cannot be started (ENOENT). Install svc"));
  await page.keyboard.press("Escape");
  writeFileSync(MACHINE_SETTINGS, JSON.stringify({ "svc.path": join(ROOT, "dist/svc") }));
  await page.reload();
  await isOpen(page);
}

async function theSessionIsOfUse(page: Page): Promise<void> {
  const stack = page.locator(".debug-call-stack");
  await startUntil(page, stack.getByText("add(a: 2147483647, b: 4)").first());
  await page.locator(".debug-top-stack-frame-line").first().waitFor();
  const lines = page.locator(".view-lines");
  await lines.getByText("unreachable").first().waitFor();
  const output = page.locator(".repl-tree");
  await toConsole(page);
  await output.getByText("exact: the replay equals the chain").waitFor();
  await output.getByText("does not fit an i32").first().waitFor();
  await page.keyboard.type("a % 1000 + b");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await output.getByText("651", { exact: true }).waitFor();
  await page.keyboard.type("ledger.time");
  await page.locator(".suggest-widget").getByText("timestamp").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("goto why");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await page.locator(".debug-top-stack-frame-line").first().waitFor();
  await lines.getByText("br_if").first().waitFor();
  await page.getByRole("button", { name: /Step Back/ }).click();
  await page.getByText("Paused on step").first().waitFor();
  await stack.getByText("add(a: 2147483647, b: 4)").first().waitFor();
  // The editor may show the values of the moment before for an instant.
  await page.locator(".debug-variables").getByText("2147483647").first().waitFor();
  await page.keyboard.press("Shift+F5");
  await page.keyboard.press("Control+Shift+P");
  await page.keyboard.type("Debug Stellar transaction", { delay: 20 });
  await page.keyboard.press("Enter");
  await page.getByText("Empty: choose the file").waitFor();
  await page.keyboard.type("write-bytes.json");
  await page.keyboard.press("Enter");
  await page.getByText("Write limit exceeded: 8,288 bytes used, 300 declared").first().waitFor();
  const errors = await page.locator(".notification-list-item .codicon-error").count();
  if (errors > 0) throw new Error(`the editor shows ${errors} errors: see failed.png`);
}

/** A contract with debug information: the session is in its Rust, with its variables. */
async function theSourceIsShown(page: Page): Promise<void> {
  const capsule = join(WORKSPACE, "buy.json");
  writeFileSync(capsule, await exchangeCapsule({ function: "buy", feePercent: 15 }));
  const wasm = ["pool", "token"].map((name) => join(CONTRACTS, `${name}-debug.wasm`));
  const sourceMap = { "/exchange": join(CONTRACTS, "exchange") };
  const configuration = { type: "svc", request: "launch", name: "Buy", capsule, wasm, sourceMap };
  writeFileSync(LAUNCH, JSON.stringify({ configurations: [configuration] }));
  await page.reload();
  await isOpen(page);
  const stack = page.locator(".debug-call-stack");
  await startUntil(page, stack.getByText("pool::charge").first());
  await page.locator(".view-lines").getByText("FeeTooHigh").first().waitFor();
  await page.locator(".debug-variables").getByText("order").first().waitFor();
  await toConsole(page);
  const output = page.locator(".repl-tree");
  await page.keyboard.type("order.fee * 100 / order.credits");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await output.getByText("1500", { exact: true }).waitFor();
  if (picture === null) return;
  const session = await page.context().newCDPSession(page);
  const clip = { x: 0, y: 0, width: 1400, height: 900, scale: 0.8 };
  const options = { format: "webp", quality: 35, clip } as const;
  const { data } = await session.send("Page.captureScreenshot", options);
  writeFileSync(picture, Buffer.from(data, "base64"));
}
