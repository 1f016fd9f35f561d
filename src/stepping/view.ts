// Shows the current moment of the session to a client: the stack across contracts, scopes,
// variables, sources and memory.

import type { DebugProtocol } from "@vscode/debugprotocol";
import { neutralise, neutraliseLines } from "../base/text/neutralise.ts";
import { shortStrkey } from "../base/text/strkey.ts";
import { evaluate, evaluateExpression, namesIn } from "../time-travel/evaluate.ts";
import { originOf, UNFOLLOWED } from "../time-travel/origin.ts";
import type { Shown } from "../time-travel/shown.ts";
import type { Traveller } from "../time-travel/traveller.ts";
import {
  argumentsOf,
  hostCallValues,
  memoryOf,
  type Scope,
  type Spot,
  scopesOf,
} from "../time-travel/variables.ts";
import { Handles } from "./handles.ts";
import type { Sources } from "./sources.ts";

type StackFrame = Awaited<ReturnType<Traveller["stack"]>>[number];

interface ShownFrame extends Spot {
  readonly scopes: () => Scope[];
}

const PAGE = 1000;
const HOVER_STEPS = 24;
const MOST_COMPLETIONS = 200;
/** The commands of the debug console. */
const WORDS: readonly string[] = ["why", "goto why", "origin", "goto origin"];
const NAME_BEFORE = /[\p{L}_$@][\w$@]*(?:\.[\w$@]*|\([^()]*\)|\[[^[\]]*\])*$/u;

export class MomentView {
  private readonly frames = new Handles<ShownFrame>();
  private readonly opened = new Handles<() => Promise<readonly Shown[]>>();
  private readonly seen = new Map<string, string>();

  constructor(
    private readonly traveller: Traveller,
    private readonly sources: Sources,
  ) {}

  /** Forgets everything that was shown, because the session moves. */
  forget(): void {
    this.frames.clear();
    this.opened.clear();
    this.seen.clear();
  }

  async stackTrace({
    startFrame = 0,
    levels = 0,
  }: Pick<DebugProtocol.StackTraceArguments, "startFrame" | "levels">) {
    const stackFrames: DebugProtocol.StackFrame[] = [];
    for (const frame of await this.traveller.stack())
      stackFrames.push(...(await this.shownFrames(frame, stackFrames.length === 0)));
    const end = levels > 0 ? startFrame + levels : undefined;
    return { stackFrames: stackFrames.slice(startFrame, end), totalFrames: stackFrames.length };
  }

  private async shownFrames(
    frame: StackFrame,
    isTop: boolean,
  ): Promise<DebugProtocol.StackFrame[]> {
    const { recording } = this.traveller;
    const traced = recording.trace.frames[frame.frame];
    if (traced === undefined) return [];
    const shown: DebugProtocol.StackFrame[] = [];
    const hidden = isTop ? this.traveller.hidden : 0;
    const { hostCall: call } = frame;
    // If functions are hidden, the host call is in a function that is not entered yet.
    if (call !== null && hidden === 0) {
      const values = async () => hostCallValues(recording, call);
      const scopes = () => [{ name: "Host call", values }];
      const id = this.frames.add({ frame, level: null, inlined: 0, scopes });
      const name = `host function ${call.function}`;
      shown.push({ id, name, line: 0, column: 0, presentationHint: "subtle" });
    }
    const of = traced.contract === null ? "" : `${shortStrkey(traced.contract)}:`;
    const called = `${of}${traced.function}`;
    const list = argumentsOf(recording, frame.frame).map(({ name, value }) => `${name}: ${value}`);
    const title = neutralise(`${called}(${list.join(", ")})`);
    const code = traced.code;
    if (code === null || frame.functions.length === 0) {
      const id = this.add({ frame, level: null, inlined: 0 });
      const name = traced.kind === "host" ? `operation ${traced.function}` : title;
      return [...shown, { id, name, line: 0, column: 0, presentationHint: "subtle" }];
    }
    for (const [level, function_] of frame.functions.entries()) {
      const pointer = this.sources.pointer(code, function_.address);
      const outermost = level === frame.functions.length - 1;
      const name = (text: string) => neutralise(outermost ? `${title} ${text}` : text);
      const inSource = [...function_.sources.entries()].filter(
        ([inlined, { file, line }]) =>
          (level > 0 || inlined >= hidden) && file !== null && line !== null,
      );
      if (inSource.length === 0) {
        const id = this.add({ frame, level, inlined: 0 });
        const source = await this.sources.disassembled(code, function_.index);
        const line = await this.sources.line(code, function_.index, function_.address);
        const of = { id, name: outermost ? title : name(function_.name), line, column: 1, source };
        shown.push({ ...of, instructionPointerReference: pointer });
      }
      for (const [inlined, place] of inSource) {
        const id = this.add({ frame, level, inlined });
        shown.push({
          id,
          name: neutralise(place.function ?? function_.name),
          line: place.line ?? 0,
          column: place.column ?? 0,
          source: this.sources.file(place.file ?? ""),
          instructionPointerReference: pointer,
        });
      }
      if (outermost && inSource.length > 0) {
        const id = this.add({ frame, level: null, inlined: 0 });
        shown.push({ id, name: title, line: 0, column: 0, presentationHint: "label" });
      }
    }
    return shown;
  }

  private add(spot: Spot): number {
    return this.frames.add({ ...spot, scopes: () => scopesOf(this.traveller, spot) });
  }

