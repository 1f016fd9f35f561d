// A source whose false or unreadable answers are failures of that source, as a timeout is: another
// one is asked, and the run goes on. A run for one transaction stops there instead, and says so.

import { SvcError } from "../base/errors/errors.ts";
import { around } from "../sources/around.ts";
import type { Source } from "../sources/source.ts";

const OF_SOURCE: readonly string[] = ["NODE_LIED", "XDR_INVALID"];

export function forgivingSource(source: Source): Source {
  const forgiving = around(source, () => async (ask) => {
    try {
      return await ask();
    } catch (cause) {
      if (!(cause instanceof SvcError) || !OF_SOURCE.includes(cause.code)) throw cause;
      throw new SvcError("NETWORK_BAD_ANSWER", {
        message: `${source.name} gave a false answer: ${cause.message}`,
        remedy: "Set another node with `--rpc-url`.",
        cause,
      });
    }
  });
  return { ...forgiving, forgiven: true };
}
