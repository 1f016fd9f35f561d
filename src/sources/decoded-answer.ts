// Decodes XDR of a node. An error names the node, because another node may answer.

import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";

/**
 * Returns what `read` returns. An XDR_INVALID becomes NETWORK_BAD_ANSWER. `label` is the subject of
 * the request.
 */
export function decodedAnswer<T>(node: string, label: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SvcError && cause.code === "XDR_INVALID")) throw cause;
    throw new SvcError("NETWORK_BAD_ANSWER", {
      message: `${node} returned ${label} in a form that cannot be decoded.`,
      remedy: phrase`Set another node with ${flag("horizonUrl")} or ${flag("rpcUrl")}.`,
      cause,
      details: { node },
    });
  }
}
