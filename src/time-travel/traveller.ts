// A session's position in a recorded transaction, and its moves: forwards and backwards, to the
// next breakpoint, write, failure or step. Stops that the trace shows are moments. svc-sim finds
// the stops within code.

import { messageOf } from "../base/errors/system-code.ts";
import type { TravelStack } from "../model/travel.ts";
import type { Breakpoint } from "./breakpoints.ts";
import { evaluate, resolverAt } from "./evaluate.ts";
import type { ExceptionStop, ShownError } from "./exceptions.ts";
import { type Expression, holds, isReached, valueIn } from "./expression.ts";
import type { Recording, Standpoint } from "./recording.ts";

export interface Move {
  readonly mode: "continue" | "into" | "over" | "out";
  readonly backwards: boolean;
  /** True if the step is a single wasm instruction. */
  readonly instructions?: boolean;
}

export interface Arrival {
  /** `pause` means that the move was interrupted. */
  readonly reason: "step" | "breakpoint" | "exception" | "end" | "start" | "pause";
  readonly hits: readonly Breakpoint[];
  readonly exception: ShownError | null;
}

/** The limit keeps a condition that is never met from occupying a session for ever. */
const MAXIMUM_HITS = 20_000;

export class Traveller implements Standpoint {
  moment = 0;
  hidden = 0;
  /** True if steps also stop in the code of libraries. */
  allCode = false;
  breakpoints: readonly Breakpoint[] = [];
  exceptions: readonly ExceptionStop[] = [];
  /** For each breakpoint, the moments at which it is hit, from the beginning up to `until`. */
  private readonly hitMoments = new Map<number, { readonly moments: number[]; until: number }>();
  private readonly log: (text: string) => void;

  /** `log` gets the texts of logpoints, and the conditions that cannot be evaluated. */
  constructor(
    readonly recording: Recording,
    log: (text: string) => void,
  ) {
    this.log = log;
  }

  get last(): number {
    return this.recording.trace.moments - 1;
  }

  stack(): Promise<TravelStack> {
    return this.at(this.moment, this.hidden).stack();
  }

  private at(moment: number, hidden = 0): Standpoint {
    const { recording } = this;
    const stack = async () => (await recording.travel("state", { moment })).frames;
    return { recording, moment, hidden, stack };
  }

  /** Goes to the first statement, before which there is nothing to see. */
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
    if (!stopped())
      this.log(`A condition did not hold ${MAXIMUM_HITS} times: continue to go on from here.`);
    return { reason: "pause", hits: [], exception: null };
  }

  /** Finds the next moment, or the last one before, at one of these instructions. */
  async find(places: Breakpoint["places"], backwards: boolean): Promise<number | null> {
    const { moment: from } = this;
    const query = { from, backwards, mode: "continue", breakAt: places };
    const hit = await this.recording.travel("seek", query);
    return hit.reason === "breakpoint" ? hit.moment : null;
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
    const arrival = await recording.travel("seek", {
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
    this.goTo(arrival.moment, arrival.hidden);
    const hits = await this.hitsHere(arrival.reason);
    const exception = this.exceptions.find(({ moment }) => moment === this.moment) ?? null;
    const { reason } = arrival;
    if (hits.length > 0) return { reason: "breakpoint", hits, exception };
    if (exception !== null) return { reason: "exception", hits, exception };
    if (reason === "start" && from > 0 && this.moment === 0) {
      // There is nothing to see before the first statement.
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

  /**
   * Counts the hits up to this moment, this one included, that meet the condition. The number does
   * not depend on the way by which the session came.
   */
  private async countOf(breakpoint: Breakpoint): Promise<number> {
    const known = this.hitMoments.get(breakpoint.id) ?? { moments: [], until: 0 };
    this.hitMoments.set(breakpoint.id, known);
    const counting = new Traveller(this.recording, () => {});
    counting.breakpoints = [{ ...breakpoint, hitCount: null, logMessage: null }];
    counting.goTo(known.until);
    while (known.until < this.moment && known.moments.length < MAXIMUM_HITS) {
      const { reason } = await counting.move({ mode: "continue", backwards: false });
      known.until = reason === "breakpoint" ? counting.moment : this.last;
      if (reason === "breakpoint") known.moments.push(counting.moment);
    }
    return known.moments.filter((moment) => moment <= this.moment).length;
  }

  /**
   * Selects the frame of the function that has the line, so that functions inlined there are not
   * entered.
   */
  async standIn(source: Breakpoint["source"]): Promise<void> {
    const [top] = await this.stack();
    const places = top?.functions[0]?.sources ?? [];
    const at = places.findIndex(
      ({ line, file }) => line === source?.line && source?.matches(file ?? ""),
    );
    this.hidden = Math.max(at, 0);
  }

  /**
   * Returns the breakpoints whose conditions are met. Logpoints write their text and do not stop.
   */
  private async stopping(hits: readonly Breakpoint[]): Promise<Breakpoint[]> {
    const stopping: Breakpoint[] = [];
    for (const hit of hits) {
      if (hit.source !== null) await this.standIn(hit.source);
      const run = hit.runs?.get(this.moment);
      if (run !== undefined) this.hidden = run.hidden;
      const here = run === undefined ? this : this.at(run.begins);
      try {
        if (hit.condition !== null && !(await holds(hit.condition, resolverAt(here)))) continue;
        if (hit.hitCount !== null && !(await isReached(hit.hitCount, await this.countOf(hit))))
          continue;
        if (hit.logMessage === null) stopping.push(hit);
        else this.log(await filled(hit.logMessage, here));
      } catch (error) {
        this.log(`Breakpoint: ${messageOf(error)}.`);
        stopping.push(hit);
      }
    }
    return stopping;
  }
}

/** Writes the reason in the place of an expression that has no value. */
async function filled(
  message: NonNullable<Breakpoint["logMessage"]>,
  here: Standpoint,
): Promise<string> {
  const textOf = async (part: Expression) => {
    const named = part.kind === "name" ? await evaluate(here, part.text) : null;
    return named?.compared ?? named?.value ?? String(await valueIn(part, resolverAt(here)));
  };
  const texts = message.map((part) =>
    typeof part === "string" ? part : textOf(part).catch((error) => `(${error.message})`),
  );
  return (await Promise.all(texts)).join("");
}
