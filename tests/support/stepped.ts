// A recording without the walk around it: what a replay request steps through.

import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openTravelSimulator } from "../../src/simulator/open-processes.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import type { Recording } from "../../src/time-travel/recording.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";

/** It has no names and no entries. */
export async function stepped(
  request: ReplayRequest,
  builds: readonly Buffer[],
  use: (recording: Recording) => Promise<void>,
): Promise<void> {
  await using simulator = openTravelSimulator({ path: SIMULATOR_BINARY });
  const { trace } = await simulator.trace(request, builds, { signal: NEVER_ABORTED });
  if (trace === null) throw new Error("the recorded run was another one");
  const travel: Recording["travel"] = (kind, query) => simulator.travel(kind, query);
  await use({ trace, travel, lookup: () => null, entries: [] } as unknown as Recording);
}
