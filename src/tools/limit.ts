// Limits the work that goes on at a time. More is refused, not queued.

import { SvcError, type SvcErrorFields } from "../base/errors/errors.ts";
import type { Tools } from "./tools.ts";

export type Limit = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Opens a limit. Throws OVERLOADED with the fields that `refusal` returns. */
export function openLimit(most: number, refusal: (running: number) => SvcErrorFields): Limit {
  let running = 0;
  return async (work) => {
    if (running >= most) throw new SvcError("OVERLOADED", refusal(running));
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
}

/** The same tools, which share one limit. */
export function belowLimit(tools: Tools, limit: Limit): Tools {
  const { call, describe } = tools;
  return {
    ...tools,
    ...(call && { call: (...request) => limit(() => call(...request)) }),
    ...(describe && { describe: (...request) => limit(() => describe(...request)) }),
    debug: (...request) => limit(() => tools.debug(...request)),
    capture: (...request) => limit(() => tools.capture(...request)),
    simulate: (...request) => limit(() => tools.simulate(...request)),
    verify: (...request) => limit(() => tools.verify(...request)),
    explain: (...request) => limit(() => tools.explain(...request)),
  };
}
