// Writes the pictures of docs/editor.md: Neovim with nvim-dap, in a session of the compiled program.
//   bun tests/support/make-time-travel-pictures.ts DIRECTORY_OF_NVIM_DAP
// They were made with Neovim 0.7.2 and nvim-dap 0.5.0.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { exchangeCapsule } from "./exchange.ts";
import { PICTURES } from "./make-pictures.ts";
import { terminalSvg } from "./terminal-svg.ts";
import { openTmux } from "./tmux.ts";

const ROOT = resolve(import.meta.dir, "../..");
const CONTRACTS = join(ROOT, "tests/contracts");
const SIZE = { columns: 118, rows: 30 };

const plugin = resolve(Bun.argv[2] ?? ".");
const directory = mkdtempSync(join(tmpdir(), "svc-pictures-"));
const capsule = join(directory, "buy.capsule.json");
writeFileSync(capsule, await exchangeCapsule({ function: "buy", feePercent: 15 }));
writeFileSync(
  join(directory, "init.lua"),
  `vim.opt.runtimepath:prepend(${JSON.stringify(plugin)})
vim.opt.number = true
vim.opt.signcolumn = "yes"
vim.opt.swapfile = false
vim.opt.laststatus = 0
vim.opt.shortmess:append("I")
vim.cmd("syntax on")
-- What failed, without the words of the plugin around it: they have no room in the line.
local function what(diagnostic)
  return (diagnostic.message:gsub("^.*Description:%s*", ""):gsub("%s+", " "))
end
vim.diagnostic.config({ virtual_text = { format = what } })
local dap = require("dap")
dap.adapters.svc = { type = "executable", command = "svc", args = { "dap" } }
dap.configurations.rust = { {
  type = "svc", request = "launch", name = "Stellar transaction", capsule = ${JSON.stringify(capsule)},
  wasm = { ${["pool", "token"].map((name) => JSON.stringify(join(CONTRACTS, `${name}-debug.wasm`))).join(", ")} },
  sourceMap = { ["/exchange"] = ${JSON.stringify(join(CONTRACTS, "exchange"))} },
} }
`,
);
const PATH = `${join(ROOT, "dist")}:${process.env.PATH}`;
const folder = join(CONTRACTS, "exchange/pool/src");
await using tmux = openTmux({ ...SIZE, directory: folder, environment: { PATH } });
const run = (line: string) => {
  tmux.type(line);
  tmux.keys("Enter");
};
await tmux.until(/^\$/m);
run(`nvim -u ${join(directory, "init.lua")} lib.rs`);
await tmux.until("A pool that sells a token");
run(":call search('let fee = order.credits') | lua require('dap').toggle_breakpoint()");
await tmux.until(/^B +\d+/m);
run(":lua require('dap').continue()");
await tmux.until("a host call failed");
run(":lua require('dap').repl.open({ height = 12 })");
await tmux.until("equivalent");
// Down to the console, which evaluates what is typed in it.
tmux.keys("C-w", "j", "i");
const ask = async (expression: string, answer: RegExp) => {
  run(expression);
  await tmux.until(answer);
};
await ask("order", /fee: 30000/);
draw("time-travel-failure.svg", "Neovim: where the transaction failed");
// Back to the breakpoint.
await ask(".rc", /→ +\d+ +let fee/);
await ask("percent", /dap> percent\n *\d+ 15$/m);
await ask("share", /dap> share\n *\d+ 15$/m);
draw("time-travel-back.svg", "Neovim: back at the wrong assignment");
rmSync(directory, { recursive: true });

function draw(name: string, title: string): void {
  const screens = [{ painted: tmux.painted(), seconds: 1 }];
  const svg = terminalSvg({ screens, columns: SIZE.columns, title });
  writeFileSync(join(PICTURES, name), svg);
  process.stderr.write(`${tmux.screen()}\n`);
}
