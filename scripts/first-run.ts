// `npm run first-run`: builds svc and svc-sim, debugs a bundled failure with them, and then builds
// svc-sim-recording, which only simulations need. The report comes in half of the time of the whole
// build.

import { relative, resolve } from "node:path";
import { build, SVC_BINARY } from "./ensure-built.ts";

const ROOT = resolve(import.meta.dir, "..");
const RUST = { major: 1, minor: 91 };

const lack = lackOfRust();
if (lack !== null) {
  say(
    `${lack} Install Rust ${RUST.major}.${RUST.minor} or newer (https://rustup.rs), and run this again.`,
  );
  process.exit(1);
}
say(
  "svc is built from its sources: the contract hosts of eleven protocols, in Rust. On two idle cores\n" +
    "the first report comes in five to six minutes, because rustc needs 9 to 12 minutes of CPU time.\n" +
    "A second build of the hosts follows, for `svc simulate`, which takes as long again. Later builds\n" +
    "take a minute.",
);
build(["svc-sim", "svc"], "quick");
await import("./demo.ts");
if (process.exitCode === 0) {
  say("\nsvc works. What follows is the build for `svc simulate`: it may be interrupted.");
  build(["svc-sim-recording"], "quick");
  say(
    `\nAll is built. ${relative(ROOT, SVC_BINARY)} is svc; the guide begins in docs/README.md, with a\n` +
      "tutorial of ten minutes in docs/tutorial.md.",
  );
}

/** Why the hosts cannot be built, before minutes are spent on it; null if they can. */
function lackOfRust(): string | null {
  if (Bun.which("cargo") === null) return "svc-sim is written in Rust, and cargo is not on PATH.";
  const { stdout } = Bun.spawnSync(["rustc", "--version"], { cwd: resolve(ROOT, "src/svc-sim") });
  const [found = "", major = "0", minor = "0"] = /(\d+)\.(\d+)\.\d+/.exec(`${stdout}`) ?? [];
  const isNewer = Number(major) > RUST.major;
  const isEnough = isNewer || (Number(major) === RUST.major && Number(minor) >= RUST.minor);
  return isEnough ? null : `svc-sim cannot be built with rustc ${found || "of this machine"}.`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