  async scopes({ frameId }: DebugProtocol.ScopesArguments) {
    const shown = this.frames.get(frameId);
    if (shown === undefined) throw new Error("The session has moved since this frame was shown.");
    return {
      scopes: shown.scopes().map(({ name, values }) => ({
        name,
        variablesReference: this.opened.add(values),
        expensive: name === "Wasm",
      })),
    };
  }

  async variables({ variablesReference, start = 0, count }: DebugProtocol.VariablesArguments) {
    const open = this.opened.get(variablesReference);
    if (open === undefined) throw new Error("The session has moved since this value was shown.");
    const values = await open();
    const page = values.slice(start, start + Math.min(count || PAGE, PAGE));
    return { variables: page.map((value) => this.variable(value)) };
  }

  private variable(shown: Shown): DebugProtocol.Variable {
    const { children, memory, watch } = shown;
    const name = neutralise(shown.name);
    if (watch !== undefined) this.seen.set(name, watch);
    return {
      name,
      value: neutralise(shown.value),
      ...(shown.type !== undefined && { type: neutralise(shown.type) }),
      variablesReference: children === undefined ? 0 : this.opened.add(children),
      evaluateName: name,
      ...(memory && { memoryReference: `memory:${memory.frame}:${memory.address}` }),
    };
  }

  /** Returns a place that was shown since the last move, or null for the innermost one. */
  spot(frameId: number | undefined): Spot | null {
    return (frameId === undefined ? undefined : this.frames.get(frameId)) ?? null;
  }

  async evaluate({ expression, frameId, context }: DebugProtocol.EvaluateArguments) {
    const at = this.spot(frameId);
    const shown = await evaluateExpression(this.traveller, expression, at);
    const { value, name: _, evaluateName: __, ...rest } = this.variable(shown);
    const origin = context === "hover" ? await this.originFor(shown, expression, at) : undefined;
    return { result: origin ? `${value} (${neutralise(origin.text)})` : value, ...rest };
  }

  /** Finds the origin of a local only a few steps back, because a hover does not wait for more. */
  private async originFor(local: Shown, expression: string, at: Spot | null) {
    if (local.origin !== undefined) return local.origin;
    const looked = originOf(this.traveller, expression, at, HOVER_STEPS);
    const origin = await looked.catch(() => null);
    return origin === UNFOLLOWED ? null : origin;
  }

  /** Returns the names that begin with the text before the column. */
  async completions({ text, column, frameId }: DebugProtocol.CompletionsArguments) {
    const [path = ""] = NAME_BEFORE.exec(text.slice(0, Math.max(column - 1, 0))) ?? [];
    const dot = path.lastIndexOf(".");
    const begun = path.slice(dot + 1);
    const parent = dot === -1 ? null : path.slice(0, dot);
    const names = (await namesIn(this.traveller, parent, this.spot(frameId))).map(
      ({ name }) => name,
    );
    const words = parent === null && path.length === text.trim().length ? WORDS : [];
    const completions = [...new Set([...names, ...words])].filter((name) =>
      name.toLowerCase().startsWith(begun.toLowerCase()),
    );
    const place = { start: column - begun.length, length: begun.length };
    const type = parent === null ? ("variable" as const) : ("field" as const);
    return {
      targets: completions.slice(0, MOST_COMPLETIONS).map((name) => ({
        label: neutralise(name),
        type: WORDS.includes(name) ? ("keyword" as const) : type,
        ...place,
      })),
    };
  }

  async source({ source, sourceReference }: DebugProtocol.SourceArguments) {
    const listing = await this.sources.referred(source?.sourceReference ?? sourceReference);
    if (!listing) throw new Error("This source is not part of the session.");
    return { content: neutraliseLines(listing.text), mimeType: "text/x-wat" };
  }

  async disassemble(request: DebugProtocol.DisassembleArguments) {
    const instructions = await this.sources.instructions(request.memoryReference, request);
    return { instructions };
  }

  async readMemory({ memoryReference, offset = 0, count }: DebugProtocol.ReadMemoryArguments) {
    const [, frame, address] = /^memory:(\d{1,9}):(\d{1,10})$/.exec(memoryReference) ?? [];
    if (frame === undefined) throw new Error("This is not a reference to a contract's memory.");
    const open = (await this.traveller.stack()).find((each) => each.frame === Number(frame));
    if (open === undefined || open.functions.length === 0)
      throw new Error("The contract with this memory does not run at this moment.");
    const from = Number(address) + offset;
    const start = Math.max(from, 0);
    const byteCount = Math.max(from + count - start, 0);
    const { recording, moment } = this.traveller;
    const read = await memoryOf(recording, moment, Number(frame), start, byteCount);
    const bytes = Uint8Array.fromBase64(read.bytesBase64).length;
    const unreadableBytes = byteCount - bytes;
    const data = bytes > 0 ? { data: read.bytesBase64 } : {};
    return { address: `0x${start.toString(16)}`, ...data, unreadableBytes };
  }

  async dataBreakpointInfo({
    name,
    variablesReference,
  }: DebugProtocol.DataBreakpointInfoArguments) {
    const open = variablesReference ? this.opened.get(variablesReference) : undefined;
    const inside = (await open?.())?.find((shown) => neutralise(shown.name) === name)?.watch;
    const dataId = inside ?? this.seen.get(name) ?? (await evaluate(this.traveller, name))?.watch;
    if (dataId === undefined)
      return { dataId: null, description: "Only entries of a contract's storage can be watched." };
    const accessTypes = ["read", "write", "readWrite"] as const;
    return { dataId, description: `${name} in the contract's storage`, accessTypes };
  }
}
