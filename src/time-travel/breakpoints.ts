// Binds breakpoints to code or moments of the transaction, or says why they cannot be bound.

import { SHORT_ADDRESS, shortStrkey, strkeyPattern } from "../base/text/strkey.ts";
import type { WasmFunction } from "../model/travel.ts";
import { storageNamed } from "../xdr/contract/key-typed.ts";
import type { Expression } from "./expression.ts";
import type { Recording } from "./recording.ts";
import { storageAccesses } from "./storage.ts";

/** The place of an instruction. */
interface InstructionPlace {
  readonly code: string;
  readonly address: number;
}

interface FunctionRun {
  /** The moment at which the arguments still have the values that the caller passed. */
  readonly begins: number;
  /** The number of inlined functions that begin at the first line and are not entered. */
  readonly hidden: number;
}

export interface Breakpoint {
  readonly id: number;
  readonly kind: "source" | "function" | "instruction" | "data";
  readonly places: readonly InstructionPlace[];
  readonly moments: readonly number[];
  /** The runs of a function, by the moment of their first lines. */
  readonly runs?: ReadonlyMap<number, FunctionRun>;
  /** The breakpoint only stops in calls of this contract; null for all contracts. */
  readonly contract: string | null;
  /** The line of a source; null for other breakpoints. */
  readonly source: { readonly line: number; readonly matches: (file: string) => boolean } | null;
  readonly condition: Expression | null;
  readonly hitCount: Expression | null;
  /** The text to log instead of stopping. */
  readonly logMessage: readonly (string | Expression)[] | null;
  /** The reason why the breakpoint is not bound, or null. */
  readonly unbound: string | null;
}

export type Bound = Pick<Breakpoint, "places" | "moments" | "runs" | "contract" | "unbound">;
export const NOWHERE = { places: [], moments: [], contract: null } as const;

const functionsOf = new WeakMap<Recording, Map<string, Promise<readonly WasmFunction[]>>>();

/** Returns the functions of a code, which are read once. */
export function wasmFunctions(
  recording: Recording,
  code: string,
): Promise<readonly WasmFunction[]> {
  const known = functionsOf.get(recording) ?? new Map();
  functionsOf.set(recording, known);
  const read = known.get(code) ?? recording.travel("functions", { code }).then((r) => r.functions);
  known.set(code, read);
  return read;
}

const CONTRACT = `${strkeyPattern(["contract"])}|${SHORT_ADDRESS}`;
const FUNCTION = new RegExp(`^(?:(${CONTRACT}):)?(.+)$`);

/** Binds `transfer`, `C…:transfer`, a name from the wasm, or a host function. */
export async function bindFunction(recording: Recording, name: string): Promise<Bound> {
  const { trace } = recording;
  const { frames, calls } = trace;
  const [, contract = null, functionName = ""] = FUNCTION.exec(name.trim()) ?? [];
  const isWanted = (of: string | null) =>
    of === contract || (of !== null && shortStrkey(of) === contract);
  const running = frames.filter((frame) => contract === null || isWanted(frame.contract));
  if (contract !== null && running.length === 0)
    return { ...NOWHERE, unbound: `The transaction does not call contract ${contract}.` };
  const places: InstructionPlace[] = [];
  for (const code of new Set(running.flatMap((frame) => frame.code ?? []))) {
    for (const wasmFunction of await wasmFunctions(recording, code)) {
      const same = wasmFunction.exported === functionName || wasmFunction.name === functionName;
      if (same || wasmFunction.name.endsWith(`::${functionName}`))
        places.push({ code, address: wasmFunction.address });
    }
  }
  const unstepped = running.filter(
    ({ code, function: called }) => code === null && called === functionName,
  );
  const moments = unstepped.map(({ begins }) => begins);
  const hostCalls = contract === null ? calls.filter((call) => call.function === functionName) : [];
  moments.push(...hostCalls.map(({ moment }) => moment));
  const bound = places.length > 0 || moments.length > 0;
  const unbound = bound ? null : `No code of this transaction has a function ${functionName}.`;
  const only = contract === null ? null : (running[0]?.contract ?? null);
  const hasLines = ({ code }: InstructionPlace) =>
    trace.codes.some(({ hash, files }) => hash === code && files.length > 0);
  const runs = await firstLines(recording, places.filter(hasLines), only);
  if (runs === null) return { places, moments, contract: only, unbound };
  const unlined = places.filter((place) => !hasLines(place));
  const all = [...moments, ...runs.keys()];
  return { places: unlined, moments: all, runs, contract: only, unbound };
}

