// Finds where a value came from: the call that passed an argument, the write of an entry, of a
// local or of a variable, and the branch that decided the failure.

import type { DecidedBy } from "../model/explanation.ts";
import { wasmFunctions } from "./breakpoints.ts";
import { evaluate, ownSpot } from "./evaluate.ts";
import type { Recording } from "./recording.ts";
import type { ValueOrigin } from "./shown.ts";
import { Traveller } from "./traveller.ts";
import type { Spot } from "./variables.ts";

/** The limits of a search, because each step is a request to svc-sim. */
const MOST_SEEKS = 2_000;
const MOST_STEPS = 300;

/**
 * Returns null if the name is unknown. `most` limits the steps back. Throws the errors of
 * `evaluate`.
 */
export async function originOf(
  traveller: Traveller,
  name: string,
  at: Spot | null = null,
  most = MOST_STEPS,
): Promise<ValueOrigin | null> {
  const shown = await evaluate(traveller, name, at);
  const spot = at ?? (await ownSpot(traveller));
  if (shown === null || spot === null) return null;
  if (shown.origin !== undefined) return shown.origin;
  const local = /^(?:Locals\.)?local (\d+)$/.exec(name.trim())?.[1];
  return local !== undefined && spot.level === 0
    ? lastWrite(traveller, spot, local, most)
    : lastChange(traveller, spot, name, shown.value, most);
}

const SETS: ReadonlySet<string> = new Set(["local.set", "local.tee"]);

/** Finds the last instruction that set the local in this run of the function. */
async function lastWrite(
  { recording, moment }: Traveller,
  { frame }: Spot,
  local: string,
  most: number,
): Promise<ValueOrigin> {
  const [running] = frame.functions;
  const code = recording.trace.frames[frame.frame]?.code ?? null;
  if (running === undefined || code === null) return UNFOLLOWED;
  const { lines } = await recording.travel("disassembly", { code, function: running.index });
  const sets = lines.filter(({ opcode, index }) => SETS.has(opcode) && index === Number(local));
  const isWrite = new Set(sets.map(({ address }) => address));
  const entry = (await wasmFunctions(recording, code)).find(({ index }) => index === running.index);
  const addresses = [...isWrite, ...(entry === undefined ? [] : [entry.address])];
  const places = addresses.map((address) => ({ code, address }));
  const isHere = (top: StackFrame | undefined) =>
    top?.frame === frame.frame &&
    top.functions.length === frame.functions.length &&
    top.functions[0]?.index === running.index;
  const seeks = most === MOST_STEPS ? MOST_SEEKS : most;
  for await (const { at, top } of hits(recording, places, moment, true, seeks)) {
    if (!isHere(top)) continue;
    if (isWrite.has(top.functions[0]?.address ?? -1))
      return { text: `written at moment ${at}`, moment: at };
    // A loop can return to the first instruction. In that case the instruction before it is in the
    // function too.
    const query = { from: at, backwards: true, mode: "into", instructions: true };
    const before = await recording.travel("seek", query);
    const [under] = (await recording.travel("state", { moment: before.moment })).frames;
    if (before.moment === at || !isHere(under))
      return { text: "as the function began: a parameter, or 0", moment: at };
  }
  return UNFOLLOWED;
}

export const UNFOLLOWED: ValueOrigin = {
  text: "not found within the steps that svc looks at",
  moment: null,
};
type StackFrame = Spot["frame"];

/** Steps back by statements to the last one before which the variable had another value. */
async function lastChange(
  { recording, moment, hidden, allCode }: Traveller,
  spot: Spot,
  name: string,
  value: string,
  most: number,
): Promise<ValueOrigin> {
  const back = new Traveller(recording, () => {});
  back.allCode = allCode;
  back.goTo(moment, hidden);
  let since = moment;
  let next = moment;
  for (let steps = 0; steps < most; steps += 1) {
    await back.move({ mode: "over", backwards: true });
    const at = back.moment === next ? null : sameFunction(spot, await back.stack());
    if (at === null) return { text: `since its function began, or moment ${since}`, moment: since };
    const before = await evaluate(back, name, at).catch(() => null);
    if (before?.value === value) since = back.moment;
    else if (before !== null) {
      const by = since === next ? "by the statement at" : "after";
      return { text: `written ${by} moment ${back.moment}`, moment: back.moment };
    }
    next = back.moment;
  }
  return UNFOLLOWED;
}

/** Finds the function of the spot on another stack. Returns null if it does not run there. */
function sameFunction({ frame, level, inlined }: Spot, stack: readonly StackFrame[]): Spot | null {
  const same = stack.find((each) => each.frame === frame.frame);
  if (same === undefined || level === null) return null;
  const at = same.functions.length - (frame.functions.length - level);
  const [was, now] = [frame.functions[level], same.functions[at]];
  const within = (now?.sources.length ?? 0) - ((was?.sources.length ?? 0) - inlined);
  return now === undefined || now.index !== was?.index || within < 0
    ? null
    : { frame: same, level: at, inlined: within };
}

/**
 * Returns the moment of the branch that decided, or that of the failing instruction if no branch
 * decided alone.
 */
export async function decidingMoment(
  recording: Recording,
  { branch: { frame, code, address, count } }: DecidedBy,
): Promise<number | null> {
  const { begins = 0, lastStep = null, code: ran = null } = recording.trace.frames[frame] ?? {};
  if (ran !== code || lastStep === null || count === null) return lastStep;
  let before = 0;
  for await (const { at, top } of hits(recording, [{ code, address }], begins, false)) {
    if (at > lastStep) break;
    if (top.frame !== frame) continue;
    if (before === count) return at;
    before += 1;
  }
  return null;
}

async function* hits(
  recording: Recording,
  breakAt: readonly { readonly code: string; readonly address: number }[],
  from: number,
  backwards: boolean,
  most = MOST_SEEKS,
) {
  let at = from;
  for (let seeks = 0; seeks < most && breakAt.length > 0; seeks += 1) {
    const query = { from: at, backwards, mode: "continue", breakAt };
    const hit = await recording.travel("seek", query);
    if (hit.reason !== "breakpoint") return;
    at = hit.moment;
    const [top] = (await recording.travel("state", { moment: at })).frames;
    if (top !== undefined) yield { at, top };
  }
}
