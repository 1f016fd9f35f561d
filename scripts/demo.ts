// Debugs the bundled failed transaction, offline: the last step of `npm run first-run`.

import { relative, resolve } from "node:path";
import { ensureBuilt, SVC_BINARY } from "./ensure-built.ts";

const ROOT = resolve(import.meta.dir, "..");
const CAPSULE = "examples/write-bytes-too-low.capsule.json";

ensureBuilt();
const command = [relative(ROOT, SVC_BINARY), "debug", "--from", CAPSULE];
process.stdout.write(`$ ${command.join(" ")}\n\n`);
const { exitCode } = Bun.spawnSync([SVC_BINARY, ...command.slice(1)], {
  cwd: ROOT,
  stdio: ["ignore", "inherit", "inherit"],
});
process.stdout.write(
  "\nThe guide begins in docs/README.md, with a tutorial of ten minutes in docs/tutorial.md.\n",
);
process.exitCode = exitCode;