const MOST_RUNS = 1_000;

/**
 * Finds the first line of each run of the functions at these places, as a step into them finds it.
 * A macro or the compiler made the code before that line. Returns null if there are too many runs.
 */
async function firstLines(
  recording: Recording,
  breakAt: readonly InstructionPlace[],
  contract: string | null,
): Promise<Map<number, FunctionRun> | null> {
  const runOfFrame = new Map<number, FunctionRun>();
  const topAt = async (moment: number) =>
    (await recording.travel("state", { moment })).frames[0] ?? null;
  for (let from = 0, count = 0; breakAt.length > 0; count += 1) {
    if (count === MOST_RUNS) return null;
    const hit = await recording.travel("seek", {
      from,
      backwards: false,
      mode: "continue",
      breakAt,
    });
    if (hit.reason !== "breakpoint") break;
    from = hit.moment;
    const [top, line] = [
      await topAt(from),
      await recording.travel("seek", { from, backwards: false, mode: "into" }),
    ];
    if (contract !== null && recording.trace.frames[top?.frame ?? -1]?.contract !== contract)
      continue;
    const first = await topAt(line.moment);
    const isWithin =
      first?.frame === top?.frame && first?.functions.length === top?.functions.length;
    runOfFrame.set(isWithin ? line.moment : from, {
      begins: from,
      hidden: isWithin ? line.hidden : 0,
    });
  }
  return runOfFrame;
}

/**
 * Binds a line of a source file, or the next line that has code. `matches` recognizes the file's
 * name in the debug information.
 */
export async function bindLine(
  recording: Recording,
  matches: (file: string) => boolean,
  line: number,
): Promise<Bound & { readonly line: number | null }> {
  const places: InstructionPlace[] = [];
  let nearest: number | null = null;
  let hasFile = false;
  for (const { hash, files } of recording.trace.codes) {
    const fileIndexes = new Set(files.flatMap((file, index) => (matches(file) ? [index] : [])));
    if (fileIndexes.size === 0) continue;
    hasFile = true;
    const { rows } = await recording.travel("lines", { code: hash });
    const inFile = rows.filter(([, file, of]) => fileIndexes.has(file) && of >= line);
    const boundLine = Math.min(...inFile.map(([, , of]) => of));
    if (!Number.isFinite(boundLine)) continue;
    nearest = nearest === null ? boundLine : Math.min(nearest, boundLine);
    for (const [address, file, of] of rows)
      if (fileIndexes.has(file) && of === boundLine) places.push({ code: hash, address });
  }
  const unbound = hasFile
    ? "No code of this transaction comes from this line or a later one of the file."
    : "No contract of this transaction was built from this file, or its build has no debug information.";
  return { ...NOWHERE, places, line: nearest, unbound: places.length > 0 ? null : unbound };
}

export function bindData(
  recording: Recording,
  watch: string,
  access: "read" | "write" | "readWrite",
): Bound {
  const key = storageNamed(watch);
  const moments = storageAccesses(recording)
    .filter(
      ({ contract, keyXdr, durability, writes }) =>
        contract === key?.contract &&
        keyXdr === key.keyXdr &&
        durability === key.durability &&
        (access === "readWrite" || writes === (access === "write")),
    )
    .map(({ call }) => call.moment);
  const unbound = "The transaction does not access this entry in that way.";
  return { ...NOWHERE, moments, unbound: moments.length > 0 ? null : unbound };
}
