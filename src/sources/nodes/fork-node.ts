// Whether a node is a fork that svc serves: a network of its own, whatever its passphrase says, of
// which no other node knows.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { awaitInOrder } from "../../base/in-parallel.ts";
import type { FetchContext } from "../source.ts";
import { callJsonRpc, type JsonRpcDependencies } from "./json-rpc.ts";

/** How the version of a fork begins, in the answer to getVersionInfo. */
export const FORK_VERSION = "svc-fork-";
const MAXIMUM_BYTES = 64 * 1024;

/** The passphrase; null: it is no fork, or does not answer. */
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
