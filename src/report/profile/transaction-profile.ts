// The input of every profile format: the stacks of one execution, with names that are safe to show
// and numbers that add up.
// Invariant: the sums of the stacks are what the replay metered. The claims say whether the network
// metered the same.

import { neutralise } from "../../base/text/neutralise.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import type { FunctionProfile, ProfileFrame } from "../../model/execution.ts";
import type { Investigation } from "../../model/investigation.ts";
import { type ProfileClaims, profileClaims } from "./profile-claims.ts";

export interface NamedStack {
  /** The frames from the outermost one, at least one. The last is a cost type, or `other` alone. */
  readonly frames: readonly ProfileFrame[];
  readonly cpuInstructions: number;
  readonly memoryBytes: number;
}

export interface TransactionProfile extends ProfileClaims {
  /** The requested hash, which is the name of the file. */
  readonly hash: string;
  /** The outcome in one sentence. */
  readonly headline: string;
  readonly protocolVersion: number;
  /** A decimal string. */
  readonly closeTimeUnixSeconds: string;
  readonly cpuInstructions: number;
  readonly memoryBytes: number;
  readonly stacks: readonly NamedStack[];
  /** Says how the functions inside a contract's wasm are known, or why they are unknown. */
  readonly functions: string;
}

/** Costs of the host outside every frame: reading its inputs, and writing its results. */
const AROUND_THE_CALL: ProfileFrame = { name: "(before and after the call)", kind: "other" };

/** Returns null if there is no profile: none was requested, or nothing ran in the contract host. */
export function profileOf(investigation: Investigation): TransactionProfile | null {
  const { record, execution, explanation } = investigation;
  if (execution === null || execution.profile === null) return null;
  const stacks = execution.profile.map(({ frames, cpu, memory }) => ({
    frames: safeFrames(frames),
    // The numbers are exact, because the limits of a transaction are 32 bits wide.
    cpuInstructions: Number(cpu),
    memoryBytes: Number(memory),
  }));
  const totals = {
    cpuInstructions: sum(stacks.map((stack) => stack.cpuInstructions)),
    memoryBytes: sum(stacks.map((stack) => stack.memoryBytes)),
  };
  return {
    ...profileClaims(investigation, totals),
    ...totals,
    hash: record.requestedHash,
    headline: neutralise(explanation.headline),
    protocolVersion: record.ledger.protocolVersion,
    closeTimeUnixSeconds: record.ledger.closeTimeUnixSeconds,
    stacks,
    functions: describeFunctions(execution.functionProfile),
  };
}

function describeFunctions(profile: FunctionProfile | undefined): string {
  const missing =
    "The profile does not separate the functions inside a contract's wasm: WasmInsnExec has all " +
    "instructions that the contract's own code ran in that call.";
  if (profile === undefined) return missing;
  const reason = profile.reason === null ? "" : ` ${neutralise(sentenceStart(profile.reason))}.`;
  if (!profile.available) return `${missing}${reason}`;
  return (
    "The functions of a contract's wasm have the prefix `wasm:`. To divide a call's WasmInsnExec " +
    "among them, svc ran the code again on the values that the host had recorded. Every sum is the " +
    `replay's charge.${reason === "" ? "" : ` Not separated:${reason}`}`
  );
}

function safeFrames(frames: readonly ProfileFrame[]): readonly ProfileFrame[] {
  const safe = frames.map(({ name, kind }) => ({ name: shownName(name, kind), kind }));
  return safe.length === 1 && safe[0]?.kind === "cost" ? [AROUND_THE_CALL, ...safe] : safe;
}

/** A contract's author chose the names of functions. The prefix shows that they are no others. */
function shownName(name: string, kind: ProfileFrame["kind"]): string {
  const shown = name === "" ? "(no name)" : neutralise(name);
  return kind === "function" ? `wasm:${shown}` : shown;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
