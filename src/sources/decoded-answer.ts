// XDR of a node that cannot be decoded: the node is named, and another may answer.

import { SvcError } from "../base/errors/errors.ts";

/**
 * What `read` gives. Its XDR_INVALID becomes NETWORK_BAD_ANSWER. `what`: the subject of the
 * request.
 */
export function decodedAnswer<T>(node: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SvcError && cause.code === "XDR_INVALID")) throw cause;
    throw new SvcError("NETWORK_BAD_ANSWER", {
      message: `${node} returned ${what} in a form that cannot be decoded.`,
      remedy: "Set another node with `--horizon-url` or `--rpc-url`.",
      cause,
      details: { node },
    });
  }
}
