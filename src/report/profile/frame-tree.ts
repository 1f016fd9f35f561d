// Makes the tree of frames that the flamegraph draws from stacks. Stacks that begin alike share
// frames.
// Invariant: a frame's numbers are the sums of the stacks through it; the root's are the totals.

import type { ProfileFrame } from "../../model/execution.ts";
import type { TransactionProfile } from "./transaction-profile.ts";

export type FrameKind = "all" | ProfileFrame["kind"];

export interface Frame {
  readonly name: string;
  readonly kind: FrameKind;
  /** The index of the enclosing frame, which comes earlier; -1 for the root. */
  readonly parent: number;
  readonly cpuInstructions: number;
  readonly memoryBytes: number;
}

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
    for (const { name, kind } of stack.frames) {
      const parent = path.at(-1) ?? root;
      const key = `${kind} ${name}`;
      const index = children[parent]?.get(key) ?? add(name, kind, parent);
      children[parent]?.set(key, index);
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
