// A session of a stepper, in a terminal or a page: its position in a recorded transaction as one
// value to draw, and the effect of each key. The stack, sources and values are those of `svc dap`.

import type { DebugProtocol } from "@vscode/debugprotocol";
import { messageOf } from "../base/errors/system-code.ts";
import { exceptionStops, failureStop } from "../time-travel/exceptions.ts";
import type { Recording } from "../time-travel/recording.ts";
import { type Arrival, type Move, Traveller } from "../time-travel/traveller.ts";
import { BreakpointStore } from "./breakpoint-store.ts";
import type { SourceFiles } from "./source-files.ts";
import { Sources } from "./sources.ts";
import { MomentView } from "./view.ts";
import { ConsoleCommands } from "./words.ts";

/** The source files that a session can show. */
export interface StepSources {
  readonly files: SourceFiles;
  /** The directories of a build, and the directories that have their files. */
  readonly sourceMap: Readonly<Record<string, string>>;
  /** Tells the user how to say where the files of a build's directory are. */
  readonly remedy: (directory: string) => string;
}

export interface SteppedValue {
  readonly name: string;
  readonly value: string;
  /** True if the value has changed since the last position. */
  readonly changed: boolean;
}

/** Everything that a screen shows. */
export interface StepperStanding {
  readonly title: string;
  readonly moment: number;
  readonly last: number;
  readonly message: string;
  /** True if the message is about an error of the transaction. */
  readonly failed: boolean;
  /** The names of the frames, the innermost first. */
  readonly frames: readonly string[];
  /** The index of the frame whose source and values are shown. */
  readonly frame: number;
  /** The source. Lines count from 1. Null if the frame has no code. */
  readonly source: {
    readonly name: string;
    readonly lines: readonly string[];
    /** The reason why the disassembly is shown; null if the lines are those of the file. */
    readonly missing: string | null;
    readonly at: number;
    readonly breakpoints: readonly number[];
  } | null;
  readonly scopes: readonly { readonly name: string; readonly values: readonly SteppedValue[] }[];
}

const MOVES: Readonly<Record<string, Move>> = {
  n: { mode: "over", backwards: false },
  N: { mode: "over", backwards: true },
  s: { mode: "into", backwards: false },
  S: { mode: "into", backwards: true },
  i: { mode: "into", backwards: false, instructions: true },
  I: { mode: "into", backwards: true, instructions: true },
  f: { mode: "out", backwards: false },
  c: { mode: "continue", backwards: false },
  C: { mode: "continue", backwards: true },
};

/** The values of a contract's machine are for editors, which have a view of their own for them. */
const HIDDEN_SCOPES = new Set(["Wasm"]);
const MOST_VALUES = 200;
/** This value changes at every step, and is not marked for it. */
const CLOCK = "moment";
const STOPS = new Set(["contract-error", "trap"]);
/**
 * Places of libraries on machines that build code. `LIBRARIES` in svc-sim's lines.rs has the same.
 */
const LIBRARY = /\/\.cargo\/|\/registry\/src\/|\/git\/checkouts\/|\/rustc|\/rustlib\//;

export class StepSession {
  private readonly traveller: Traveller;
  private readonly view: MomentView;
  private readonly words: ConsoleCommands;
  private readonly breakpoints: BreakpointStore;
  private readonly sources: Sources;
  private readonly files = new Map<string, readonly string[] | null>();
  /** The lines with a breakpoint, by source. */
  private readonly set = new Map<string, number[]>();
  private seen = new Map<string, string>();
  private frame = 0;
  private said = "";
  private failed = false;

  constructor(
    private readonly recording: Recording,
    { files, sourceMap, remedy }: StepSources,
  ) {
    this.traveller = new Traveller(recording, (text) => {
      this.said = text;
    });
    const sources = new Sources(recording, files, sourceMap, remedy);
    this.sources = sources;
    this.view = new MomentView(this.traveller, sources);
    this.words = new ConsoleCommands(this.traveller, this.view);
    this.breakpoints = new BreakpointStore(recording, this.traveller, sources);
    this.traveller.exceptions = exceptionStops(recording).filter(({ filter }) => STOPS.has(filter));
  }

  /** Begins at the failure, or before the first statement if nothing failed. */
  async begin(): Promise<void> {
    const failure = failureStop(this.recording);
    if (failure === null) await this.traveller.toEntry();
    else this.traveller.goTo(failure.moment);
    this.said = failure?.text ?? "";
    this.failed = failure !== null;
  }

  /** Handles a key. Keys without a meaning do nothing. */
  async press(key: string): Promise<void> {
    this.said = "";
    this.failed = false;
    const move = MOVES[key];
    if (move !== undefined) {
      this.view.forget();
      this.frame = 0;
      const arrival = await this.traveller.move(move);
      this.said = arrived(arrival);
      this.failed = arrival.exception !== null;
    } else if (key === "g") await this.jump(null);
    else if (key === "e") {
      this.frame = 0;
      this.view.forget();
      await this.begin();
    } else if (key === "w") await this.why();
    else if (key === "up" || key === "u") this.frame = Math.max(0, this.frame - 1);
    else if (key === "down" || key === "d") this.frame += 1;
    else if (key === "b") await this.toggleBreakpoint();
  }

  private async jump(moment: number | null): Promise<void> {
    this.frame = 0;
    this.view.forget();
    if (moment === null) await this.traveller.toEntry();
    else this.traveller.goTo(moment);
  }

