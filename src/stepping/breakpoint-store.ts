// The breakpoints that a client set. The protocol replaces each kind as a whole.

import type { DebugProtocol } from "@vscode/debugprotocol";
import { messageOf } from "../base/errors/system-code.ts";
import {
  type Bound,
  type Breakpoint,
  bindData,
  bindFunction,
  bindLine,
  NOWHERE,
} from "../time-travel/breakpoints.ts";
import {
  EXCEPTION_FILTERS,
  type ExceptionFilter,
  exceptionStops,
} from "../time-travel/exceptions.ts";
import { parseExpression, parseHitCount, parseLogMessage } from "../time-travel/expression.ts";
import type { Recording } from "../time-travel/recording.ts";
import type { Traveller } from "../time-travel/traveller.ts";
import type { Sources } from "./sources.ts";

type WrittenConditions = Pick<
  DebugProtocol.SourceBreakpoint,
  "condition" | "hitCondition" | "logMessage"
>;
const MAXIMUM = 1000;

export class BreakpointStore {
  /** The breakpoints by kind, and for lines by source. */
  private readonly sets = new Map<string, readonly Breakpoint[]>();
  private nextId = 1;

  constructor(
    private readonly recording: Recording,
    private readonly traveller: Traveller,
    private readonly sources: Sources,
  ) {}

  async setLines({ source, breakpoints = [] }: DebugProtocol.SetBreakpointsArguments) {
    const shown: DebugProtocol.Breakpoint[] = [];
    const set: Breakpoint[] = [];
    for (const request of breakpoints.slice(0, MAXIMUM)) {
      const bound = await this.bind(source, request.line);
      const breakpoint = this.breakpoint(
        "source",
        bound,
        request,
        this.placeOf(source, bound.line),
      );
      set.push(breakpoint);
      shown.push({ ...report(breakpoint), line: bound.line ?? request.line, source });
    }
    this.replace(`source ${source.sourceReference ?? 0} ${source.path ?? ""}`, set);
    return { breakpoints: shown };
  }

  /** Binds a line of a source file or of a disassembly. */
  async bind({ sourceReference = 0, path }: DebugProtocol.Source, line: number) {
    if (sourceReference > 0) return this.disassembledLine(sourceReference, line);
    return bindLine(this.recording, (file) => this.sources.path(file) === path, line);
  }

  placeOf({ path }: DebugProtocol.Source, line: number | null): Breakpoint["source"] {
    if (line === null) return null;
    return { line, matches: (file) => this.sources.path(file) === path };
  }

  private async disassembledLine(reference: number, line: number) {
    const listing = await this.sources.referred(reference);
    const address = listing?.addresses[Math.max(line - 1, 1)];
    if (!listing || address === undefined)
      return { ...NOWHERE, line, unbound: "The disassembly has no such line." };
    const places = [{ code: listing.code, address }];
    return { ...NOWHERE, places, line: Math.max(line, 2), unbound: null };
  }

  async setFunctions({ breakpoints }: DebugProtocol.SetFunctionBreakpointsArguments) {
    const set: Breakpoint[] = [];
    for (const request of breakpoints.slice(0, MAXIMUM))
      set.push(
        this.breakpoint("function", await bindFunction(this.recording, request.name), request),
      );
    return this.replace("function", set);
  }

  async setInstructions({ breakpoints }: DebugProtocol.SetInstructionBreakpointsArguments) {
    const set = breakpoints.slice(0, MAXIMUM).map((request) => {
      const place = this.sources.pointedTo(request.instructionReference, request.offset);
      const unbound = place === null ? "No code of this transaction is at this place." : null;
      const bound = { ...NOWHERE, places: place === null ? [] : [place], unbound };
      return this.breakpoint("instruction", bound, request);
    });
    return this.replace("instruction", set);
  }

  async setData({ breakpoints }: DebugProtocol.SetDataBreakpointsArguments) {
    const set = breakpoints.slice(0, MAXIMUM).map((request) => {
      const bound = bindData(this.recording, request.dataId, request.accessType ?? "write");
      return this.breakpoint("data", bound, request);
    });
    return this.replace("data", set);
  }

  async setExceptions(
    { filters }: DebugProtocol.SetExceptionBreakpointsArguments,
    budgetPercent?: number,
  ) {
    const enabledFilters = new Set(filters);
    const stops = exceptionStops(this.recording, budgetPercent);
    this.traveller.exceptions = stops.filter(({ filter }) => enabledFilters.has(filter));
    const shown = (filters as ExceptionFilter[]).map((filter) => {
      const some = stops.some((stop) => stop.filter === filter);
      return { verified: some, ...(!some && { message: missingFilter(filter) }) };
    });
    return { breakpoints: shown };
  }

  private breakpoint(
    kind: Breakpoint["kind"],
    bound: Bound,
    request: WrittenConditions,
    source: Breakpoint["source"] = null,
  ): Breakpoint {
    const none = { condition: null, hitCount: null, logMessage: null };
    const own = { id: this.nextId++, kind, contract: bound.contract, source };
    try {
      return { ...bound, ...own, ...readConditions(request) };
    } catch (error) {
      const unbound = messageOf(error);
      return { ...own, ...none, ...NOWHERE, unbound };
    }
  }

  private replace(key: string, set: readonly Breakpoint[]) {
    this.sets.set(key, set);
    this.traveller.breakpoints = [...this.sets.values()].flat();
    return { breakpoints: set.map(report) };
  }
}

function missingFilter(filter: string): string {
  return filter in EXCEPTION_FILTERS ? "This transaction has none." : "svc has no such filter.";
}

/** Throws an Error that says which text cannot be read. */
function readConditions({ condition, hitCondition, logMessage }: WrittenConditions) {
  const read = <Read>(label: string, text: string | undefined, parse: (text: string) => Read) => {
    if (!text?.trim()) return null;
    try {
      return parse(text);
    } catch (error) {
      throw new Error(
        `The ${label} cannot be read: ${error instanceof Error ? error.message : ""}.`,
      );
    }
  };
  return {
    condition: read("condition", condition, (text) => parseExpression(text)),
    hitCount: read("hit count", hitCondition, parseHitCount),
    logMessage: read("log message", logMessage, parseLogMessage),
  };
}

function report({ id, unbound }: Breakpoint): DebugProtocol.Breakpoint {
  return { id, verified: unbound === null, ...(unbound !== null && { message: unbound }) };
}
