// The new code for the runs that the ledger engine makes by itself. The engine runs a call as it
// was and with the new code, and compares the two, so that svc needs no execution of a call that
// does the same. Null if more than code is to be changed for the call.

import { SvcError } from "../base/errors/errors.ts";
import type { Engines } from "../debugger/run/replay.ts";
import type { Replayable } from "../debugger/run/run-variant.ts";
import { uploadedCode } from "../debugger/what-if/override-wasm.ts";
import type { CodeByInstance } from "../simulator/engine-messages.ts";
import { contractCodeKey } from "../xdr/ledger/patch-entry.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";
import type { ReplacedCode } from "./compare-runs.ts";
import type { NewBuild, NewBuilds } from "./new-builds.ts";

/** `open`: opens the call with its snapshot, which is seldom needed. */
export async function codeForEngine(
  engines: Engines,
  builds: NewBuilds,
  replaced: readonly ReplacedCode[],
  { snapshot, protocolVersion, open }: CallForEngine,
  options: { readonly signal: AbortSignal },
): Promise<CodeByInstance | null> {
  if (snapshot.unknown.length > 0 || !areApart(replaced)) return null;
  const next = new Map<string, string>();
  const kept: string[] = [];
  for (const { contract, build: owner, oldHash, newHash } of replaced) {
    const build = builds.get(owner);
    const instanceKey = instanceKeyOfContract(contract);
    const isOwn = owner === contract && instanceKey !== null;
    if (build === undefined || !isOwn || (build.protocol ?? 0) > protocolVersion) return null;
    if (oldHash === newHash) {
      const codeKey = contractCodeKey(oldHash);
      const former = snapshot.entries.find(({ keyXdr }) => keyXdr === codeKey);
      // Code that is not in the state would be uploaded.
      if (former === undefined || former.entryXdr === null) return null;
      kept.push(instanceKey);
      continue;
    }
    const entryXdr = await uploadedOrNull(engines, open, { contract, build }, options);
    if (entryXdr === null) return null;
    next.set(instanceKey, entryXdr);
  }
  return { next, kept };
}

export interface CallForEngine extends Pick<Replayable, "snapshot"> {
  readonly protocolVersion: number;
  readonly open: () => Replayable;
}

/** Says whether no code of one contract is also code of another. */
function areApart(replaced: readonly ReplacedCode[]): boolean {
  const hashes = replaced.flatMap(({ oldHash, newHash }) => [...new Set([oldHash, newHash])]);
  return new Set(hashes).size === hashes.length;
}

/** Null if the host does not accept the code, which the run of svc then says. */
async function uploadedOrNull(
  engines: Engines,
  open: () => Replayable,
  { contract, build }: { readonly contract: string; readonly build: NewBuild },
  options: { readonly signal: AbortSignal },
): Promise<string | null> {
  try {
    return await uploadedCode(engines, open(), contract, build, options);
  } catch (error) {
    if (options.signal.aborted || !(error instanceof SvcError)) throw error;
    return null;
  }
}
