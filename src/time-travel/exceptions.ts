// The moments at which something failed, or a share of the budget was used, by the filters that a
// user can choose.

import type { RecordedFrame } from "../model/travel.ts";
import { showTyped } from "../xdr/contract/value-typed.ts";
import { errorOf as errorIn } from "../xdr/outcome/diagnostics.ts";
import type { Recording } from "./recording.ts";

export const EXCEPTION_FILTERS = {
  "contract-error": "Contract errors",
  trap: "Traps and errors of the host in a contract",
  "host-call": "Failed host calls",
  caught: "Errors that the caller caught (try_call)",
  budget: "Budget used (percent of the declared instructions)",
} as const;
export type ExceptionFilter = keyof typeof EXCEPTION_FILTERS;

/** An error to show. The filter `transaction` is for an error outside of code. */
export interface ShownError {
  readonly filter: ExceptionFilter | "transaction";
  readonly text: string;
  /** True if the caller handled the error and went on. */
  readonly caught: boolean;
}

export interface ExceptionStop extends ShownError {
  readonly filter: ExceptionFilter;
  readonly moment: number;
}

const DEFAULT_PERCENT = 80;

/** `percent` is the threshold of the filter `budget`. */
export function exceptionStops(recording: Recording, percent = DEFAULT_PERCENT): ExceptionStop[] {
  const { frames, calls } = recording.trace;
  const stops: ExceptionStop[] = [];
  const failedCalls = calls.filter(({ failed }) => failed);
  /** True if the failure of the frame made the host call of its caller fail. */
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
    const moment = frame.lastStep ?? frame.begins;
    const derived = failedCalls.some((call) => call.frame === index && contains(call));
    const parent = frames[frame.parent];
    const caught = parent !== undefined && parent.kind !== "host" && !passedOn(frame);
    const by = caught ? `, caught by ${parent.function}` : "";
    const text = `${frame.function}: ${errorOf(recording, frame)}${by}`;
    if (caught) stops.push({ filter: "caught", moment, text, caught });
    if (derived) continue;
    const filter = isContractError(frame) ? "contract-error" : "trap";
    stops.push({ filter, moment, text, caught });
  }
  for (const call of failedCalls) {
    if (contains(call)) continue;
    const error = call.resultXdr === null ? "" : `: ${showTyped(call.resultXdr, null, null)}`;
    const text = `${call.function} failed${error}`;
    stops.push({ filter: "host-call", moment: call.moment, text, caught: false });
  }
  const over = budgetStop(recording, percent);
  return over === null ? stops : [...stops, over];
}

/**
 * Returns the first moment at which this much is known to be used. The budget is known around calls
 * to the host, and at the beginning and end of contract calls.
 */
function budgetStop(recording: Recording, percent: number): ExceptionStop | null {
  const { trace, declaredInstructions } = recording;
  const threshold = (declaredInstructions * BigInt(percent) + 99n) / 100n;
  if (threshold === 0n) return null;
  const calls = trace.calls.flatMap(({ moment, cpuBefore, cpuAfter, function: name }) => {
    const before = { moment, cpu: cpuBefore, when: `before ${name}` };
    // The cost of a contract call does not count as the caller's own.
    const callsContract = trace.frames.some(({ begins }) => begins === moment + 1);
    return callsContract ? [before] : [before, { moment, cpu: cpuAfter, when: `after ${name}` }];
  });
  const frames = trace.frames.flatMap((frame) => [
    { moment: frame.begins, cpu: frame.cpuBefore, when: `when ${frame.function} began` },
    {
      moment: frame.lastStep ?? frame.ends,
      cpu: frame.cpuAfter,
      when: `at the end of ${frame.function}`,
    },
  ]);
  const over = [...calls, ...frames]
    .filter(({ cpu }) => BigInt(cpu) >= threshold)
    .toSorted((left, right) => left.moment - right.moment)[0];
  if (over === undefined) return null;
  const { moment, cpu, when } = over;
  const text = `${cpu} of ${declaredInstructions} instructions used ${when}`;
  return { filter: "budget", moment, text, caught: false };
}

/** True if the frame returned the error, or raised it with `fail_with_error`. */
function isContractError({ resultXdr }: RecordedFrame): boolean {
  return resultXdr !== null && errorIn(resultXdr)?.type === "Contract";
}

/** Words the error of a frame, with the contract's own name for it if there is one. */
function errorOf(recording: Recording, frame: RecordedFrame): string {
  const spec = recording.lookup(frame.contract)?.spec ?? null;
  const error = frame.resultXdr === null ? null : showTyped(frame.resultXdr, null, spec);
  return [frame.trap, error].filter((text) => text !== null).join(", ") || "failed";
}

/**
 * Returns the failure of the transaction, or null if it succeeded. A failure outside of code, such
 * as a limit that is checked afterwards, is at the last moment.
 */
export function failureStop(
  recording: Recording,
): (ShownError & Pick<ExceptionStop, "moment">) | null {
  const { cause, trace } = recording;
  const moment = failureMoment(recording);
  const stop = exceptionStops(recording).find((each) => each.moment === moment);
  if (stop !== undefined) return stop;
  if (moment === null && cause === null) return null;
  const text = cause ?? "The transaction failed.";
  return { filter: "transaction", text, caught: false, moment: moment ?? trace.moments - 1 };
}

/** Returns the moment at which the failure began, or null if no contract call failed. */
function failureMoment({ trace: { frames } }: Recording): number | null {
  let at = frames.findIndex(({ parent, failed }) => parent === null && failed);
  if (at === -1) return null;
  for (;;) {
    const below = frames.findLastIndex(({ parent, failed }) => parent === at && failed);
    if (below === -1) break;
    // An earlier failure that was caught is not the cause.
    const own = frames[at]?.lastStep ?? null;
    const childEnds = frames[below]?.ends ?? 0;
    if (own !== null && own > childEnds) break;
    at = below;
  }
  const frame = frames[at];
  return frame === undefined || frame.kind === "host" ? null : (frame.lastStep ?? frame.begins);
}
