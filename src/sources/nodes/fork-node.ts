// Finds out whether a node is a fork that svc serves. A fork is a network of its own, whatever its
// passphrase says, and no other node knows it.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { awaitInOrder } from "../../base/in-parallel.ts";
import type { FetchContext } from "../source.ts";
import { callJsonRpc, type JsonRpcDependencies } from "./json-rpc.ts";

/** The beginning of a fork's version in the answer to getVersionInfo. */
export const FORK_VERSION = "svc-fork-";
const MAXIMUM_BYTES = 64 * 1024;

/** The passphrase of a fork; null if the node is not a fork, or does not answer. */
export async function passphraseOfFork(
  node: JsonRpcDependencies,
  context: FetchContext,
): Promise<string | null> {
  const ask = <T>(method: string, schema: v.GenericSchema<unknown, T>) =>
    callJsonRpc(
      node,
      { method, parameters: {}, schema, maximumBytes: MAXIMUM_BYTES, mostAttempts: 1 },
      context,
    );
  try {
    const [{ version }, { passphrase }] = await awaitInOrder([
      ask("getVersionInfo", v.object({ version: v.string() })),
      ask("getNetwork", v.object({ passphrase: v.string() })),
    ]);
    return version.startsWith(FORK_VERSION) ? passphrase : null;
  } catch (error) {
    if (error instanceof SvcError || context.signal.aborted) return null;
    throw error;
  }
}
