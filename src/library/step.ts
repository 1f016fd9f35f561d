// Records the run of a capsule, and steps through it in both directions.

import "./standard.ts";

import { recordTransaction } from "../debugger/travel/record-transaction.ts";
import { openCapsule } from "../debugger/walk/open-capsule.ts";
import { openConnected } from "../simulator/connected.ts";
import { TravelSimulator } from "../simulator/travel-simulator.ts";
import { type StepperStanding, StepSession } from "../stepping/session.ts";
import type { SourceFiles } from "../stepping/source-files.ts";
import type { RunningOptions } from "./options.ts";
import { programOf } from "./run.ts";
import { prepareRuntime } from "./runtime.ts";

export type * from "./options.ts";
export type { StepperStanding };

/**
 * A key of `svc debug -i`: n and N for the next and the previous line, s and S into calls, i and I
 * by one instruction, f out of the function, c and C to the next and the previous stop, g to the
 * beginning, e to the failure, w to the value that decided, b to set a breakpoint.
 */
export type StepKey = "n" | "N" | "s" | "S" | "i" | "I" | "f" | "c" | "C" | "g" | "e" | "w" | "b";

export interface RecordingOptions extends RunningOptions {
  /** Builds of the contracts with debug information, as WebAssembly. */
  readonly builds?: readonly Uint8Array[];
  /**
   * Source files of the builds by path. A build's path stands for the file whose path it ends with.
   */
  readonly sources?: ReadonlyMap<string, string>;
}

/** A session. Each of its functions waits for the ones before it. */
export interface Steps extends AsyncDisposable {
  /** Where the run stands now, without a move. */
  standing(): Promise<StepperStanding>;
  press(key: StepKey): Promise<StepperStanding>;
  /** Shows the frame with this index, of those in `frames`. */
  select(frame: number): Promise<StepperStanding>;
}

/**
 * Records the run of a capsule. Throws a SvcError: USAGE if no contract code ran, WASM_DIFFERS if a
 * build is not of its contracts.
 */
export async function openSteps(capsule: string, options: RecordingOptions): Promise<Steps> {
  prepareRuntime();
  const { builds = [], sources = new Map<string, string>(), signal } = options;
  const captured = openCapsule({ name: "The capsule", text: capsule }, null);
  const program = programOf(options);
  const recording = await recordTransaction(
    { simulator: openConnected(program), recorder: null },
    captured,
    {
      signal: signal ?? new AbortController().signal,
      builds: () => Promise.resolve({ wasm: builds, remarks: [] }),
      openTravel: (choice) => new TravelSimulator({ ...program, ...choice }),
    },
  );
  const session = new StepSession(recording, {
    files: filesOf(sources),
    sourceMap: {},
    remedy: () => "add it to the source files",
  });
  let turn: Promise<unknown> = session.begin();
  const inTurn = (work: () => Promise<void> | void) => {
    const done = turn.then(work).then(() => session.standing());
    turn = done.catch(() => {});
    return done;
  };
  await turn;
  return {
    standing: () => inTurn(() => {}),
    press: (key) => inTurn(() => session.press(key)),
    select: (frame) => inTurn(() => session.select(frame)),
    [Symbol.asyncDispose]: () => recording[Symbol.asyncDispose](),
  };
}

/** The build's machine had the files in other directories than the user's machine. */
function filesOf(sources: ReadonlyMap<string, string>): SourceFiles {
  const paths = [...sources.keys()].toSorted((left, right) => right.length - left.length);
  const slashed = (path: string) => path.replaceAll("\\", "/");
  const find = (path: string) =>
    paths.find((each) => `/${slashed(path)}`.endsWith(`/${slashed(each).replace(/^\/+/, "")}`)) ??
    paths.find((each) => `/${slashed(each)}`.endsWith(`/${tailOf(slashed(path))}`));
  return {
    join: (directory, path) => `${directory}/${path}`,
    has: (path) => find(path) !== undefined,
    read: async (path) => {
      const match = find(path);
      return match === undefined ? null : (sources.get(match) ?? null);
    },
  };
}

/** The directory and the name of a file, such as `src/lib.rs`. */
function tailOf(path: string): string {
  return path.split("/").slice(-2).join("/");
}
