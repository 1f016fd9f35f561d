// Replays a captured transaction. The capsule has everything that a replay needs.

import "./standard.ts";

import { openCapsule } from "../debugger/walk/open-capsule.ts";
import { replayCaptured } from "../debugger/walk/replay-captured.ts";
import type { Investigation } from "../model/investigation.ts";
import { openConnected } from "../simulator/connected.ts";
import { givenText } from "./given.ts";
import type { CapsuleOptions } from "./options.ts";
import { debugOptions, optionalRecorder, programOf } from "./run.ts";
import { prepareRuntime } from "./runtime.ts";

export type * from "./options.ts";
export type { Investigation };
export { replayCapsule as replay };

/**
 * Replays the transaction of a capsule, or of a page with one capsule in it. Nothing is fetched.
 * Pass the investigation to the functions of the entry `report`. Throws a SvcError, such as
 * FILE_INVALID for a text that is no capsule.
 */
async function replayCapsule(capsule: string, options: CapsuleOptions): Promise<Investigation> {
  prepareRuntime();
  const { progress = () => {} } = options;
  const name = "The capsule";
  const captured = openCapsule({ name, text: givenText(capsule, name) }, null);
  const simulator = openConnected(programOf(options));
  const engines = { simulator, recorder: optionalRecorder(options), progress };
  return replayCaptured(engines, captured, debugOptions(options));
}
