// Makes the tree of frames that the flamegraph draws from stacks. Stacks that begin alike share
// frames.
// Invariant: a frame's numbers are the sums of the stacks through it; the root's are the totals.

import { strkeyPattern } from "../../base/text/strkey.ts";
import { AROUND_THE_CALL, NOT_ATTRIBUTED, type TransactionProfile } from "./transaction-profile.ts";

export type FrameKind = "all" | "entry" | "contract" | "function" | "host" | "cost" | "other";

export interface Frame {
  readonly name: string;
  readonly kind: FrameKind;
  /** The index of the enclosing frame, which comes earlier; -1 for the root. */
  readonly parent: number;
  readonly cpuInstructions: number;
  readonly memoryBytes: number;
}

const CONTRACT = new RegExp(`^${strkeyPattern(["contract"])}:`);
/** svc-sim's prefix for the name of a function in a contract's wasm. */
const FUNCTION = "wasm:";

/** Returns the root first, and every frame after its enclosing frame. */
export function frameTree(profile: TransactionProfile): Frame[] {
  const frames: { -readonly [Field in keyof Frame]: Frame[Field] }[] = [];
  const children: Map<string, number>[] = [];
  const add = (name: string, kind: FrameKind, parent: number): number => {
    frames.push({ name, kind, parent, cpuInstructions: 0, memoryBytes: 0 });
    children.push(new Map());
    return frames.length - 1;
  };
  const root = add("all", "all", -1);
  for (const stack of profile.stacks) {
    const path = [root];
    for (const [depth, name] of stack.frames.entries()) {
      const parent = path.at(-1) ?? root;
      const known = children[parent]?.get(name);
      const index = known ?? add(name, kindOf(name, depth, stack.frames.length), parent);
      children[parent]?.set(name, index);
      path.push(index);
    }
    for (const index of path) {
      const frame = frames[index];
      if (frame === undefined) continue;
      frame.cpuInstructions += stack.cpuInstructions;
      frame.memoryBytes += stack.memoryBytes;
    }
  }
  return frames;
}

function kindOf(name: string, depth: number, length: number): FrameKind {
  if (name === NOT_ATTRIBUTED || name === AROUND_THE_CALL) return "other";
  if (depth === length - 1) return "cost";
  if (CONTRACT.test(name)) return "contract";
  if (name.startsWith(FUNCTION)) return "function";
  return depth === 0 ? "entry" : "host";
}
