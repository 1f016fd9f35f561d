// The map of profile formats: format → file name and bytes. A format is one line here
// and the function that renders it.

import { gzipSync } from "node:zlib";
import { Profile, StringTable } from "pprof-format";
import { BUILD_INFO } from "../../base/build-info.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { renderHtml } from "./html.ts";
import type { Stack, TransactionProfile } from "./transaction-profile.ts";

type ProfileFormat = "html" | "folded" | "speedscope" | "pprof";

interface Format {
  /** The part of the file name after the transaction's hash. */
  readonly suffix: string;
  render(profile: TransactionProfile): string | Uint8Array;
}

export const PROFILE_FORMATS: Readonly<Record<ProfileFormat, Format>> = {
  html: { suffix: ".flamegraph.html", render: renderHtml },
  folded: { suffix: ".folded", render: renderFolded },
  speedscope: { suffix: ".speedscope.json", render: renderSpeedscope },
  pprof: { suffix: ".pprof.pb.gz", render: renderPprof },
};

// Folded stacks, one per line: frames joined by semicolons, a blank, CPU instructions.
// flamegraph.pl, inferno and similar tools read it. The format has only one number, so memory is
// not in it.

/** The numbers add up to the CPU instructions that the replay metered: the format has no words. */
function renderFolded(profile: TransactionProfile): string {
  return profile.stacks
    .filter((stack) => stack.cpuInstructions > 0)
    .map((stack) => `${stack.frames.map(foldedName).join(";")} ${stack.cpuInstructions}\n`)
    .join("");
}

/** The format uses the semicolon as separator. */
function foldedName(name: string): string {
  return name.replaceAll(";", "\\u{3b}");
}

// speedscope's JSON (https://www.speedscope.app/file-format-schema.json): two `sampled` profiles
// over one list of frames, CPU instructions first, memory second. A sample is a stack, and its
// weight is the self cost of the stack.

const SCHEMA = "https://www.speedscope.app/file-format-schema.json";

function renderSpeedscope(profile: TransactionProfile): string {
  const indexes = new Map<string, number>();
  const samples = profile.stacks.map((stack) => stack.frames.map((name) => indexOf(indexes, name)));
  const sampled = (name: string, unit: string, weightOf: (stack: Stack) => number) => {
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
    name: `${profile.hash} (${[...claimsOf(profile), profile.functions].join(" ")})`,
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

function claimsOf({ verdict, totals, caveats }: TransactionProfile): string[] {
  return [verdict, totals, ...caveats];
}

function indexOf(indexes: Map<string, number>, name: string): number {
  const known = indexes.get(name);
  if (known !== undefined) return known;
  indexes.set(name, indexes.size);
  return indexes.size - 1;
}

// pprof's profile.proto, gzipped (https://github.com/google/pprof/blob/main/proto/profile.proto):
// one sample per stack with two values, CPU instructions and bytes of memory. The only importer of
// pprof-format.

const NANOSECONDS = 1_000_000_000n;
const LARGEST_INT64 = 2n ** 63n - 1n;

function renderPprof(profile: TransactionProfile): Uint8Array {
  const strings = new StringTable();
  const text = (value: string) => strings.dedup(value);
  // One location per name, with ids from 1: there are no addresses or lines.
  const ids = new Map<string, number>();
  const idOf = (name: string) => {
    const id = ids.get(name) ?? ids.size + 1;
    ids.set(name, id);
    return id;
  };
  const sample = profile.stacks.map((stack) => ({
    locationId: stack.frames.map(idOf).reverse(),
    value: [stack.cpuInstructions, stack.memoryBytes],
  }));
  const encoded = new Profile({
    sampleType: [
      { type: text("cpu"), unit: text("instructions") },
      { type: text("memory"), unit: text("bytes") },
    ],
    sample,
    location: [...ids.values()].map((id) => ({ id, line: [{ functionId: id }] })),
    function: [...ids].map(([name, id]) => ({ id, name: text(name), systemName: text(name) })),
    stringTable: strings,
    timeNanos: timeNanoseconds(profile.closeTimeUnixSeconds),
    defaultSampleType: text("cpu"),
    comment: [
      text(`Stellar transaction ${profile.hash}`),
      text(`svc ${BUILD_INFO.version}`),
      ...claimsOf(profile).map(text),
      text(profile.functions),
    ],
  }).encode();
  return gzipSync(encoded);
}

/** 0, which means no time, if the format cannot hold the time. */
function timeNanoseconds(unixSeconds: string): bigint {
  const nanoseconds = BigInt(unixSeconds) * NANOSECONDS;
  return nanoseconds <= LARGEST_INT64 ? nanoseconds : 0n;
}
