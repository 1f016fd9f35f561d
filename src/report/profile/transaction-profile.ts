// What every profile format is drawn from: the stacks of one execution with names that are safe to
// show and numbers that add up.
// Invariant: the stacks sum up to `cpu` and `memory`, which are the metered totals.

import { neutralise } from "../../base/text/neutralise.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import type { FunctionProfile } from "../../model/execution.ts";
import type { Investigation } from "../../model/investigation.ts";

export interface Stack {
  /** Outermost first, at least one; the last is a cost type, or `NOT_ATTRIBUTED` alone. */
  readonly frames: readonly string[];
  readonly cpuInstructions: number;
  readonly memoryBytes: number;
}

export interface TransactionProfile {
  /** The hash that was asked for: it names the file. */
  readonly hash: string;
  /** The outcome in one sentence. */
  readonly headline: string;
  readonly protocolVersion: number;
  /** Decimal string. */
  readonly closeTimeUnixSeconds: string;
  readonly cpuInstructions: number;
  readonly memoryBytes: number;
  readonly stacks: readonly Stack[];
  /** Of the functions inside contracts' wasm: how they are known, or why they are not. */
  readonly functions: string;
}

/** What no cost type explains, as svc-sim names it. */
export const NOT_ATTRIBUTED = "(not attributed)";
/** What the host spends outside every frame: reading what it is given, writing what it returns. */
export const AROUND_THE_CALL = "(before and after the call)";

/** Null when there is no profile: none was asked for, or nothing ran in the contract host. */
export function profileOf(investigation: Investigation): TransactionProfile | null {
  const { record, execution, explanation } = investigation;
  if (execution === null || execution.profile === null) return null;
  const stacks = execution.profile.map(({ frames, cpu, memory }) => ({
    frames: safeFrames(frames),
    // Exact: the limits of a transaction are 32 bits wide.
    cpuInstructions: Number(cpu),
    memoryBytes: Number(memory),
  }));
  return {
    hash: record.requestedHash,
    headline: neutralise(explanation.headline),
    protocolVersion: record.ledger.protocolVersion,
    closeTimeUnixSeconds: record.ledger.closeTimeUnixSeconds,
    cpuInstructions: sum(stacks.map((stack) => stack.cpuInstructions)),
    memoryBytes: sum(stacks.map((stack) => stack.memoryBytes)),
    stacks,
    functions: describeFunctions(execution.functionProfile),
  };
}

function describeFunctions(told: FunctionProfile | undefined): string {
  const untold =
    "The functions inside a contract's wasm are not told apart: WasmInsnExec is all the instructions " +
    "that the contract's own code ran in that call.";
  if (told === undefined) return untold;
  const reason = told.reason === null ? "" : ` ${neutralise(sentenceStart(told.reason))}.`;
  if (!told.available) return `${untold}${reason}`;
  return (
    "The functions of a contract's wasm, from a second run with instrumented code, stand behind " +
    "`wasm:`. How a call's WasmInsnExec is shared among them comes from that run; every sum is what " +
    `the replay was charged.${reason === "" ? "" : ` Not told apart:${reason}`}`
  );
}

function safeFrames(frames: readonly string[]): string[] {
  const safe = frames.map((name) => (name === "" ? "(no name)" : neutralise(name)));
  return safe.length === 1 && safe[0] !== NOT_ATTRIBUTED ? [AROUND_THE_CALL, ...safe] : safe;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
