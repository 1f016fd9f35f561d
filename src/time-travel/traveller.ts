// Where a session stands in a recorded transaction, and how it moves: forwards and backwards, to
// the next breakpoint, write, failure or step. Stops that the trace alone shows are moments; those
// within code are found by svc-sim.

import type { TravelStack } from "../model/travel.ts";
import type { Breakpoint } from "./breakpoints.ts";
import type { ExceptionStop, ShownError } from "./exceptions.ts";
import { holds } from "./expression.ts";
import type { Recording, Standpoint } from "./recording.ts";
import { comparedValue } from "./variables.ts";

export interface Move {
  readonly mode: "continue" | "into" | "over" | "out";
  readonly backwards: boolean;
  /** Single instructions of wasm. */
  readonly instructions?: boolean;
}

export interface Arrival {
  readonly reason: "step" | "breakpoint" | "exception" | "end" | "start";
  readonly hits: readonly Breakpoint[];
  readonly exception: ShownError | null;
}

/** A condition that never holds must not keep a session busy for ever. */
const MAXIMUM_HITS = 20_000;

export class Traveller implements Standpoint {
  moment = 0;
  hidden = 0;
  /** Steps stop in the code of libraries, too. */
  allCode = false;
  breakpoints: readonly Breakpoint[] = [];
  exceptions: readonly ExceptionStop[] = [];
  /** The moments at which a breakpoint was hit, as far as the session has been. */
  private readonly hitMoments = new Map<number, Set<number>>();
  private readonly log: (text: string) => void;

  /** `log`: told of logpoints, and of conditions that cannot be evaluated. */
  constructor(
    readonly recording: Recording,
    log: (text: string) => void,
  ) {
    this.log = log;
  }

  get last(): number {
    return this.recording.trace.moments - 1;
  }

  async stack(): Promise<TravelStack> {
    return (await this.recording.travel("state", { moment: this.moment })).frames;
  }

  /** The first statement, before which there is nothing to see. */
  async toEntry(): Promise<Arrival> {
    this.goTo(0);
    return this.step({ mode: "into", backwards: false }, 0, { moment: 0, hidden: 0 });
  }

  goTo(moment: number, hidden = 0): void {
    this.moment = moment;
    this.hidden = hidden;
  }

  async move(move: Move, stopped: () => boolean = () => false): Promise<Arrival> {
    const origin = { moment: this.moment, hidden: this.hidden };
    for (let hits = 0; hits < MAXIMUM_HITS && !stopped(); hits++) {
      const arrival = await this.step(move, this.moment, origin);
      if (arrival.reason !== "breakpoint") return arrival;
      const stopping = await this.stopping(arrival.hits);
      if (stopping.length > 0) return { ...arrival, hits: stopping };
      if (arrival.exception !== null) return { ...arrival, reason: "exception" };
    }
    return { reason: "step", hits: [], exception: null };
  }

  /** The next moment, or the last one before, at one of these instructions. */
  async find(places: Breakpoint["places"], backwards: boolean): Promise<number | null> {
    const { moment: from } = this;
    const query = { from, backwards, mode: "continue", breakAt: places };
    const found = await this.recording.travel("seek", query);
    return found.reason === "breakpoint" ? found.moment : null;
  }

  private async step(
    move: Move,
    from: number,
    origin: { readonly moment: number; readonly hidden: number },
  ): Promise<Arrival> {
    const { recording, breakpoints } = this;
    const places = breakpoints.flatMap((breakpoint) => breakpoint.places);
    const moments = [
      ...breakpoints.flatMap((breakpoint) => breakpoint.moments),
      ...this.exceptions.map(({ moment }) => moment),
    ];
    const ahead = moments.filter((moment) => (move.backwards ? moment < from : moment > from));
    const next = move.backwards ? Math.max(...ahead) : Math.min(...ahead);
    const found = await recording.travel("seek", {
      from,
      origin: origin.moment,
      hidden: origin.hidden,
      all_code: this.allCode,
      backwards: move.backwards,
      mode: move.mode,
      instructions: move.instructions === true,
      until: ahead.length > 0 ? next : null,
      breakAt: places,
    });
    this.goTo(found.moment, found.hidden);
    const hits = await this.hitsHere(found.reason);
    const exception = this.exceptions.find(({ moment }) => moment === this.moment) ?? null;
    const { reason } = found;
    if (hits.length > 0) return { reason: "breakpoint", hits, exception };
    if (exception !== null) return { reason: "exception", hits, exception };
    if (reason === "start" && from > 0 && this.moment === 0) {
      // Before the first statement there is nothing to see.
      await this.toEntry();
      return { reason, hits, exception };
    }
    return { reason: reason === "start" || reason === "end" ? reason : "step", hits, exception };
  }

