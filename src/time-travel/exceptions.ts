// Moments where something failed, or a share of the budget was used, by the filters that a user can
// choose.

import type { RecordedFrame } from "../model/travel.ts";
import { showTyped } from "../xdr/contract/value-typed.ts";
import type { Recording } from "./recording.ts";

export const EXCEPTION_FILTERS = {
  "contract-error": "Contract errors",
  trap: "Traps and errors of the host in a contract",
  "host-call": "Failed host calls",
  caught: "Errors that the caller caught (try_call)",
  budget: "Budget used (percent of the declared instructions)",
} as const;
export type ExceptionFilter = keyof typeof EXCEPTION_FILTERS;

export interface ExceptionStop {
  readonly filter: ExceptionFilter;
  readonly moment: number;
  readonly text: string;
}

const DEFAULT_PERCENT = 80;

/** `percent`: for the filter `budget`. */
export function exceptionStops(recording: Recording, percent = DEFAULT_PERCENT): ExceptionStop[] {
  const { frames, calls } = recording.record;
  const stops: ExceptionStop[] = [];
  const failedCalls = calls.filter(({ failed }) => failed);
  /** The frame's failure made the host call of its caller fail. */
  const passedOn = (frame: RecordedFrame) =>
    failedCalls.some(
      (call) =>
        call.frame === frame.parent && call.moment < frame.begins && endOf(call.frame) > frame.ends,
    );
  const endOf = (frame: number) => frames[frame]?.ends ?? 0;
  const contains = (call: (typeof calls)[number]) =>
    frames.some(
      (frame) => frame.failed && frame.parent === call.frame && frame.begins > call.moment,
    );
  for (const [index, frame] of frames.entries()) {
    if (!frame.failed || frame.parent === null) continue;
    const moment = frame.last_step ?? frame.begins;
    const derived = failedCalls.some((call) => call.frame === index && contains(call));
    const text = `${frame.function}: ${errorOf(recording, frame)}`;
    if (!derived) {
      const filter = isContractError(frame) ? "contract-error" : "trap";
      stops.push({ filter, moment, text });
    }
    const parent = frames[frame.parent];
    if (parent !== undefined && parent.kind !== "host" && !passedOn(frame))
      stops.push({ filter: "caught", moment, text: `${text}, caught by ${parent.function}` });
  }
  for (const call of failedCalls) {
    if (contains(call)) continue;
    const error = call.result_xdr === null ? "" : `: ${showTyped(call.result_xdr, null, null)}`;
    stops.push({
      filter: "host-call",
      moment: call.moment,
      text: `${call.function} failed${error}`,
    });
  }
  const threshold = (recording.declaredInstructions * BigInt(percent)) / 100n;
  const over = calls.find(({ cpu_after }) => BigInt(cpu_after) >= threshold);
  if (over !== undefined && threshold > 0n) {
    const text = `${over.cpu_after} of ${recording.declaredInstructions} instructions used after ${over.function}`;
    stops.push({ filter: "budget", moment: over.moment, text });
  }
  return stops;
}

function isContractError({ result_xdr, trap }: RecordedFrame): boolean {
  return trap === null && result_xdr !== null && /^Error\(Contract|#\d+/.test(shown(result_xdr));
}

function shown(xdr: string): string {
  return showTyped(xdr, null, null);
}

/** The error of a frame in words: the contract's own name of it where it has one. */
export function errorOf(recording: Recording, frame: RecordedFrame): string {
  const spec = recording.lookup(frame.contract)?.spec ?? null;
  const error = frame.result_xdr === null ? null : showTyped(frame.result_xdr, null, spec);
  return [frame.trap, error].filter((text) => text !== null).join(", ") || "failed";
}

/** Where the failure of the transaction began; null when no contract call failed. */
export function failureMoment({ record: { frames } }: Recording): number | null {
  let at = frames.findIndex(({ parent, failed }) => parent === null && failed);
  if (at === -1) return null;
  for (;;) {
    const below = frames.findLastIndex(({ parent, failed }) => parent === at && failed);
    if (below === -1) break;
    // An earlier failure that was caught is not the cause.
    const own = frames[at]?.last_step ?? null;
    const childEnds = frames[below]?.ends ?? 0;
    if (own !== null && own > childEnds) break;
    at = below;
  }
  const frame = frames[at];
  return frame === undefined || frame.kind === "host" ? null : (frame.last_step ?? frame.begins);
}
