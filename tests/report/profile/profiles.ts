// Profiles to draw: a small one with sums that are easy to check, one with hostile names, and one
// of any size.

import type { ProfileFrame, ProfileStack } from "../../../src/model/execution.ts";
import {
  profileOf,
  type TransactionProfile,
} from "../../../src/report/profile/transaction-profile.ts";
import { investigate } from "../investigations.ts";

export const ROUTER = "CDQWYNOHQDEEIGUNEZI5F4NH46REH26EBNBKEYHANSHF4LDOWIBGLLO3";
export const POOL = "CBBUDP6VSLFXH32DJF67KVDOMLVYBW3VTM6LS4FTHSZU54LFNWB6PT2J";

/** Frames with the kinds that svc-sim gives frames at these places. */
export function framesOf(...names: string[]): ProfileFrame[] {
  return names.map((name, at) => {
    if (name === "(not attributed)") return { name, kind: "other" };
    if (at === names.length - 1) return { name, kind: "cost" };
    if (at === 0) return { name, kind: "entry" };
    return { name, kind: name.startsWith("C") ? "contract" : "host" };
  });
}

export const SMALL: readonly ProfileStack[] = [
  { frames: framesOf("(not attributed)"), cpu: "0", memory: "7" },
  { frames: framesOf("ValDeser"), cpu: "10", memory: "3" },
  {
    frames: framesOf("invoke_contract", `${ROUTER}:swap`, "WasmInsnExec"),
    cpu: "200",
    memory: "0",
  },
  {
    frames: framesOf("invoke_contract", `${ROUTER}:swap`, "call", "MemAlloc"),
    cpu: "40",
    memory: "90",
  },
  {
    frames: framesOf("invoke_contract", `${ROUTER}:swap`, "call", `${POOL}:take`, "WasmInsnExec"),
    cpu: "150",
    memory: "0",
  },
];

/** Markup, script, a comment, separators, a reordering, an escape and a line of folded stacks. */
export const HOSTILE_NAMES: readonly string[] = [
  "</script><script>alert(1)</script>",
  "<!--<script>",
  "<img src=x onerror=alert(1)>",
  "a;b 99",
  "\u202egnp.exe",
  "\u001b[31mred",
  "two\nlines 5",
  "\u2028\u2029",
  "",
];

export function profileFrom(stacks: readonly ProfileStack[]): TransactionProfile {
  const investigation = investigate("sac-transfer", (walk) => ({
    ...walk,
    execution: { ...walk.execution, profile: stacks },
  }));
  const profile = profileOf(investigation);
  if (profile === null) throw new Error("no profile");
  return profile;
}

/** A tree of calls with at least that many frames; the same every time. */
export function largeProfile(frames: number): TransactionProfile {
  const stacks: ProfileStack[] = [];
  for (let i = 0; i * 3 < frames; i += 1) {
    const path = [...i.toString(6)].map((digit) => `${ROUTER}:f${digit}`);
    for (const cost of ["MemAlloc", "MemCpy", "VisitObject"])
      stacks.push({
        frames: framesOf("invoke_contract", ...path, cost),
        cpu: String((i % 97) * 13 + 1),
        memory: String(i % 5),
      });
  }
  return profileFrom(stacks);
}
