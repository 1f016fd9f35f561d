// Finds svc-sim: --sim-path, then SVC_SIM_PATH, then next to the svc executable, then PATH. If the
// user sets a path, svc tries no other: a typo must not silently run another simulator.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { whyUnreadable } from "../base/files/read-file.ts";
import { flag, phrase } from "../base/phrase.ts";
import { counted } from "../base/text/counted.ts";
import type { SimulatorProgram } from "./simulator-program.ts";

const MISSING = "no such file";
const SIMULATOR_NAME = process.platform === "win32" ? "svc-sim.exe" : "svc-sim";

export interface SimulatorPlaces {
  /** The path in --sim-path. */
  readonly simPath: string | null;
  /** The path in SVC_SIM_PATH. */
  readonly environmentPath: string | null;
  /** Path of the running svc executable. */
  readonly executable: string;
  /** The PATH variable. */
  readonly searchPath: string | null;
}

/**
 * Returns the absolute path of the simulator. Throws SIMULATOR_NOT_FOUND with every place that was
 * tried.
 */
export function locateSimulator(places: SimulatorPlaces): string {
  const tried: string[] = [];
  let directories = 0;
  for (const { origin, path, named } of candidates(places)) {
    const problem = problemOf(path);
    if (problem === null) return path;
    if (origin === "PATH" && problem === MISSING) directories += 1;
    else tried.push(`${origin}: ${path} (${problem})`);
    if (named) break;
  }
  if (directories > 0)
    tried.push(`PATH: no svc-sim in its ${counted(directories, "directory", "directories")}`);
  throw new SvcError("SIMULATOR_NOT_FOUND", {
    message: `The simulator svc-sim was not found. Tried:\n  ${tried.join("\n  ")}`,
    httpMessage: "The simulator svc-sim was not found.",
    remedy: phrase`Set SVC_SIM_PATH or ${flag("simPath")} to the svc-sim executable that came with svc.`,
    details: { tried },
  });
}

/**
 * Returns the program svc-sim-recording, next to svc-sim. Throws SIMULATOR_NOT_FOUND. Both programs
 * come with svc.
 */
export function locateRecordingSimulator<Program extends SimulatorProgram>(
  program: Program,
): Program {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const path = join(dirname(program.path), `svc-sim-recording${suffix}`);
  const problem = problemOf(path);
  if (problem === null) return { ...program, path };
  const tried = [`next to svc-sim: ${path} (${problem})`];
  throw new SvcError("SIMULATOR_NOT_FOUND", {
    message: `The simulator svc-sim-recording was not found. Tried:\n  ${tried[0]}`,
    httpMessage: "The simulator svc-sim-recording was not found.",
    remedy:
      "Keep svc-sim-recording, which comes with svc, in the same directory as svc-sim; in a checkout, " +
      "build it with `npm run build`.",
    details: { tried },
  });
}

/** The places to try. `named` marks a path that the user set, so that no other is tried. */
function* candidates(places: SimulatorPlaces) {
  if (places.simPath !== null) {
    yield { origin: "--sim-path", path: resolve(places.simPath), named: true };
    return;
  }
  if (places.environmentPath !== null && places.environmentPath !== "") {
    yield { origin: "SVC_SIM_PATH", path: resolve(places.environmentPath), named: true };
    return;
  }
  const beside = join(dirname(resolve(places.executable)), SIMULATOR_NAME);
  yield { origin: "next to svc", path: beside, named: false };
  for (const directory of (places.searchPath ?? "").split(delimiter)) {
    // An empty element means the working directory. svc runs no program from there unless the user
    // names it.
    if (directory === "") continue;
    yield { origin: "PATH", path: join(resolve(directory), SIMULATOR_NAME), named: false };
  }
}

/** The reason why the file cannot be executed; null if it can be. */
function problemOf(path: string): string | null {
  try {
    if (!statSync(path).isFile()) return "not a file";
  } catch (error) {
    const isMissing = /^(ENOENT|ENOTDIR)$/.test(systemCodeOf(error) ?? "");
    return isMissing ? MISSING : whyUnreadable(error);
  }
  try {
    accessSync(path, constants.X_OK);
    return null;
  } catch {
    return "not executable";
  }
}
