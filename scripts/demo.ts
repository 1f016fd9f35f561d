// Debugs the bundled failed transaction, offline: the last step of `npm run first-run`.

import { relative, resolve } from "node:path";
import { ensureBuilt, SVC_BINARY } from "./ensure-built.ts";

const ROOT = resolve(import.meta.dir, "..");
const CAPSULE = "examples/overflow-in-callee.capsule.json";

ensureBuilt();
const command = [relative(ROOT, SVC_BINARY), "debug", "--from", CAPSULE];
process.stdout.write(`$ ${command.join(" ")}\n\n`);
const { exitCode } = Bun.spawnSync([SVC_BINARY, ...command.slice(1)], {
  cwd: ROOT,
  stdio: ["ignore", "inherit", "inherit"],
});
process.exitCode = exitCode;
