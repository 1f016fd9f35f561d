// Debugs a bundled failed transaction, offline, with the svc of dist/.

import { relative, resolve } from "node:path";
import { SVC_BINARY } from "./ensure-built.ts";

const ROOT = resolve(import.meta.dir, "..");

const command = [relative(ROOT, SVC_BINARY), "demo", "contract-error"];
process.stdout.write(`$ ${command.join(" ")}\n\n`);
const { exitCode } = Bun.spawnSync([SVC_BINARY, ...command.slice(1)], {
  cwd: ROOT,
  stdio: ["ignore", "inherit", "inherit"],
});
process.exitCode = exitCode;
