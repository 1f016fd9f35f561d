// Writes speedscope's JSON (https://www.speedscope.app/file-format-schema.json): two `sampled`
// profiles over one list of frames, CPU instructions first, memory second. A sample is a stack, and
// its weight is the self cost of the stack.

import { BUILD_INFO } from "../../base/build-info.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { claimSentences } from "./profile-claims.ts";
import type { NamedStack, TransactionProfile } from "./transaction-profile.ts";

const SCHEMA = "https://www.speedscope.app/file-format-schema.json";

export function renderSpeedscope(profile: TransactionProfile): string {
  const indexes = new Map<string, number>();
  const samples = profile.stacks.map((stack) =>
    stack.frames.map(({ name }) => indexOf(indexes, name)),
  );
  const sampled = (name: string, unit: string, weightOf: (stack: NamedStack) => number) => {
    const weights = profile.stacks.map(weightOf);
    const spent = weights.flatMap((weight, i) => (weight > 0 ? [i] : []));
    return {
      type: "sampled",
      name,
      unit,
      startValue: 0,
      endValue: weights.reduce((total, weight) => total + weight, 0),
      samples: spent.map((i) => samples[i]),
      weights: spent.map((i) => weights[i]),
    };
  };
  const document = {
    $schema: SCHEMA,
    name: `${profile.hash} (${[...claimSentences(profile), profile.functions].join(" ")})`,
    exporter: `svc ${BUILD_INFO.version}`,
    activeProfileIndex: 0,
    shared: { frames: [...indexes.keys()].map((name) => ({ name })) },
    profiles: [
      sampled("CPU instructions", "none", (stack) => stack.cpuInstructions),
      sampled("Memory", "bytes", (stack) => stack.memoryBytes),
    ],
  };
  return jsonDocument(document, undefined, 0);
}

function indexOf(indexes: Map<string, number>, name: string): number {
  const known = indexes.get(name);
  if (known !== undefined) return known;
  indexes.set(name, indexes.size);
  return indexes.size - 1;
}