  private async why(): Promise<void> {
    try {
      const { summary, moment } = await this.words.why();
      if (moment !== null) await this.jump(moment);
      this.said = summary;
    } catch (error) {
      this.said = messageOf(error);
    }
  }

  private async toggleBreakpoint(): Promise<void> {
    const place = await this.place(await this.frames());
    if (place === null) {
      this.said = "There is no line here.";
      return;
    }
    const { source, line } = place;
    const key = keyOf(source);
    const had = this.set.get(key) ?? [];
    const next = had.includes(line) ? had.filter((each) => each !== line) : [...had, line];
    const breakpoints = next.map((each) => ({ line: each }));
    const bound = (await this.breakpoints.setLines({ source, breakpoints })).breakpoints;
    this.set.set(
      key,
      bound.flatMap((each) => (each.verified ? (each.line ?? []) : [])),
    );
    this.said = bound.find(({ verified }) => !verified)?.message ?? "";
  }

  private async frames(): Promise<DebugProtocol.StackFrame[]> {
    return (await this.view.stackTrace({})).stackFrames;
  }

  select(frame: number): void {
    this.frame = frame;
  }

  async standing(): Promise<StepperStanding> {
    const { recording, traveller } = this;
    const frames = await this.frames();
    this.frame = Math.min(this.frame, Math.max(0, frames.length - 1));
    const selected = frames[this.frame];
    const place = await this.place(frames);
    return {
      title: `${recording.hash.slice(0, 8)}  Verdict: ${recording.verdict}`,
      moment: traveller.moment,
      last: traveller.last,
      message: this.said,
      failed: this.failed,
      frames: frames.map(({ name }) => name),
      frame: this.frame,
      source: place && {
        name: place.name,
        lines: place.lines,
        missing: place.missing,
        at: place.line,
        breakpoints: this.set.get(keyOf(place.source)) ?? [],
      },
      scopes: selected === undefined ? [] : await this.scopesOf(selected),
    };
  }

  /**
   * Returns the place that the stepper shows. A host call shows the code that made it. Code of a
   * package, whose file is rarely on this machine, shows the user's code that called it. If none of
   * these files exists, the place is in the disassembly. Null means that no caller has a line.
   */
  private async place(frames: readonly DebugProtocol.StackFrame[]) {
    const missing: DebugProtocol.StackFrame[] = [];
    for (const [index, frame] of frames.entries()) {
      const { source, line, name, presentationHint } = frame;
      const isOther = presentationHint === "label" || source?.sourceReference !== undefined;
      if (missing.length > 0 && isOther) break;
      if (index < this.frame || source === undefined || line === 0) continue;
      const lines = await this.linesOf(source);
      const by = index === this.frame ? "" : ` in ${name}`;
      if (lines !== null)
        return { source, line, lines, missing: null, name: `${source.name ?? ""}${by}` };
      missing.push(frame);
    }
    const [first] = missing;
    if (first === undefined) return null;
    const at = await this.sources.disassembledAt(first.instructionPointerReference ?? "");
    if (at === null) return null;
    const lines = (await this.linesOf(at.source)) ?? [];
    const saidOf = ({ source, name }: DebugProtocol.StackFrame) =>
      source?.origin ?? `the file of ${name} cannot be read`;
    const all = missing.map(saidOf);
    const said = all.find((each) => !LIBRARY.test(each)) ?? all[0] ?? "";
    const name = `${first.source?.name ?? ""}:${first.line} in ${first.name}, disassembled`;
    return { ...at, lines, missing: said, name };
  }

  /**
   * The content of a file is as hostile as text from the chain. It is neutralized when it is drawn.
   */
  private async linesOf(source: DebugProtocol.Source): Promise<readonly string[] | null> {
    const key = keyOf(source);
    const known = this.files.get(key);
    if (known !== undefined) return known;
    const lines = (await this.textOf(source))?.split(/\r?\n/) ?? null;
    this.files.set(key, lines);
    return lines;
  }

  private async textOf(source: DebugProtocol.Source): Promise<string | null> {
    const { path, sourceReference } = source;
    if (sourceReference !== undefined)
      return (await this.view.source({ source, sourceReference })).content;
    if (path === undefined) return null;
    return this.sources.files.read(path);
  }

  private async scopesOf(frame: DebugProtocol.StackFrame): Promise<StepperStanding["scopes"]> {
    const { id: frameId } = frame;
    const { scopes } = await this.view.scopes({ frameId });
    const now = new Map<string, string>();
    const shown: { name: string; values: SteppedValue[] }[] = [];
    for (const { name, variablesReference } of scopes) {
      if (HIDDEN_SCOPES.has(name)) continue;
      const { variables } = await this.view.variables({ variablesReference, count: MOST_VALUES });
      const values = variables.map(({ name: of, value }) => {
        // Values of another function are not compared with the ones before.
        const key = `${frame.name} ${name} ${of}`;
        now.set(key, value);
        const wasOther = this.seen.has(key) && this.seen.get(key) !== value;
        return { name: of, value, changed: wasOther && of !== CLOCK };
      });
      shown.push({ name, values });
    }
    this.seen = now;
    return shown;
  }
}

function keyOf({ sourceReference = 0, path, origin }: DebugProtocol.Source): string {
  return `${sourceReference} ${path ?? origin ?? ""}`;
}

function arrived({ reason, exception, hits }: Arrival): string {
  if (exception !== null) return exception.text;
  if (hits.length > 0) return "Breakpoint.";
  if (reason === "end") return "The end of the transaction.";
  return reason === "start" ? "The beginning of the transaction." : "";
}
