// Writes pprof's profile.proto, gzipped
// (https://github.com/google/pprof/blob/main/proto/profile.proto): one sample for each stack with
// two values, CPU instructions and bytes of memory. Only this file imports pprof-format.

import { gzipSync } from "node:zlib";
import { Profile, StringTable } from "pprof-format";
import { BUILD_INFO } from "../../base/build-info.ts";
import { claimSentences } from "./profile-claims.ts";
import type { TransactionProfile } from "./transaction-profile.ts";

const NANOSECONDS = 1_000_000_000n;
const LARGEST_INT64 = 2n ** 63n - 1n;

export function renderPprof(profile: TransactionProfile): Uint8Array {
  const strings = new StringTable();
  const text = (value: string) => strings.dedup(value);
  // Each name has one location, with ids from 1, because there are no addresses or lines.
  const ids = new Map<string, number>();
  const idOf = (name: string) => {
    const id = ids.get(name) ?? ids.size + 1;
    ids.set(name, id);
    return id;
  };
  const sample = profile.stacks.map((stack) => ({
    locationId: stack.frames.map(({ name }) => idOf(name)).reverse(),
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
      ...claimSentences(profile).map(text),
      text(profile.functions),
    ],
  }).encode();
  return gzipSync(encoded);
}

/** Returns 0, which means no time, if the format cannot hold the time. */
function timeNanoseconds(unixSeconds: string): bigint {
  const nanoseconds = BigInt(unixSeconds) * NANOSECONDS;
  return nanoseconds <= LARGEST_INT64 ? nanoseconds : 0n;
}