  private async hitsHere(reason: string): Promise<Breakpoint[]> {
    const byMoment = this.breakpoints.filter(({ moments }) => moments.includes(this.moment));
    if (reason !== "breakpoint" && byMoment.length === 0) return [];
    const [top] = await this.stack();
    const [function_] = top?.functions ?? [];
    const frame = top === undefined ? undefined : this.recording.trace.frames[top.frame];
    const byPlace = this.breakpoints.filter(
      ({ places, contract }) =>
        (contract === null || contract === frame?.contract) &&
        places.some(
          (place) => place.code === frame?.code && place.address === (function_?.address ?? -1),
        ),
    );
    return [...new Set([...byMoment, ...byPlace])];
  }

  /** Hits up to this moment, this one included: the same number whichever way the session came. */
  private countOf({ id }: Breakpoint): number {
    const moments = this.hitMoments.get(id) ?? new Set();
    this.hitMoments.set(id, moments.add(this.moment));
    return [...moments].filter((moment) => moment <= this.moment).length;
  }

  /** In the function that the line is of: what is inlined in it is not entered yet. */
  async standIn(source: Breakpoint["source"]): Promise<void> {
    const [top] = await this.stack();
    const places = top?.functions[0]?.sources ?? [];
    const at = places.findIndex(
      ({ line, file }) => line === source?.line && source?.matches(file ?? ""),
    );
    this.hidden = Math.max(at, 0);
  }

  /** The breakpoints whose conditions hold; logpoints write, and do not stop. */
  private async stopping(hits: readonly Breakpoint[]): Promise<Breakpoint[]> {
    const stopping: Breakpoint[] = [];
    for (const hit of hits) {
      if (hit.source !== null) await this.standIn(hit.source);
      try {
        const value = (name: string) => comparedValue(this, name);
        if (hit.condition !== null && !(await holds(hit.condition, value))) continue;
        if (hit.hitCount !== null && !reached(this.countOf(hit), hit.hitCount)) continue;
        if (hit.logMessage === null) stopping.push(hit);
        else this.log(await filled(hit.logMessage, value));
      } catch (error) {
        this.log(`Breakpoint: ${error instanceof Error ? error.message : String(error)}.`);
        stopping.push(hit);
      }
    }
    return stopping;
  }
}

const HIT_COUNT = /^\s*(>=|>|==|=|%)?\s*(\d{1,9})\s*$/;

/** `5`, `>= 5` or `% 5`. */
export function isHitCount(text: string): boolean {
  return HIT_COUNT.test(text);
}

function reached(count: number, wanted: string): boolean {
  const [, comparison = "", digits = ""] = HIT_COUNT.exec(wanted) ?? [];
  const number = Number(digits);
  if (comparison === "%") return number > 0 && count % number === 0;
  if (comparison === ">") return count > number;
  return comparison === ">=" ? count >= number : count === number;
}

async function filled(
  message: string,
  value: (name: string) => Promise<string | null>,
): Promise<string> {
  let text = "";
  let end = 0;
  for (const found of message.matchAll(/\{([^{}]*)\}/g)) {
    text += message.slice(end, found.index) + ((await value(found[1] ?? "")) ?? "(unknown)");
    end = found.index + found[0].length;
  }
  return text + message.slice(end);
}
